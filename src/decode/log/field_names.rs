//! The names of the fields that count: those of G5, and those that a choice puts in their place
//! (G12).

use super::names::{LogPart, PlainName, Role, roles};

/// The names of fields: those of G5, or others that override them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldNames {
    named: Vec<NamedField>,
    /// The scheme of all requests.
    scheme: Option<Vec<u8>>,
}

/// A field that has a part.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedField {
    /// The names of the objects around it, and its own; of a key or a column the last alone.
    path: Vec<Vec<u8>>,
    /// Whether the path begins at the root of the object (RFC 6901).
    is_pointer: bool,
    role: [Role; 1],
}

/// The places of names that override those of G5.
const OVERRIDING: u8 = 128;

impl FieldNames {
    /// Has the scheme of all requests be this one.
    pub(super) fn set_scheme(&mut self, scheme: &str) {
        self.scheme = Some(scheme.to_ascii_lowercase().into_bytes());
    }

    /// Has a part be in this field. Returns false if the text is not a key, a column or a JSON
    /// pointer. Of several fields of a part the one with the least number counts.
    pub(super) fn add(&mut self, part: LogPart, number: usize, field: &str) -> bool {
        let named = NamedField::new(part, number.min(usize::from(OVERRIDING) - 1), field);
        let is_field = named.is_some();
        self.named.extend(named);
        is_field
    }

    /// Returns the roles of the field `name`, which is in these `objects`.
    pub(super) fn roles(&self, name: &[u8], objects: &[PlainName]) -> &[Role] {
        let found = self.named.iter().find(|field| field.is(name, objects));
        match found {
            Some(field) => &field.role,
            None => roles(name, objects.last()),
        }
    }

    /// Whether the value of a field counts that has this role.
    pub(super) fn counts(&self, (part, place): Role) -> bool {
        place >= OVERRIDING || !self.named.iter().any(|field| field.role[0].0 == part)
    }

    /// Whether fields count in the object with this name.
    pub(super) fn is_object(&self, name: &PlainName) -> bool {
        let is_in = |field: &NamedField| {
            let around = field.path.split_last().map_or(&[][..], |path| path.1);
            around.iter().any(|object| object == name.bytes())
        };
        name.is_object() || self.named.iter().any(is_in)
    }

    /// The scheme of all requests, if it is chosen.
    pub(super) fn scheme(&self) -> Option<&[u8]> {
        self.scheme.as_deref()
    }
}

impl NamedField {
    fn new(part: LogPart, number: usize, field: &str) -> Option<NamedField> {
        let plain = |name: &str| Some(PlainName::of(name.as_bytes())?.bytes().to_vec());
        let path: Option<Vec<_>> = match field.strip_prefix('/') {
            Some(pointer) => {
                let unescaped = |token: &str| token.replace("~1", "/").replace("~0", "~");
                pointer
                    .split('/')
                    .map(|token| plain(&unescaped(token)))
                    .collect()
            }
            None => plain(field).map(|name| vec![name]),
        };
        let path = path.filter(|path| path.iter().all(|name| !name.is_empty()))?;
        Some(NamedField {
            path,
            is_pointer: field.starts_with('/'),
            role: [(part, OVERRIDING + number as u8)],
        })
    }

    fn is(&self, name: &[u8], objects: &[PlainName]) -> bool {
        let Some((own, around)) = self.path.split_last() else {
            return false;
        };
        let is_own = PlainName::of(name).is_some_and(|name| name.bytes() == own);
        let is_around = || {
            objects.len() == around.len()
                && objects
                    .iter()
                    .zip(around)
                    .all(|(object, name)| object.bytes() == name)
        };
        is_own && (!self.is_pointer || is_around())
    }
}

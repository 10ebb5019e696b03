//! The JSON in scripts whose strings may be links: JSON-LD, speculation rules and import maps
//! (HTML Standard, sections 7.6 and 8.1.6.2). Broken JSON (RFC 8259) is read as far as its strings
//! can be recognized: after a defect the next string counts.

use super::{json_ld, url_like};
use crate::decode::json::{self, JsonStrings, OpenJson};
use crate::item::{Part, Schemes};

/// A kind of JSON in a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode::markup) enum ScriptJson {
    Linked,
    /// Which pages a browser may load ahead.
    Speculation,
    /// Which modules the names in scripts mean.
    ImportMap,
}

impl ScriptJson {
    /// Returns the kind that `media_type`, the type of a script, states.
    pub fn of(media_type: &[u8]) -> Option<ScriptJson> {
        let is = |name: &str| media_type.eq_ignore_ascii_case(name.as_bytes());
        match () {
            () if is("speculationrules") => Some(ScriptJson::Speculation),
            () if is("importmap") => Some(ScriptJson::ImportMap),
            () if Part::essence(media_type).eq_ignore_ascii_case(b"application/ld+json") => {
                Some(ScriptJson::Linked)
            }
            () => None,
        }
    }

    /// Returns the strings of `text` that may be links by the keys around them. `open` is a
    /// buffer.
    pub fn strings<'t, 'b>(
        self,
        text: &'t [u8],
        open: &'b mut Vec<OpenJson>,
    ) -> JsonStrings<'t, 'b> {
        let is_excluded: fn(&[u8]) -> bool = match self {
            ScriptJson::Linked => json_ld::is_excluded,
            ScriptJson::Speculation => |_| false,
            // The values of this member are hashes.
            ScriptJson::ImportMap => |key| key == b"integrity",
        };
        json::strings(text, is_excluded, open)
    }

    /// Whether `value`, without its escapes, may be a link. `pointer` is its place, as a JSON
    /// Pointer, if that is known.
    pub fn may_be_link(self, value: &[u8], pointer: Option<&[u8]>) -> bool {
        match self {
            ScriptJson::Linked => json_ld::may_be_link(value),
            ScriptJson::Speculation => pointer.is_some_and(is_listed),
            ScriptJson::ImportMap => url_like::is_address(value),
        }
    }

    /// The schemes that make a value a link.
    pub fn schemes(self) -> Schemes {
        match self {
            ScriptJson::Linked => Schemes::Known,
            ScriptJson::Speculation | ScriptJson::ImportMap => Schemes::Any,
        }
    }
}

/// Whether speculation rules list an address at this place: `/prefetch/0/urls/0`.
fn is_listed(pointer: &[u8]) -> bool {
    let is_number = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    let parts: Vec<&[u8]> = pointer.split(|byte| *byte == b'/').collect();
    matches!(parts[..], [b"", b"prefetch" | b"prerender", rule, b"urls", number]
        if is_number(rule) && is_number(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_type() {
        for (media_type, kind) in [
            ("SpeculationRules", Some(ScriptJson::Speculation)),
            ("importmap", Some(ScriptJson::ImportMap)),
            (
                "application/ld+json; charset=utf-8",
                Some(ScriptJson::Linked),
            ),
            ("importmap; a", None),
            ("application/json", None),
            ("", None),
        ] {
            assert_eq!(ScriptJson::of(media_type.as_bytes()), kind, "{media_type}");
        }
    }

    #[test]
    fn places_of_speculation_rules() {
        for (pointer, is_link) in [
            ("/prefetch/0/urls/12", true),
            ("/prerender/3/urls/0", true),
            ("/prefetch/0/source", false),
            ("/prefetch/0/where/and/0/href_matches", false),
            ("/other/0/urls/0", false),
            ("", false),
        ] {
            let may_be = ScriptJson::Speculation.may_be_link(b"x", Some(pointer.as_bytes()));
            assert_eq!(may_be, is_link, "{pointer}");
        }
        assert!(!ScriptJson::Speculation.may_be_link(b"x", None));
    }
}

//! JSON Pointers (RFC 6901) that share what they begin with: many deep values take little memory.

use std::sync::Arc;

/// A JSON Pointer: that of the value around, and a token.
///
/// ```
/// use urisieve::decode::PointerPath;
/// use std::sync::Arc;
/// let around = Arc::new(PointerPath::whole(b"/a"));
/// let inner = PointerPath::member(&around, b"b~1c");
/// assert_eq!((inner.text(), inner.is_empty()), (b"/a/b~1c".to_vec(), false));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerPath {
    /// `None` if the token is all of the pointer, with its slashes.
    around: Option<Arc<PointerPath>>,
    token: Box<[u8]>,
    /// The length of the pointer in bytes.
    len: usize,
}

impl PointerPath {
    /// Returns a pointer that shares nothing.
    ///
    /// ```
    /// assert_eq!(urisieve::decode::PointerPath::whole(b"").text(), b"");
    /// ```
    pub fn whole(pointer: &[u8]) -> PointerPath {
        PointerPath {
            around: None,
            token: Box::from(pointer),
            len: pointer.len(),
        }
    }

    /// Returns the pointer of a member or an element of the value at `around`, by its token with
    /// the escapes of pointers.
    ///
    /// ```
    /// use urisieve::decode::PointerPath;
    /// let root = PointerPath::whole(b"").into();
    /// assert_eq!(PointerPath::member(&root, b"0").len(), 2);
    /// ```
    pub fn member(around: &Arc<PointerPath>, token: &[u8]) -> PointerPath {
        PointerPath {
            around: Some(Arc::clone(around)),
            token: Box::from(token),
            len: around.len + 1 + token.len(),
        }
    }

    /// Whether it is the pointer that [`member`](PointerPath::member) returns.
    pub(in crate::decode) fn is_member(&self, around: &Arc<PointerPath>, token: &[u8]) -> bool {
        self.is_in(around) && *self.token == *token
    }

    /// Whether it is the pointer of a member or an element of the value at `around`.
    pub(in crate::decode) fn is_in(&self, around: &Arc<PointerPath>) -> bool {
        self.around
            .as_ref()
            .is_some_and(|of| Arc::ptr_eq(of, around))
    }

    /// The length of the pointer in bytes.
    ///
    /// ```
    /// assert_eq!(urisieve::decode::PointerPath::whole(b"/a").len(), 2);
    /// ```
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether the pointer is that of the whole text.
    ///
    /// ```
    /// assert!(urisieve::decode::PointerPath::whole(b"").is_empty());
    /// ```
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the pointer.
    ///
    /// ```
    /// assert_eq!(urisieve::decode::PointerPath::whole(b"/a/0").text(), b"/a/0");
    /// ```
    pub fn text(&self) -> Vec<u8> {
        let mut text = vec![b'/'; self.len];
        let (mut path, mut end) = (self, self.len);
        loop {
            let from = end - path.token.len();
            text[from..end].copy_from_slice(&path.token);
            let Some(around) = &path.around else {
                return text;
            };
            (path, end) = (around, from - 1);
        }
    }
}

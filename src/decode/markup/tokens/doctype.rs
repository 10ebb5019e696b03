//! The inside of a document type declaration, by the states of the HTML Standard, to
//! compare with other tokenizers.

/// A declaration. Missing parts are `None`; `quirks` is the flag "force-quirks".
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Declaration<'d> {
    pub name: Option<&'d [u8]>,
    pub public: Option<&'d [u8]>,
    pub system: Option<&'d [u8]>,
    pub quirks: bool,
}

impl<'d> Declaration<'d> {
    /// Reads the data between `<!DOCTYPE` and `>`; `closed` states whether the `>` is there.
    pub fn read(data: &'d [u8], closed: bool) -> Declaration<'d> {
        let mut read = Declaration {
            quirks: !closed,
            ..Declaration::default()
        };
        let is_blank = |byte: &u8| b" \t\n\r\x0C".contains(byte);
        let trim = |text: &'d [u8]| {
            let from = text.iter().position(|byte| !is_blank(byte));
            &text[from.unwrap_or(text.len())..]
        };
        let rest = trim(data);
        let len = rest.iter().position(is_blank).unwrap_or(rest.len());
        if len == 0 {
            read.quirks = true;
            return read;
        }
        read.name = Some(&rest[..len]);
        let rest = trim(&rest[len..]);
        let Some((keyword, rest)) = rest.split_at_checked(6) else {
            read.quirks |= !rest.is_empty();
            return read;
        };
        let is_public = keyword.eq_ignore_ascii_case(b"public");
        if !is_public && !keyword.eq_ignore_ascii_case(b"system") {
            read.quirks = true;
            return read;
        }
        // Text after the last identifier is an error without a consequence.
        /// Returns a quoted text, whether it is closed, and the text after it.
        fn quoted(text: &[u8]) -> Option<(&[u8], bool, &[u8])> {
            let (quote, rest) = text.split_first()?;
            if !b"\"'".contains(quote) {
                return None;
            }
            match rest.iter().position(|byte| byte == quote) {
                Some(end) => Some((&rest[..end], true, &rest[end + 1..])),
                None => Some((rest, false, b"")),
            }
        }
        let Some((text, is_closed, rest)) = quoted(trim(rest)) else {
            read.quirks = true;
            return read;
        };
        read.quirks |= !is_closed;
        if !is_public {
            read.system = Some(text);
            read.quirks = !is_closed || !closed && trim(rest).is_empty();
            return read;
        }
        read.public = Some(text);
        let rest = trim(rest);
        if rest.is_empty() {
            return read;
        }
        match quoted(rest) {
            Some((text, is_closed, rest)) => {
                read.system = Some(text);
                read.quirks = !is_closed || !closed && trim(rest).is_empty();
            }
            None => read.quirks = true,
        }
        read
    }
}

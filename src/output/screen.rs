//! Text for a terminal: colors, and no character that would control the terminal.

use crate::syntax::{Components, shown};

/// The rules by which text is escaped and colored.
///
/// ```
/// use urisieve::{Sieve, output::{Form, Screen, Text}};
/// let (mut form, mut out) = (Text::default().names(true).screen(Screen::SAFE), Vec::new());
/// Sieve::builder().build().for_each(b"http://a/", |finding| {
///     form.write(finding, b"odd\x1b[2Jname", &mut out);
/// })?;
/// assert_eq!(out, b"odd\\x1B[2Jname:http://a/\n");
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    safe: bool,
    colors: bool,
}

const NAME: &[u8] = b"\x1b[35m";
const NUMBER: &[u8] = b"\x1b[32m";
const HOST: &[u8] = b"\x1b[1m";
const PLAIN: &[u8] = b"\x1b[0m";

impl Screen {
    /// As for a file: every byte unchanged.
    pub const PLAIN: Screen = Screen {
        safe: false,
        colors: false,
    };

    /// Characters that a terminal would not show unchanged, see
    /// [`shows`](Screen::shows), and bytes that are not UTF-8 are written as `\xXX`.
    pub const SAFE: Screen = Screen {
        safe: true,
        colors: false,
    };

    /// Whether a terminal shows this character unchanged: not a control character,
    /// which could control the terminal, and not a format character (Unicode category
    /// Cf) or line separator, which could reorder or hide other text.
    ///
    /// ```
    /// use urisieve::output::Screen;
    /// assert!(Screen::shows('é'));
    /// assert!(!Screen::shows('\u{1B}') && !Screen::shows('\u{202E}'));
    /// ```
    pub const fn shows(char: char) -> bool {
        shown::is_shown(char)
    }

    /// Sets whether colors are used: names magenta and numbers green like grep, hosts
    /// bold.
    ///
    /// ```
    /// use urisieve::output::Screen;
    /// assert_ne!(Screen::SAFE.colors(true), Screen::SAFE);
    /// ```
    pub const fn colors(self, colors: bool) -> Screen {
        Screen { colors, ..self }
    }

    pub(super) fn name(self, name: &[u8], out: &mut Vec<u8>) {
        self.colored(NAME, out, |out| self.line(name, out));
    }

    pub(super) fn number(self, number: u64, out: &mut Vec<u8>) {
        self.colored(NUMBER, out, |out| {
            out.extend_from_slice(number.to_string().as_bytes());
        });
    }

    pub(super) fn uri(self, uri: &[u8], out: &mut Vec<u8>) {
        let host = match self.colors {
            true => Components::parse(uri).host_range(),
            false => 0..0,
        };
        if host.is_empty() {
            return self.line(uri, out);
        }
        self.line(&uri[..host.start], out);
        self.colored(HOST, out, |out| self.line(&uri[host.clone()], out));
        self.line(&uri[host.end..], out);
    }

    fn colored(self, color: &[u8], out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
        if self.colors {
            out.extend_from_slice(color);
        }
        push(out);
        if self.colors {
            out.extend_from_slice(PLAIN);
        }
    }

    /// Appends text that is already in lines: line feeds and tabs are unchanged.
    ///
    /// ```
    /// use urisieve::output::Screen;
    /// let mut out = Vec::new();
    /// Screen::SAFE.lines(b"1\thttp://a/\nno \x1b[2J uri\n", &mut out);
    /// assert_eq!(out, b"1\thttp://a/\nno \\x1B[2J uri\n");
    /// ```
    pub fn lines(self, text: &[u8], out: &mut Vec<u8>) {
        for part in text.split_inclusive(|b| matches!(b, b'\n' | b'\t')) {
            let (text, end) = match part {
                [text @ .., end @ (b'\n' | b'\t')] => (text, Some(*end)),
                text => (text, None),
            };
            self.line(text, out);
            out.extend(end);
        }
    }

    /// Appends text that is within a line: its line feeds and tabs are escaped as well.
    ///
    /// ```
    /// use urisieve::output::Screen;
    /// let mut out = Vec::new();
    /// Screen::SAFE.line(b"two\nlines", &mut out);
    /// assert_eq!(out, b"two\\x0Alines");
    /// ```
    pub fn line(self, text: &[u8], out: &mut Vec<u8>) {
        if !self.safe {
            return out.extend_from_slice(text);
        }
        for chunk in text.utf8_chunks() {
            for char in chunk.valid().chars() {
                let mut bytes = [0; 4];
                let bytes = char.encode_utf8(&mut bytes).as_bytes();
                if Screen::shows(char) {
                    out.extend_from_slice(bytes);
                } else {
                    bytes.iter().for_each(|&byte| push_hex(byte, out));
                }
            }
            chunk.invalid().iter().for_each(|&byte| push_hex(byte, out));
        }
    }
}

fn push_hex(byte: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("\\x{byte:02X}").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut out = Vec::new();
        Screen::SAFE.uri(&bytes, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(!text.chars().any(char::is_control));
        assert!(text.contains("\\x1B") && text.contains("\\x9B"));
        for char in [
            '\u{202E}', '\u{2066}', '\u{200F}', '\u{61C}', '\u{2028}', '\u{FEFF}',
        ] {
            let mut out = Vec::new();
            Screen::SAFE.name(char.to_string().as_bytes(), &mut out);
            assert!(out.is_ascii(), "{char:?}");
        }
        let mut out = Vec::new();
        Screen::default().uri(&bytes, &mut out);
        assert_eq!(out, bytes);
    }

    #[test]
    fn colors_stand_around_parts() {
        let mut out = Vec::new();
        Screen::SAFE.colors(true).uri(b"http://u@h:1/", &mut out);
        assert_eq!(out, b"http://u@\x1b[1mh\x1b[0m:1/");
        out.clear();
        Screen::SAFE.colors(true).number(7, &mut out);
        assert_eq!(out, b"\x1b[32m7\x1b[0m");
    }
}

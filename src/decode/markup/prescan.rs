//! The encoding that a document declares for itself: `<meta>` in HTML, the XML
//! declaration. By the HTML Standard ("prescan a byte stream to determine its encoding",
//! "get an XML encoding"), in time linear in the bytes.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};

/// The bytes in which nearly all documents that declare an encoding in HTML do so.
const NEAR: usize = 4 << 10;

/// Returns the encoding that an HTML document declares in its first bytes.
pub(super) fn html(head: &[u8]) -> Option<&'static Encoding> {
    in_meta(head).or_else(|| xml(head))
}

/// Returns the encoding that an XML declaration at the start names.
pub(super) fn xml(head: &[u8]) -> Option<&'static Encoding> {
    let rest = head.strip_prefix(b"<?xml")?;
    let declaration = &rest[..memchr(b'>', rest)?];
    let at = memmem::find(declaration, b"encoding")? + b"encoding".len();
    let rest = without_controls(&declaration[at..]).strip_prefix(b"=")?;
    let rest = without_controls(rest);
    let (&quote, rest) = rest.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let label = &rest[..memchr(quote, rest)?];
    if label.iter().any(|&byte| byte <= b' ') {
        return None;
    }
    found(label)
}

fn without_controls(bytes: &[u8]) -> &[u8] {
    let from = bytes.iter().position(|&byte| byte > b' ');
    &bytes[from.unwrap_or(bytes.len())..]
}

/// Returns the encoding of a declaration that was read as ASCII, and so cannot be
/// UTF-16.
fn found(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label_no_replacement(label)?;
    let is_utf16 = encoding == UTF_16LE || encoding == UTF_16BE;
    Some(if is_utf16 { UTF_8 } else { encoding })
}

/// Returns the encoding of the first `<meta>` that names one.
fn in_meta(head: &[u8]) -> Option<&'static Encoding> {
    let mut scan = Prescan { bytes: head, at: 0 };
    // Behind this offset nothing is declared.
    let mut last = None;
    loop {
        if scan.at >= NEAR && scan.at >= *last.get_or_insert_with(|| last_meta(head)) {
            return None;
        }
        scan.at += memchr(b'<', &head[scan.at..])?;
        let rest = &head[scan.at..];
        if rest.starts_with(b"<!--") {
            // `<!-->` is a whole comment.
            scan.at += 2 + memmem::find(&rest[2..], b"-->")? + 3;
        } else if is_meta(rest) {
            scan.at += b"<meta".len();
            if let Some(encoding) = scan.meta()? {
                return Some(encoding);
            }
        } else if let [b'<', b'/', b'a'..=b'z' | b'A'..=b'Z', ..]
        | [b'<', b'a'..=b'z' | b'A'..=b'Z', ..] = rest
        {
            scan.at += rest
                .iter()
                .position(|&byte| is_blank(byte) || byte == b'>')?;
            while scan.attribute()?.is_some() {}
        } else if let [b'<', b'!' | b'/' | b'?', ..] = rest {
            scan.at += memchr(b'>', rest)?;
        } else {
            scan.at += 1;
        }
    }
}

/// Returns the offset behind the last `<` of a `<meta>`; 0 without one. Two searches take far less
/// time than reading the tags.
fn last_meta(head: &[u8]) -> usize {
    let of = |begin: &[u8]| {
        let found = memmem::find_iter(head, begin);
        found.filter(|&at| is_meta(&head[at..])).last()
    };
    let last = of(b"<m").max(of(b"<M"));
    last.map_or(0, |at| at + 1)
}

fn is_meta(rest: &[u8]) -> bool {
    let Some((name, &[next, ..])) = rest.split_at_checked(b"<meta".len()) else {
        return false;
    };
    name.eq_ignore_ascii_case(b"<meta") && (is_blank(next) || next == b'/')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

/// A position in the bytes.
struct Prescan<'h> {
    bytes: &'h [u8],
    at: usize,
}

impl<'h> Prescan<'h> {
    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Goes to the next byte that is not one of `skipped`. `None` at the end.
    fn skip(&mut self, skipped: fn(u8) -> bool) -> Option<u8> {
        while skipped(self.byte()?) {
            self.at += 1;
        }
        self.byte()
    }

    /// Returns the encoding that the attributes of a `<meta>` declare. The outer `None`
    /// is the end of the bytes.
    fn meta(&mut self) -> Option<Option<&'static Encoding>> {
        let mut seen = [false; 3];
        let (mut is_pragma, mut needs_pragma) = (false, false);
        let mut declared = None;
        while let Some((name, value)) = self.attribute()? {
            let known = [&b"http-equiv"[..], b"content", b"charset"];
            let number = known.iter().position(|k| name.eq_ignore_ascii_case(k));
            let Some(number) = number else { continue };
            if std::mem::replace(&mut seen[number], true) {
                continue;
            }
            match number {
                0 => is_pragma = value.eq_ignore_ascii_case(b"content-type"),
                1 if declared.is_none() && !seen[2] => {
                    declared = in_content(value);
                    needs_pragma = declared.is_some();
                }
                1 => {}
                _ => {
                    declared = found(value);
                    needs_pragma = false;
                }
            }
        }
        let declared = declared.filter(|_| is_pragma || !needs_pragma);
        Some(declared.map(|encoding| match encoding == X_USER_DEFINED {
            true => WINDOWS_1252,
            false => encoding,
        }))
    }

    /// "Get an attribute". The outer `None` is the end of the bytes, the inner one the end
    /// of the tag.
    #[allow(clippy::type_complexity)]
    fn attribute(&mut self) -> Option<Option<(&'h [u8], &'h [u8])>> {
        if self.skip(|byte| is_blank(byte) || byte == b'/')? == b'>' {
            return Some(None);
        }
        let from = self.at;
        loop {
            match self.byte()? {
                b'=' if self.at > from => break,
                b'/' | b'>' => return Some(Some((&self.bytes[from..self.at], b""))),
                byte if is_blank(byte) => break,
                _ => self.at += 1,
            }
        }
        let name = &self.bytes[from..self.at];
        if self.skip(is_blank)? != b'=' {
            return Some(Some((name, b"")));
        }
        self.at += 1;
        let first = self.skip(is_blank)?;
        let from = self.at;
        let rest = &self.bytes[from..];
        let value = if matches!(first, b'"' | b'\'') {
            let len = memchr(first, &rest[1..])?;
            self.at += len + 2;
            &rest[1..=len]
        } else {
            let len = rest
                .iter()
                .position(|&byte| is_blank(byte) || byte == b'>')?;
            self.at += len;
            &rest[..len]
        };
        Some(Some((name, value)))
    }
}

/// "Extracting a character encoding from a meta element"
fn in_content(value: &[u8]) -> Option<&'static Encoding> {
    const NAME: &[u8] = b"charset";
    let mut rest = value;
    loop {
        let at = (rest.windows(NAME.len())).position(|part| part.eq_ignore_ascii_case(NAME))?;
        rest = without_blanks(&rest[at + NAME.len()..]);
        let Some(after) = rest.strip_prefix(b"=") else {
            continue;
        };
        let after = without_blanks(after);
        let label = match after.split_first()? {
            (&quote @ (b'"' | b'\''), after) => &after[..memchr(quote, after)?],
            _ => {
                let ends = |&byte: &u8| is_blank(byte) || byte == b';';
                &after[..after.iter().position(ends).unwrap_or(after.len())]
            }
        };
        return found(label);
    }
}

fn without_blanks(bytes: &[u8]) -> &[u8] {
    let from = bytes.iter().position(|&byte| !is_blank(byte));
    &bytes[from.unwrap_or(bytes.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: fn(&[u8]) -> Option<&'static Encoding>, cases: &[(&str, &str)]) {
        for (text, wanted) in cases {
            let found = language(text.as_bytes());
            assert_eq!(found.map_or("", Encoding::name), *wanted, "{text}");
        }
    }

    #[test]
    fn meta_declares_the_encoding_of_html() {
        let cases = [
            ("<meta charset=latin1>", "windows-1252"),
            ("<META/CHARSET = ' Shift_JIS '>", "Shift_JIS"),
            ("<meta charset=\"koi8-r\"/>", "KOI8-R"),
            ("<meta charset=utf-16le>", "UTF-8"),
            ("<meta charset=x-user-defined>", "windows-1252"),
            // Unknown, or replaced by an empty text.
            ("<meta charset=nothing><meta charset=big5>", "Big5"),
            ("<meta charset=hz-gb-2312><meta charset=gbk>", "GBK"),
            // `content` counts only with its pragma, in either order.
            (
                "<meta content='text/html; charset=euc-kr' http-equiv=Content-Type>",
                "EUC-KR",
            ),
            ("<meta content='text/html; charset=euc-kr'>", ""),
            ("<meta content='charset=euc-kr' charset=gbk>", "GBK"),
            ("<meta charset=gbk content='charset=euc-kr'>", "GBK"),
            // The first of two equal attributes.
            ("<meta charset=big5 charset=gbk>", "Big5"),
            ("<meta charset=nothing charset=gbk>", ""),
            ("<meta charset=nothing content='charset=gbk'>", ""),
            (
                "<meta http-equiv=content-type content='charset charset = \"big5\"; x'>",
                "Big5",
            ),
            (
                "<meta http-equiv=content-type content='charset=\"big5'>",
                "",
            ),
            (
                "<meta http-equiv=content-type content='charset=big5;x'>",
                "Big5",
            ),
            // Inside of a comment or another tag.
            ("<!-- <meta charset=big5> --><meta charset=gbk>", "GBK"),
            ("<!--><meta charset=big5>-->", "Big5"),
            ("<!---><meta charset=big5>-->", "Big5"),
            ("<!-- <meta charset=big5>", ""),
            ("<a title='<meta charset=big5>'><meta charset=gbk>", "GBK"),
            ("</a title='<meta charset=big5>'><meta charset=gbk>", "GBK"),
            ("<? <meta charset=big5><meta charset=gbk>", "GBK"),
            ("<title><meta charset=big5></title>", "Big5"),
            ("<metax charset=big5><meta charset=gbk>", "GBK"),
            ("< meta charset=big5>", ""),
            ("<a =x=y <meta charset=big5>", ""),
            ("<meta charset=big5", ""),
            ("<meta charset='big5", ""),
            ("", ""),
            // An XML declaration counts after all `<meta>`.
            ("<?xml encoding='gbk'?><meta charset=big5>", "Big5"),
            ("<?xml version='1.0' encoding='gbk'?><p>", "GBK"),
            ("<?xml version='1.0' encoding='gbk'?><!-- open", "GBK"),
        ];
        check(html, &cases);
        // The same far from the start, where the last `<meta` is known.
        let before = "<p title='<meta '>".repeat(NEAR / 16);
        for (text, wanted) in cases {
            if !text.starts_with("<?xml") {
                for after in ["", "<p>", "<!-- <META", "<Meta name=a>"] {
                    let text = format!("{before}{text}<p>{after}");
                    let far = html(text.as_bytes()).map_or("", Encoding::name);
                    let near = html(&text.as_bytes()[before.len()..]).map_or("", Encoding::name);
                    assert_eq!(far, near, "{text}");
                    assert!(far == wanted || !after.is_empty(), "{text}");
                }
            }
        }
    }

    #[test]
    fn the_xml_declaration_declares_the_encoding_of_xml() {
        check(
            xml,
            &[
                (
                    "<?xml version=\"1.0\" encoding=\"iso-8859-2\"?>",
                    "ISO-8859-2",
                ),
                ("<?xml encoding = 'UTF-16' ?>", "UTF-8"),
                ("<?xml encoding='big5' encoding='gbk'?>", "Big5"),
                ("<?xml encoding='big 5'?>", ""),
                ("<?xml encoding=big5?>", ""),
                ("<?xml encoding='big5?>'", ""),
                ("<?xml encoding='nothing'?>", ""),
                (" <?xml encoding='big5'?>", ""),
                ("<?xml version='1.0'?><a encoding='big5'>", ""),
                ("<meta charset=big5>", ""),
            ],
        );
    }
}

//! Events of JSON Lines: the place in a line at which a member is added, so that every other
//! byte stays (I18).

/// The deepest object or array of an event that is read.
const DEPTH_MAX: usize = 256;

/// The member that is added: the way to the object that gets it, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemberPath {
    parents: Vec<String>,
    name: String,
}

/// The place for a member in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberPlace {
    /// Before the `}` of the object, which has no members if it is empty.
    Before { offset: usize, is_empty: bool },
    /// The line is not an object.
    NotObject,
    /// The object has the member already.
    Present,
    /// The event lacks the object.
    NoParent,
}

impl MemberPath {
    /// Reads a JSON Pointer (RFC 6901).
    ///
    /// # Errors
    /// A message.
    pub(super) fn parse(pointer: &str) -> Result<MemberPath, String> {
        let tokens = pointer
            .strip_prefix('/')
            .ok_or("write a JSON pointer such as /urls")?;
        let plain = |token: &str| token.replace("~1", "/").replace("~0", "~");
        let mut parents: Vec<String> = tokens.split('/').map(plain).collect();
        let name = parents.pop().unwrap_or_default();
        Ok(MemberPath { parents, name })
    }

    /// The name of the member.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the place for the member in `line`.
    pub(super) fn place_in(&self, line: &[u8]) -> MemberPlace {
        let mut reading = EventReading {
            text: line,
            at: 0,
            depth: 0,
            path: self,
            place: MemberPlace::NoParent,
        };
        reading.blanks();
        let is_object = reading.text.get(reading.at) == Some(&b'{');
        let read = reading.value(Some(0));
        reading.blanks();
        match read.is_some() && is_object && reading.at == line.len() {
            true => reading.place,
            false => MemberPlace::NotObject,
        }
    }
}

struct EventReading<'e> {
    text: &'e [u8],
    at: usize,
    depth: usize,
    path: &'e MemberPath,
    place: MemberPlace,
}

impl<'e> EventReading<'e> {
    fn blanks(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        self.at += rest.iter().take_while(blank).count();
    }

    /// Skips `byte` if it is next, after blanks.
    fn accept(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_next = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Reads a value; `way` is the number of names on the way to the parent that lead to it,
    /// if all before it do. `None` for what is not JSON.
    fn value(&mut self, way: Option<usize>) -> Option<()> {
        self.blanks();
        match *self.text.get(self.at)? {
            b'{' => self.nested(|reading| reading.object(way)),
            b'[' => self.nested(|reading| reading.array(way)),
            b'"' => self.string().map(drop),
            b'-' | b'0'..=b'9' => {
                let rest = &self.text[self.at..];
                let is_of = |byte: &&u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                self.at += rest.iter().take_while(is_of).count();
                Some(())
            }
            _ => {
                let rest = &self.text[self.at..];
                let words = [&b"true"[..], b"false", b"null"];
                let word = words.into_iter().find(|word| rest.starts_with(word))?;
                self.at += word.len();
                Some(())
            }
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.depth += 1;
        let read = (self.depth <= DEPTH_MAX).then(|| read(self)).flatten();
        self.depth -= 1;
        read
    }

    fn object(&mut self, way: Option<usize>) -> Option<()> {
        let path = self.path;
        let is_parent = way == Some(path.parents.len());
        let (mut is_present, mut is_empty) = (false, true);
        if !self.accept(b'}') {
            is_empty = false;
            loop {
                self.blanks();
                let name = self.string()?;
                let is = |wanted: &str| is_name(name, wanted);
                is_present |= is_parent && is(&path.name);
                let next = way.filter(|&way| path.parents.get(way).is_some_and(|n| is(n)));
                if !self.accept(b':') {
                    return None;
                }
                self.value(next.map(|way| way + 1))?;
                if self.accept(b'}') {
                    break;
                }
                if !self.accept(b',') {
                    return None;
                }
            }
        }
        if is_parent {
            let offset = self.at - 1;
            self.place = match is_present {
                true => MemberPlace::Present,
                false => MemberPlace::Before { offset, is_empty },
            };
        }
        Some(())
    }

    fn array(&mut self, way: Option<usize>) -> Option<()> {
        if self.accept(b']') {
            return Some(());
        }
        let wanted = way.and_then(|way| self.path.parents.get(way));
        let wanted = wanted.and_then(|token| token.parse::<usize>().ok());
        for number in 0.. {
            let next = way.filter(|_| wanted == Some(number));
            self.value(next.map(|way| way + 1))?;
            if self.accept(b']') {
                break;
            }
            if !self.accept(b',') {
                return None;
            }
        }
        Some(())
    }

    /// Reads a string; returns it with its quotes.
    fn string(&mut self) -> Option<&'e [u8]> {
        let (from, text) = (self.at, self.text);
        if self.text.get(from) != Some(&b'"') {
            return None;
        }
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..)?;
            let len = memchr::memchr2(b'"', b'\\', rest)?;
            self.at += len + 1;
            if rest[len] == b'"' {
                return Some(&text[from..self.at]);
            }
            self.at += 1;
        }
    }
}

/// Whether a string with its quotes is `wanted`.
fn is_name(string: &[u8], wanted: &str) -> bool {
    let inside = &string[1..string.len() - 1];
    match memchr::memchr(b'\\', inside) {
        None => inside == wanted.as_bytes(),
        Some(_) => serde_json::from_slice::<String>(string).is_ok_and(|name| name == wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_members() {
        let before = |offset, is_empty| MemberPlace::Before { offset, is_empty };
        for (into, line, wanted) in [
            ("/urls", "{}", before(1, true)),
            ("/urls", " { \"a\" : [1, {}, \"}\"] } \r", before(22, false)),
            ("/urls", "{\"urls\":1}", MemberPlace::Present),
            ("/urls", "{\"\\u0075rls\":1}", MemberPlace::Present),
            ("/urls", "{\"a\":{\"urls\":1}}", before(15, false)),
            ("/a/b/urls", "{\"a\":{\"b\":{}}}", before(11, true)),
            ("/a/b/urls", "{\"a\":{\"b\":[]}}", MemberPlace::NoParent),
            (
                "/a/1/urls",
                "{\"a\":[{},{\"x\":-1.5e3}]}",
                before(20, false),
            ),
            ("/a~1b/urls", "{\"a/b\":{}}", before(8, true)),
            ("/urls", "[{}]", MemberPlace::NotObject),
            ("/urls", "{\"a\":1", MemberPlace::NotObject),
            ("/urls", "{\"a\":1}}", MemberPlace::NotObject),
            ("/urls", "{\"a\":1,}", MemberPlace::NotObject),
            ("/urls", "{\"a\" 1}", MemberPlace::NotObject),
            ("/urls", "{\"a\":tru}", MemberPlace::NotObject),
            ("/urls", "{\"a\":\"\\\"}", MemberPlace::NotObject),
            ("/urls", "", MemberPlace::NotObject),
            ("/urls", "text {}", MemberPlace::NotObject),
        ] {
            let path = MemberPath::parse(into).unwrap();
            assert_eq!(path.place_in(line.as_bytes()), wanted, "{into} {line}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
        let path = MemberPath::parse("/urls").unwrap();
        assert_eq!(path.place_in(deep.as_bytes()), MemberPlace::NotObject);
        assert!(MemberPath::parse("urls").is_err());
    }
}

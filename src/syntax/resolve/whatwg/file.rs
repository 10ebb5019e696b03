//! `file:` URLs, by the states of the URL Standard that handle hosts, drive letters and
//! empty segments ("file state" and the states after it).

use super::super::encoder::QueryEncoder;
use super::href::href;
use super::text::split_scheme;
use url::{ParseError, Position, Url};

/// A `file:` URL; segments, query and fragment are not yet percent-encoded.
pub(super) struct File {
    host: String,
    path: Vec<String>,
    query: Option<String>,
    fragment: Option<String>,
}

/// Parses `text` as a `file:` URL, if that is its own scheme or that of its base;
/// returns `None` otherwise.
pub(super) fn parse(base: Option<&File>, text: &str) -> Option<Result<File, ParseError>> {
    let rest = match split_scheme(text) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => rest,
        Some(_) => return None,
        None => {
            base?;
            text
        }
    };
    Some(parse_rest(base, rest))
}

fn parse_rest(base: Option<&File>, text: &str) -> Result<File, ParseError> {
    let (text, fragment) = cut(text, '#');
    let (text, query) = cut(text, '?');
    let mut file = File {
        host: String::new(),
        path: Vec::new(),
        query: query.map(str::to_owned),
        fragment: fragment.map(str::to_owned),
    };
    let path = match text.strip_prefix(SLASHES) {
        Some(rest) => match rest.strip_prefix(SLASHES) {
            // "file host state"
            Some(rest) => {
                let end = rest.find(SLASHES).unwrap_or(rest.len());
                let (host, path) = rest.split_at(end);
                if is_drive(host) {
                    rest
                } else {
                    file.host = parse_host(host)?;
                    path.strip_prefix(SLASHES).unwrap_or(path)
                }
            }
            // "file slash state"
            None => {
                if let Some(base) = base {
                    file.host.clone_from(&base.host);
                    if !begins_with_drive(rest) {
                        let drive = base.path.first().filter(|first| is_normal_drive(first));
                        file.path.extend(drive.cloned());
                    }
                }
                rest
            }
        },
        // "file state"
        None => {
            if let Some(base) = base {
                file.host.clone_from(&base.host);
                file.path.clone_from(&base.path);
                if text.is_empty() {
                    if file.query.is_none() {
                        file.query.clone_from(&base.query);
                    }
                    return Ok(file);
                }
                match begins_with_drive(text) {
                    true => file.path.clear(),
                    false => file.shorten(),
                }
            }
            text
        }
    };
    file.append(path);
    Ok(file)
}

const SLASHES: [char; 2] = ['/', '\\'];

impl File {
    /// "Path state".
    fn append(&mut self, path: &str) {
        let mut segments = path.split(SLASHES).peekable();
        while let Some(segment) = segments.next() {
            let is_last = segments.peek().is_none();
            let dots = segment.to_ascii_lowercase().replace("%2e", ".");
            match &dots[..] {
                "." | ".." => {
                    if dots == ".." {
                        self.shorten();
                    }
                    if is_last {
                        self.path.push(String::new());
                    }
                }
                _ if self.path.is_empty() && is_drive(segment) => {
                    self.path.push(segment.replace('|', ":"));
                }
                _ => self.path.push(segment.to_owned()),
            }
        }
    }

    /// Removes the last segment, unless it is the drive letter.
    fn shorten(&mut self) {
        match &self.path[..] {
            [drive] if is_normal_drive(drive) => {}
            _ => {
                self.path.pop();
            }
        }
    }

    /// Returns the serialization. The crate does the percent-encoding, as a path of
    /// `http:`, from which neither drives nor empty segments are removed.
    pub(super) fn href(&self, encoder: Option<QueryEncoder>) -> Result<String, ParseError> {
        let mut text = format!("http://h/{}", self.path.join("/"));
        if let Some(query) = &self.query {
            text.push('?');
            text.push_str(query);
        }
        // A fragment is always added, because the crate removes a blank at the end.
        text.push('#');
        text.push_str(self.fragment.as_deref().unwrap_or_default());
        let encoded = href(Url::options().encoding_override(encoder).parse(&text)?);
        let path = &encoded["http://h".len()..];
        let path = match self.fragment {
            Some(_) => path,
            None => path.trim_end_matches('#'),
        };
        Ok(format!("file://{}{path}", self.host))
    }
}

/// Returns the serialized host; `localhost` becomes empty.
fn parse_host(host: &str) -> Result<String, ParseError> {
    let url = Url::parse(&format!("file://{host}/"))?;
    Ok(url[Position::BeforeHost..Position::AfterHost].to_owned())
}

/// "Windows drive letter"
fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// "Normalized Windows drive letter"
fn is_normal_drive(text: &str) -> bool {
    is_drive(text) && text.ends_with(':')
}

/// "Starts with a Windows drive letter"
fn begins_with_drive(path: &str) -> bool {
    let end = path.find(SLASHES).unwrap_or(path.len());
    is_drive(&path[..end])
}

/// Splits `text` at the first `mark`.
fn cut(text: &str, mark: char) -> (&str, Option<&str>) {
    match text.split_once(mark) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

//! Masks secrets in URIs: userinfo, the values of parameters, parts of paths, and secrets
//! that show by their shape.

mod glance;
mod names;
mod paths;
mod shapes;
mod userinfo;
mod values;

pub use names::SECRET_PARAMS;

use super::list_name::{UnknownList, is_list};
use crate::syntax::nested::{self, SiteSearch};
use glance::Glance;
use names::{PUBLIC_WORDS, SECRET_WORDS, SecretNames};
use paths::SECRET_PATHS;
use shapes::SHAPES;
use std::cell::RefCell;
use std::ops::Range;

/// The replacement of a secret.
const MASK: &[u8] = b"***";

/// The most rounds: a changed text is searched again, because without a delimiter that
/// was in a secret it may be read differently.
const ROUNDS_MAX: usize = 16;

/// The list of [`Redactor::parameters`].
const SECRETS: &str = "@secrets";

/// Returns the list that [`Redactor::parameters`] calls `@secrets`: each pattern, and its
/// meaning. A blank between words may be `_`, `-`, `.` or nothing, `*` is any text, `…`
/// text that is kept, and `***` the secret.
///
/// ```
/// use urisieve::canonicalize::well_known_secrets;
/// let names: Vec<_> = well_known_secrets().map(|(name, _)| name).collect();
/// assert!(["token", "api key", "code", "ghp_…"].iter().all(|name| names.contains(name)));
/// ```
pub fn well_known_secrets() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all =
        |names: &'static [&'static str], meaning| names.iter().map(move |name| (*name, meaning));
    let shapes = SHAPES
        .iter()
        .map(|shape| (shape.shown, "a secret anywhere"));
    all(SECRET_WORDS, "the value of a parameter whose name ends so")
        .chain(all(
            PUBLIC_WORDS,
            "an exception: the value of a parameter whose name ends so is not hidden",
        ))
        .chain(all(SECRET_PARAMS, "the value of the parameter"))
        .chain(all(SECRET_PATHS, "*** in the path, also of hosts below"))
        .chain(shapes)
}

/// Replaces secrets by `***`: the password in userinfo (RFC 3986 section 3.2.1), or all
/// of the userinfo when it has no password, because it is then a token; and the values
/// of named parameters of query, fragment and path (`;jsessionid=`). The user of an
/// address (`mailto:`, `sip:`) is not a secret. URIs inside the URI are also redacted,
/// literal or percent-encoded, once or more often.
///
/// ```
/// use urisieve::canonicalize::Redactor;
/// let redactor = Redactor::default().parameters(["token"])?;
/// let mut buffer = Vec::new();
/// let uri = redactor.redact(b"https://joe:pw@a.example/?token=1234&x=y", &mut buffer);
/// assert_eq!(uri, b"https://joe:***@a.example/?token=***&x=y");
/// let uri = redactor.redact(b"x://a/?u=http%3A%2F%2Fjoe%3Apw%40b%2F", &mut buffer);
/// assert_eq!(uri, b"x://a/?u=http%3A%2F%2Fjoe%3A***%40b%2F");
/// # Ok::<(), urisieve::canonicalize::UnknownList>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    names: SecretNames,
    clients: bool,
}

/// The buffers of the search for secrets.
#[derive(Default)]
struct SecretSearch {
    secrets: Vec<Range<usize>>,
    sites: SiteSearch,
    /// The text after the last round but one.
    again: Vec<u8>,
}

/// The result of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    /// Nothing was replaced.
    Unchanged,
    /// A further round may find more.
    Changed,
    /// A further round would find nothing.
    Settled,
}

thread_local! {
    /// The buffers of this thread, but while it searches.
    static SEARCH: RefCell<SecretSearch> = RefCell::default();
}

impl Redactor {
    /// Returns a redactor of all known secrets: passwords, the values of parameters, parts of
    /// paths and secrets that show by their shape; see [`well_known_secrets`].
    ///
    /// ```
    /// use urisieve::canonicalize::Redactor;
    /// let mut buffer = Vec::new();
    /// let redactor = Redactor::secrets();
    /// assert_eq!(redactor.redact(b"x://u:p@a/?apiKey=8", &mut buffer), b"x://u:***@a/?apiKey=***");
    /// ```
    pub fn secrets() -> Redactor {
        let mut redactor = Redactor::default();
        redactor.names.well_known = true;
        redactor
    }

    /// Adds parameters whose values are replaced. ASCII case and the difference between
    /// `-` and `_` are ignored, and `user[password]` counts as `password`. `@secrets`
    /// selects all known secrets, as [`secrets`](Redactor::secrets) does. Default none.
    ///
    /// # Errors
    /// Fails for another name that begins with `@`: that is not a list.
    ///
    /// ```
    /// use urisieve::canonicalize::Redactor;
    /// let redactor = Redactor::default().parameters(["sid"])?;
    /// let mut buffer = Vec::new();
    /// assert_eq!(redactor.redact(b"x://a/?SID=7#sid=8", &mut buffer), b"x://a/?SID=***#sid=***");
    /// let redactor = Redactor::default().parameters(["@secrets"])?;
    /// assert_eq!(redactor.redact(b"x://a/?accessToken=8", &mut buffer), b"x://a/?accessToken=***");
    /// assert_eq!(redactor.redact(b"x://a/ghp_0123456789", &mut buffer), b"x://a/***");
    /// assert!(Redactor::default().parameters(["@secret"]).is_err());
    /// # Ok::<(), urisieve::canonicalize::UnknownList>(())
    /// ```
    pub fn parameters<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Redactor, UnknownList> {
        for name in names {
            let name = name.into();
            match is_list(&name, SECRETS)? {
                true => self.names.well_known = true,
                false => self.names.own.push(name),
            }
        }
        Ok(self)
    }

    /// Creates the redactor that a list names: `@secrets`, `client` for the clients of
    /// requests, and `query:NAME` for a parameter. Other names, and all after a `query:`, are
    /// parameters, too.
    ///
    /// # Errors
    /// As for [`parameters`](Redactor::parameters).
    ///
    /// ```
    /// use urisieve::canonicalize::Redactor;
    /// let redactor = Redactor::named(["client", "query:sid", "key"])?;
    /// let mut buffer = Vec::new();
    /// assert!(redactor.hides_clients());
    /// assert_eq!(redactor.redact(b"x://a/?sid=7&key=8", &mut buffer), b"x://a/?sid=***&key=***");
    /// # Ok::<(), urisieve::canonicalize::UnknownList>(())
    /// ```
    pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Redactor, UnknownList> {
        let (mut clients, mut of_query) = (false, false);
        let names = names.into_iter().filter_map(|name| {
            let parameter = name.strip_prefix("query:");
            of_query |= parameter.is_some();
            let is_client = !of_query && name == "client";
            clients |= is_client;
            Some(parameter.unwrap_or(name)).filter(|name| !is_client && !name.is_empty())
        });
        let redactor = Redactor::default().parameters(names)?;
        Ok(redactor.clients(clients))
    }

    /// Sets whether the clients of requests are replaced; default no.
    ///
    /// ```
    /// use urisieve::canonicalize::Redactor;
    /// assert!(Redactor::default().clients(true).hides_clients());
    /// ```
    pub fn clients(self, clients: bool) -> Redactor {
        Redactor { clients, ..self }
    }

    /// Whether the clients of requests are replaced.
    ///
    /// ```
    /// use urisieve::canonicalize::Redactor;
    /// assert!(!Redactor::default().hides_clients());
    /// ```
    pub fn hides_clients(&self) -> bool {
        self.clients
    }

    /// Returns `uri` without its secrets: `uri` itself when it has none, otherwise the
    /// content of `buffer`, which is overwritten. `uri` may be any text, whose URIs are
    /// redacted.
    ///
    /// ```
    /// use urisieve::canonicalize::Redactor;
    /// let mut buffer = Vec::new();
    /// let redactor = Redactor::default();
    /// assert_eq!(redactor.redact(b"redis://:pw@cache/", &mut buffer), b"redis://:***@cache/");
    /// assert_eq!(redactor.redact(b"ftp://token@h/", &mut buffer), b"ftp://***@h/");
    /// assert_eq!(redactor.redact(b"mailto:joe@h", &mut buffer), b"mailto:joe@h");
    /// ```
    pub fn redact<'a>(&self, uri: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        self.redact_start(uri, uri.len(), buffer)
    }

    /// Returns the first `len` bytes of `uri` without the secrets of the whole. A secret that
    /// goes on after them is replaced.
    pub(crate) fn redact_start<'a>(
        &self,
        uri: &'a [u8],
        len: usize,
        buffer: &'a mut Vec<u8>,
    ) -> &'a [u8] {
        buffer.clear();
        match glance::glance_at(uri, &self.names) {
            Glance::Nothing => return &uri[..len],
            Glance::Values(values) => {
                let mut end = len;
                return match hide(uri, values.ranges(), &mut end, buffer) {
                    true => &buffer[..end],
                    false => &uri[..len],
                };
            }
            Glance::Other => {}
        }
        // A thread may be ending, and have no buffers any more.
        let kept = SEARCH.try_with(RefCell::take);
        let mut search = kept.unwrap_or_default();
        let end = self.rounds(uri, len, buffer, &mut search);
        let _ = SEARCH.try_with(|kept| kept.replace(search));
        match end {
            Some(end) => &buffer[..end],
            None => &uri[..len],
        }
    }

    /// Writes `uri` to `buffer` without its secrets, and returns the end of its first `len`
    /// bytes there; `None` when it has none.
    fn rounds(
        &self,
        uri: &[u8],
        len: usize,
        buffer: &mut Vec<u8>,
        search: &mut SecretSearch,
    ) -> Option<usize> {
        let mut end = len;
        let mut round = self.round(uri, &mut end, buffer, search);
        if round == Round::Unchanged {
            return None;
        }
        let mut again = std::mem::take(&mut search.again);
        for _ in 1..ROUNDS_MAX {
            if round == Round::Settled {
                break;
            }
            round = self.round(buffer, &mut end, &mut again, search);
            if round == Round::Unchanged {
                break;
            }
            std::mem::swap(buffer, &mut again);
        }
        search.again = again;
        Some(end)
    }

    /// Writes `text` to `out` without the secrets that one round detects, as [`hide`] does.
    fn round(
        &self,
        text: &[u8],
        end: &mut usize,
        out: &mut Vec<u8>,
        search: &mut SecretSearch,
    ) -> Round {
        let SecretSearch { secrets, sites, .. } = search;
        secrets.clear();
        let deeper = nested::visit_layers(text, |layer| {
            let mut add = |range: Range<usize>| {
                if !range.is_empty() {
                    secrets.push(layer.raw(range));
                }
            };
            sites.look(layer);
            let sites = &mut sites.sites;
            for site in &*sites {
                userinfo::add_userinfo(layer.bytes(), site, &mut add);
            }
            if self.names.well_known {
                paths::add_paths(layer, sites, &mut add);
                shapes::add_shapes(layer.bytes(), &mut add);
            }
            if !self.names.is_empty() {
                sites.sort_unstable_by_key(|site| site.mark.start);
                values::add_values(&self.names, layer, sites, &mut add);
                values::add_members(&self.names, layer, &mut add);
            }
        });
        secrets.extend(deeper);
        secrets.sort_unstable_by_key(|range| (range.start, range.end));
        secrets.dedup_by(|next, last| {
            let overlaps = next.start < last.end;
            if overlaps {
                last.end = last.end.max(next.end);
            }
            overlaps
        });
        match hide(text, secrets, end, out) {
            false => Round::Unchanged,
            true if secrets.iter().all(|secret| is_plain_value(text, secret)) => Round::Settled,
            true => Round::Changed,
        }
    }
}

/// Writes `text` to `out` without `secrets`, which are sorted, unless all of them are replaced
/// already; returns whether it did. `end`, an offset in `text`, becomes the one in `out`, after a
/// secret that contains it.
fn hide(text: &[u8], secrets: &[Range<usize>], end: &mut usize, out: &mut Vec<u8>) -> bool {
    if secrets.iter().all(|secret| text[secret.clone()] == *MASK) {
        return false;
    }
    out.clear();
    let (mut at, old_end) = (0, *end);
    for secret in secrets {
        out.extend_from_slice(&text[at..secret.start]);
        out.extend_from_slice(MASK);
        at = secret.end;
        if secret.start < old_end {
            *end = out.len() + old_end.saturating_sub(at);
        }
    }
    out.extend_from_slice(&text[at..]);
    true
}

/// Whether `secret` is the whole value of a parameter without a delimiter, an escape or a part of
/// a name: without it the rest of `text` is read as before.
fn is_plain_value(text: &[u8], secret: &Range<usize>) -> bool {
    let is_plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
    let before = secret.start.checked_sub(1).map(|at| text[at]);
    before == Some(b'=')
        && matches!(text.get(secret.end), None | Some(b'&' | b'#'))
        && (text[secret.clone()].iter().all(is_plain) || text[secret.clone()] == *MASK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::steps;
    use proptest::prelude::*;

    #[test]
    fn a_start_has_the_secrets_of_the_whole() {
        let redactor = Redactor::default();
        for (start, rest, expect) in [
            ("http://b/", "&u=1", "http://b/"),
            ("http://joe:pw", "#x@h/", "http://joe:***"),
            ("redis://pw", "&x@h/", "redis://***"),
            ("http://u:p@b/", "&v=http://u:p@c/", "http://u:***@b/"),
            (
                "http://b/?u=http://x:y@c/d",
                "&e",
                "http://b/?u=http://x:***@c/d",
            ),
            ("", "http://u:p@b/", ""),
        ] {
            let whole = [start, rest].concat();
            let mut buffer = Vec::new();
            let got = redactor.redact_start(whole.as_bytes(), start.len(), &mut buffer);
            assert_eq!(String::from_utf8_lossy(got), expect, "{whole}");
        }
    }

    fn redacted(uri: &[u8]) -> Vec<u8> {
        let redactor = Redactor::default()
            .parameters(["key", "access_token"])
            .unwrap();
        redactor.redact(uri, &mut Vec::new()).to_vec()
    }

    #[test]
    fn passwords_and_values() {
        for (uri, expect) in [
            ("http://u:p@h/", "http://u:***@h/"),
            ("http://u:p@q@h/", "http://u:***@h/"),
            ("http://u:p&q;r@h/", "http://u:***@h/"),
            ("http://token@h/", "http://***@h/"),
            ("http://token:@h/", "http://***:@h/"),
            ("http://@h/", "http://@h/"),
            ("http://h:80/a@b", "http://h:80/a@b"),
            ("http://u:p%2Fw@h/x?m=a@b", "http://u:***@h/x?m=a@b"),
            (
                "http://h/?u=http%3A%2F%2Fu%3Ap%252Fw%40h%2F%40b",
                "http://h/?u=http%3A%2F%2Fu%3A***%40h%2F%40b",
            ),
            ("http://h/?u=ftp://a:b@c/d", "http://h/?u=ftp://a:***@c/d"),
            ("http://h/?u=//a:b@c/d", "http://h/?u=//a:***@c/d"),
            ("http://h/?u=http://h&m=a@b", "http://h/?u=http://h&m=a@b"),
            (
                "http://a:b@h/?key=1;x=2&KEY=3",
                "http://a:***@h/?key=***;x=2&KEY=***",
            ),
            ("http://h/?key=a;b?/c&d", "http://h/?key=***&d"),
            ("http://h/?Access-Token=s&d", "http://h/?Access-Token=***&d"),
            ("http://h/?%6bey=1&monkey=2", "http://h/?%6bey=***&monkey=2"),
            ("http://h/?%6bey=1%262", "http://h/?%6bey=***"),
            (
                "http://h/?u[key]=1&key[]=2",
                "http://h/?u[key]=***&key[]=***",
            ),
            ("http://h/#access_token=s&x", "http://h/#access_token=***&x"),
            ("http://h/#/access_token=s", "http://h/#/access_token=***"),
            ("http://h/p;key=s/q;r?x", "http://h/p;key=***/q;r?x"),
            ("http://h/key=s/", "http://h/key=s/"),
            ("http://h/p;key=s;r/q", "http://h/p;key=***;r/q"),
            ("http://h/p;a=key=s/q", "http://h/p;a=key=s/q"),
            ("http://h/?foo=1&bar=2", "http://h/?foo=1&bar=2"),
            ("http://h/?password=1", "http://h/?password=1"),
            ("http://u[:pq@h/", "http://u[:***@h/"),
            ("http://u:]pq@h/", "http://u:***@h/"),
            (r#"h {"key":"s"} x"#, r#"h {"key":"s"} x"#),
            (r#"http://h/?{"key":"s"}"#, r#"http://h/?{"key":"s"}"#),
            (
                "http://h/?x&amp;key=s&amp;y",
                "http://h/?x&amp;key=***&amp;y",
            ),
            (
                r"http:\/\/a:b@h\/?x\u0026key=1%262\u0026y",
                r"http:\/\/a:***@h\/?x\u0026key=***\u0026y",
            ),
            ("mailto:a@b?subject=x", "mailto:a@b?subject=x"),
            ("mailto:a:b@c", "mailto:a:***@c"),
            ("sip:u:p@h;x=y", "sip:u:***@h;x=y"),
            ("sip:u@h", "sip:u@h"),
            ("urn:a-b:c@d?=key=1", "urn:a-b:c@d?=key=***"),
            ("http:u:p@h/", "http:u:***@h/"),
            ("hxxps[://]u[:]p@h/", "hxxps[://]u[:]***@h/"),
            ("no uri http://u:my pass@h/ x", "no uri http://u:***@h/ x"),
            (
                r#"{"u":"http://h/?key=1","x":2}"#,
                r#"{"u":"http://h/?key=***","x":2}"#,
            ),
        ] {
            assert_eq!(
                String::from_utf8_lossy(&redacted(uri.as_bytes())),
                expect,
                "{uri}"
            );
        }
    }

    #[test]
    fn encoded_uris_lose_their_secrets() {
        for (uri, expect) in [
            (
                "http://h/?u=http%3A%2F%2Fa%3Ab%40c%2F%3Fkey%3Dd%2526e%26x%3Dy&z",
                "http://h/?u=http%3A%2F%2Fa%3A***%40c%2F%3Fkey%3D***%26x%3Dy&z",
            ),
            (
                "http://h/?u=http%253A%252F%252Ftoken%2540c%252F%253Fkey%253Dd",
                "http://h/?u=http%253A%252F%252F***%2540c%252F%253Fkey%253D***",
            ),
            ("http://h/http:%2f%2fa:b@c", "http://h/http:%2f%2fa:***@c"),
            ("http://h/?u=mailto%3Aa%40b", "http://h/?u=mailto%3Aa%40b"),
            (
                "http://h/?q=%7B%22key%22%3A%22s%5C%22s%22,%22x%22:%22y%22%7D&z",
                "http://h/?q=%7B%22key%22%3A%22***%22,%22x%22:%22y%22%7D&z",
            ),
            (
                "http://h/?q=%7B%22access-token%22%3A+71%7D&z",
                "http://h/?q=%7B%22access-token%22%3A+***%7D&z",
            ),
            (
                "http://h/?q=%7B%22key%22:[%22a%22]%7D&z",
                "http://h/?q=%7B%22key%22:***]%7D&z",
            ),
            (
                "http://h/?q=%7B%22key%22:%22s&z=1",
                "http://h/?q=%7B%22key%22:%22***&z=1",
            ),
        ] {
            assert_eq!(
                String::from_utf8_lossy(&redacted(uri.as_bytes())),
                expect,
                "{uri}"
            );
        }
        let deep = format!("http://h/?u=%{}41", "25".repeat(40));
        assert_eq!(redacted(deep.as_bytes()), b"http://h/?u=***");
    }

    #[test]
    fn a_name_is_decoded_so_often_at_most() {
        let steps = |len| {
            steps::of_text("http://h/?%", "25", len, |text| {
                redacted(&[text, b"=1"].concat());
            })
        };
        assert!(steps(1 << 14) < steps(1 << 13) * 5 / 2);
    }

    #[test]
    fn a_long_text_is_looked_through_once() {
        for piece in [
            "http:", "=http:", "x://", ":\\\\", "key=", ";", "&key=;", "sip:",
        ] {
            let look = |text: &[u8]| drop(redacted(text));
            let [one, two] = [1 << 13, 1 << 14].map(|len| steps::of_text("", piece, len, look));
            assert!(two < one * 5 / 2 + 1000, "{piece}: {one} {two}");
        }
    }

    #[test]
    fn well_known_secrets_are_hidden_wherever_they_are() {
        let redactor = Redactor::default().parameters(["@secrets"]).unwrap();
        for (uri, expect) in [
            (
                "http://h/?accessToken=1&nextPageToken=2",
                "http://h/?accessToken=***&nextPageToken=2",
            ),
            ("http://h/#clientSecret=1", "http://h/#clientSecret=***"),
            ("http://h/;X-Plex-Token=1/a", "http://h/;X-Plex-Token=***"),
            (
                "http://h/p;X-Plex-Token=1/a",
                "http://h/p;X-Plex-Token=***/a",
            ),
            (
                "sb://h/;SharedAccessKey=a+/=;x=y",
                "sb://h/;SharedAccessKey=***;x=y",
            ),
            (
                "https://h:443/;AccountKey=a+/=;x=y",
                "https://h:443/;AccountKey=***;x=y",
            ),
            (
                "jdbc:x://h:1/d;password=a/b;x=y",
                "jdbc:x://h:1/d;password=***;x=y",
            ),
            (
                "http://h/?q=%7B%22apiKey%22%3A%22s%22%7D",
                "http://h/?q=%7B%22apiKey%22%3A%22***%22%7D",
            ),
            ("http://h/ghp_0123456789", "http://h/***"),
            (
                "http://h/?u=http%3A%2F%2Fi%2Fghp%5F0123456789",
                "http://h/?u=http%3A%2F%2Fi%2F***",
            ),
            (
                "https://discord.com/api/webhooks/1/s",
                "https://discord.com/api/webhooks/1/***",
            ),
            (
                "http://u:p/q@discord.com/api/webhooks/1/s",
                "http://u:***@discord.com/api/webhooks/1/***",
            ),
            ("git+ssh://git@h:o/r.git@v1", "git+ssh://***@h:***@v1"),
            ("http://[::1]:p/q@h/", "http://[:***@h/"),
        ] {
            let redacted = redactor.redact(uri.as_bytes(), &mut Vec::new()).to_vec();
            assert_eq!(String::from_utf8_lossy(&redacted), expect, "{uri}");
        }
        let plain = b"http://h/ghp_0123456789?accessToken=1";
        assert_eq!(Redactor::default().redact(plain, &mut Vec::new()), plain);
    }

    #[test]
    fn a_list_that_is_not_known_is_an_error() {
        for name in ["@secret", "@", "@SECRETS"] {
            let error = Redactor::default().parameters(["a", name]).unwrap_err();
            assert!(
                error.to_string().ends_with("the list is @secrets"),
                "{error}"
            );
        }
    }

    #[test]
    fn plain_values_need_no_further_round() {
        for (uri, wanted) in [
            ("http://h/?token=abc&x=1", Round::Settled),
            ("http://h/?x=1#token=a-b.c_d~e", Round::Settled),
            ("http://h/?token=***&sig=1", Round::Settled),
            ("http://h/?token=***&x=1", Round::Unchanged),
            ("http://h/?token=a%20b", Round::Changed),
            ("http://h/?token=a/b", Round::Changed),
            ("http://h/p;token=abc/x", Round::Changed),
            ("http://h/npm_0123456789Next_token=abc", Round::Changed),
            ("http://u:p@h/?token=abc", Round::Changed),
            ("http://h/ghp_0123456789", Round::Changed),
        ] {
            let mut search = SecretSearch::default();
            let mut end = uri.len();
            let (text, mut out) = (uri.as_bytes(), Vec::new());
            let round = Redactor::secrets().round(text, &mut end, &mut out, &mut search);
            assert_eq!(round, wanted, "{uri}");
        }
    }

    proptest! {
        /// A round that says so is the last one.
        #[test]
        fn a_settled_text_has_no_more_secrets(
            uri in r"([a-z]{1,3}://|http:|//|jdbc:x://)?(u:p@|[@:/?#&=;. _\*-]|apiKey=|(&|\?|#|;)(token|key|next_token|page|sig)=[a-zA-Z0-9._-]{0,3}|npm_0123456789|[nN]ext|%40|%2F|%3D|eyJ|/bot1:|discord\.com/api/webhooks/1/|hooks\.slack\.com/services/|\x22|//|\\/){0,16}"
        ) {
            for redactor in [Redactor::secrets(), Redactor::default().parameters(["key", "sig"]).unwrap()] {
                let (mut search, mut end) = (SecretSearch::default(), uri.len());
                let (mut once, mut twice) = (Vec::new(), Vec::new());
                let round = redactor.round(uri.as_bytes(), &mut end, &mut once, &mut search);
                if round == Round::Settled {
                    let again = redactor.round(&once, &mut end, &mut twice, &mut search);
                    prop_assert_eq!(again, Round::Unchanged, "{} {}", uri, String::from_utf8_lossy(&once));
                }
            }
        }

        #[test]
        fn once_is_enough_for_well_known_secrets(
            uri in r"([a-z]{1,3}://|http:|//)(u:p@|[@:/?#&=;. ]|apiKey=|token|%40|%2F|eyJ|ghp_|npm_0123456789|/bot1:|discord\.com/api/webhooks/1/|hooks\.slack\.com/services/|0123456789|//|\\/){0,16}"
        ) {
            let redactor = Redactor::default().parameters(["@secrets"]).unwrap();
            let once = redactor.redact(uri.as_bytes(), &mut Vec::new()).to_vec();
            let twice = redactor.redact(&once, &mut Vec::new()).to_vec();
            prop_assert_eq!(String::from_utf8_lossy(&twice), String::from_utf8_lossy(&once));
        }

        #[test]
        fn once_is_enough(
            uri in r"([a-z]{1,3}://|http:|sip:)([u:@p/?#&=;%.\[\]\\* ]|key|%6b|%25|%3D|%40|%26|//|\\/|\\u0026){0,24}"
        ) {
            let once = redacted(uri.as_bytes());
            let twice = redacted(&once);
            prop_assert_eq!(String::from_utf8_lossy(&twice), String::from_utf8_lossy(&once));
        }
    }
}

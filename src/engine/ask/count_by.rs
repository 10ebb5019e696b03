//! Counting by a part of the URI, such as its host. The part replaces the URI as the
//! key, so a set holds one key for each distinct part.

use crate::syntax::shape::{ShapeWriter, name_of, parameters};
use crate::syntax::{Components, directory, extension, urn};

/// A part of a URI by which occurrences are counted.
///
/// ```
/// use urisieve::{CountBy, Mode, Sieve, each};
/// let text = b"http://a.example/1 http://b.example/ http://a.example/2 urn:x-y:1";
/// let sieve = Sieve::builder().mode(Mode::Count).count_by(CountBy::Host).build();
/// let mut counts = Vec::new();
/// sieve.for_each(text, |f| {
///     counts.push((f.count, String::from_utf8_lossy(f.uri).into_owned()));
/// })?;
/// let wanted = [(Some(2), "a.example"), (Some(1), ""), (Some(1), "b.example")];
/// assert_eq!(counts, wanted.map(|(count, host)| (count, host.to_owned())));
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CountBy {
    /// The host (RFC 3986 section 3.2.2).
    Host,
    /// The registered domain, by the public suffix list.
    #[cfg(feature = "domain")]
    Domain,
    /// The public suffix.
    #[cfg(feature = "domain")]
    Suffix,
    /// The scheme (RFC 3986 section 3.1).
    Scheme,
    /// The namespace identifier of a URN (RFC 8141 section 2.1).
    Nid,
    /// The input. The key is its number,
    /// [`Finding::input`](crate::item::Finding::input), as 8 bytes, big-endian.
    Input,
    /// The status of the exchange that a line of a log states (G15). Only request URLs
    /// count by this part and the ones below; the part is empty where the line does not
    /// state it.
    Status,
    /// The method of the exchange.
    Method,
    /// The client of the exchange.
    Client,
    /// The hour of the exchange in UTC: `2016-10-25T12`.
    Hour,
    /// The day of the exchange in UTC: `2016-10-25`.
    Day,
    /// The shape: [`shape`](crate::syntax::shape()).
    Shape,
    /// The shape with the values of parameters.
    ValueShape,
    /// The path (RFC 3986 section 3.3).
    Path,
    /// The URI up to the last `/` of its path.
    Dir,
    /// The names of the parameters of its query: the URI counts for each.
    Param,
    /// The extension of its path, in lower case.
    Ext,
    /// The port, where one is written (RFC 3986 section 3.2.3).
    Port,
    /// The entries of lists that match the URI, as they are written: it counts for each. The
    /// run needs a [`Matcher`](crate::Matcher).
    Match,
}

impl CountBy {
    /// The parts, each of which has a name of its own.
    ///
    /// ```
    /// assert!(urisieve::CountBy::ALL.len() >= 4);
    /// ```
    pub const ALL: &'static [CountBy] = &[
        CountBy::Host,
        #[cfg(feature = "domain")]
        CountBy::Domain,
        #[cfg(feature = "domain")]
        CountBy::Suffix,
        CountBy::Scheme,
        CountBy::Nid,
        CountBy::Input,
        CountBy::Status,
        CountBy::Method,
        CountBy::Client,
        CountBy::Hour,
        CountBy::Day,
        CountBy::Match,
        CountBy::Shape,
        CountBy::Path,
        CountBy::Dir,
        CountBy::Param,
        CountBy::Ext,
        CountBy::Port,
    ];

    /// Returns the name of the part, which heads its column.
    ///
    /// ```
    /// assert_eq!(urisieve::CountBy::Input.name(), "file");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            CountBy::Host => "host",
            #[cfg(feature = "domain")]
            CountBy::Domain => "domain",
            #[cfg(feature = "domain")]
            CountBy::Suffix => "suffix",
            CountBy::Scheme => "scheme",
            CountBy::Nid => "nid",
            CountBy::Input => "file",
            CountBy::Status => "status",
            CountBy::Method => "method",
            CountBy::Client => "client",
            CountBy::Hour => "hour",
            CountBy::Day => "day",
            CountBy::Match => "match",
            CountBy::Shape | CountBy::ValueShape => "shape",
            CountBy::Path => "path",
            CountBy::Dir => "dir",
            CountBy::Param => "param",
            CountBy::Ext => "ext",
            CountBy::Port => "port",
        }
    }

    /// Whether it is a part of an exchange, by which only requests are counted.
    ///
    /// ```
    /// use urisieve::CountBy;
    /// assert!(CountBy::Status.is_of_requests() && !CountBy::Host.is_of_requests());
    /// ```
    pub const fn is_of_requests(self) -> bool {
        matches!(
            self,
            CountBy::Status | CountBy::Method | CountBy::Client | CountBy::Hour | CountBy::Day
        )
    }

    /// Returns the part with this name.
    ///
    /// ```
    /// use urisieve::CountBy;
    /// assert_eq!(CountBy::named("nid"), Some(CountBy::Nid));
    /// ```
    pub fn named(name: &str) -> Option<CountBy> {
        CountBy::ALL
            .iter()
            .copied()
            .find(|part| part.name() == name)
    }

    /// Returns this part of `uri`, which is a canonical form. The part is empty when
    /// the URI has none, and for what is not a part of it as it is written: the input, parts of
    /// exchanges, entries of lists, shapes, parameters and extensions.
    ///
    /// ```
    /// use urisieve::CountBy;
    /// assert_eq!(CountBy::Scheme.part(b"http://a.example/"), b"http");
    /// assert_eq!(CountBy::Nid.part(b"urn:isbn:0395363411"), b"isbn");
    /// assert_eq!(CountBy::Host.part(b"urn:isbn:0395363411"), b"");
    /// ```
    pub fn part(self, uri: &[u8]) -> &[u8] {
        let host = || Components::parse(uri).host(uri);
        let part = match self {
            CountBy::Host => host(),
            #[cfg(feature = "domain")]
            CountBy::Domain => host().and_then(crate::syntax::domain::registered_domain),
            #[cfg(feature = "domain")]
            CountBy::Suffix => host().and_then(crate::syntax::domain::suffix),
            CountBy::Scheme => Components::parse(uri).scheme(uri),
            CountBy::Nid => urn::nid(uri),
            CountBy::Path => Some(Components::parse(uri).path(uri)),
            CountBy::Dir => Some(directory(uri)),
            CountBy::Port => Components::parse(uri).port(uri),
            CountBy::Input
            | CountBy::Status
            | CountBy::Method
            | CountBy::Client
            | CountBy::Hour
            | CountBy::Day
            | CountBy::Match
            | CountBy::Shape
            | CountBy::ValueShape
            | CountBy::Param
            | CountBy::Ext => None,
        };
        part.unwrap_or_default()
    }

    /// Whether its keys are made of a URI: not one, or not as it is written.
    pub(in crate::engine) fn is_made(self) -> bool {
        matches!(
            self,
            CountBy::Shape | CountBy::ValueShape | CountBy::Param | CountBy::Ext
        )
    }

    /// Calls `each` with every key of `uri`, if keys are made.
    pub(in crate::engine) fn each_made(
        self,
        uri: &[u8],
        (shapes, buffer): (&mut ShapeWriter, &mut Vec<u8>),
        mut each: impl FnMut(&[u8]),
    ) {
        buffer.clear();
        match self {
            CountBy::Shape | CountBy::ValueShape => {
                shapes.push(uri, self == CountBy::ValueShape, buffer);
                each(buffer);
            }
            CountBy::Ext => {
                buffer.extend_from_slice(extension(uri).unwrap_or_default());
                buffer.make_ascii_lowercase();
                each(buffer);
            }
            _ => {
                let query = Components::parse(uri).query(uri).unwrap_or_default();
                let names = || parameters(query).map(name_of);
                for (number, name) in names().enumerate() {
                    if !names().take(number).any(|earlier| earlier == name) {
                        each(name);
                    }
                }
                if names().next().is_none() {
                    each(b"");
                }
            }
        }
    }

    /// Returns the key of an occurrence of `uri` in `input`.
    pub(in crate::engine) fn key<'k>(self, uri: &'k [u8], input: &'k [u8; 8]) -> &'k [u8] {
        match self {
            CountBy::Input => input,
            _ => self.part(uri),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Mode, Sieve, each};
    use crate::input::Source;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn parts_of_every_kind_of_uri() {
        for (uri, parts) in [
            (
                "http://u@www.a.co.uk:80/",
                ["www.a.co.uk", "a.co.uk", "co.uk", "http", ""],
            ),
            ("urn:isbn:1", ["", "", "", "urn", "isbn"]),
            ("mailto:a@b.example", ["", "", "", "mailto", ""]),
            ("file:///x", ["", "", "", "file", ""]),
            ("http://192.0.2.1/", ["192.0.2.1", "", "", "http", ""]),
        ] {
            let [host, domain, suffix, scheme, nid] = parts;
            for &part in CountBy::ALL {
                let wanted = match part {
                    CountBy::Host => host,
                    #[cfg(feature = "domain")]
                    CountBy::Domain => domain,
                    #[cfg(feature = "domain")]
                    CountBy::Suffix => suffix,
                    CountBy::Scheme => scheme,
                    CountBy::Nid => nid,
                    CountBy::Path | CountBy::Dir | CountBy::Port => continue,
                    _ => "",
                };
                assert_eq!(
                    part.part(uri.as_bytes()),
                    wanted.as_bytes(),
                    "{uri} {part:?}"
                );
            }
            let _ = (domain, suffix);
        }
    }

    proptest! {
        #[test]
        fn counts_are_those_of_all_occurrences(
            uris in proptest::collection::vec(
                ("(http://|ftp://u@|urn:)", "[ab]{1,2}(\\.co\\.uk|\\.example|:c)?", "[/ ][xy]{0,2}"), 0..60,
            ),
            split in 0usize..60, threads in 1usize..3, block_size in 1usize..200,
        ) {
            let texts: Vec<String> = uris.iter().map(|(a, b, c)| format!("{a}{b}{c} ")).collect();
            let (first, second) = texts.split_at(split.min(texts.len()));
            let texts = [first.concat(), second.concat()];
            let sources = || texts.each_ref().map(|text| Source::Slice(text.as_bytes()));
            // No text has a request.
            let parts = CountBy::ALL
                .iter()
                .filter(|part| !part.is_of_requests() && !part.is_made() && **part != CountBy::Match);
            for &part in parts {
                let mut wanted: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
                let sieve = Sieve::builder().mode(Mode::All).build();
                sieve.run(sources(), &mut each(|f| {
                    let input = (f.input as u64).to_be_bytes();
                    *wanted.entry(part.key(f.uri, &input).to_vec()).or_default() += 1;
                })).unwrap();
                let mut counts = BTreeMap::new();
                let sieve = Sieve::builder().mode(Mode::Count).count_by(part).originals(true);
                let sieve = sieve.threads(threads).block_size(block_size).build();
                let stats = sieve.run(sources(), &mut each(|f| {
                    assert_eq!(f.uri, f.original);
                    counts.insert(f.uri.to_vec(), f.count.unwrap());
                })).unwrap();
                prop_assert_eq!(stats.distinct, wanted.len() as u64);
                prop_assert_eq!(&counts, &wanted);
            }
        }
    }
}

//! References that their format delimits (F1). `delimit` judges them; a relative one is
//! resolved against its base, and the URI gets its key like every other URI. References
//! that yield no URI are counted, but not reported as losses.

use super::nested::{Outer, add_nested};
use super::page;
use super::problems;
use super::reported::Reported;
use super::worker::{Buffers, Worker};
#[cfg(feature = "html")]
use crate::decode::encode_query;
use crate::delimit::{Cleaning, Delimiter, InnerUris, Referred, Refusal};
use crate::engine::batches::batch::Batch;
use crate::item::{Charset, Marks, Problems, Reference, Schemes, Wrapper};
use crate::scan::Scanner;
use crate::syntax::plain_url::UsualUrl;
#[cfg(feature = "html")]
use crate::syntax::resolve::QueryEncoder;
use crate::syntax::resolve::{self, Rules};

/// The URI that a reference identifies, or one nested in it.
#[derive(Clone, Copy)]
struct ReferenceUri<'r> {
    uri: &'r [u8],
    /// The reference as written or, if it is relative, the URI it was resolved to.
    original: &'r [u8],
    problems: Problems,
    /// The URI is of a usual form, in normal case.
    is_folded: bool,
}

/// Why a reference yields no URI.
enum Unusable {
    /// The delimiter refused it.
    Refused(Refusal),
    /// The reference is relative, and there is no base to resolve it against.
    WithoutBase,
}

impl From<Refusal> for Unusable {
    fn from(refusal: Refusal) -> Unusable {
        Unusable::Refused(refusal)
    }
}

/// Adds the URI that `reference` identifies to `batch`, and the URIs nested in it that
/// are also reported (S6). From the raw offset `doubt` on the input may be damaged.
/// Returns false when it is not a reference but text that is scanned.
pub(in crate::engine) fn refer(
    worker: &mut Worker,
    reference: &Reference,
    doubt: Option<u64>,
    batch: &mut Batch,
) -> bool {
    let Worker {
        delimiter,
        page_delimiter,
        canonicalizer,
        keys,
        rules,
        buffers,
        scanner,
        ..
    } = worker;
    let (delimiter, rules) = match reference.wrapper {
        Wrapper::Attribute => (&*page_delimiter, page::RULES),
        _ => (&*delimiter, *rules),
    };
    let Buffers {
        canonical,
        cleaning,
        resolved,
        resolved_cleaning,
        nested,
        #[cfg(feature = "html")]
        last_base,
        ..
    } = buffers;
    let offset = reference.span.offset;
    let place = (offset, reference.span.length);
    keys.enter(reference.context, batch);
    let (text, schemes) = (reference.text, reference.schemes);
    let look = |at| scanner.outlook(text, at);
    let usual = delimiter.as_written(text, schemes, look);
    let is_folded = usual.is_some_and(|url| url.is_folded);
    let keeps_folded = canonicalizer.keeps_lower_case();
    let damage = problems::of_damage(doubt, place);
    let is_link = reference.context.link.is_some();
    let takes_plain = keeps_folded && keys.takes_plain();
    let mut add_plain = |uri: &[u8]| {
        let marks = Marks {
            wrapper: reference.wrapper,
            problems: damage,
            ..Marks::default()
        };
        keys.set_link(is_link);
        keys.add_plain(uri, place, marks, batch);
        keys.set_link(false);
    };
    if is_folded && takes_plain {
        add_plain(text);
        return true;
    }
    let inner = &mut nested.inner;
    let is_relative = usual.is_none() && Delimiter::is_relative_as_written(text, schemes);
    if is_relative && reference.base.is_none() {
        count(Unusable::WithoutBase, offset, batch);
        return true;
    }
    #[cfg(feature = "html")]
    let is_resolved = is_relative
        && rules == Rules::Whatwg
        && last_base.resolve(reference.base.unwrap_or_default(), text, resolved)
        && delimiter.takes_plain(resolved);
    #[cfg(not(feature = "html"))]
    let is_resolved = false;
    if is_resolved && takes_plain {
        add_plain(resolved);
        return true;
    }
    let found = match is_resolved {
        // A usual reference in a usual page has a URI in normal case.
        true => Ok(ReferenceUri {
            uri: resolved,
            original: resolved,
            problems: Problems::NONE,
            is_folded: true,
        }),
        false => {
            let buffers = (cleaning, resolved, resolved_cleaning);
            find_uri(
                (delimiter, scanner, rules),
                (reference, usual),
                buffers,
                inner,
            )
        }
    };
    let found = match found {
        // The original may have a bare `<`, at which the redactor ends a URI although a
        // secret continues after it.
        Ok(found) if keys.redactor.is_some() => ReferenceUri {
            original: found.uri,
            ..found
        },
        Ok(found) => found,
        Err(Unusable::Refused(Refusal::Text)) => return false,
        Err(unusable) => {
            count(unusable, offset, batch);
            return true;
        }
    };
    keys.set_link(is_link);
    let marks = Marks {
        wrapper: reference.wrapper,
        problems: found.problems | problems::of_urn(found.uri) | damage,
        ..Marks::default()
    };
    let key = match found.is_folded && keeps_folded {
        true => found.uri,
        false => canonicalizer.canonicalize(found.uri, canonical),
    };
    let (key, original) = (Reported::Uri(key), Reported::Uri(found.original));
    keys.add(key, original, place, marks, batch);
    // URIs that are nested in a link are mentions.
    keys.set_link(false);
    let outer = Outer {
        uri: found.uri,
        place,
        wrapper: reference.wrapper,
        damage,
    };
    add_nested((canonicalizer, keys), &outer, nested, batch);
    true
}

/// Returns the URI that `reference`, which has this usual form, identifies.
fn find_uri<'r>(
    (delimiter, scanner, rules): (&Delimiter, &Scanner, Rules),
    (reference, usual): (&Reference<'r>, Option<UsualUrl>),
    (cleaning, resolved, resolved_cleaning): (&'r mut Cleaning, &'r mut Vec<u8>, &'r mut Cleaning),
    inner: &mut InnerUris,
) -> Result<ReferenceUri<'r>, Unusable> {
    let text = (reference.text, reference.schemes, usual);
    match delimiter.reference_with_inner(text, cleaning, inner)? {
        Referred::Uri {
            uri,
            original,
            problems,
        } => Ok(ReferenceUri {
            uri,
            original,
            problems,
            is_folded: usual.is_some_and(|url| url.is_folded),
        }),
        Referred::Relative {
            reference: encoded,
            original,
        } => {
            resolved.clear();
            let text = written_in(reference.charset, encoded, original);
            resolve_against_base(rules, reference, text, resolved)?;
            judge((delimiter, scanner), resolved, resolved_cleaning, inner)
        }
    }
}

/// Returns the form of a relative reference that is resolved: `encoded`, or `original`
/// where its query is still to be encoded as its document is.
fn written_in<'r>(charset: Charset, encoded: &'r [u8], original: &'r [u8]) -> &'r [u8] {
    match charset {
        Charset::UTF_8 => encoded,
        _ => original,
    }
}

/// Resolves the relative `text` of `reference` against its base and appends the URI to
/// `out`.
fn resolve_against_base(
    rules: Rules,
    reference: &Reference,
    text: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), Unusable> {
    let base = reference
        .base
        .filter(|base| resolve::is_base_for(base, text));
    let base = base.ok_or(Unusable::WithoutBase)?;
    #[cfg(feature = "html")]
    let encode: QueryEncoder = &|text| encode_query(reference.charset, text);
    #[cfg(feature = "html")]
    let encoder = (reference.charset != Charset::UTF_8).then_some(encode);
    #[cfg(not(feature = "html"))]
    let encoder = None;
    match resolve::resolve_in(rules, base, text, encoder, out) {
        Ok(_) => Ok(()),
        #[cfg(feature = "html")]
        Err(resolve::Unresolvable::Reference(_)) => Err(Refusal::Void.into()),
        Err(_) => Err(Unusable::WithoutBase),
    }
}

/// Judges the URI that a reference was resolved to.
fn judge<'r>(
    (delimiter, scanner): (&Delimiter, &Scanner),
    resolved: &'r [u8],
    cleaning: &'r mut Cleaning,
    inner: &mut InnerUris,
) -> Result<ReferenceUri<'r>, Unusable> {
    let look = |at| scanner.outlook(resolved, at);
    let usual = delimiter.as_written(resolved, Schemes::Any, look);
    let (uri, problems) = match usual {
        Some(_) => (resolved, Problems::NONE),
        None => delimiter.resolved_with_inner(resolved, cleaning, inner)?,
    };
    Ok(ReferenceUri {
        uri,
        original: uri,
        problems,
        is_folded: usual.is_some_and(|url| url.is_folded),
    })
}

/// Counts a reference at `offset` that yields no URI.
fn count(unusable: Unusable, offset: u64, batch: &mut Batch) {
    match unusable {
        Unusable::WithoutBase => batch.stats.references_without_base += 1,
        Unusable::Refused(Refusal::TooLong) => batch.skip_too_long(offset),
        Unusable::Refused(_) => batch.stats.references_dropped += 1,
    }
}

#[cfg(all(test, feature = "html"))]
mod tests {
    use super::*;
    use crate::canonicalize::Canonicalizer;
    use crate::delimit::Config;
    use crate::item::Span;

    /// Returns the URI of the value of an attribute in a document in `charset`, or why it
    /// has no URI.
    fn uri(charset: &'static str, text: &str) -> String {
        let config = Config::default().special_relative(true);
        let (mut cleaning, mut again) = (Cleaning::default(), Cleaning::default());
        let delimiter = Delimiter::new(config);
        let mut reference = Reference::new(text.as_bytes(), Span::default());
        reference.charset = Charset::named(charset);
        reference.base = Some(b"http://h.example/d/p.html");
        let mut out = Vec::new();
        let judged = match delimiter.reference(reference.text, Schemes::Any, &mut cleaning) {
            Ok(Referred::Uri { uri, .. }) => Ok(uri),
            Ok(Referred::Relative {
                reference: encoded,
                original,
            }) => {
                let text = written_in(reference.charset, encoded, original);
                resolve_against_base(Rules::Whatwg, &reference, text, &mut out)
                    .and_then(|()| {
                        judge(
                            (&delimiter, &Scanner::new()),
                            &out,
                            &mut again,
                            &mut InnerUris::default(),
                        )
                    })
                    .map(|found| found.uri)
                    .map_err(|_| Refusal::Void)
            }
            Err(refusal) => Err(refusal),
        };
        match judged {
            Ok(uri) => String::from_utf8_lossy(uri).into_owned(),
            Err(refusal) => format!("{refusal:?}"),
        }
    }

    fn check(charset: &'static str, cases: &[(&str, &str)]) {
        for (text, wanted) in cases {
            assert_eq!(uri(charset, text), *wanted, "{text:?} in {charset}");
        }
    }

    /// Blanks, slashes and special schemes, as in browsers.
    #[test]
    fn references_of_markup_are_those_of_browsers() {
        let cases = [
            ("\n  a b.html\t ", "http://h.example/d/a%20b.html"),
            ("htt\nps://l.example/p\n  q", "https://l.example/p%20%20q"),
            (" java\nscript:x()", "Dropped"),
            ("\t//c.example/ ", "http://c.example/"),
            ("\x0C a\x0Cb\r\nc \0", "http://h.example/d/a%0Cbc"),
            ("  ", "Dropped"),
            ("\u{A0}a", "http://h.example/d/%C2%A0a"),
            (
                "?q=a\u{3000}\u{A0}b c",
                "http://h.example/d/p.html?q=a%E3%80%80%C2%A0b%20c",
            ),
            ("http:x.html", "http://h.example/d/x.html"),
            ("http:", "http://h.example/d/p.html"),
            ("https:/abs.example/p", "https://abs.example/p"),
            ("https:abs.example", "https://abs.example/"),
            ("http:///abs.example/p", "http://abs.example/p"),
            ("http:\\\\abs.example\\p", "http://abs.example/p"),
            ("\\\\b.example\\p\\q", "http://b.example/p/q"),
            ("/\\c.example/z", "http://c.example/z"),
            ("///c.example/z", "http://c.example/z"),
            ("\\x\\y", "http://h.example/x/y"),
            (
                "HTTP://UP.example:80/%7Ea/../b",
                "HTTP://UP.example:80/%7Ea/../b",
            ),
            ("http://", "Void"),
            ("//", "Void"),
            ("//a b/", "Void"),
            (
                "mailto:a@m.example?subject=x",
                "mailto:a@m.example?subject=x",
            ),
            ("tel:+49301234", "tel:+49301234"),
            ("urn:isbn:0451450523", "urn:isbn:0451450523"),
            ("magnet:?xt=urn:btih:ABC", "magnet:?xt=urn:btih:ABC"),
            ("data:text/html,x", "Dropped"),
            ("about:blank", "Dropped"),
            ("JavaScript:y()", "Dropped"),
        ];
        check("UTF-8", &cases);
    }

    /// The query of a relative reference, and no other part, is in the encoding of its
    /// document.
    #[test]
    fn queries_are_in_the_encoding_of_the_document() {
        check(
            "windows-1252",
            &[
                ("?q=café", "http://h.example/d/p.html?q=caf%E9"),
                ("café?€", "http://h.example/d/caf%C3%A9?%80"),
                ("?a\u{A0}b c", "http://h.example/d/p.html?a%A0b%20c"),
                ("x#é", "http://h.example/d/x#%C3%A9"),
                ("http://abs.example/é?é", "http://abs.example/é?é"),
                ("http:?é", "http://h.example/d/p.html?%E9"),
                ("//c.example?\u{FFFD}", "http://c.example/?%26%2365533%3B"),
            ],
        );
        check(
            "windows-1251",
            &[("/s?q=日&x=Ж", "http://h.example/s?q=%26%2326085%3B&x=%C6")],
        );
        check("Shift_JIS", &[("?本", "http://h.example/d/p.html?%96{")]);
    }
    /// A usual URL with digits in upper case is its own canonical form.
    #[test]
    fn usual_urls_with_digits_in_upper_case_are_canonical() {
        use crate::syntax::Outlook;
        let canonicalizer = Canonicalizer::default();
        assert!(canonicalizer.keeps_lower_case());
        let parts = [
            "/", "?", "#", "a", "%2F", "%2f", "%E9", "%e9", "%41", "~", ",", "..", "A",
        ];
        let mut out = Vec::new();
        for (b, c) in parts.iter().flat_map(|b| parts.iter().map(move |c| (b, c))) {
            for d in parts {
                let text = format!("https://a.example{b}{c}{d}");
                let look = |at| Outlook::of(text.as_bytes(), at);
                if let Some(url) = UsualUrl::of(text.as_bytes(), look) {
                    let key = canonicalizer.canonicalize(text.as_bytes(), &mut out);
                    assert_eq!(key == text.as_bytes(), url.is_folded, "{text}");
                }
            }
        }
    }
}

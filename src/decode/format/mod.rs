//! The register of the formats of inputs and bodies, one row each. The deciding bytes and the
//! decoder of a format are in its file; containers are left to `unpack`.

pub(super) mod head;
#[cfg(feature = "html")]
mod robots;

#[cfg(feature = "marc")]
use super::catalog::{CatalogFormat, catalog_decoder, catalog_of_input};
use super::content_reading::ContentReading;
#[cfg(feature = "parquet")]
use super::data::rows_decoder;
use super::data::{begins_as_json, json_decoder, po_decoder, table_decoder, table_of};
use super::event::Decode;
#[cfg(feature = "html")]
use super::mail::{Mail, is_calendar, is_mail, mail_text_decoder};
#[cfg(feature = "html")]
use super::markup::{Language, html_decoder, xml_decoder};
#[cfg(feature = "html")]
use super::sniff::{begins_as_fragment, markup_of};
use super::text::text_decoder;
use crate::item::Part;
use crate::syntax::Components;
use head::InputHead;
use std::sync::LazyLock;

/// Returns the format that begins with `head`, among the formats that the function
/// distinguishes; the inner `None` for other content, the outer one while more bytes are
/// needed.
type Detect = fn(InputHead<'_>) -> Option<Option<&'static InputFormat>>;

/// Returns the decoder of a body.
type MakeDecoder = fn(&InputFormat, &Part, &ContentReading) -> Box<dyn Decode>;

/// A format of inputs: a row of [`FORMATS`].
///
/// ```
/// use urisieve::decode::InputFormat;
/// let format = InputFormat::named("text").unwrap();
/// assert_eq!((format.title, format.media_types), ("text", &["text/plain"][..]));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct InputFormat {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// The name in reports.
    pub title: &'static str,
    /// A description, and how the format is detected.
    pub meaning: &'static str,
    /// The media types, the preferred one first; only some are registered. One that begins
    /// with `+` is a suffix (RFC 6838 section 4.2.8).
    pub media_types: &'static [&'static str],
    /// The path of the resources of servers that are in this format.
    pub path: Option<&'static str>,
    /// The extensions of the names of its files, in lower case.
    pub extensions: &'static [&'static str],
    /// The class of formats that inputs are counted in.
    pub counted_as: &'static str,
    /// The format of its records, where they are read one by one.
    #[cfg(feature = "marc")]
    pub records: Option<CatalogFormat>,
    detect: Option<Detect>,
    /// `None` if only the records are read.
    decoder: Option<MakeDecoder>,
}

/// Equal formats are the same row.
impl PartialEq for InputFormat {
    fn eq(&self, other: &InputFormat) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for InputFormat {}

/// The functions that detect formats, in the order of the rows. Formats that one distinguishes
/// follow each other.
static DETECTS: LazyLock<Vec<Detect>> = LazyLock::new(|| {
    let mut detects: Vec<Detect> = FORMATS.iter().filter_map(|row| row.detect).collect();
    detects.dedup_by(|next, last| std::ptr::fn_addr_eq(*last, *next));
    detects
});

impl InputFormat {
    const fn new(name: &'static str, title: &'static str, meaning: &'static str) -> InputFormat {
        InputFormat {
            name,
            title,
            meaning,
            media_types: &[],
            path: None,
            extensions: &[],
            counted_as: name,
            #[cfg(feature = "marc")]
            records: None,
            detect: None,
            decoder: None,
        }
    }

    /// A row of a catalogue: its title, media type and description.
    #[cfg(feature = "marc")]
    const fn catalog(
        records: CatalogFormat,
        name: &'static str,
        [title, meaning]: [&'static str; 2],
        media_types: &'static [&'static str],
    ) -> InputFormat {
        InputFormat {
            media_types,
            counted_as: "catalogues",
            records: Some(records),
            detect: Some(detect_catalog),
            decoder: Some(decode_records),
            ..InputFormat::new(name, title, meaning)
        }
    }
}

#[cfg(feature = "marc")]
fn detect_catalog(head: InputHead<'_>) -> Option<Option<&'static InputFormat>> {
    let found = catalog_of_input(head.bytes, head.whole)?;
    Some(found.map(InputFormat::of_records))
}

#[cfg(feature = "marc")]
fn decode_records(format: &InputFormat, part: &Part, reading: &ContentReading) -> Box<dyn Decode> {
    match format.records {
        Some(records) => catalog_decoder(records, part, reading),
        None => text_decoder(),
    }
}

fn detect_table(head: InputHead<'_>) -> Option<Option<&'static InputFormat>> {
    Some(table_of(head)?.and_then(InputFormat::named))
}

#[cfg(feature = "html")]
fn detect_markup(head: InputHead<'_>) -> Option<Option<&'static InputFormat>> {
    let name = markup_of(head)?.map(|language| match language {
        Language::Html => "html",
        Language::Xml => "xml",
    });
    Some(name.and_then(InputFormat::named))
}

#[cfg(feature = "html")]
fn detect_calendar(head: InputHead<'_>) -> Option<Option<&'static InputFormat>> {
    let is_calendar = is_calendar(head.bytes, head.whole)?;
    Some(
        is_calendar
            .then(|| InputFormat::named("calendar"))
            .flatten(),
    )
}

#[cfg(feature = "html")]
fn detect_mail(head: InputHead<'_>) -> Option<Option<&'static InputFormat>> {
    let is_mail = is_mail(head.bytes, head.whole)?;
    Some(is_mail.then(|| InputFormat::named("mail")).flatten())
}

/// Every format that is read, in the order in which the first bytes are tried. Text is the last
/// row, because it has no mark.
///
/// ```
/// use urisieve::decode::FORMATS;
/// assert_eq!(FORMATS.last().unwrap().name, "text");
/// ```
pub static FORMATS: &[InputFormat] = &[
    #[cfg(feature = "marc")]
    InputFormat::catalog(
        CatalogFormat::Marc,
        "marc",
        [
            "ISO 2709",
            "ISO 2709: MARC 21 (MARC-8, UTF-8) and UNIMARC (ISO 5426, UTF-8), by the first leader",
        ],
        &["application/marc"],
    ),
    #[cfg(feature = "marc")]
    InputFormat::catalog(
        CatalogFormat::MarcXml,
        "marcxml",
        [
            "MARCXML",
            "MARCXML, also in OAI-PMH and SRU, by its first elements",
        ],
        &["application/marcxml+xml"],
    ),
    #[cfg(feature = "marc")]
    InputFormat::catalog(
        CatalogFormat::Mrk,
        "mrk",
        [
            "MARCBreaker text",
            "MARCBreaker and MarcEdit text, by its first line",
        ],
        &["text/x-mrk"],
    ),
    #[cfg(feature = "marc")]
    InputFormat::catalog(
        CatalogFormat::Pica,
        "pica",
        [
            "PICA+",
            "PICA+ plain, normalized, binary and import, by its first field",
        ],
        &["application/x-pica"],
    ),
    #[cfg(feature = "marc")]
    InputFormat::catalog(
        CatalogFormat::PicaXml,
        "picaxml",
        [
            "PICA+ in XML",
            "PICA+ as picaXML and ppxml, by its first elements",
        ],
        &["application/x-pica+xml"],
    ),
    #[cfg(feature = "marc")]
    InputFormat::catalog(
        CatalogFormat::Mods,
        "mods",
        ["MODS", "MODS, by its namespace"],
        &["application/mods+xml"],
    ),
    #[cfg(feature = "marc")]
    InputFormat::catalog(
        CatalogFormat::DublinCore,
        "dc",
        ["Dublin Core", "Dublin Core in XML, by its namespace"],
        &["application/x-dublin-core+xml"],
    ),
    #[cfg(feature = "html")]
    InputFormat {
        media_types: &["text/robots"],
        path: Some("/robots.txt"),
        counted_as: "markup",
        decoder: Some(|_, _, _| robots::robots_decoder()),
        ..InputFormat::new(
            "robots",
            "robots.txt",
            "robots.txt (RFC 9309), in web archives by its path",
        )
    },
    #[cfg(feature = "html")]
    InputFormat {
        media_types: &["message/rfc822", "message/global", "message/news"],
        extensions: &["eml", "mbox", "mht", "mhtml"],
        detect: Some(detect_mail),
        decoder: Some(|_, part, reading| Box::new(Mail::new(part.clone(), reading))),
        ..InputFormat::new(
            "mail",
            "mail",
            "mail and mailboxes (mbox) with their parts, by name or the first fields",
        )
    },
    #[cfg(feature = "html")]
    InputFormat {
        media_types: &[
            "text/calendar",
            "text/vcard",
            "text/x-vcard",
            "text/directory",
        ],
        detect: Some(detect_calendar),
        decoder: Some(|_, part, _| mail_text_decoder(part)),
        ..InputFormat::new(
            "calendar",
            "calendar",
            "calendars and cards (iCalendar, vCard), by their first line",
        )
    },
    #[cfg(feature = "html")]
    InputFormat {
        media_types: &["text/html"],
        extensions: &["html", "htm", "xhtml"],
        counted_as: "markup",
        detect: Some(detect_markup),
        decoder: Some(|_, part, reading| html_decoder(part, reading)),
        ..InputFormat::new(
            "html",
            "HTML",
            "HTML and what lies in it, by its first tag or the name of a file",
        )
    },
    #[cfg(feature = "html")]
    InputFormat {
        media_types: &["text/xml", "application/xml", "+xml"],
        counted_as: "markup",
        detect: Some(detect_markup),
        decoder: Some(|_, part, reading| xml_decoder(part, reading)),
        ..InputFormat::new(
            "xml",
            "XML",
            "XML with sitemaps and feeds, by its declaration",
        )
    },
    InputFormat {
        media_types: &["text/csv"],
        extensions: &["csv"],
        counted_as: "data",
        #[cfg(feature = "marc")]
        records: Some(CatalogFormat::Csv),
        detect: Some(detect_table),
        decoder: Some(|_, _, reading| table_decoder(reading, None)),
        ..InputFormat::new(
            "csv",
            "CSV",
            "a table with comma, semicolon, tab or | between its cells, by its first four records",
        )
    },
    InputFormat {
        media_types: &["text/tab-separated-values"],
        extensions: &["tsv", "tab"],
        counted_as: "data",
        #[cfg(feature = "marc")]
        records: Some(CatalogFormat::Tsv),
        detect: Some(detect_table),
        decoder: Some(|_, _, reading| table_decoder(reading, Some(b'\t'))),
        ..InputFormat::new(
            "tsv",
            "TSV",
            "a table with tabs between its cells, by its first four records",
        )
    },
    #[cfg(feature = "parquet")]
    InputFormat {
        // Of no body: a table in an archive is not read.
        media_types: &["text/x-parquet-rows"],
        counted_as: "data",
        decoder: Some(|_, _, reading| rows_decoder(reading)),
        ..InputFormat::new(
            "parquet",
            "Parquet",
            "a file that is a table of Apache Parquet, by its first and last bytes",
        )
    },
    #[cfg(feature = "marc")]
    InputFormat {
        media_types: &["application/jsonl"],
        extensions: &["jsonl", "ndjson"],
        counted_as: "data",
        records: Some(CatalogFormat::JsonLines),
        decoder: Some(|_, _, reading| json_decoder(reading)),
        ..InputFormat::new("jsonl", "JSON Lines", "an object of JSON a line")
    },
    InputFormat {
        media_types: &[
            "application/json",
            "+json",
            "application/x-ndjson",
            "application/ndjson",
            "application/json-seq",
            "application/x-jsonlines",
            "text/json",
        ],
        extensions: &[
            "json",
            "jsonl",
            "ndjson",
            "geojson",
            "jsonld",
            "har",
            "webmanifest",
            "ipynb",
            "map",
            "json5",
            "jsonc",
        ],
        counted_as: "data",
        decoder: Some(|_, _, reading| json_decoder(reading)),
        ..InputFormat::new(
            "json",
            "JSON",
            "JSON, JSON Lines, JSON5, by the name of a file or its media type",
        )
    },
    InputFormat {
        media_types: &["text/x-gettext-translation", "text/x-po"],
        extensions: &["po", "pot"],
        counted_as: "data",
        decoder: Some(|_, _, reading| po_decoder(reading)),
        ..InputFormat::new(
            "po",
            "gettext",
            "messages of gettext, by the name of a file or its media type",
        )
    },
    InputFormat {
        media_types: &["text/plain"],
        decoder: Some(|_, _, _| text_decoder()),
        ..InputFormat::new(
            "text",
            "text",
            "text in an encoding that extends ASCII; bytes need not be UTF-8",
        )
    },
];

impl InputFormat {
    /// Returns the format with this name.
    ///
    /// ```
    /// use urisieve::decode::InputFormat;
    /// assert!(InputFormat::named("text").is_some() && InputFormat::named("Text").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static InputFormat> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// Returns the format whose records are in this one.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, InputFormat};
    /// assert_eq!(InputFormat::of_records(CatalogFormat::Pica).name, "pica");
    /// ```
    #[cfg(feature = "marc")]
    pub fn of_records(records: CatalogFormat) -> &'static InputFormat {
        let mut formats = FORMATS.iter();
        let found = formats.find(|format| format.records == Some(records));
        found.unwrap_or(InputFormat::text())
    }

    /// Returns the searched format whose files have names like `name`, apart from an extension
    /// of a compression.
    pub(crate) fn of_name(name: &[u8]) -> Option<&'static InputFormat> {
        let mut parts = name.rsplitn(2, |byte| *byte == b'.');
        let extension = parts.next()?;
        parts.next()?;
        let mut searched = FORMATS.iter().filter(|format| format.is_searched());
        searched.find(|format| {
            let mut extensions = format.extensions.iter();
            extensions.any(|known| extension.eq_ignore_ascii_case(known.as_bytes()))
        })
    }

    /// Returns the format of text.
    ///
    /// ```
    /// assert!(urisieve::decode::InputFormat::text().is_text());
    /// ```
    pub fn text() -> &'static InputFormat {
        &FORMATS[FORMATS.len() - 1]
    }

    /// Whether this is the format of text, which is not decoded.
    ///
    /// ```
    /// use urisieve::decode::InputFormat;
    /// assert!(InputFormat::named("text").unwrap().is_text());
    /// ```
    pub fn is_text(&self) -> bool {
        self == InputFormat::text()
    }

    /// Whether inputs in this format are searched. Of other formats only the records
    /// are read.
    ///
    /// ```
    /// assert!(urisieve::decode::InputFormat::text().is_searched());
    /// ```
    pub const fn is_searched(&self) -> bool {
        self.decoder.is_some()
    }

    /// Returns the format that the media type of `part` states, or the path of its record;
    /// `None` if these are of no row.
    pub(crate) fn of(part: &Part) -> Option<&'static InputFormat> {
        let record = part.context.warc.as_deref();
        let resource = record.filter(|_| part.status == Some(200));
        let path = resource.map(|record| {
            let uri = &record.target_uri;
            Components::parse(uri).path(uri)
        });
        let essence = Part::essence(&part.media_type);
        // The usual type of mail.
        if path.is_none() && essence.eq_ignore_ascii_case(b"text/plain") {
            return Some(InputFormat::text());
        }
        let is_of = |media_type: &&str| {
            let from = match media_type.starts_with('+') {
                true => essence.len().saturating_sub(media_type.len()),
                false => 0,
            };
            essence[from..].eq_ignore_ascii_case(media_type.as_bytes())
        };
        FORMATS.iter().find(|format| {
            format.path.is_some() && format.path.map(str::as_bytes) == path
                || format.media_types.iter().any(is_of)
        })
    }

    /// Returns the format that begins with `head`, text if it has no mark of another format;
    /// `None` when more bytes are needed.
    pub(super) fn detect(head: InputHead<'_>) -> Option<&'static InputFormat> {
        for detect in &*DETECTS {
            if let Some(format) = detect(head)? {
                return Some(format);
            }
        }
        Some(InputFormat::text())
    }

    /// Returns the format that a text with these first bytes seems to be in, which are not
    /// enough to read it so: HTML without the beginning of a document, JSON without a name.
    pub(super) fn seeming(head: &[u8]) -> Option<&'static InputFormat> {
        #[cfg(feature = "html")]
        if begins_as_fragment(head) {
            return InputFormat::named("html");
        }
        InputFormat::named("json").filter(|_| begins_as_json(head))
    }

    /// Returns the decoder of a body in this format.
    pub(super) fn decoder(&self, part: &Part, reading: &ContentReading) -> Box<dyn Decode> {
        match self.decoder {
            Some(make) => make(self, part, reading),
            None => text_decoder(),
        }
    }

    /// The media type by which a body is read in this format.
    pub(crate) fn media_type(&self) -> &'static str {
        self.media_types.first().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_text_has_the_type_of_text() {
        let has_type = |format: &&InputFormat| format.media_types.contains(&"text/plain");
        assert!(FORMATS.iter().filter(has_type).all(InputFormat::is_text));
        assert!(has_type(&InputFormat::text()));
    }

    #[test]
    fn a_text_seems_to_be_in_a_format() {
        for (head, wanted) in [
            (
                &b"<p>see <a href=/x>x</a>"[..],
                cfg!(feature = "html").then_some("html"),
            ),
            (b"<!-- x --> y", cfg!(feature = "html").then_some("html")),
            (b"<http://a.example/> and <x>", None),
            (b"a <p>", None),
            (b"\xEF\xBB\xBF {\n \"a\": 1}", Some("json")),
            (b"[{\"a\"", Some("json")),
            (b"[ \"a\"]", Some("json")),
            (b"{a}", None),
            (b"[02/Jan/2030] GET /", None),
            (b"[\x00", None),
            (b"", None),
        ] {
            let seems = InputFormat::seeming(head).map(|format| format.name);
            assert_eq!(seems, wanted, "{}", head.escape_ascii());
        }
    }

    /// Media types and names lead back to their row.
    #[test]
    fn rows_are_found() {
        for format in FORMATS {
            assert_eq!(InputFormat::named(format.name), Some(format));
            for media_type in format.media_types {
                let media_type = media_type.replace('+', "application/a+").into_bytes();
                let is_suffix = media_type.starts_with(b"application/a");
                let part = Part {
                    media_type,
                    ..Part::default()
                };
                if is_suffix || !part.media_type.contains(&b'+') {
                    assert_eq!(InputFormat::of(&part), Some(format));
                }
            }
        }
    }

    /// The beginnings of every format that has a mark.
    const HEADS: [&str; 21] = [
        "00050nam a2200037 a 4500001000500000\x1E1234\x1E\x1D",
        "=LDR  00050nam\n=001  1\n",
        "003@ $012345\n",
        "<?xml version='1.0'?>",
        "<collection xmlns='http://www.loc.gov/MARC21/slim'>",
        "<mods xmlns=\"http://www.loc.gov/mods/v3\">",
        "<record xmlns:dc='http://purl.org/dc/elements/1.1/'>",
        "<record xmlns=\"info:srw/schema/5/picaXML-v1.0\">",
        "<datafield tag='1'>",
        "<!-- a -->",
        "<!doctype html>",
        "<html>",
        "<rss>",
        "<p>",
        "From: a\nDate: b\nTo: c\n\n",
        "BEGIN:VCARD\n",
        "\u{FEFF}",
        " \n",
        "sep=;\n",
        "a,b,c\n1,http://a.example/,\n2,\"urn:a-b:c\",\n,,ftp://b.example\n",
        "a\tb\tc\r\n\t\thttp://a.example/\r\n\thttp://b\t\n\thttps://c\t\n",
    ];

    /// An answer does not change while the head grows.
    #[track_caller]
    fn check_growth(bytes: &[u8], is_resource: bool) {
        let whole = InputHead {
            bytes,
            whole: true,
            is_resource,
            tables: true,
            fragments: is_resource,
        };
        let wanted = InputFormat::detect(whole).unwrap();
        for len in 0..=bytes.len() {
            let head = InputHead {
                bytes: &bytes[..len],
                whole: false,
                is_resource,
                tables: true,
                fragments: is_resource,
            };
            let text = bytes[..len].escape_ascii();
            for detect in FORMATS.iter().filter_map(|format| format.detect) {
                let answer = detect(head);
                assert!(
                    answer.is_none() || answer == detect(whole),
                    "{answer:?}: {text}"
                );
            }
            let answer = InputFormat::detect(head);
            assert!(
                answer.is_none_or(|format| format == wanted),
                "{answer:?}: {text}"
            );
        }
    }

    /// All pairs of beginnings, so that no chance is needed to find two that disagree.
    #[test]
    fn the_first_answer_is_the_last_in_pairs() {
        for first in HEADS {
            for second in HEADS {
                for is_resource in [false, true] {
                    check_growth([first, second].concat().as_bytes(), is_resource);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_first_answer_is_the_last(
            pieces in prop::collection::vec(prop::sample::select(&HEADS[..]), 1..4),
            cut in 0usize..60,
            is_resource: bool,
        ) {
            let text = pieces.concat();
            check_growth(&text.as_bytes()[cut.min(text.len())..], is_resource);
        }
    }
}

//! Records that are changed at random: the values that are read again are the requested
//! ones, and all other bytes are unchanged.

use super::super::{CatalogFormat, CatalogReader, CatalogRecord, RecordStep};
use super::{RecordRewriter, RewriteRefusal, ValueChange};
use crate::decode::markup::Converter;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// The form in which a catalogue of the tests is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    MarcUtf8,
    Marc8,
    Unimarc,
    Mrk,
    MarcXml(&'static encoding_rs::Encoding),
    Mods,
    DublinCore,
    Csv,
    Tsv,
    JsonLines,
}

const WAYS: [Way; 11] = [
    Way::MarcUtf8,
    Way::Marc8,
    Way::Unimarc,
    Way::Mrk,
    Way::MarcXml(encoding_rs::UTF_8),
    Way::MarcXml(encoding_rs::WINDOWS_1252),
    Way::Mods,
    Way::DublinCore,
    Way::Csv,
    Way::Tsv,
    Way::JsonLines,
];

/// Pieces of values, as bytes in the form of the catalogue.
const PLAIN: [&[u8]; 8] = [
    b"http://a.example/",
    b"b c",
    b".",
    b" ",
    b"x",
    b"~%7E",
    b"?a=1",
    b"e",
];
const UTF8: [&[u8]; 4] = [b"\xC3\xA9", b"e\xCC\x81", b"\xE4\xB8\x80", b"\xD0\x90"];
const OF_MARC_8: [&[u8]; 10] = [
    b"\xE2e",
    b"\xE2\xF2a",
    b"\x1B(Na b\x1B(B",
    b"\x1B(Nab",
    b"\x1B)Q\xC1",
    b"\x1B$1!0!\x1B(B",
    b"\x1Bp2\x1Bs",
    b"&#x00E9;",
    b"\xB2",
    b"\x88The \x89",
];
const OF_ISO_5426: [&[u8]; 3] = [b"\xC2e", b"\xE1", b"\xC8\xC2u"];
const OF_MRK: [&[u8]; 5] = [b"{dollar}", b"{acute}e", b"{lcub}", b"{unknown}", b"\\"];
const OF_XML: [&[u8]; 6] = [
    b"&amp;",
    b"&#233;",
    b"<![CDATA[&<]]>",
    b"<!-- c -->",
    b"&lt;",
    b"&unknown;",
];
const OF_TABLES: [&[u8]; 2] = [b"it's", b"\\"];
const OF_JSON: [&[u8]; 4] = [b"\\/", b"\\u00e9", b"\\n", b"\\\""];
const OF_WINDOWS_1252: [&[u8]; 2] = [b"\xE9", b"\x80"];

impl Way {
    fn format(self) -> CatalogFormat {
        match self {
            Way::MarcUtf8 | Way::Marc8 | Way::Unimarc => CatalogFormat::Marc,
            Way::Mrk => CatalogFormat::Mrk,
            Way::MarcXml(_) => CatalogFormat::MarcXml,
            Way::Mods => CatalogFormat::Mods,
            Way::DublinCore => CatalogFormat::DublinCore,
            Way::Csv => CatalogFormat::Csv,
            Way::Tsv => CatalogFormat::Tsv,
            Way::JsonLines => CatalogFormat::JsonLines,
        }
    }

    fn pieces(self) -> Vec<&'static [u8]> {
        let more: [&[&[u8]]; 2] = match self {
            Way::MarcUtf8 => [&UTF8, &[]],
            Way::Marc8 => [&OF_MARC_8, &[]],
            Way::Unimarc => [&OF_ISO_5426, &[]],
            Way::Mrk => [&UTF8, &OF_MRK],
            Way::Csv | Way::Tsv => [&UTF8, &OF_TABLES],
            Way::JsonLines => [&UTF8, &OF_JSON],
            Way::MarcXml(encoding) if encoding != encoding_rs::UTF_8 => [&OF_WINDOWS_1252, &OF_XML],
            _ => [&UTF8, &OF_XML],
        };
        PLAIN.into_iter().chain(more.concat()).collect()
    }

    fn write(self, records: &[Vec<Vec<u8>>]) -> Vec<u8> {
        let all = records.iter().map(|values| self.record(values));
        let all: Vec<u8> = all.collect::<Vec<_>>().concat();
        let wrapped = |head: &str, tail: &str| [head.as_bytes(), &all, tail.as_bytes()].concat();
        match self {
            Way::MarcXml(_) => wrapped("<?xml version='1.0'?><collection>\n", "</collection>\n"),
            Way::Mods => wrapped(
                "<modsCollection xmlns='http://www.loc.gov/mods/v3'>",
                "</modsCollection>",
            ),
            Way::DublinCore => {
                wrapped("<all xmlns:d='http://purl.org/dc/elements/1.1/'>", "</all>")
            }
            Way::Csv => wrapped("id;url\r\n", ""),
            Way::Tsv => wrapped("id\turl\n", ""),
            _ => all,
        }
    }

    fn record(self, values: &[Vec<u8>]) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Way::MarcUtf8 => return iso_2709("am a", &fields(values, b"245")),
            Way::Marc8 => return iso_2709("am  ", &fields(values, b"245")),
            Way::Unimarc => {
                let mut fields = fields(values, b"200");
                let general = format!("  \x1Fa{}0103    ", " ".repeat(26));
                fields.insert(1, (*b"100", general.into_bytes()));
                return iso_2709("am  ", &fields);
            }
            Way::Mrk => {
                out.extend_from_slice(b"=LDR  00000nam  2200000 a 4500\n=001  a\\b\n");
                for value in values {
                    out.extend_from_slice(b"=856  4\\$u");
                    out.extend_from_slice(value);
                    out.extend_from_slice(b"$zn\r\n");
                }
                out.extend_from_slice(b"\n");
            }
            Way::MarcXml(_) => {
                out.extend_from_slice(b"<record><controlfield tag='001'>1</controlfield>");
                for value in values {
                    out.extend_from_slice(
                        b"<datafield tag='856' ind1='4' ind2=' '>\n<subfield code='u'>",
                    );
                    out.extend_from_slice(value);
                    out.extend_from_slice(
                        b"</subfield><subfield code='z'>n</subfield></datafield>",
                    );
                }
                out.extend_from_slice(b"</record>\n");
            }
            Way::Mods => {
                out.extend_from_slice(b"<mods><location>");
                for (number, value) in values.iter().enumerate() {
                    let is_attribute = number % 2 == 1 && !value.contains(&b'<');
                    let (head, tail): (&[u8], &[u8]) = match is_attribute {
                        true => (b"<url xlink:href=\"", b"\"/>"),
                        false => (b"<url>", b"</url>"),
                    };
                    [head, value, tail]
                        .iter()
                        .for_each(|part| out.extend_from_slice(part));
                }
                out.extend_from_slice(b"</location></mods>\n");
            }
            Way::Csv => {
                for (number, value) in values.iter().enumerate() {
                    let quote: &[u8] = if number % 2 == 0 { b"\"" } else { b"" };
                    let row = [b"1;", quote, value, quote, b"\r\n"];
                    row.iter().for_each(|part| out.extend_from_slice(part));
                }
            }
            Way::Tsv => {
                for value in values {
                    let row = [b"1\t", &value[..], b"\n"];
                    row.iter().for_each(|part| out.extend_from_slice(part));
                }
            }
            Way::JsonLines => {
                for value in values {
                    let row = [b"{\"id\": 1, \"u\": [\"", &value[..], b"\"]}\n"];
                    row.iter().for_each(|part| out.extend_from_slice(part));
                }
            }
            Way::DublinCore => {
                out.extend_from_slice(b"<record>");
                for value in values {
                    out.extend_from_slice(b"<d:identifier>");
                    out.extend_from_slice(value);
                    out.extend_from_slice(b"</d:identifier>");
                }
                out.extend_from_slice(b"</record>");
            }
        }
        out
    }
}

fn fields(values: &[Vec<u8>], title: &[u8; 3]) -> Vec<([u8; 3], Vec<u8>)> {
    let mut fields = vec![
        (*b"001", b"id 1".to_vec()),
        (*title, b"10\x1FaTitle".to_vec()),
    ];
    for value in values {
        fields.push((*b"856", [b"40\x1Fu", &value[..], b"\x1Fzn"].concat()));
    }
    fields
}

fn iso_2709(leader: &str, fields: &[([u8; 3], Vec<u8>)]) -> Vec<u8> {
    let (mut directory, mut data) = (Vec::new(), Vec::new());
    // The data of fields need not be in the order of the directory.
    for (tag, field) in fields.iter().rev() {
        let entry = format!("{:04}{:05}", field.len() + 1, data.len());
        directory.splice(0..0, [&tag[..], entry.as_bytes()].concat());
        data.extend_from_slice(field);
        data.push(0x1E);
    }
    let base = 24 + directory.len() + 1;
    let length = base + data.len() + 1;
    let head = format!("{length:05}n{leader}22{base:05}   4500");
    [head.as_bytes(), &directory, b"\x1E", &data, b"\x1D"].concat()
}

/// The content of a catalogue: each record, its bytes, and the bytes between records.
struct Catalog {
    parts: Vec<(Option<CatalogRecord>, Range<usize>)>,
}

impl Catalog {
    fn read(way: Way, bytes: &[u8]) -> Catalog {
        let mut reader = CatalogReader::new(way.format());
        if let Way::MarcXml(encoding) = way {
            reader
                .texts()
                .maker()
                .set_converter(Converter::new(encoding));
        }
        let (mut at, mut parts) = (0, Vec::new());
        loop {
            let mut record = CatalogRecord::default();
            match reader.read(&bytes[at..], true, &mut record) {
                RecordStep::Record(len) => {
                    parts.push((Some(record), at..at + len));
                    at += len;
                }
                RecordStep::Outside { len, .. } | RecordStep::Lost(len, _) => {
                    parts.push((None, at..at + len));
                    at += len;
                }
                RecordStep::Hungry => return Catalog { parts },
            }
        }
    }

    /// The texts of all subfields, with their tags and codes, and their bytes.
    fn values(&self) -> Vec<(String, String, Range<usize>)> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let records = self.parts.iter().filter_map(|(record, _)| record.as_ref());
        let fields = records.flat_map(CatalogRecord::fields);
        fields
            .flat_map(|field| {
                let name = format!(
                    "{} {}{}",
                    text(field.tag),
                    text(field.ind1),
                    text(field.ind2)
                );
                field
                    .subfields()
                    .map(move |subfield| {
                        let range = subfield.range.start as usize..subfield.range.end as usize;
                        (
                            format!("{name}${}", text(subfield.code)),
                            text(subfield.text),
                            range,
                        )
                    })
                    .collect::<Vec<_>>()
            })
            .collect()
    }
}

/// The bytes outside of these ranges, which come in any order.
fn without(bytes: &[u8], ranges: &[Range<usize>]) -> Vec<u8> {
    let is_inside = |at: &usize| ranges.iter().any(|range| range.contains(at));
    (0..bytes.len())
        .filter(|at| !is_inside(at))
        .map(|at| bytes[at])
        .collect()
}

#[derive(Clone, Debug)]
struct Edit {
    value: Index,
    from: Index,
    to: Index,
    text: String,
}

fn edit() -> impl Strategy<Value = Edit> {
    let words = select(
        &[
            "",
            "",
            "%20",
            "http://b.example/",
            "a&b",
            "<i>",
            "\"q'",
            "$",
            "{x}",
            "\u{E9}",
            "e\u{301}",
            "\u{410}",
            "\u{4E00}",
            "\u{B2}",
            "&#x41;",
            "]]>",
            "\\",
            "\u{1EDB}",
            " ",
            ";",
            "\t",
            "\"",
            "--",
        ][..],
    );
    (any::<Index>(), any::<Index>(), any::<Index>(), words).prop_map(|(value, from, to, word)| {
        Edit {
            value,
            from,
            to,
            text: word.to_owned(),
        }
    })
}

/// A way, its records as values, and edits of some of them.
fn catalog() -> impl Strategy<Value = (Way, Vec<Vec<Vec<u8>>>, Vec<Edit>)> {
    select(&WAYS[..]).prop_flat_map(|way| {
        let value = proptest::collection::vec(select(way.pieces()), 1..5);
        let value = value.prop_map(|pieces| pieces.concat());
        let record = proptest::collection::vec(value, 1..4);
        (
            Just(way),
            proptest::collection::vec(record, 1..4),
            proptest::collection::vec(edit(), 0..5),
        )
    })
}

/// Returns `text` with a part of it replaced.
fn edited(text: &str, edit: &Edit) -> String {
    let chars: Vec<char> = text.chars().collect();
    let (from, to) = (
        edit.from.index(chars.len() + 1),
        edit.to.index(chars.len() + 1),
    );
    let (head, tail) = (&chars[..from.min(to)], &chars[from.max(to)..]);
    let new: String = head
        .iter()
        .copied()
        .chain(edit.text.chars())
        .chain(tail.iter().copied())
        .collect();
    new.nfc().collect()
}

/// Whether a way has all characters of a text.
fn is_writable(way: Way, text: &str) -> bool {
    let is_plain = way.format().is_xml() || way.format().is_table();
    match way {
        _ if !is_plain && text.contains('\t') => false,
        Way::Unimarc => !text.contains(['\u{410}', '\u{4E00}', '\u{B2}', '\u{1EDB}']),
        _ => true,
    }
}

proptest! {
    #[test]
    fn changed_values_are_read_again((way, records, edits) in catalog()) {
        let bytes = way.write(&records);
        let before = Catalog::read(way, &bytes);
        let old = before.values();
        let mut rewriter = RecordRewriter::default();
        let (mut out, mut wanted, mut touched) = (Vec::new(), Vec::new(), Vec::new());
        let mut number = 0;
        for (record, range) in &before.parts {
            let raw = &bytes[range.clone()];
            let Some(record) = record else {
                out.extend_from_slice(raw);
                continue;
            };
            let mut changes: Vec<ValueChange> = Vec::new();
            let from = number;
            for (field, found) in record.fields().enumerate() {
                for subfield in 0..found.subfields().count() {
                    let (name, text, _) = &old[number];
                    let mut new = text.clone();
                    let is_value = way.format().is_table() && !name.starts_with("id") || name.contains("$u") || !name.contains("00") && name.ends_with('$')
                        || name.contains("href");
                    for edit in edits.iter().filter(|edit| is_value && edit.value.index(old.len()) == number) {
                        new = edited(&new, edit);
                    }
                    if new != *text {
                        changes.push(ValueChange { field, subfield, text: new.clone() });
                    }
                    wanted.push((name.clone(), new));
                    number += 1;
                }
            }
            match rewriter.rewrite(record, raw, &changes, &mut out) {
                Ok(()) => {
                    let changed = (from..number).filter(|at| wanted[*at].1 != old[*at].1);
                    touched.extend(changed);
                }
                Err(refusal) => {
                    let is_right = match refusal {
                        RewriteRefusal::Unwritable(_) => changes.iter().any(|change| !is_writable(way, &change.text)),
                        // A mark at the start of a text has no letter.
                        // A blank row is not a record.
                        RewriteRefusal::Misread if way.format().is_table() => {
                            changes.iter().any(|change| change.text.trim().is_empty())
                        }
                        RewriteRefusal::Misread => changes.iter().any(|change| change.text.starts_with('\u{301}')
                            || change.text.starts_with('\u{323}') || change.text.contains(['\u{98}', '\u{9C}'])),
                        RewriteRefusal::NoPlace => way == Way::Mods,
                        _ => false,
                    };
                    prop_assert!(is_right, "{refusal} in {changes:?}");
                    out.extend_from_slice(raw);
                    for at in from..number {
                        wanted[at].1 = old[at].1.clone();
                    }
                }
            }
        }
        let after = Catalog::read(way, &out);
        let new = after.values();
        let read: Vec<_> = new.iter().map(|(name, text, _)| (name.clone(), text.clone())).collect();
        prop_assert_eq!(&read, &wanted);
        if touched.is_empty() {
            prop_assert_eq!(&out, &bytes);
        }
        // Beside the changed values only leaders and directories of their records differ.
        let ranges = |values: &[(String, String, Range<usize>)], catalog: &Catalog| {
            let mut ranges: Vec<_> = touched.iter().map(|at| values[*at].2.clone()).collect();
            for (record, range) in &catalog.parts {
                if let Some(record) = record && way.format() == CatalogFormat::Marc {
                    let base: usize = std::str::from_utf8(&record.leader()[12..17]).unwrap().parse().unwrap();
                    ranges.push(range.start..range.start + 5);
                    ranges.push(range.start + 24..range.start + base);
                }
            }
            ranges
        };
        prop_assert_eq!(
            without(&out, &ranges(&new, &after)),
            without(&bytes, &ranges(&old, &before))
        );
    }
}

/// Changes the first `$u` of the record `raw`, and returns the new record.
fn changed(format: CatalogFormat, raw: &[u8], text: &str) -> Result<Vec<u8>, RewriteRefusal> {
    let mut record = CatalogRecord::default();
    let step = CatalogReader::new(format).read(raw, true, &mut record);
    assert_eq!(step, RecordStep::Record(raw.len()));
    let mut fields = record.fields();
    let field = fields.position(|field| field.subfields().any(|subfield| subfield.code == b"u"));
    let change = ValueChange {
        field: field.expect("a field has the subfield"),
        subfield: 0,
        text: text.to_owned(),
    };
    let mut out = b"before".to_vec();
    let done = RecordRewriter::default().rewrite(&record, raw, &[change], &mut out);
    match done {
        Ok(()) => Ok(out[6..].to_vec()),
        Err(refusal) => {
            assert_eq!(out, b"before");
            Err(refusal)
        }
    }
}

fn of_link(leader: &str, link: &[u8]) -> Vec<u8> {
    iso_2709(leader, &fields(&[link.to_vec()], b"245"))
}

#[test]
fn what_iso_2709_cannot_state_is_refused() {
    let raw = of_link("am a", b"http://a.example/");
    // The indicators, the codes of two subfields, a note and the end are 8 bytes.
    let longest = "x".repeat(9_991);
    let written = changed(CatalogFormat::Marc, &raw, &longest).expect("it has room");
    assert_eq!(
        changed(CatalogFormat::Marc, &written, "http://a.example/").as_deref(),
        Ok(&raw[..])
    );
    assert_eq!(
        changed(CatalogFormat::Marc, &raw, &(longest.clone() + "y")),
        Err(RewriteRefusal::FieldTooLong(10_000))
    );
    let mut values = vec![longest.into_bytes(); 9];
    values.insert(0, b"http://a.example/".to_vec());
    let raw = iso_2709("am a", &fields(&values, b"245"));
    assert_eq!(
        changed(CatalogFormat::Marc, &raw, &"x".repeat(9_991)),
        Err(RewriteRefusal::RecordTooLong(raw.len() + 9_991 - 17))
    );
}

#[test]
fn characters_that_are_not_known_are_refused() {
    let marc8 = of_link("am  ", b"http://a.example/\xE2e");
    let refused = |raw: &[u8], text| changed(CatalogFormat::Marc, raw, text).unwrap_err();
    assert_eq!(
        refused(&marc8, "\u{2013}"),
        RewriteRefusal::Unwritable('\u{2013}')
    );
    assert_eq!(
        refused(&marc8, "a\u{1F}bc"),
        RewriteRefusal::Unwritable('\u{1F}')
    );
    assert_eq!(refused(&marc8, "a\nb"), RewriteRefusal::Unwritable('\n'));
    // Malformed characters keep their bytes, but are never written.
    let malformed = of_link("am a", b"http://a.example/\xFF.");
    let fixed = changed(CatalogFormat::Marc, &malformed, "http://a.example/\u{FFFD}");
    assert_eq!(fixed, Ok(of_link("am a", b"http://a.example/\xFF")));
    assert_eq!(
        refused(&malformed, "\u{FFFD}x."),
        RewriteRefusal::Unwritable('\u{FFFD}')
    );
    let mrk = b"=856  40$ua b\n";
    assert_eq!(
        changed(CatalogFormat::Mrk, mrk, "a\nb").unwrap_err(),
        RewriteRefusal::Unwritable('\n')
    );
}

#[test]
fn a_record_whose_encoding_would_change_is_refused() {
    // Without its only character outside ASCII it is MARC-8, where `&#x41;` is a letter.
    let mut fields = fields(&["\u{E9}".as_bytes().to_vec()], b"245");
    fields.push((*b"500", b"  \x1Fa&#x41;".to_vec()));
    let raw = iso_2709("am  ", &fields);
    assert_eq!(
        changed(CatalogFormat::Marc, &raw, "e"),
        Err(RewriteRefusal::Misread)
    );
    assert!(changed(CatalogFormat::Marc, &raw, "e\u{E9}").is_ok());
}

#[test]
fn damaged_records_are_refused() {
    let raw = of_link("am a", b"http://a.example/");
    let mut longer = raw.clone();
    longer[..5].copy_from_slice(b"99999");
    // The base is wrong: the fields are read by their number.
    let mut moved = raw.clone();
    moved[16] = b'0';
    for damaged in [longer, moved] {
        let refusal = changed(CatalogFormat::Marc, &damaged, "x").unwrap_err();
        assert_eq!(refusal, RewriteRefusal::Damaged);
        // A value without a change is never refused.
        let same = changed(CatalogFormat::Marc, &damaged, "http://a.example/");
        assert_eq!(same, Ok(damaged));
    }
    let pica = b"009Q $uhttp://a.example/\n";
    assert_eq!(
        changed(CatalogFormat::Pica, pica, "x"),
        Err(RewriteRefusal::ReadOnly)
    );
}

#[test]
fn bytes_that_two_fields_have_are_refused() {
    let mut raw = of_link("am a", b"http://a.example/");
    // The last two entries: 245 and 856 have the same bytes.
    let (first, second) = (36, 48);
    let entry = raw[second + 3..second + 12].to_vec();
    raw[first + 3..first + 12].copy_from_slice(&entry);
    assert_eq!(
        changed(CatalogFormat::Marc, &raw, "x"),
        Err(RewriteRefusal::SharedBytes)
    );
}

#[test]
fn one_place_changes_once() {
    let raw = b"=856  40$ua\n";
    let mut record = CatalogRecord::default();
    CatalogReader::new(CatalogFormat::Mrk).read(raw, true, &mut record);
    let change = |subfield, text: &str| ValueChange {
        field: 0,
        subfield,
        text: text.to_owned(),
    };
    let mut rewriter = RecordRewriter::default();
    let mut rewrite =
        |changes: &[ValueChange]| rewriter.rewrite(&record, raw, changes, &mut Vec::new());
    assert_eq!(
        rewrite(&[change(0, "b"), change(0, "c")]),
        Err(RewriteRefusal::TwoChanges)
    );
    assert_eq!(rewrite(&[change(1, "b")]), Err(RewriteRefusal::NoPlace));
    assert_eq!(rewrite(&[change(0, "b")]), Ok(()));
}

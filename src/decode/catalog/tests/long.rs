//! Records that exceed the limits of length or fields: memory for one record is bounded, bytes
//! that are not read are reported, and the next records are read.

use super::*;

/// Reads `bytes` in pieces of `size`. Returns the number of values of each record, and the
/// damage.
fn parts(format: CatalogFormat, bytes: &[u8], size: usize) -> (Vec<usize>, Vec<&'static str>) {
    let (mut reader, mut record) = (CatalogReader::new(format), CatalogRecord::default());
    let (mut at, mut end) = (0, 0);
    let (mut values, mut causes) = (Vec::new(), Vec::new());
    loop {
        let step = reader.read(&bytes[at..end], end == bytes.len(), &mut record);
        at += match step {
            RecordStep::Record(len) => {
                values.push(record.fields().map(|field| field.subfields().count()).sum());
                causes.extend(record.damage().iter().map(|damage| damage.cause));
                len
            }
            RecordStep::Outside { len, .. } => len,
            RecordStep::Lost(len, damage) => {
                causes.push(damage.cause);
                len
            }
            RecordStep::Hungry if end == bytes.len() => break,
            RecordStep::Hungry => {
                end = (end + size).min(bytes.len());
                0
            }
        };
    }
    assert_eq!(at, bytes.len());
    (values, causes)
}

/// A record, and how often each of its fields is repeated.
fn repeated(head: &str, field: &str, tail: &str, count: usize) -> Vec<u8> {
    [head, &field.repeat(count), tail].concat().into_bytes()
}

/// The formats whose records may be long: the format, and a record's beginning, one of its
/// fields, with one value, and its end.
const LONG: [(CatalogFormat, &str, &str, &str); 8] = {
    use CatalogFormat::{DublinCore, MarcXml, Mods, Mrk, Pica, PicaXml};
    [
        (Mrk, "=001  1\n", "=500  \\\\$aa\n", "\n"),
        (Pica, "003@ $01\n", "037A $aa\n", "\n"),
        (Pica, "003@ \x1F01\x1E", "037A \x1Faa\x1E", "\n"),
        (Pica, "\x1D\n\x1E003@ \x1F01\n", "\x1E037A \x1Faa\n", ""),
        (
            MarcXml,
            "<record><controlfield tag='001'>1</controlfield>",
            "<datafield tag='500'><subfield code='a'>a</subfield></datafield>",
            "</record>",
        ),
        (
            PicaXml,
            "<record><global><tag id='003@'><subf id='0'>1</subf></tag>",
            "<tag id='037A'><subf id='a'>a</subf></tag>",
            "</global></record>",
        ),
        (
            Mods,
            "<mods><recordInfo><recordIdentifier>1</recordIdentifier></recordInfo>",
            "<note>a</note>",
            "</mods>",
        ),
        (
            DublinCore,
            "<r xmlns:dc='http://purl.org/dc/terms/'><dc:title>1</dc:title>",
            "<dc:date>a</dc:date>",
            "</r>",
        ),
    ]
};

const IN_PARTS: &str = super::super::record::TOO_LONG;

#[test]
fn records_with_many_fields_are_read_in_parts() {
    for (format, head, field, tail) in LONG {
        let bytes = repeated(head, field, tail, 100_000);
        for size in [1 << 10, bytes.len()] {
            let (values, causes) = parts(format, &bytes, size);
            let shown = format!("{head}: {values:?}");
            assert_eq!(values.iter().sum::<usize>(), 100_001, "{shown}");
            // A field and its subfield are two.
            assert_eq!(values.len(), 7, "{shown}");
            assert_eq!(causes, [IN_PARTS; 6], "{shown}");
        }
    }
}

/// Holds also if a field has that length, and if no field ends.
#[test]
fn records_with_many_bytes_are_read_in_parts() {
    let long = "x".repeat(100_000);
    for (format, head, field, tail) in LONG {
        let field = field.replacen("aa", &format!("a{long}"), 1);
        let field = field.replacen(">a<", &format!(">{long}<"), 1);
        let bytes = repeated(head, &field, tail, 180);
        let (values, causes) = parts(format, &bytes, 1 << 20);
        let count = values.iter().sum::<usize>();
        assert_eq!((count, causes), (181, vec![IN_PARTS]), "{head}");
        assert_eq!(values.len(), 2, "{head}");
        let one = repeated(head, &field.replace('x', &"x".repeat(185)), tail, 1);
        let next = [&one[..], &repeated(head, "", tail, 1)].concat();
        let found = parts(format, &next, 1 << 20);
        assert_eq!(found.1.first(), Some(&IN_PARTS), "{head}: {found:?}");
        assert_eq!(found.0.last(), Some(&1), "{head}");
        assert_eq!(found, parts(format, &next, next.len()), "{head}");
    }
}

#[test]
fn a_field_with_many_subfields_is_read_in_part() {
    use CatalogFormat::{Csv, JsonLines, Marc, MarcXml, Mrk, Pica};
    // All of its entries name the same field.
    let data = "00\x1Faa\x1Fbb\x1Fcc\x1Fdd\x1Fee\x1Fff\x1E";
    let entries = format!("500{:04}00000", data.len()).repeat(7_000);
    let subfields = "\x1Faa".repeat(3_000);
    let long = format!("00{subfields}\x1E");
    let aliases = format!("500{:04}00000", long.len()).repeat(7_000);
    let marc = |entries: &str, data: &str| {
        let base = 24 + entries.len() + 1;
        let length = base + data.len() + 1;
        format!("{length:05}nam a22{base:05} a 4500{entries}\x1E{data}\x1D").into_bytes()
    };
    let few = parts(Marc, &marc(&entries, data), 1 << 20);
    assert_eq!(few, (vec![42_000], vec![]));
    for (format, bytes) in [
        (Marc, marc(&aliases, &long)),
        (Mrk, repeated("=001  1\n=500  \\\\", "$aa", "\n\n", 200_000)),
        (Pica, repeated("003@ $01\n037A ", "$aa", "\n\n", 200_000)),
        (
            Pica,
            repeated("003@ \x1F01\x1E037A ", "\x1Faa", "\x1E\n", 200_000),
        ),
        (
            MarcXml,
            repeated(
                "<record><datafield tag='500'>",
                "<subfield code='a'>a</subfield>",
                "</datafield></record>",
                200_000,
            ),
        ),
        // Each of the subfields may be reported with the first one.
        (
            Mrk,
            repeated(
                &format!("=001  1\n=856  $z{}", "z".repeat(1 << 20)),
                "$ua:b",
                "\n\n",
                10_000,
            ),
        ),
        (Csv, repeated("id,url\n", "a,", "\n", 200_000)),
        (JsonLines, repeated("{\"a\":[", "1,", "1]}\n", 200_000)),
    ] {
        let (values, causes) = parts(format, &bytes, 1 << 16);
        let most = 2 * super::super::record::VALUES_MAX;
        let shown = format!("{format:?}: {values:?} {causes:?}");
        assert!(values.iter().all(|&values| values <= most), "{shown}");
        let too_many = "more fields and subfields than are read of one record";
        assert_eq!(causes.last(), Some(&too_many), "{shown}");
    }
}

/// Nested elements cost their names once, and their content is searched.
#[test]
fn elements_of_mods_that_are_nested_deeply_are_named() {
    let bytes = [
        &b"<modsCollection xmlns='http://www.loc.gov/mods/v3'><mods>"[..],
        &b"<relatedItem>".repeat(50_000),
        b"<url>http://deep.example/</url>",
        &b"</relatedItem>".repeat(50_000),
        b"</mods><mods><identifier>http://next.example/</identifier></mods></modsCollection>",
    ]
    .concat();
    let (values, causes) = parts(CatalogFormat::Mods, &bytes, 1 << 12);
    assert_eq!(values.len(), 2);
    assert_eq!(causes, ["elements of a record that are nested too deeply"]);
    let found = values_of_mods(&bytes);
    assert!(found[0].starts_with("T ") && found[0].contains("http://deep.example/"));
    assert_eq!(found.last().unwrap(), "? 2:identifier http://next.example/");
}

fn values_of_mods(bytes: &[u8]) -> Vec<String> {
    let found = values(CatalogFormat::Mods, bytes, 1 << 12);
    let is_shown = |found: &String| found.contains(".example/");
    found.into_iter().filter(is_shown).collect()
}

/// Elements whose prefixes are declared repeatedly belong to Dublin Core.
#[test]
fn many_prefixes_of_dublin_core_lose_no_element() {
    let mut text = String::from("<records>");
    for number in 0..300 {
        text += &format!(
            "<r xmlns:p{number}='http://purl.org/dc/terms/'><p{number}:title>{number}</p{number}:title></r>"
        );
    }
    // The prefixes that are declared around it are in use.
    for number in 0..100 {
        text += &format!("<r xmlns:q{number}='http://purl.org/dc/terms/'>");
    }
    text += "<q0:title>0</q0:title>";
    let (values, causes) = parts(CatalogFormat::DublinCore, text.as_bytes(), 1 << 12);
    assert_eq!((values, causes.len()), (vec![1; 301], 1));
}

/// Each value is reported with the title of its record.
#[test]
fn a_long_title_of_many_values_is_cut() {
    let title = "\u{e9}".repeat(1 << 19);
    let text = format!(
        "=001  1\n=245  10$a{title}\n{}",
        "=856  40$ux\n".repeat(1000)
    );
    let mut record = CatalogRecord::default();
    CatalogReader::new(CatalogFormat::Mrk).read(text.as_bytes(), true, &mut record);
    assert!(record.title().len() < 10_000 && std::str::from_utf8(record.title()).is_ok());
    assert_eq!((record.id(), record.damage().len()), (&b"1"[..], 1));
    let text = format!("=001  1\n=245  10$a{title}\n=856  40$ux\n");
    CatalogReader::new(CatalogFormat::Mrk).read(text.as_bytes(), true, &mut record);
    assert_eq!((record.title().len(), record.damage().len()), (1 << 20, 0));
}

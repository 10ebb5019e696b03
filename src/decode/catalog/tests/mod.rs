//! Records of all formats: the values that are found in pieces of any size, and the
//! losses by damage.

mod long;
#[path = "../../../../tests/kit/marc.rs"]
mod marc;

use super::*;
use crate::decode::content_reading::ContentReading;
use crate::decode::event::{DataPlace, Event, ValueKind};
use crate::decode::in_pieces::push_in_pieces;
use crate::decode::record_damage::{RecordDamage, RecordFault};
use crate::item::Part;
use marc::record as marc;

fn utf8(number: usize) -> Vec<u8> {
    let id = format!("id{number}");
    let link = format!("40\x1Fuhttp://a.example/{number}\x1Fzsee");
    marc(
        'a',
        &[
            ("001", id.as_bytes()),
            ("245", "10\x1FaTitel \u{e9}".as_bytes()),
            ("856", link.as_bytes()),
        ],
    )
}

/// Writes down the records of `bytes`, read in pieces of `size`.
fn shown(format: CatalogFormat, bytes: &[u8], size: usize) -> String {
    let (mut reader, mut record) = (CatalogReader::new(format), CatalogRecord::default());
    let (mut at, mut end, mut out) = (0, 0, String::new());
    loop {
        let step = reader.read(&bytes[at..end], end == bytes.len(), &mut record);
        at += match step {
            RecordStep::Record(len) => {
                show(&record, &mut out);
                assert_eq!(record.range(), at as u64..(at + len) as u64);
                len
            }
            RecordStep::Outside { len, .. } => len,
            RecordStep::Lost(len, damage) => {
                out += &format!("lost {len}: {damage:?}\n");
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
    out
}

fn show(record: &CatalogRecord, out: &mut String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    *out += &format!(
        "{} [{}] {}\n",
        record.number(),
        text(record.id()),
        text(record.title())
    );
    for RecordDamage {
        fault,
        cause,
        stated,
        ..
    } in record.damage()
    {
        *out += &format!("  {fault:?}: {cause}, {stated:?}\n");
    }
    for field in record.fields() {
        *out += &format!(
            "  {} {}{} #{}",
            text(field.tag),
            text(field.ind1),
            text(field.ind2),
            field.occurrence
        );
        for subfield in field.subfields() {
            *out += &format!(" ${} {}", text(subfield.code), text(subfield.text));
            assert!(subfield.range.start >= record.range().start);
            assert!(subfield.range.end <= record.range().end);
        }
        *out += "\n";
    }
}

/// Checks the records of `bytes` for pieces of many sizes.
fn check(format: CatalogFormat, bytes: &[u8], wanted: &str) {
    for size in [1, 2, 3, 7, 64, bytes.len().max(1)] {
        assert_eq!(shown(format, bytes, size), wanted, "by {size}");
    }
}

#[test]
fn records_of_iso_2709() {
    let mut bytes = utf8(1);
    bytes.extend_from_slice(b"\r\n");
    // The mark of MARC-8 precedes its letter.
    bytes.extend(marc(
        ' ',
        &[
            ("001", b"b"),
            ("245", b"00\x1FaTite\x88The \x89\xE2el"),
            ("500", b"  \x1Fa1\x1Fb\x1Fc2"),
            ("500", b"  \x1Fa3"),
        ],
    ));
    check(
        CatalogFormat::Marc,
        &bytes,
        "1 [id1] Titel \u{e9}\n  001  #1 $ id1\n  245 10 #1 $a Titel \u{e9}\n  856 40 #1 $u http://a.example/1 $z see\n\
         2 [b] TiteThe \u{e9}l\n  001  #1 $ b\n  245 00 #1 $a Tite\u{98}The \u{9c}\u{e9}l\n  500    #1 $a 1 $b  $c 2\n  500    #2 $a 3\n",
    );
}

/// A record is sound if its leader states where it ends and where its fields begin.
#[test]
fn records_with_another_length_are_not_sound() {
    let read = |bytes: &[u8]| {
        let mut record = CatalogRecord::default();
        let step = CatalogReader::new(CatalogFormat::Marc).read(bytes, true, &mut record);
        assert_eq!(step, RecordStep::Record(utf8(1).len()));
        (record.is_sound(), record.fields().count())
    };
    let bytes = [utf8(1), utf8(2)].concat();
    assert_eq!(read(&bytes), (true, 3));
    // Digits of the length and of the base.
    for at in [4, 16] {
        let mut bytes = bytes.clone();
        bytes[at] = if bytes[at] == b'9' { b'1' } else { b'9' };
        assert_eq!(read(&bytes), (false, 3), "{at}");
    }
}

#[test]
fn unimarc_states_its_sets_in_100() {
    let general = |sets: &str| format!("  \x1Fa{}{sets}", " ".repeat(26)).into_bytes();
    let title = b"1 \x1FaCaf\xC2e\x1Fes\xC2e";
    for (sets, wanted, fault) in [
        ("0103    ", "Caf\u{e9} s\u{e9}", None),
        (
            "0102    ",
            "Caf\u{fffd}e s\u{fffd}e",
            Some(RecordFault::Unsupported),
        ),
    ] {
        let bytes = marc(
            ' ',
            &[("001", b"x"), ("100", &general(sets)), ("200", title)],
        );
        let mut record = CatalogRecord::default();
        let step = CatalogReader::new(CatalogFormat::Marc).read(&bytes, true, &mut record);
        assert_eq!(step, RecordStep::Record(bytes.len()));
        assert_eq!(record.rules(), RecordRules::Unimarc);
        assert_eq!(String::from_utf8_lossy(record.title()), wanted);
        assert_eq!(record.damage().first().map(|damage| damage.fault), fault);
    }
}

#[test]
fn damage_costs_no_other_record() {
    let [one, two, three] = [1, 2, 3].map(utf8);
    let whole = [&one[..], &two, &three].concat();
    let sound = shown(CatalogFormat::Marc, &whole, 64);
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut second = two.clone();
        change(&mut second);
        [&one[..], &second, &three].concat()
    };
    let set = |at: usize, bytes: &'static [u8]| {
        move |record: &mut Vec<u8>| record[at..at + bytes.len()].copy_from_slice(bytes)
    };
    let length = "  Damaged: the length of a record is wrong, ";
    for (bytes, said) in [
        (with(&set(0, b"00009")), format!("{length}Some(9)\n")),
        (with(&set(0, b"abcde")), format!("{length}None\n")),
        (with(&set(0, b"00500")), format!("{length}Some(500)\n")),
        (
            with(&|record| record.truncate(record.len() - 1)),
            "  Damaged: the end of a record is missing, Some(107)\n".to_owned(),
        ),
        (with(&set(12, b"00000")), String::new()),
        // The length of a field.
        (with(&set(27, b"0009")), String::new()),
        (
            with(&|record| record.extend_from_slice(b"\r\n\0 ")),
            String::new(),
        ),
    ] {
        let found = shown(CatalogFormat::Marc, &bytes, 5);
        let title = "2 [id2] Titel \u{e9}\n";
        let wanted = sound.replace(title, &format!("{title}{said}"));
        assert_eq!(found, wanted);
    }
}

/// Every byte of a file of 20 records is changed in several ways, and every cut is made:
/// all records but the damaged one are listed as before.
#[test]
fn every_flip_and_every_cut_leaves_the_other_records() {
    let records: Vec<Vec<u8>> = (1..=20).map(utf8).collect();
    let whole = records.concat();
    let places: Vec<usize> = records
        .iter()
        .scan(0, |at, record| {
            Some(std::mem::replace(at, *at + record.len()))
        })
        .collect();
    let texts = |bytes: &[u8]| {
        let (mut reader, mut record) = (
            CatalogReader::new(CatalogFormat::Marc),
            CatalogRecord::default(),
        );
        let (mut at, mut found) = (0, Vec::new());
        loop {
            match reader.read(&bytes[at..], true, &mut record) {
                RecordStep::Hungry => return found,
                RecordStep::Outside { len, .. } | RecordStep::Lost(len, _) => at += len,
                RecordStep::Record(len) => {
                    at += len;
                    let mut text = String::new();
                    show(&record, &mut text);
                    // The number of the record, and the statement on its length, may
                    // differ.
                    let (_, text) = text.split_once(' ').unwrap();
                    let lines = text.lines().filter(|line| !line.starts_with("  Damaged"));
                    found.push(lines.collect::<String>());
                }
            }
        }
    };
    let sound = texts(&whole);
    assert_eq!(sound.len(), 20);
    let check = |bytes: &[u8], damaged: std::ops::Range<usize>, what: &str| {
        let found = texts(bytes);
        for (number, text) in sound.iter().enumerate() {
            assert!(
                damaged.contains(&number) || found.contains(text),
                "{what}: record {number}"
            );
        }
    };
    let mut bytes = whole.clone();
    for at in 0..whole.len() {
        let damaged = places.partition_point(|&place| place <= at) - 1;
        for change in [0x01, 0x02, 0x10, 0x20, 0x80, 0xFF] {
            bytes[at] ^= change;
            check(&bytes, damaged..damaged + 1, &format!("{at} by {change:x}"));
            bytes[at] = whole[at];
        }
        check(&whole[..at], damaged..20, &format!("cut at {at}"));
    }
}

#[test]
fn bytes_that_are_no_record_are_named() {
    let mut bytes = utf8(1);
    bytes.extend_from_slice(b"end");
    let found = shown(CatalogFormat::Marc, &bytes, 3);
    assert!(
        found.contains("lost 3: RecordDamage { fault: Garbage"),
        "{found}"
    );
    let cut = &utf8(1)[..20];
    let found = shown(CatalogFormat::Marc, cut, 3);
    assert!(
        found.contains("lost 20: RecordDamage { fault: Truncated"),
        "{found}"
    );
}

#[test]
fn records_of_marcbreaker() {
    let text = "=LDR  00000nam\r\n=001  a\\1\r\n=245  10$aA {dollar}$bb\r\n# note\r\n=856  4\\$uhttp://a.example/\r\n\r\n\
        =LDR  x\n=001  2\n=LDR  y\n=001  3";
    check(
        CatalogFormat::Mrk,
        text.as_bytes(),
        "1 [a 1] A $ b\n  001  #1 $ a 1\n  245 10 #1 $a A $ $b b\n  856 4  #1 $u http://a.example/\n\
         2 [2] \n  001  #1 $ 2\n3 [3] \n  001  #1 $ 3\n",
    );
}

#[test]
fn records_of_pica() {
    let wanted = "1 [12] A $5\n  003@  #1 $0 12\n  021A  #1 $a A $5\n  017C 01 #1 $u http://a.example/\n\
        2 [13] \n  003@  #1 $0 13\n";
    for text in [
        "003@ $012\n021A $aA $$5\n017C/01 $uhttp://a.example/\n\n003@ $013\n",
        "003@ \u{192}012\r\n021A \u{192}aA $5\r\n017C/01 \u{192}uhttp://a.example/\r\n\r\n003@ \u{192}013",
        "003@ \x1F012\x1E021A \x1FaA $5\x1E017C/01 \x1Fuhttp://a.example/\x1E\n003@ \x1F013\x1E\n",
        "003@ \x1F012\x1E021A \x1FaA $5\x1E017C/01 \x1Fuhttp://a.example/\x1E\x1D003@ \x1F013\x1E\x1D",
        "\x1D\n\x1E003@ \x1F012\n\x1E021A \x1FaA $5\n\x1E017C/01 \x1Fuhttp://a.example/\n\x1D\n\x1E003@ \x1F013\n",
    ] {
        check(CatalogFormat::Pica, text.as_bytes(), wanted);
    }
}

/// Bytes that are not characters are replaced and reported: in values, codes,
/// indicators.
#[test]
fn malformed_bytes_are_named_in_each_format() {
    use CatalogFormat::{Marc, Mrk, Pica};
    let of_marc = |field: &[u8]| marc('a', &[("001", b"1"), ("245", field)]);
    for (format, text) in [
        (Marc, of_marc(b"10\x1Fa\xFF")),
        (Marc, of_marc(b"10\x1F\xFFT")),
        (Marc, of_marc(b"1\xFF\x1FaT")),
        (Mrk, b"=001  1\n=245  10$aA\xFF\n".to_vec()),
        (Mrk, b"=001  1\n=245  10$\xFFA\n".to_vec()),
        (Mrk, b"=001  1\n=245  1\xFF$aA\n".to_vec()),
        (Mrk, b"=001  1\n=003  \xFF\n".to_vec()),
        (Pica, b"003@ $01\n021A $aA\xFF\n".to_vec()),
        (
            CatalogFormat::MarcXml,
            b"<record><datafield tag='245'><subfield code='a'>A\xFF</subfield></datafield></record>"
                .to_vec(),
        ),
        (Pica, b"003@ \x1F01\x1E021A \x1F\xFFA\x1E\n".to_vec()),
    ] {
        let mut record = CatalogRecord::default();
        let shown = String::from_utf8_lossy(&text);
        let step = CatalogReader::new(format).read(&text, true, &mut record);
        assert_eq!(step, RecordStep::Record(text.len()), "{shown}");
        let faults: Vec<RecordFault> = record.damage().iter().map(|it| it.fault).collect();
        assert_eq!(faults, [RecordFault::Suspect], "{shown}");
    }
}

#[test]
fn records_in_xml() {
    let marc = "<?xml version='1.0'?><OAI><record><header/><metadata><m:record xmlns:m='http://www.loc.gov/MARC21/slim'>\
        <m:leader>00000nam</m:leader><m:controlfield tag='001'>1</m:controlfield>\
        <m:datafield tag='245' ind1='1' ind2='0'><m:subfield code='a'>A &amp; <![CDATA[<B>]]></m:subfield></m:datafield>\
        </m:record></metadata></record><record><controlfield tag=\"001\">2</controlfield><record><controlfield tag='001'>3</controlfield></record></OAI>";
    check(
        CatalogFormat::MarcXml,
        marc.as_bytes(),
        "1 [1] A & <B>\n  001  #1 $ 1\n  245 10 #1 $a A & <B>\n\
         2 [2] \n  Truncated: the end of a record is missing, None\n  001  #1 $ 2\n3 [3] \n  001  #1 $ 3\n",
    );
    check(
        CatalogFormat::PicaXml,
        b"<collection><record><datafield tag='003@'><subfield code='0'>7</subfield></datafield></record>\
          <record><global><tag id='003@' occ='02'><subf id='0'>8</subf></tag></global></record></collection>",
        "1 [7] \n  003@  #1 $0 7\n2 [8] \n  003@ 02 #1 $0 8\n",
    );
    check(
        CatalogFormat::Mods,
        b"<modsCollection><mods><titleInfo><title>T</title></titleInfo><identifier type='isbn' invalid='yes'>x</identifier>\
          <relatedItem xlink:href='http://a.example/'/><recordInfo><recordIdentifier>9</recordIdentifier></recordInfo></mods></modsCollection>",
        "1 [9] T\n  titleInfo/title  #1 $ T\n  identifier isbnz #1 $ x\n  relatedItem  #1 $xlink:href http://a.example/ $ \n\
         \x20 recordInfo/recordIdentifier  #1 $ 9\n",
    );
    check(
        CatalogFormat::DublinCore,
        b"<a><record xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>T</dc:title><other>x</other>\
          <dc:identifier>http://a.example/</dc:identifier></record><record><dc:title>U</dc:title></record></a>",
        "1 [] T\n  title  #1 $ T\n  identifier  #1 $ http://a.example/\n2 [] U\n  title  #1 $ U\n",
    );
}

/// Returns the values of a catalogue: `R` for a reference, `?` for one that may be a text,
/// `T` for a text, each with its field.
fn values(format: CatalogFormat, bytes: &[u8], size: usize) -> Vec<String> {
    let mut decoder = catalog_decoder(format, &Part::default(), &ContentReading::default());
    let (mut found, mut last): (Vec<String>, _) = (Vec::new(), String::new());
    push_in_pieces(&mut *decoder, bytes, &[size], |pushed| {
        let Event::Value(value) = pushed.event else {
            return;
        };
        let kind = match value.kind {
            ValueKind::Reference(crate::item::Schemes::Any) => "R",
            ValueKind::Reference(_) => "?",
            ValueKind::Text { .. } => "T",
        };
        let text = String::from_utf8_lossy(pushed.text).into_owned();
        let field = match &value.place {
            Some(DataPlace::Catalog(marc)) => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                format!(
                    "{}:{}{}",
                    marc.record_no,
                    text(&marc.tag),
                    text(&marc.subfield)
                )
            }
            _ => String::new(),
        };
        if value.kind == (ValueKind::Text { continues: true }) {
            last += &text;
            *found.last_mut().unwrap() = last.clone();
            return;
        }
        last = format!("{kind} {field} {text}");
        found.push(last.clone());
    });
    found
}

#[test]
fn values_are_references_where_their_field_holds_uris() {
    let record = marc(
        'a',
        &[
            ("001", b"http:1"),
            ("024", b"7 \x1Faurn:nbn:de:1"),
            ("100", b"1 \x1Fa:x\x1F0http://b.example/"),
            ("500", b"  \x1Fasee http://c.example/ \x1Fbno colon"),
            (
                "856",
                b"40\x1Fuhttp://d.example/\x1Fuwww.e.example\x1Fzat: f",
            ),
            ("880", b"  \x1F6856-01\x1Fuhttp://g.example/"),
        ],
    );
    for size in [1, 10, 1000] {
        assert_eq!(
            values(CatalogFormat::Marc, &record, size),
            [
                "T 1:001 http:1",
                "? 1:024a urn:nbn:de:1",
                "? 1:1000 http://b.example/",
                "T 1:500a see http://c.example/ ",
                "R 1:856u http://d.example/",
                "T 1:856z at: f",
                "R 1:880u http://g.example/",
            ]
        );
    }
    let xml = b"<a x='http://o.example/'><record><datafield tag='856'><!-- http://c.example/?a&amp;b --><subfield code='u'>http://d.example/?a&amp;b</subfield></datafield></record>t:t</a>";
    for size in [1, 10, 1000] {
        assert_eq!(
            values(CatalogFormat::MarcXml, xml, size),
            [
                "T  <a x='http://o.example/'>",
                "T 1: <record><datafield tag='856'><!-- http://c.example/?a&b --><subfield code='u'>",
                "R 1:856u http://d.example/?a&b",
                "T  t:t</a>",
            ]
        );
    }
}

/// Text between records is the same for pieces of every size, also where a line looks like
/// a field from its middle on.
#[test]
fn text_outside_of_records_is_the_same_for_every_size() {
    let long = "x".repeat(70);
    for (format, text, wanted) in [
        (
            CatalogFormat::Pica,
            "\x1D\x1F012\n\x1E02\x1F\n\x1E003@ \x1F012\n\x1E02\x1FaA\n".to_owned(),
            // Of the text before the record and of its last line.
            "1 [12] \n  Damaged: a line that is no field is not read, None\n  \
             Damaged: a line that is no field is not read, None\n  003@  #1 $0 12\n",
        ),
        (
            CatalogFormat::Pica,
            format!("{long}003@ $01\n003@ $02\n"),
            "1 [2] \n  003@  #1 $0 2\n",
        ),
        (
            CatalogFormat::Pica,
            "a\n\n\x1E003@ \x1F02\x1E\n".to_owned(),
            "1 [2] \n  003@  #1 $0 2\n",
        ),
        (
            CatalogFormat::Mrk,
            format!("{long}=001  1\n=001  2\n"),
            "1 [2] \n  001  #1 $ 2\n",
        ),
    ] {
        check(format, text.as_bytes(), wanted);
    }
}

#[test]
fn a_record_of_dublin_core_begins_with_the_element_around_its_first_field() {
    let xml = b"<r xmlns:dc='http://purl.org/dc/elements/1.1/'><x><dc:title>T</dc:title></x><y><z/><dc:title>U</dc:title></y></r>";
    for size in [1, 5, 200] {
        let (mut reader, mut record) = (
            CatalogReader::new(CatalogFormat::DublinCore),
            CatalogRecord::default(),
        );
        let (mut at, mut end, mut found) = (0, 0, Vec::new());
        while at < xml.len() {
            match reader.read(&xml[at..end], end == xml.len(), &mut record) {
                RecordStep::Record(len) => {
                    found.push(&xml[at..at + len]);
                    at += len;
                }
                RecordStep::Outside { len, .. } | RecordStep::Lost(len, _) => at += len,
                RecordStep::Hungry => end = (end + size).min(xml.len()),
            }
        }
        let wanted: [&[u8]; 2] = [
            b"<x><dc:title>T</dc:title></x>",
            b"<dc:title>U</dc:title></y>",
        ];
        assert_eq!(found, wanted, "by {size}");
    }
}

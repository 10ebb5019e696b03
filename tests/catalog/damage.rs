//! Damage costs no other record, also where it hits the bytes by which a catalogue is
//! recognised: any byte of twenty records is wrong, or all that follow it are missing. The
//! format is not stated.

use crate::marc::record;
use crate::program::run;
use crate::thorough;
use std::io;
use std::ops::{ControlFlow, Range};
use urisieve::decode::CatalogFormat;
use urisieve::input::Source;
use urisieve::{CatalogBatch, CatalogRun, CatalogSink, CatalogWork};

/// The values of each record.
struct Values;

impl CatalogWork for Values {
    type State = ();
    type Output = Vec<Vec<String>>;

    fn state(&self) {}

    fn work(&self, _: &mut (), batch: &CatalogBatch, output: &mut Self::Output) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let of_record = |record: &urisieve::decode::CatalogRecord| {
            let fields = record.fields().flat_map(|field| {
                let values = field.subfields().map(|value| text(value.text));
                values.collect::<Vec<_>>()
            });
            fields.collect()
        };
        *output = batch.records().iter().map(of_record).collect();
    }
}

impl CatalogSink<Vec<Vec<String>>> for Found {
    fn batch(
        &mut self,
        _: &CatalogBatch,
        output: &mut Vec<Vec<String>>,
    ) -> io::Result<ControlFlow<()>> {
        self.0.append(output);
        Ok(ControlFlow::Continue(()))
    }
}

/// The values of all records.
#[derive(Default)]
struct Found(Vec<Vec<String>>);

fn found(bytes: &[u8]) -> Vec<Vec<String>> {
    found_with_losses(bytes).0
}

fn found_with_losses(bytes: &[u8]) -> (Vec<Vec<String>>, usize) {
    let mut found = Found::default();
    let run = CatalogRun::builder()
        .build()
        .run([Source::Slice(bytes)], &Values, &mut found);
    let stats = run.unwrap();
    (found.0, (stats.damaged + stats.failed) as usize)
}

/// A catalogue: what is before its records, each of them with what follows it, what is
/// after them.
struct Catalog {
    name: &'static str,
    before: Vec<u8>,
    records: Vec<Vec<u8>>,
    after: Vec<u8>,
    /// The bytes between two records that belong to both: without them the first line of the
    /// next record is one with the last line before it.
    shared: usize,
}

impl Catalog {
    fn of(
        (name, shared, count): (&'static str, usize, usize),
        around: [&str; 2],
        each: impl Fn(usize) -> Vec<u8>,
    ) -> Catalog {
        let [before, after] = around.map(|text| text.as_bytes().to_vec());
        let records = (1..=count).map(each).collect();
        Catalog {
            name,
            before,
            records,
            after,
            shared,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        [&self.before[..], &self.records.concat(), &self.after].concat()
    }

    /// The bytes that each record is made of.
    fn places(&self) -> Vec<Range<usize>> {
        let mut from = self.before.len();
        let place = |record: &Vec<u8>| {
            let to = from + record.len();
            std::mem::replace(&mut from, to).saturating_sub(self.shared)..to
        };
        self.records.iter().map(place).collect()
    }
}

/// Catalogues of all formats, each of this many records.
fn catalogs(count: usize) -> Vec<Catalog> {
    let link = |n: usize| format!("http://r{n}.example/a b");
    let marc = |n: usize| {
        let (id, link) = (format!("r{n}"), format!("40\x1Fu{}\x1FyText", link(n)));
        let title = b"10\x1FaCaf\xE2e";
        record(
            ' ',
            &[
                ("001", id.as_bytes()),
                ("245", title),
                ("856", link.as_bytes()),
            ],
        )
    };
    let xml = |n| {
        format!(
            "<record>\n<leader>00000nam a2200000 a 4500</leader>\n\
             <controlfield tag=\"001\">r{n}</controlfield>\n\
             <datafield tag=\"856\" ind1=\"4\" ind2=\"0\"><subfield code=\"u\">{}</subfield></datafield>\n\
             </record>\n",
            link(n)
        )
    };
    let mrk = |n| {
        let link = link(n);
        format!("=LDR  00000nam a2200000 a 4500\n=001  r{n}\n=245  10$aTitle\n=856  40$u{link}\n\n")
    };
    let pica = |n| {
        let link = link(n);
        format!("001A $00001:01-01-01\n003@ $0r{n}\n021A $aTitle\n017C $u{link}\n\n")
    };
    let row = |n| format!("{n};{};\"Title; {n}\"\r\n", link(n));
    let wrapper = [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <collection xmlns=\"http://www.loc.gov/MARC21/slim\">\n",
        "</collection>\n",
    ];
    let normalized = |n| {
        let link = link(n);
        format!("001A \x1F00001:01-01-01\x1E003@ \x1F0r{n}\x1E017C \x1Fu{link}\x1E\n")
    };
    let object = |n| format!("{{\"id\":\"r{n}\",\"url\":\"{}\"}}\n", link(n));
    let bytes = String::into_bytes;
    vec![
        Catalog::of(("ISO 2709", 0, count), [""; 2], marc),
        Catalog::of(("MARCXML", 0, count), wrapper, |n| bytes(xml(n))),
        Catalog::of(("MARCXML without a wrapper", 0, count), [""; 2], |n| {
            bytes(xml(n))
        }),
        Catalog::of(("mrk", 0, count), [""; 2], |n| bytes(mrk(n))),
        Catalog::of(("mrk with CR LF", 0, count), [""; 2], |n| {
            bytes(mrk(n).replace('\n', "\r\n"))
        }),
        Catalog::of(("PICA+", 1, count), [""; 2], |n| bytes(pica(n))),
        Catalog::of(("PICA+, normalized", 1, count), [""; 2], |n| {
            bytes(normalized(n))
        }),
        Catalog::of(("JSON Lines", 1, count), [""; 2], |n| bytes(object(n))),
        Catalog::of(("TSV", 1, count), ["id\turl\ttitle\n", ""], |n| {
            bytes(format!("{n}\t{}\tTitle\n", link(n)))
        }),
        Catalog::of(("CSV", 1, count), ["id;url;title\r\n", ""], |n| {
            bytes(row(n))
        }),
        Catalog::of(
            ("CSV without quotes", 1, count),
            ["id;url;title\r\n", ""],
            |n| bytes(format!("{n};{};Title\r\n", link(n))),
        ),
    ]
}

#[test]
fn any_flipped_byte_and_any_cut_leaves_the_other_records() {
    for catalog in catalogs(20) {
        let (bytes, places) = (catalog.bytes(), catalog.places());
        let wanted = found(&bytes);
        assert_eq!(wanted.len(), 20, "{}", catalog.name);
        let mut failures = Vec::new();
        let mut check = |damaged: &[u8], lost: Range<usize>, what: String| {
            let found = found(damaged);
            let mut rest = &found[..];
            for (number, (wanted, place)) in wanted.iter().zip(&places).enumerate() {
                let is_hit = lost.start < place.end && place.start < lost.end;
                match rest.iter().position(|found| found == wanted) {
                    Some(at) => rest = &rest[at + 1..],
                    None if is_hit => {}
                    None => failures.push(format!("{what}: record {}", number + 1)),
                }
            }
        };
        for at in (0..bytes.len()).step_by(thorough::step(7)) {
            let masks = [0x01, 0x02, 0x0E, 0x10, 0x20, 0x80, 0xFF];
            for mask in thorough::part(masks, 2, at) {
                let mut flipped = bytes.clone();
                flipped[at] ^= mask;
                check(&flipped, at..at + 1, format!("byte {at} ^ {mask:#04x}"));
            }
            check(&bytes[..at], at..bytes.len(), format!("cut at {at}"));
        }
        let name = catalog.name;
        assert!(failures.is_empty(), "{name}:\n{}", failures.join("\n"));
    }
}

/// A record that ends too soon, with or without its last byte, between others costs no other
/// one.
#[test]
fn a_record_of_any_length_leaves_the_other_records() {
    for catalog in catalogs(20) {
        let wanted = found(&catalog.bytes());
        let mut failures = Vec::new();
        for at in [1, 18] {
            for len in 0..=60 {
                let mut cut = catalog.records.clone();
                let record = &mut cut[at];
                let end = match catalog.name {
                    "ISO 2709" => &b"\x1D"[..],
                    // A blank line divides records.
                    "PICA+" => b"\n\n",
                    _ => b"\n",
                };
                record.truncate(len);
                for ends in [false, true] {
                    if ends {
                        cut[at].extend_from_slice(end);
                    }
                    let bytes = [&catalog.before[..], &cut.concat(), &catalog.after].concat();
                    let found = found(&bytes);
                    let lost = wanted.iter().enumerate().filter(|(number, record)| {
                        // A line that goes on is that of both.
                        let is_shared = !ends && catalog.shared > 0 && *number == at + 1;
                        *number != at && !is_shared && !found.contains(record)
                    });
                    let lost: Vec<usize> = lost.map(|(number, _)| number).collect();
                    if !lost.is_empty() {
                        failures.push(format!("{at} cut to {len}, {ends}: {lost:?}"));
                    }
                }
            }
        }
        let name = catalog.name;
        assert!(failures.is_empty(), "{name}:\n{}", failures.join("\n"));
    }
}

/// A record that was cut within its leader is named, and the others are read.
#[test]
fn a_record_that_is_shorter_than_a_leader_is_a_loss() {
    let good = |number: usize| {
        let link = format!("40\x1Fuhttp://a.example/{number}");
        record('a', &[("001", b"x"), ("856", link.as_bytes())])
    };
    let before: Vec<u8> = (0..2000).flat_map(good).collect();
    let after: Vec<u8> = (2000..2005).flat_map(good).collect();
    for len in 0..24 {
        let cut = &good(7)[..len];
        for end in [&b""[..], b"\x1D", b"\x1D\n"] {
            let bytes = [&before[..], cut, end, &after].concat();
            let (found, losses) = found_with_losses(&bytes);
            let count = found.iter().filter(|values| !values.is_empty()).count();
            assert_eq!(count, 2005, "{len} {end:?}");
            assert_eq!(losses > 0, len + end.len() > 0, "{len} {end:?}");
        }
    }
}

/// The number of URIs that are searched and found in `bytes`, and of losses.
fn extracted(bytes: &[u8]) -> (usize, u64) {
    let mut uris = std::collections::BTreeSet::new();
    let sieve = urisieve::Sieve::builder().threads(1).build();
    let sink = &mut urisieve::each(|finding| {
        let uri = finding.uri;
        if uri.starts_with(b"http://r") {
            uris.insert(uri.to_vec());
        }
    });
    let stats = sieve.run([bytes], sink).unwrap();
    (uris.len(), stats.damaged)
}

fn detected(bytes: &[u8]) -> Option<CatalogFormat> {
    CatalogFormat::of_records(bytes, true).unwrap()
}

/// No wrong byte among the first ones, by which a format is detected, is silent: all that lies
/// behind is read, or something is reported.
#[test]
fn no_wrong_byte_at_the_beginning_is_silent() {
    let names = ["ISO 2709", "MARCXML"];
    let catalogs = catalogs(300).into_iter();
    for catalog in catalogs.filter(|catalog| names.contains(&catalog.name)) {
        let count = catalog.records.len();
        let bytes = catalog.bytes();
        assert_eq!(extracted(&bytes), (count, 0), "{}", catalog.name);
        let mut failures = Vec::new();
        for at in (0..64).step_by(thorough::step(3)) {
            for byte in 0..=0xFF {
                let mut wrong = bytes.clone();
                wrong[at] = byte;
                // Where the format is another one any value may be silent.
                let is_bit = (bytes[at] ^ byte).is_power_of_two() || matches!(byte, 0x00 | 0xFF);
                if !is_bit && detected(&wrong) == detected(&bytes) {
                    continue;
                }
                let (records, losses) = found_with_losses(&wrong);
                if records.len() < count - 1 && losses == 0 {
                    let found = records.len();
                    failures.push(format!("byte {at} = {byte:#04x}: {found} records"));
                }
                let (uris, losses) = extracted(&wrong);
                if uris < count - 1 && losses == 0 {
                    failures.push(format!("byte {at} = {byte:#04x}: {uris} URIs"));
                }
            }
        }
        let name = catalog.name;
        assert!(failures.is_empty(), "{name}:\n{}", failures.join("\n"));
    }
}

/// A quote at the beginning of each row is searched for its end once and again, but the time
/// stays in proportion to the bytes.
#[test]
fn quotes_without_ends_are_rows() {
    let text = b"id;url\n1;\"http://a.example/\n2;http://b.example/\n3;http://c.example/\n";
    let values = found(text);
    let urls: Vec<&str> = values.iter().map(|row| &*row[1]).collect();
    assert_eq!(
        urls,
        [
            "http://a.example/",
            "http://b.example/",
            "http://c.example/"
        ]
    );
    // Two quotes are one: none of these is an end.
    let many = [&b"id;url\n"[..], &b"1;\"\"\"x\n".repeat(20_000)].concat();
    assert_eq!(found(&many).len(), 20_000);
}

/// Damage of a directory or of the end of one field costs no field, nor another record.
#[test]
fn damage_that_can_be_mended_costs_no_field() {
    let of = |n: usize| {
        let (id, link) = (
            format!("r{n}"),
            format!("40\x1Fuhttp://r{n}.example/a b\x1FyText"),
        );
        let fields: [(&str, &[u8]); 4] = [
            ("001", id.as_bytes()),
            ("245", b"10\x1FaTitle"),
            ("500", b"  \x1FaNote"),
            ("856", link.as_bytes()),
        ];
        record('a', &fields)
    };
    let (before, after) = (of(1), [of(3), of(4)].concat());
    let good = of(2);
    let wanted = found(&[&before[..], &good, &after].concat());
    let base = 24 + 4 * 12 + 1;
    let ends: Vec<usize> = (base..good.len()).filter(|&at| good[at] == 0x1E).collect();
    let mut damaged = vec![
        [&good[..], b"\x1D"].concat(),
        [&good[..], b"\x1D\x1D"].concat(),
    ];
    for byte in [b"\x1F", b" ", b"0", b"\x1D"] {
        damaged.push([&good[..base - 1], byte, &good[base..]].concat());
    }
    let mut without_zero = good.clone();
    without_zero.remove(24);
    damaged.push(without_zero);
    for end in ends {
        for byte in [&b""[..], b" ", b"\x1F"] {
            damaged.push([&good[..end], byte, &good[end + 1..]].concat());
        }
    }
    for record in damaged {
        let bytes = [&before[..], &record, &after].concat();
        let (found, losses) = found_with_losses(&bytes);
        let shown = String::from_utf8_lossy(&record).into_owned();
        let kept = |values: &[Vec<String>]| {
            let of_record = |values: &Vec<String>| {
                values
                    .iter()
                    .filter(|value| !value.is_empty())
                    .cloned()
                    .collect()
            };
            values
                .iter()
                .map(of_record)
                .filter(|values: &Vec<String>| !values.is_empty())
                .collect::<Vec<_>>()
        };
        assert!(losses > 0, "{shown:?}");
        assert_eq!(trimmed(&kept(&found)), wanted, "{shown:?}");
    }
}

/// The values without the byte that took the place of the end of a field.
fn trimmed(records: &[Vec<String>]) -> Vec<Vec<String>> {
    let of_record = |values: &Vec<String>| {
        values
            .iter()
            .map(|value| value.trim_end().to_owned())
            .collect()
    };
    records.iter().map(of_record).collect()
}

/// Catalogues of the formats that [`catalogs`] lacks: each record has one link.
fn other_catalogs(count: usize) -> Vec<Catalog> {
    type Each<'e> = &'e dyn Fn(usize) -> String;
    let link = |n: usize| format!("http://r{n}.example/a b");
    let coded = |n: usize| {
        format!(
            "001A \x1F00001:01-01-01\x1E003@ \x1F0r{n}\x1E017C \x1Fu{}\x1E",
            link(n)
        )
    };
    let binary = |n| coded(n) + "\x1D";
    let import = |n: usize| {
        format!(
            "\x1D\n\x1E001A \x1F00001:01-01-01\n\x1E003@ \x1F0r{n}\n\x1E017C \x1Fu{}\n",
            link(n)
        )
    };
    let numbered = |n: usize| format!("10413{n:04}     \x1E{}\n", coded(n));
    let pica_xml = |n| {
        format!(
            "<record>\n<datafield tag=\"003@\"><subfield code=\"0\">r{n}</subfield></datafield>\n\
             <datafield tag=\"017C\"><subfield code=\"u\">{}</subfield></datafield>\n</record>\n",
            link(n)
        )
    };
    let pp_xml = |n| {
        format!(
            "<p:record>\n<p:tag id=\"003@\" occ=\"\"><p:subf id=\"0\">r{n}</p:subf></p:tag>\n\
             <p:tag id=\"017C\" occ=\"\"><p:subf id=\"u\">{}</p:subf></p:tag>\n</p:record>\n",
            link(n)
        )
    };
    let mods = |n| {
        format!(
            "<mods version=\"3.5\">\n<titleInfo><title>T</title></titleInfo>\n\
             <location><url>{}</url></location>\n</mods>\n",
            link(n)
        )
    };
    let core = |n: usize| {
        format!(
            "<record><dc:title>T</dc:title>\n<dc:identifier>{}</dc:identifier></record>\n",
            link(n).replace(' ', "")
        )
    };
    let forms: [(&str, &str, Each<'_>, &str); 7] = [
        ("PICA+, binary", "", &binary, ""),
        ("PICA+, import", "", &import, ""),
        ("PICA+ with numbers", "", &numbered, ""),
        (
            "picaXML",
            "<collection xmlns=\"info:srw/schema/5/picaXML-v1.0\">\n",
            &pica_xml,
            "</collection>\n",
        ),
        (
            "ppxml",
            "<p:collection xmlns:p=\"http://www.oclcpica.org/xmlns/ppxml-1.0\">\n",
            &pp_xml,
            "</p:collection>\n",
        ),
        (
            "MODS",
            "<modsCollection xmlns=\"http://www.loc.gov/mods/v3\">\n",
            &mods,
            "</modsCollection>\n",
        ),
        (
            "Dublin Core",
            "<collection xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n",
            &core,
            "</collection>\n",
        ),
    ];
    let each = |(name, before, form, after): (&'static str, &str, Each<'_>, &str)| {
        Catalog::of((name, 1, count), [before, after], |n| form(n).into_bytes())
    };
    forms.into_iter().map(each).collect()
}

/// Whatever byte is wrong at the beginning of a catalogue of any format, the records that it does
/// not hit are listed, or the exit code is 2.
#[test]
fn damage_at_the_beginning_is_never_silent() {
    let catalogs = catalogs(12).into_iter().chain(other_catalogs(12));
    let catalogs: Vec<Catalog> = catalogs.collect();
    let next = std::sync::Mutex::new(catalogs.iter());
    let failures = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some(catalog) = next.lock().unwrap().next() else {
                        break;
                    };
                    let found = silent_damage(catalog);
                    failures.lock().unwrap().extend(found);
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Returns the wrong bytes whose records are neither listed nor reported.
fn silent_damage(catalog: &Catalog) -> Vec<String> {
    const MASKS: [u8; 7] = [0x01, 0x02, 0x0E, 0x10, 0x20, 0x80, 0xFF];
    let (bytes, places) = (catalog.bytes(), catalog.places());
    let listed = |bytes: &[u8]| {
        let ran = run(&["catalog", "list", "--json", "-j", "1"], bytes);
        let is_listed = |number: &usize| ran.out.contains(&format!("\"http://r{number}.example/a"));
        let found: Vec<bool> = (1..=places.len())
            .map(|number| is_listed(&number))
            .collect();
        (found, ran.code)
    };
    let (found, code) = listed(&bytes);
    assert!(
        code == 0 && found.iter().all(|is_it| *is_it),
        "{}: {code}",
        catalog.name
    );
    let mut failures = Vec::new();
    let places_of_bytes = (0..bytes.len().min(200)).step_by(thorough::step(11));
    for (at, mask) in places_of_bytes.zip(MASKS.into_iter().cycle()) {
        let mut wrong = bytes.clone();
        wrong[at] ^= mask;
        let (found, code) = listed(&wrong);
        let is_kept = |(place, is_listed): (&Range<usize>, &bool)| {
            *is_listed || place.start <= at + 1 && at < place.end
        };
        if code != 2 && !places.iter().zip(&found).all(is_kept) {
            failures.push(format!(
                "{}: byte {at} ^ {mask:#04x}: {code} {found:?}",
                catalog.name
            ));
        }
    }
    failures
}

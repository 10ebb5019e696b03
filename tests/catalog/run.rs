//! Records of catalogues and tables are the same however their bytes come, all bytes around
//! them are passed on, and damage costs no other record.

use crate::archive::Header;
use crate::dribble::Dribble;
use crate::marc::record;
use crate::packed::gzip;
use std::io;
use std::ops::ControlFlow;
use urisieve::decode::TableColumn;
use urisieve::input::Source;
use urisieve::item::Loss;
use urisieve::{
    Builder, CatalogBatch, CatalogPiece, CatalogRun, CatalogSink, CatalogStats, CatalogWork, Error,
    ReadAs,
};

/// Writes each record in a line, and keeps all bytes.
struct Show;

#[derive(Debug, Default, PartialEq)]
struct Shown {
    lines: Vec<String>,
    bytes: Vec<u8>,
}

impl CatalogWork for Show {
    type State = ();
    type Output = Shown;

    fn state(&self) {}

    fn work(&self, _: &mut (), batch: &CatalogBatch, output: &mut Shown) {
        *output = Shown::default();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        for piece in batch.pieces() {
            let CatalogPiece::Record(record, bytes) = piece else {
                let CatalogPiece::Between(bytes) = piece else {
                    continue;
                };
                output.bytes.extend_from_slice(bytes);
                continue;
            };
            output.bytes.extend_from_slice(bytes);
            assert_eq!(
                record.range().end - record.range().start,
                bytes.len() as u64
            );
            let mut line = format!(
                "{}{} {}@{} {}|",
                batch.input(),
                batch
                    .member()
                    .map_or(String::new(), |member| format!("/{}", text(member))),
                record.number(),
                record.range().start,
                text(record.id()),
            );
            for field in record.fields() {
                line += &format!(
                    "{}{}{}",
                    text(field.tag),
                    text(field.ind1),
                    text(field.ind2)
                );
                for subfield in field.subfields() {
                    line += &format!("${}{}", text(subfield.code), text(subfield.text));
                }
                line.push(' ');
            }
            output.lines.push(line);
        }
    }
}

#[derive(Debug, Default, PartialEq)]
struct Report {
    shown: Shown,
    losses: Vec<String>,
    inputs: Vec<String>,
    /// The identifiers of the records of each batch.
    batches: Vec<Vec<String>>,
}

impl CatalogSink<Shown> for Report {
    fn batch(&mut self, batch: &CatalogBatch, output: &mut Shown) -> io::Result<ControlFlow<()>> {
        self.shown.lines.append(&mut output.lines);
        self.shown.bytes.append(&mut output.bytes);
        let ids = batch.records().iter();
        let ids = ids.map(|record| String::from_utf8_lossy(record.id()).into_owned());
        self.batches.push(ids.collect());
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        let damage = loss.kind.damage().map(|damage| damage.to_string());
        let (input, offset, code) = (loss.input, loss.offset, loss.kind.code());
        self.losses.push(format!(
            "{input} {offset} {code} {}",
            damage.unwrap_or_default()
        ));
    }

    fn error(&mut self, error: Error) {
        self.losses.push(error.to_string());
    }

    fn input(&mut self, input: usize, read_as: ReadAs) {
        self.inputs.push(format!("{input} {read_as}"));
    }
}

fn report(run: &Builder<CatalogRun>, sources: Vec<Source>) -> (Report, CatalogStats) {
    let mut report = Report::default();
    let run = run.clone().build();
    let stats = run.run(sources, &Show, &mut report).unwrap();
    assert_eq!(stats.records, report.shown.lines.len() as u64);
    (report, stats)
}

fn number(number: usize) -> Vec<u8> {
    let id = format!("{number}");
    let link = format!("40\x1Fuhttp://{number}.example/a b\x1Fzsee <http://z.example/{number}>");
    let fields: [(&str, &[u8]); 3] = [
        ("001", id.as_bytes()),
        ("245", b"10\x1FaCaf\xE2e\x1Fbof it"),
        ("856", link.as_bytes()),
    ];
    record(' ', &fields)
}

/// A catalogue of twenty records in each format, with something between the records.
fn catalogs() -> Vec<(&'static str, Vec<u8>)> {
    let numbers = || 1..=20;
    let marc: Vec<u8> = numbers()
        .flat_map(|n| [number(n), b"\r\n".to_vec()].concat())
        .collect();
    let each =
        |text: &dyn Fn(usize) -> String| numbers().map(text).collect::<String>().into_bytes();
    let xml = each(&|n| {
        format!(
            "<record><controlfield tag=\"001\">{n}</controlfield><datafield tag=\"856\" ind1=\"4\">\
             <subfield code=\"u\">http://{n}.example/?a=1&amp;b</subfield></datafield></record>\n <!-- {n} -->"
        )
    });
    let xml = [b"<collection><?x y?>".as_slice(), &xml, b"</collection>\n"].concat();
    vec![
        ("ISO 2709", marc),
        ("MARCXML", xml),
        (
            "MARCBreaker text",
            each(&|n| {
                format!("=LDR  00050nam\n=001  {n}\n=856  40$uhttp://{n}.example/{{dollar}}\n\n\n")
            }),
        ),
        (
            "PICA+",
            each(&|n| format!("003@ $0{n}\n017C $uhttp://{n}.example/$$\n\n")),
        ),
        (
            "CSV",
            [
                b"\xEF\xBB\xBF\n id ; URL;note\r\n".as_slice(),
                &each(&|n| {
                    format!(
                        "{};http://{n}.example/;\"a \"\"b\"\"\r\nc;\"\r\n\r\n",
                        n / 2
                    )
                }),
            ]
            .concat(),
        ),
        (
            "JSON Lines",
            each(&|n| format!("{{\"id\":{n},\"a\":{{\"url\":\"http:\\/\\/{n}.example\"}}}}\n")),
        ),
    ]
}

#[test]
fn records_are_the_same_however_the_bytes_come() {
    for (format, text) in catalogs() {
        let (wanted, _) = report(&CatalogRun::builder(), vec![Source::Slice(&text)]);
        assert_eq!(wanted.shown.lines.len(), 20, "{format}");
        assert_eq!(wanted.shown.bytes, text, "{format}");
        assert_eq!(wanted.losses, [""; 0], "{format}");
        assert_eq!(wanted.inputs, [format!("0 {format}")]);
        for size in [1, 100, 700, 1 << 20] {
            for threads in [1, 2, 8] {
                let run = CatalogRun::builder().block_size(size).threads(threads);
                let slow = |len| Source::Reader(Box::new(Dribble(&text, len)));
                for source in [Source::Slice(&text), slow(1), slow(97)] {
                    let (found, _) = report(&run, vec![source]);
                    assert_eq!(found.shown, wanted.shown, "{format} {size} {threads}");
                    assert_eq!(found.inputs, wanted.inputs);
                }
            }
        }
        let packed = gzip(&gzip(&text));
        let (found, _) = report(&CatalogRun::builder(), vec![Source::Slice(&packed)]);
        assert_eq!(found.shown, wanted.shown, "{format}");
        assert_eq!(found.inputs, [format!("0 gzip, gzip, {format}")]);
    }
}

#[test]
fn members_of_archives_are_catalogs() {
    let all = catalogs();
    let mut archive = Vec::new();
    for (number, (_, text)) in all.iter().enumerate() {
        let packed = if number % 2 == 0 {
            text.clone()
        } else {
            gzip(text)
        };
        let name = match number % 2 {
            0 => format!("{number}.bin"),
            _ => format!("{number}.gz"),
        };
        archive.extend(Header::new(name.as_bytes(), b'0', packed.len()).member(&packed));
    }
    archive.extend([0; 1024]);
    for threads in [1, 3] {
        let run = CatalogRun::builder().threads(threads).block_size(500);
        let (found, _) = report(&run, vec![Source::Slice(&archive)]);
        assert_eq!(found.losses, [""; 0]);
        let texts: Vec<u8> = all.iter().flat_map(|(_, text)| text.clone()).collect();
        assert_eq!(found.shown.bytes, texts);
        let mut lines = found.shown.lines.iter();
        for (number, (_, text)) in all.iter().enumerate() {
            let (alone, _) = report(&CatalogRun::builder(), vec![Source::Slice(text)]);
            let end = if number % 2 == 0 { "bin" } else { "gz" };
            for line in alone.shown.lines {
                let line = line.replacen('0', &format!("0/{number}.{end}"), 1);
                assert_eq!(lines.next(), Some(&line));
            }
        }
        assert_eq!(lines.next(), None);
    }
}

#[test]
fn a_damaged_record_costs_no_other() {
    let mut text: Vec<u8> = (1..=3).flat_map(number).collect();
    let second = number(1).len();
    text[second..second + 5].copy_from_slice(b"00009");
    let (found, stats) = report(&CatalogRun::builder(), vec![Source::Slice(&text)]);
    assert_eq!((found.shown.lines.len(), stats.damaged), (3, 1));
    let loss = format!(
        "0 {second} damaged record 2, of the stated length 9: the length of a record is wrong at {second}"
    );
    assert_eq!(found.losses, [loss]);
    assert_eq!(found.shown.bytes, text);
}

/// A gzip stream whose middle is missing: the records around it are numbered on.
#[test]
fn missing_bytes_end_a_record() {
    let parts: Vec<Vec<u8>> = (1..=3)
        .map(|part| {
            gzip(
                &(1..=5)
                    .flat_map(|n| number(part * 10 + n))
                    .collect::<Vec<u8>>(),
            )
        })
        .collect();
    let mut packed = parts.concat();
    let middle = parts[0].len() + parts[1].len() / 2;
    packed[middle] ^= 0xFF;
    let (found, stats) = report(&CatalogRun::builder(), vec![Source::Slice(&packed)]);
    let ids: Vec<&String> = found.batches.iter().flatten().collect();
    assert!(ids.iter().any(|id| *id == "31"), "{ids:?}");
    assert!(ids.starts_with(&[&"11".to_owned(), &"12".to_owned()]));
    assert!(stats.damaged > 0 && !found.losses.is_empty());
    let numbers: Vec<&str> = found
        .shown
        .lines
        .iter()
        .map(|line| line.split('@').next().unwrap())
        .collect();
    let wanted: Vec<String> = (1..=numbers.len()).map(|n| format!("0 {n}")).collect();
    assert_eq!(numbers, wanted);
}

#[test]
fn rows_of_one_identifier_come_together() {
    let table = catalogs().swap_remove(4).1;
    let run = CatalogRun::builder().id_column(Some(TableColumn::parse("id")));
    let (wanted, _) = report(&run, vec![Source::Slice(&table)]);
    assert!(
        wanted.shown.lines[1].starts_with("0 2@"),
        "{:?}",
        wanted.shown.lines[1]
    );
    assert!(wanted.shown.lines[1].contains(" 1|id$1 URL$http://2.example/ note$a \"b\"\r\nc;"));
    for size in [1, 60, 200] {
        let (found, _) = report(
            &run.clone().block_size(size).threads(2),
            vec![Source::Slice(&table)],
        );
        assert_eq!(found.shown, wanted.shown);
        let batches: Vec<&Vec<String>> =
            found.batches.iter().filter(|ids| !ids.is_empty()).collect();
        for pair in batches.windows(2) {
            assert_ne!(pair[0].last(), pair[1].first(), "{size}");
        }
    }
}

#[test]
fn a_table_needs_its_column() {
    let run = CatalogRun::builder().id_column(Some(TableColumn::parse("key")));
    let sources = vec![
        Source::Slice(b"id,url\n1,http://a.example/\n"),
        Source::Slice(b"key,url\n1,b\n"),
    ];
    let (found, stats) = report(&run, sources);
    assert_eq!(
        found.losses,
        ["input 0: there is no column \"key\"; the columns are \"id\", \"url\""]
    );
    assert_eq!(found.shown.lines, ["1 1@8 1|key$1 url$b "]);
    assert_eq!((stats.records, stats.failed), (1, 1));
}

#[test]
fn what_is_no_catalog_is_named_and_passed_on() {
    let sources = vec![
        Source::Slice(b"\x89PNG\r\n\x1A\n\0\0\0"),
        Source::Path("no/such/file".into()),
        Source::Slice(b""),
        Source::Slice(b"=001  7\n"),
    ];
    let (found, _) = report(&CatalogRun::builder().threads(2), sources);
    assert_eq!(found.losses.len(), 2);
    assert_eq!(
        found.losses[0],
        "0 0 unsupported input: it is neither a catalogue nor a table at 0"
    );
    assert!(found.losses[1].starts_with("input 1 (no/such/file): cannot be opened"));
    assert_eq!(found.shown.lines, ["3 1@0 7|001$7 "]);
}

#[test]
fn tables_in_utf16_are_converted() {
    let text = "id\turl\r\n1\thttp://é.example/\r\n";
    let wide: Vec<u8> = std::iter::once(0xFEFF)
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let (found, _) = report(&CatalogRun::builder(), vec![Source::Slice(&wide)]);
    assert_eq!(found.shown.lines, ["0 1@18 |id$1 url$http://é.example/ "]);
    assert_eq!(found.shown.bytes, text.as_bytes());
}

struct Stops(usize);

impl CatalogSink<Shown> for Stops {
    fn batch(&mut self, _: &CatalogBatch, _: &mut Shown) -> io::Result<ControlFlow<()>> {
        self.0 += 1;
        match self.0 {
            1 => Ok(ControlFlow::Break(())),
            _ => Err(io::ErrorKind::StorageFull.into()),
        }
    }
}

#[test]
fn a_sink_ends_the_run() {
    let text: Vec<u8> = (1..=200).flat_map(number).collect();
    for threads in [1, 8] {
        let run = CatalogRun::builder().block_size(1).threads(threads).build();
        let mut stops = Stops(0);
        let stats = run.run([Source::Slice(&text)], &Show, &mut stops).unwrap();
        assert!(stats.stopped && stops.0 == 1);
        let mut fails = Stops(1);
        let error = run
            .run([Source::Slice(&text)], &Show, &mut fails)
            .unwrap_err();
        assert_eq!((error.kind(), fails.0), (urisieve::ErrorKind::Write, 2));
    }
}

struct Panics;

impl CatalogWork for Panics {
    type State = ();
    type Output = Shown;

    fn state(&self) {}

    fn work(&self, _: &mut (), batch: &CatalogBatch, _: &mut Shown) {
        assert!(
            batch.records().iter().all(|record| record.id() != b"150"),
            "record 150"
        );
    }
}

#[test]
fn a_panic_is_an_error_that_names_the_input() {
    let text: Vec<u8> = (1..=200).flat_map(number).collect();
    for threads in [1, 8] {
        let run = CatalogRun::builder().block_size(1).threads(threads).build();
        let sources = [Source::Slice(b"=001  1\n"), Source::Slice(&text)];
        let error = run
            .run(sources, &Panics, &mut Report::default())
            .unwrap_err();
        assert_eq!(error.kind(), urisieve::ErrorKind::Panic(1));
        assert!(error.to_string().contains("record 150"), "{error}");
    }
}

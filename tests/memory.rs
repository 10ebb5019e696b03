//! How much memory a run holds at most, counted at the allocator.

#[path = "kit/hostile.rs"]
mod hostile;
#[path = "kit/thorough.rs"]
mod thorough;

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use urisieve::canonicalize::Canonicalizer;
use urisieve::catalog::{FieldChoice, IdentifierRows};
use urisieve::decode::{InputFormat, TableColumn};
use urisieve::dedup::{Hasher, Set};
use urisieve::input::Source;
use urisieve::item::{Finding, Loss};
use urisieve::links::{Graph, GraphCounts};
use urisieve::{CatalogBatch, CatalogRun, CatalogSink, CatalogWork, Mode, Sieve, Sink, each};

struct Weighing;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// Runs this test in a process of its own, because what others hold would be weighed, too. Returns
/// false in that process.
fn is_elsewhere() -> bool {
    const ALONE: &str = "URISIEVE_WEIGHED";
    if std::env::var_os(ALONE).is_some() {
        return false;
    }
    let this = std::thread::current();
    // With one thread for all tests each is alone.
    let Some(test) = this.name().filter(|&name| name != "main") else {
        return false;
    };
    let mut child = Command::new(std::env::current_exe().unwrap());
    let ran = child
        .args([test, "--exact", "--test-threads=1"])
        .env(ALONE, test)
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&ran.stdout);
    assert!(
        ran.status.success() && output.contains("1 passed"),
        "{output}"
    );
    true
}

fn add(bytes: usize) {
    let held = HELD.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(held, Ordering::Relaxed);
}

// SAFETY: every call is handed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Weighing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While bytes are moved both places are held.
        add(size);
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static WEIGHING: Weighing = Weighing;

/// What any packed input is read in: 16 MiB are held back, and moved when there is more
/// of them. Every text here is twice as long.
const HELD_BACK: usize = 96 << 20;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

/// The most bytes that `run` holds at once, beyond what was held before.
fn most_held(run: impl FnOnce()) -> usize {
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    run();
    MOST.load(Ordering::Relaxed) - before
}

/// At most 24 bytes for each key beyond its own, at every fill level and while the set
/// grows, however many sets share the keys.
#[test]
fn a_set_takes_at_most_24_bytes_beyond_its_keys() {
    if is_elsewhere() {
        return;
    }
    for (sets, keys, len) in [
        (1, 300_000, 8),
        (1, 300_000, 36),
        (1, 300_000, 127),
        (1, 20_000, 500),
        (16, 300_000, 60),
    ] {
        let hasher = Hasher::new();
        let before = HELD.load(Ordering::Relaxed);
        let mut shards: Vec<Set> = (0..sets).map(|_| Set::new()).collect();
        let (mut key, mut bytes) = (vec![b'x'; len], 0);
        for number in 1..=keys {
            key[..8].copy_from_slice(&(number as u64).to_le_bytes());
            let hash = hasher.hash(&key);
            MOST.store(HELD.load(Ordering::Relaxed), Ordering::Relaxed);
            let set = &mut shards[hash as usize % sets];
            assert!(set.insert(hash, &key, 1, b""));
            bytes += len;
            let held = MOST.load(Ordering::Relaxed).saturating_sub(before);
            // A set has a little to begin with, and long keys have chunks in proportion.
            let most = bytes + bytes / 128 + 24 * number + sets * 8192;
            assert!(held <= most, "{held} bytes for {number} keys of {len}");
        }
        let held = HELD.load(Ordering::Relaxed).saturating_sub(before);
        let counted: usize = shards.iter().map(Set::memory).sum();
        // The test holds a little, too, and so do the threads of tests that wait.
        let own = sets * size_of::<Set>() + (16 << 10);
        assert!(
            counted + own >= held,
            "{counted} bytes are counted, {held} held"
        );
        assert!(
            counted <= held + own,
            "{counted} bytes are counted, {held} held"
        );
        let counted: usize = shards.iter().map(Set::key_bytes).sum();
        assert_eq!(counted, bytes);
    }
}

/// Whatever the number of keys: `--groups` holds their bytes, those of their
/// spellings, and at most 120 more for each.
#[test]
fn groups_take_at_most_120_bytes_beyond_their_keys() {
    if is_elsewhere() {
        return;
    }
    for number in [520_000, 400_000].into_iter().step_by(thorough::step(2)) {
        let mut text = Vec::new();
        let mut bytes = 0;
        for i in 0..number {
            let line = format!("http://host.example/path/{i:011}\n");
            assert_eq!(line.len(), 37);
            bytes += 36;
            text.extend_from_slice(line.as_bytes());
            if i % 4 == 0 {
                // Another spelling of the same.
                text.extend_from_slice(line.replace("host", "HOST").as_bytes());
                bytes += 36 + 36;
            }
        }
        let keys = number + number / 4;
        for threads in [2, 1].into_iter().step_by(thorough::step(2)) {
            let sieve = Sieve::builder()
                .mode(Mode::Groups)
                .threads(threads)
                .block_size(16 << 10)
                .build();
            let mut report = 0;
            let held = most_held(|| {
                let mut sink = each(|_| report += 1);
                sieve.run([&text[..]], &mut sink).unwrap();
            });
            assert_eq!(report, number);
            // Blocks on their way, and the last chunk of each shard.
            let fixed = 12 << 20;
            let beyond = held.saturating_sub(bytes + fixed) / keys;
            assert!(
                beyond <= 120,
                "{beyond} bytes for each of {keys} keys, {threads} threads"
            );
        }
    }
}

/// A graph within a limit holds that, the buffers of its file, and 1 MiB while it is
/// written, however many nodes and edges it has.
#[test]
fn a_graph_keeps_to_its_limit() {
    if is_elsewhere() {
        return;
    }
    let limits = [(0, 20_000u64), (16 << 20, 400_000), (4 << 20, 100_000)];
    for (limit, number) in limits.into_iter().step_by(thorough::step(2)) {
        let mut graph = Graph::within(limit, std::env::temp_dir());
        let mut counts = GraphCounts::default();
        let mut node = String::new();
        let held = most_held(|| {
            for edge in 0..3 * number {
                node.clear();
                write!(node, "com.example.{}", edge * 7919 % number).unwrap();
                let target = format!("org.{}", edge * 31 % 1009);
                graph.add(node.as_bytes(), target.as_bytes()).unwrap();
            }
            counts = graph.write(&mut io::sink(), &mut io::sink()).unwrap();
        });
        assert!(counts.temporary_bytes > 0);
        assert_eq!(counts.nodes, number + 1009);
        let most = limit + (2 << 20);
        assert!(held <= most, "{held} bytes within {limit}");
    }
}

/// What becomes a thousand times as much, twice, is read in little memory, however
/// much it becomes.
#[test]
fn a_bomb_is_read_in_little_memory() {
    if is_elsewhere() {
        return;
    }
    let size = 2 * HELD_BACK;
    let bomb = gzip(&gzip(&vec![b' '; size]));
    assert!(bomb.len() < 100_000);
    for threads in [1, 2] {
        let sieve = Sieve::builder().threads(threads).build();
        let held = most_held(|| {
            let mut found = 0;
            let sink = &mut each(|_| found += 1);
            let stats = sieve.run([Source::Slice(&bomb)], sink).unwrap();
            assert_eq!(stats.bytes, size as u64);
        });
        assert!(held < HELD_BACK, "{held} bytes, {threads} threads");
    }
}

/// A unit repeated to a number of bytes: a text that is never held in memory.
struct Endless {
    unit: &'static [u8],
    at: usize,
    left: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.left.min(buffer.len());
        for byte in &mut buffer[..len] {
            *byte = self.unit[self.at];
            self.at = (self.at + 1) % self.unit.len();
        }
        self.left -= len;
        Ok(len)
    }
}

/// L2: what is kept of a text is bounded, whatever it is made of and how long it is.
#[test]
fn texts_without_an_end_are_read_in_little_memory() {
    if is_elsewhere() {
        return;
    }
    // Where lines may be requests, one of 256 KiB may be searched at once.
    let formats = [("off", 3 << 19), ("auto", 6 << 20)];
    let units = hostile::units();
    let cases = units.flat_map(|unit| formats.map(|format| (unit, format)));
    for (unit, (logs, limit)) in cases.step_by(thorough::step(3)) {
        let size = (2 << 20) / unit.len() * unit.len();
        let sieve = Sieve::builder()
            .mode(Mode::All)
            .log_format(logs.parse().unwrap())
            .block_size(16 << 10)
            .threads(1)
            .build();
        let held = most_held(|| {
            let text = Endless {
                unit: unit.as_bytes(),
                at: 0,
                left: size,
            };
            let source = Source::Reader(Box::new(text));
            let stats = sieve.run([source], &mut each(|_| {})).unwrap();
            assert_eq!(stats.bytes, size as u64);
        });
        assert!(held < limit, "{unit:?}, {logs}: {held} bytes");
    }
}

/// J8, C7: a string, a nesting, a cell, a row and a message without an end.
#[test]
fn data_without_an_end_are_read_in_little_memory() {
    if is_elsewhere() {
        return;
    }
    for (format, start, unit) in [
        ("json", "[\"", "x http:\\/\\/a.example\\/ "),
        ("json", "", "["),
        ("json", "", "{\"a\":"),
        ("json", "[", "\"http://a.example/\","),
        ("json", "/*", "x"),
        ("json", "", "x"),
        ("csv", "a,b\n\"", "x http://a.example/,"),
        ("csv", "a,b\n", "http://a.example/,"),
        ("csv", "a,b\n", "x"),
        ("csv", "", "a,"),
        ("tsv", "a\tb\n", "\"\t"),
        ("po", "msgid \"\"\n", "\"http://a.example/\"\n"),
        ("po", "msgid \"", "x"),
    ] {
        let size = (8 << 20) / unit.len() * unit.len();
        let sieve = Sieve::builder()
            .mode(Mode::Distinct)
            .format(InputFormat::named(format))
            .block_size(64 << 10)
            .threads(1)
            .build();
        // A block has many cells, each with its place. The mebibyte behind a quotation mark
        // without an end is read again as cells.
        let limit = match format {
            "csv" if start.ends_with("\n\"") => 56 << 20,
            "csv" | "tsv" => 32 << 20,
            _ => 16 << 20,
        };
        let held = most_held(|| {
            let text = Endless {
                unit: unit.as_bytes(),
                at: 0,
                left: size,
            };
            let source = Source::Reader(Box::new(start.as_bytes().chain(text)));
            let stats = sieve.run([source], &mut each(|_| {})).unwrap();
            assert_eq!(stats.bytes, (start.len() + size) as u64);
        });
        assert!(held < limit, "{format}, {start:?}, {unit:?}: {held} bytes");
    }
}

/// Deep values share their pointers: those of a block would take more than a hundred times its
/// bytes.
#[test]
fn deep_values_share_their_pointers() {
    if is_elsewhere() {
        return;
    }
    for key in ["\"a:\"", "\"urn:a-b:c\""] {
        let levels = 4096 / key.len() / 2;
        let nest = format!(
            "{}1{}\n",
            format!("{{{key}:").repeat(levels),
            "}".repeat(levels)
        );
        let text = nest.repeat((1 << 20) / nest.len());
        let sieve = Sieve::builder()
            .mode(Mode::All)
            .format(InputFormat::named("json"))
            .threads(1)
            .build();
        let mut deepest = 0;
        let held = most_held(|| {
            let deep = &mut |finding: &Finding<'_>| {
                let pointer = finding.context.pointer.map_or(0, <[u8]>::len);
                deepest = deepest.max(pointer);
            };
            let stats = sieve
                .for_each_in([Source::Slice(text.as_bytes())], deep)
                .unwrap();
            assert_eq!(stats.without_pointer, 0);
        });
        // Each value of four bytes has its event.
        assert!(held < 60 << 20, "{key}: {held} bytes");
        assert_eq!(deepest > 1000, key.contains("urn"), "{deepest}");
    }
}

/// Bodies in each other, and one that is long, however they are coded.
#[test]
fn bodies_are_read_in_little_memory() {
    if is_elsewhere() {
        return;
    }
    let record = |block: &[u8]| {
        let head = "WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http\r\n";
        let head = format!("{head}Content-Length: {}\r\n\r\n", block.len());
        [head.as_bytes(), block, b"\r\n\r\n"].concat()
    };
    let nested = b"HTTP/1.1 200 OK\r\nContent-Type: message/http\r\n\r\n".repeat(10_000);
    let text = b"see http://a.example/b\n".repeat(2 * HELD_BACK / 23);
    let coded = [
        &b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"[..],
        &gzip(&text),
    ]
    .concat();
    let plain = [&b"HTTP/1.1 200 OK\r\n\r\n"[..], &text].concat();
    for (name, block) in [("nested", nested), ("coded", coded), ("plain", plain)] {
        let archive = gzip(&record(&block));
        for threads in [2, 1].into_iter().step_by(thorough::step(2)) {
            let sieve = Sieve::builder().threads(threads).build();
            let held = most_held(|| {
                let sink = &mut each(|_| {});
                let stats = sieve.run([Source::Slice(&archive)], sink).unwrap();
                assert!(stats.bytes as usize >= block.len());
            });
            assert!(held < HELD_BACK, "{name}: {held} bytes, {threads} threads");
        }
    }
}

/// Makes rows of records.
struct Rows;

impl CatalogWork for Rows {
    type State = IdentifierRows;
    type Output = usize;

    fn state(&self) -> IdentifierRows {
        IdentifierRows::new(FieldChoice::default(), Canonicalizer::default())
    }

    fn work(&self, rows: &mut IdentifierRows, batch: &CatalogBatch, output: &mut usize) {
        *output = rows.of(batch.records()).len();
    }
}

/// Counts rows, and losses.
#[derive(Default)]
struct RowCount(usize, usize);

impl CatalogSink<usize> for RowCount {
    fn batch(&mut self, _: &CatalogBatch, rows: &mut usize) -> io::Result<ControlFlow<()>> {
        self.0 += *rows;
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, _: &Loss) {
        self.1 += 1;
    }
}

/// A record of ISO 2709 whose directory names the same field again and again.
fn repeating(field: &str, entries: usize) -> String {
    let directory = format!("500{:04}00000", field.len()).repeat(entries);
    let base = 24 + directory.len() + 1;
    let length = base + field.len() + 1;
    format!("{length:05}nam a22{base:05} a 4500{directory}\x1E{field}\x1D")
}

/// What any catalogue is read in: 16 MiB of a record, moved when there is more of it, its
/// texts, and what is made of them.
const ONE_RECORD: usize = 128 << 20;

/// A record, or the rows of one identifier, may have no end: it is read in parts, which are
/// bounded by their fields, too. What is kept of one does not grow with the depth of elements,
/// with the number of entries that name the same bytes, with a name that many values have.
#[test]
fn records_without_an_end_are_read_in_little_memory() {
    if is_elsewhere() {
        return;
    }
    const MARC_XML: &str = "<collection xmlns='http://www.loc.gov/MARC21/slim'><record>";
    const MODS: &str = "<mods xmlns='http://www.loc.gov/mods/v3'>";
    let text = |text: &str| text.to_owned();
    let long = "t".repeat(1 << 20);
    let wide = format!("{}\x1E", "x".repeat(9_000));
    let many = format!("00{}\x1E", "\x1Fax".repeat(3_000));
    let name = format!("{{\"{}\":[1", "n".repeat(1 << 20));
    let cells = ("n".repeat(60_000) + "\n1\n", "2\n");
    let cases = [
        ("nested elements", text(MODS), "<mods>", 1 << 19),
        ("elements", text(MODS), "<a/>", 6 << 20),
        ("fields of XML", text(MARC_XML), "<datafield/>", 6 << 20),
        (
            "subfields of XML",
            text(MARC_XML) + "<datafield tag='856'>",
            "<subfield code='u'>a:b</subfield>",
            6 << 20,
        ),
        ("lines", text("=001  1\n"), "=500  a\n", 6 << 20),
        ("links", text("=001  1\n"), "=856  $ua:b\n", 6 << 20),
        ("subfields", text("=001  1\n=856  "), "$ua:b", 6 << 20),
        ("a line", text("=001  1\n=856  $ua:{"), "x", 20 << 20),
        (
            "a title",
            format!("=001  1\n=245  10$a{long}\n"),
            "=856  $ua:b\n",
            1 << 20,
        ),
        (
            "a note",
            format!("=001  1\n=856  $z{long}"),
            "$ua:b",
            1 << 20,
        ),
        ("PICA+", text("003@ $01\n"), "017C $ua\n", 6 << 20),
        (
            "PICA+, normalized",
            text("003@ \x1F01\x1E"),
            "017C \x1Fua\x1E",
            6 << 20,
        ),
        ("equal entries", repeating(&many, 7_000), "", 0),
        ("equal texts", repeating(&wide, 7_000), "", 0),
        ("rows", text("id,url\n"), "1,http://a.example/\n", 6 << 20),
        ("a row", text("id,url\n"), "1,", 6 << 20),
        ("values", text("{\"a\":[1"), ",1", 15 << 20),
        ("values with a name", name, ",1", 1 << 20),
        ("columns", cells.0, cells.1, 1 << 18),
    ];
    for (what, head, unit, size) in cases.into_iter().step_by(thorough::step(3)) {
        let source = || {
            let unit = unit.as_bytes();
            let left = size / unit.len().max(1) * unit.len();
            let endless = Endless { unit, at: 0, left };
            // The end of an object in JSON; other formats skip it.
            let end = if head.starts_with('{') { "]}\n" } else { "" };
            let head = io::Cursor::new(head.clone().into_bytes());
            Source::Reader(Box::new(head.chain(endless).chain(end.as_bytes())))
        };
        let sieve = Sieve::builder().mode(Mode::All).threads(1).build();
        let held = most_held(|| {
            sieve.run([source()], &mut each(|_| {})).unwrap();
        });
        assert!(held < ONE_RECORD, "{what}, searched: {held} bytes");
        let run = CatalogRun::builder().threads(1);
        let run = run.id_column(Some(TableColumn::Number(0))).build();
        let mut count = RowCount::default();
        let held = most_held(|| {
            run.run([source()], &Rows, &mut count).unwrap();
        });
        assert!(held < ONE_RECORD, "{what}, listed: {held} bytes");
        assert!(count.1 > 0, "{what}");
    }
}

/// An input of damage alone has a million losses, which are reported as they are found.
#[test]
fn damage_is_reported_in_little_memory() {
    if is_elsewhere() {
        return;
    }
    let record = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 99999999\r\n\r\n";
    let inner = gzip(b"see http://a.example/");
    for (name, head) in [
        ("nothing before it", Vec::new()),
        ("in a record", gzip(record)),
        ("in the head of a member inside", gzip(&inner[..12])),
        ("after a text", gzip(b"see http://a.example/")),
    ] {
        for threads in thorough::part([1, 2], 2, name.len()) {
            let sieve = Sieve::builder().threads(threads).build();
            let mut losses = Losses::default();
            let held = most_held(|| {
                let damage = Endless {
                    unit: b"\x1F\x8B\x08\0",
                    at: 0,
                    left: 2 << 20,
                };
                let stream = io::Cursor::new(head.clone()).chain(damage);
                let source = Source::Reader(Box::new(stream));
                sieve.run([source], &mut losses).unwrap();
            });
            assert!(losses.0 > 200_000, "{name}: {} losses", losses.0);
            assert!(held < 32 << 20, "{name}: {held} bytes, {threads} threads");
        }
    }
}

/// Counts losses.
#[derive(Default)]
struct Losses(u64);

impl Sink for Losses {
    fn finding(&mut self, _: &Finding) -> io::Result<ControlFlow<()>> {
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, _: &Loss) {
        self.0 += 1;
    }
}

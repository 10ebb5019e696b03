//! No allocation per candidate in the steady state: twice as many candidates cost no
//! more allocations than twice as many blocks do. A longer decoded body costs none,
//! either, and neither does a small text.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use urisieve::canonicalize::{Canonicalizer, Level, Redactor};
use urisieve::delimit::{Cleaning, Config, Delimiter, Referred};
use urisieve::input::Source;
use urisieve::item::{IdentifierKinds, Schemes};
use urisieve::syntax::resolve::{Rules, resolve};
use urisieve::unpack::{Codings, Flow};
use urisieve::{Finder, Mode, Sieve, UriSelection, each};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
/// One test counts at a time.
static ALONE: Mutex<()> = Mutex::new(());

// SAFETY: every call is handed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
const BLOCK: usize = 64 << 10;

/// Plain, wrapped, escaped and upper-case ones; some repeat.
fn text(candidates: usize) -> Vec<u8> {
    let mut text = String::new();
    for i in 0..candidates / 5 {
        let n = i % 5000;
        text.push_str(&format!("see http://a{n}.example/{i} and\n"));
        text.push_str(&format!(
            "> <http://B{n}.example/one/\n> two> \"https:\\/\\/c.example\\/{n}\" "
        ));
        text.push_str(&format!("URN:ISBN:{n:010}\n"));
        text.push_str(&format!(
            "10.1000/{n} 10.1000\\/{n} ISBN 0-8044-2957-X, 9783161484100\n"
        ));
        text.push_str(&format!(
            "http://www.b\u{fc}cher{n}.example:80/a/../%7e{i}?b=%41&utm_x;a "
        ));
    }
    text.into_bytes()
}

fn allocations(mode: Mode, canonicalizer: &Canonicalizer, text: &[u8]) -> usize {
    let sieve = Sieve::builder()
        .mode(mode)
        .canonicalize(canonicalizer.clone())
        .bare(IdentifierKinds::all())
        .block_size(BLOCK)
        .build();
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let stats = sieve.run([text], &mut each(|_| {})).unwrap();
    assert!(stats.occurrences > 1000);
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

#[test]
fn allocations_follow_blocks_not_candidates() {
    let _alone = ALONE.lock();
    let every_rule = Canonicalizer::new(Level::Scheme)
        .drop_params(["@tracking"])
        .unwrap()
        .sort_query(true)
        .fold_https(true)
        .strip_www(true);
    let (small, large) = (text(20_000), text(80_000));
    let more_blocks = (large.len() - small.len()) / BLOCK;
    for canonicalizer in [Canonicalizer::default(), every_rule] {
        for mode in [Mode::All, Mode::Distinct, Mode::Count] {
            let at_all = allocations(mode, &canonicalizer, &large);
            let more = at_all.saturating_sub(allocations(mode, &canonicalizer, &small));
            // The set grows by pages of some hundred keys.
            let pages = match mode {
                Mode::All => 0,
                _ => 60_000 / 256,
            };
            assert!(
                more <= 8 * more_blocks + pages + 200,
                "{mode:?}: {more} allocations for {more_blocks} blocks and 60,000 candidates"
            );
        }
    }
}

/// Hosts in every spelling that a set of entries is asked for (I1).
#[test]
fn selection_by_host_allocates_nothing() {
    let _alone = ALONE.lock();
    let mut selection = UriSelection::default();
    for host in [
        "b.example",
        "b\u{fc}cher.example",
        "=c.example:8080",
        "192.0.2.0/24",
        "::1",
    ] {
        selection.add_host(host).unwrap();
    }
    for (uri, is_held) in [
        ("http://x.y.a.example/", false),
        ("HTTP://%42.EXAMPLE./", true),
        ("http://www.b\u{fc}cher.example/", true),
        ("http://xn--bcher-kva.example/", true),
        ("http://C.example:8080/", true),
        ("http://0xc0000201/", true),
        ("http://[0:0::1]/", true),
        ("mailto:x@a.example,y@%62.example", true),
        ("jar:http://a.example/a!/b", false),
    ] {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for _ in 0..1000 {
            assert_eq!(selection.holds(uri.as_bytes()), is_held, "{uri}");
        }
        // The test harness may allocate beside it.
        let more = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert!(more < 100, "{uri}: {more}");
    }
}

/// Lines of logs in two shapes, with escapes and with prefixes.
#[test]
fn allocations_follow_blocks_not_requests() {
    let _alone = ALONE.lock();
    let log = |lines: usize| {
        let mut text = String::new();
        for i in 0..lines / 2 {
            text.push_str(&format!(
                "Oct  5 00:00:00 h nginx: w.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \
                 \"GET /{i}?\\x22 HTTP/1.1\" 200 2 \"http://r.example/{i}\" \"b (http://b.example/)\"\n"
            ));
            text.push_str(&format!(
                "{{\"req\":{{\"method\":\"GET\",\"url\":\"\\/{i}\",\"headers\":{{\"host\":\"w.example\"}}}}}}\n"
            ));
        }
        text.into_bytes()
    };
    let allocations = |text: &[u8]| {
        let sieve = Sieve::builder()
            .mode(Mode::All)
            .requests(true)
            .block_size(BLOCK)
            .build();
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let stats = sieve.for_each_in([Source::Slice(text)], |_| {}).unwrap();
        assert!(stats.occurrences > 1000);
        ALLOCATIONS.load(Ordering::Relaxed) - before
    };
    let (small, large) = (log(10_000), log(40_000));
    let more_blocks = (large.len() - small.len()) / BLOCK;
    let more = allocations(&large).saturating_sub(allocations(&small));
    assert!(
        more <= 20 * more_blocks + 200,
        "{more} allocations for {more_blocks} blocks and 30,000 lines"
    );
}

/// Of what is written as it is read; a URI that goes on in another line is a copy.
#[test]
fn find_allocates_for_windows_not_matches() {
    let _alone = ALONE.lock();
    let text = |count: usize| -> String {
        let line =
            |i| format!("see http://a{i}.example/ or <mailto:joe@b{i}.example>, urn:a-b:{i}\n");
        (0..count).map(line).collect()
    };
    let (small, large) = (text(20_000), text(80_000));
    let allocations = |text: &str| {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let bytes: usize = urisieve::find(text).map(|found| found.uri().len()).sum();
        assert!(bytes > text.len() / 2);
        ALLOCATIONS.load(Ordering::Relaxed) - before
    };
    let more_windows = (large.len() - small.len()) / BLOCK;
    let more = allocations(&large).saturating_sub(allocations(&small));
    assert!(
        more <= 4 * more_windows,
        "{more} allocations for {more_windows} windows and 180,000 matches"
    );
}

/// Every set of rules of a finder.
fn finders() -> Vec<Finder> {
    let builder = Finder::builder;
    let bare = IdentifierKinds::all();
    vec![
        Finder::new(),
        builder().schemes(["http", "https"]).build(),
        builder().abbreviated(true).build(),
        builder().refang(true).build(),
        builder().bare(bare).build(),
        builder().bare(bare).abbreviated(true).refang(true).build(),
    ]
}

/// Texts without a URI, and texts whose URIs are written as they are.
const SMALL: [&str; 5] = [
    "",
    "see you at 12:30 (I am fine)",
    "2030-01-02T12:30:45Z host7 app[123]: level=info key:value the worker accepted a connection",
    "2030-01-02T12:30:45Z app[1]: GET https://a.example/v1?id=4711 referer=\"https://b.example/c\"",
    "or <urn:a-b:c>, mailto:joe@c.example",
];

#[test]
fn a_small_text_allocates_nothing() {
    let _alone = ALONE.lock();
    for finder in finders() {
        for text in SMALL {
            let find = || {
                finder
                    .find(text)
                    .map(|found| found.uri().len())
                    .sum::<usize>()
            };
            // A clone uses what the finder has built.
            let clone = finder.clone();
            let find_by_clone = || {
                clone
                    .find(text)
                    .map(|found| found.uri().len())
                    .sum::<usize>()
            };
            let counted = |find: &dyn Fn() -> usize| {
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                let len = find();
                (len, ALLOCATIONS.load(Ordering::Relaxed) - before)
            };
            let (wanted, _) = counted(&find);
            // The harness may allocate beside it: what a search allocates is in every pass.
            for find in [&find as &dyn Fn() -> usize, &find_by_clone] {
                let least = (0..10).map(|_| counted(find)).min();
                assert_eq!(least, Some((wanted, 0)), "{text} {finder:?}");
            }
        }
    }
}

#[test]
fn lines_in_one_buffer_allocate_nothing() {
    let _alone = ALONE.lock();
    let sieves = [
        Sieve::builder(),
        Sieve::builder()
            .refang(true)
            .abbreviated(true)
            .bare(IdentifierKinds::all()),
        Sieve::builder()
            .canonicalize(Canonicalizer::new(Level::Scheme))
            .originals(true),
    ];
    for sieve in sieves {
        let sieve = sieve.mode(Mode::All).build();
        let mut search = sieve.text_search().unwrap();
        let mut pass = || {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            let mut found = 0;
            for text in SMALL {
                search.search(text.as_bytes(), |_| found += 1).unwrap();
            }
            assert_eq!(found, 4);
            ALLOCATIONS.load(Ordering::Relaxed) - before
        };
        assert_eq!((0..10).map(|_| pass()).min(), Some(0));
    }
}

#[test]
fn secrets_use_their_buffers_again() {
    let _alone = ALONE.lock();
    let redactor = Redactor::secrets().parameters(["sid"]).unwrap();
    let uris = [
        "http://a.example/b",
        "http://joe:pw@a.example/?token=1&sid=2#access_token=3",
        "http://a.example/?u=http://joe:pw@b.example/&api_key=4",
        "mailto:joe@a.example",
    ];
    let mut buffer = Vec::new();
    let mut redact_all = || {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let hidden = uris.map(|uri| redactor.redact(uri.as_bytes(), &mut buffer) != uri.as_bytes());
        assert_eq!(hidden, [false, true, true, false]);
        ALLOCATIONS.load(Ordering::Relaxed) - before
    };
    assert_eq!((0..10).map(|_| redact_all()).min(), Some(0));
}

#[test]
fn more_of_a_body_costs_no_more_allocations() {
    let _alone = ALONE.lock();
    let chunked_gzip = |len: usize| {
        let level = flate2::Compression::fast();
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), level);
        writer.write_all(&text(len)).unwrap();
        let gzip = writer.finish().unwrap();
        let chunk = |bytes: &[u8]| {
            let size = format!("{:x}\r\n", bytes.len());
            [size.as_bytes(), bytes, b"\r\n"].concat()
        };
        let chunks = gzip.chunks(5000).flat_map(chunk);
        chunks.chain(*b"0\r\n\r\n").collect::<Vec<u8>>()
    };
    let allocations = |body: &[u8]| {
        let mut out = vec![0; 1000];
        let mut pieces = body.chunks(3000).peekable();
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let mut codings = Codings::new([&b"chunked"[..], b"gzip"]);
        let mut written = 0;
        while let Some(mut piece) = pieces.next() {
            loop {
                let pulled = codings.pull(piece, pieces.peek().is_none(), &mut out);
                piece = &piece[pulled.read..];
                written += pulled.written;
                if pulled.state != Flow::More {
                    break;
                }
            }
        }
        assert_eq!(codings.losses().count(), 0);
        (written, ALLOCATIONS.load(Ordering::Relaxed) - before)
    };
    let (small, large) = (chunked_gzip(5000), chunked_gzip(50_000));
    let (few, many) = (allocations(&small), allocations(&large));
    assert!(many.0 > 9 * few.0);
    // Other threads of the test may allocate.
    assert!(many.1 <= few.1 + 10, "{} and {}", few.1, many.1);
}

#[test]
fn references_use_their_buffers_again() {
    let _alone = ALONE.lock();
    let delimiter = Delimiter::new(Config::default().strict(true));
    let texts = [
        "http://a.example/b",
        " http://a.example/b c\n d\u{3000}<e> ",
        "../b\n c",
        "//b.example/c?d#e f",
        "http://a b/",
        "#a",
        "http://a.example/100%",
    ];
    let (mut cleaning, mut again, mut resolved) =
        (Cleaning::default(), Cleaning::default(), Vec::new());
    let mut refer_all = || {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let mut uris = 0;
        for text in texts {
            match delimiter.reference(text.as_bytes(), Schemes::Any, &mut cleaning) {
                Ok(Referred::Uri { .. }) => uris += 1,
                Ok(Referred::Relative { reference, .. }) => {
                    resolved.clear();
                    let base = b"http://t.example/x y/z";
                    resolve(Rules::Rfc3986, base, reference, &mut resolved).unwrap();
                    uris += usize::from(delimiter.resolved(&resolved, &mut again).is_ok());
                }
                Err(_) => {}
            }
        }
        assert_eq!(uris, 4);
        ALLOCATIONS.load(Ordering::Relaxed) - before
    };
    refer_all();
    // The harness may allocate beside it: what a reference allocates is in every pass.
    assert_eq!((0..10).map(|_| refer_all()).min(), Some(0));
}

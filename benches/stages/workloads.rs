//! Generated texts: the same at every run.

use std::io::Write;

/// A text and how many URIs are in it.
pub struct Workload {
    pub name: &'static str,
    pub text: Vec<u8>,
    pub uris: usize,
}

/// Texts of a chat and lines of logs.
pub const SMALL: [(&str, &str); 5] = [
    ("empty", ""),
    (
        "message",
        "hello there, how are you today? (I am fine): see you at 12:30, maybe",
    ),
    (
        "message-link",
        "try https://www.example.org/start/page, it helped",
    ),
    (
        "line",
        "2030-01-02T12:30:45Z host7 app[123]: level=info (the worker) accepted a connection",
    ),
    (
        "line-two-links",
        "2030-01-02T12:30:45Z host7 app[123]: GET https://api.example.com/v1/items?id=4711&x=y \
         referer=\"https://www.example.org/start/page\" 200 512",
    ),
];

/// A message with two addresses of mail.
pub const MAIL: &str = "write to joe@example.com or (ann.b@mail.example.org), please";

/// Every workload, about 4 MiB each.
pub fn all() -> Vec<Workload> {
    let dense = dense_lines(60_000);
    vec![
        rare(),
        common(),
        Workload {
            name: "dense",
            uris: 60_000,
            text: dense,
        },
    ]
}

/// Pseudo-random numbers (xorshift), so that no text depends on a library.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % below
    }

    fn word<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.next(words.len())]
    }
}

const WORDS: &[&str] = &[
    "request",
    "session",
    "kernel",
    "opened",
    "closed",
    "for",
    "user",
    "by",
    "timeout",
    "the",
    "cache",
    "worker",
    "failed",
    "retry",
    "accepted",
    "connection",
    "from",
    "port",
    "queue",
    "a",
    "index",
];

/// Log text with many colons and about one URI in two KiB.
fn rare() -> Workload {
    let mut numbers = Numbers(1);
    let (mut text, mut uris) = (Vec::new(), 0);
    while text.len() < 4 << 20 {
        let (h, m, s) = (numbers.next(24), numbers.next(60), numbers.next(60));
        write!(
            text,
            "2030-01-02T{h:02}:{m:02}:{s:02} host{} app[{}]: ",
            numbers.next(9),
            numbers.next(9999)
        )
        .unwrap();
        for _ in 0..8 {
            write!(text, "{} ", numbers.word(WORDS)).unwrap();
        }
        if numbers.next(22) == 0 {
            uris += 1;
            write!(
                text,
                "https://api.h{}.example/v1/{}",
                numbers.next(50),
                numbers.word(WORDS)
            )
            .unwrap();
        }
        text.extend_from_slice(b" key=value level:info\n");
    }
    Workload {
        name: "rare",
        text,
        uris,
    }
}

/// Access logs with a referrer in most lines.
fn common() -> Workload {
    let mut numbers = Numbers(2);
    let (mut text, mut uris) = (Vec::new(), 0);
    while text.len() < 4 << 20 {
        let (h, m, s) = (numbers.next(24), numbers.next(60), numbers.next(60));
        write!(
            text,
            "192.0.2.{} - - [02/Jan/2030:{h:02}:{m:02}:{s:02} +0000] \"GET /{} HTTP/1.1\" 200 {} ",
            numbers.next(255),
            numbers.word(WORDS),
            numbers.next(99_999)
        )
        .unwrap();
        if numbers.next(4) == 0 {
            text.extend_from_slice(b"\"-\"");
        } else {
            uris += 1;
            let (a, b) = (numbers.word(WORDS), numbers.word(WORDS));
            write!(
                text,
                "\"https://www.h{}.example/{a}/{b}?page={}\"",
                numbers.next(300),
                numbers.next(500)
            )
            .unwrap();
        }
        text.extend_from_slice(b" \"Mozilla/5.0 (X11; Linux x86_64; rv:130.0)\"\n");
    }
    Workload {
        name: "common",
        text,
        uris,
    }
}

/// One distinct URI a line.
pub fn dense_lines(count: usize) -> Vec<u8> {
    let mut numbers = Numbers(3);
    let mut text = Vec::new();
    for i in 0..count {
        let (a, b) = (numbers.word(WORDS), numbers.word(WORDS));
        writeln!(
            text,
            "https://www.host{}.example/{a}/{b}/{i}?q={}",
            numbers.next(5000),
            numbers.next(90_000)
        )
        .unwrap();
    }
    text
}

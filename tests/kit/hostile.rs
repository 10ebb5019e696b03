//! Texts that a careless scanner walks again and again (law L2): one of these units,
//! repeated.

/// Units of which each begins one candidate, or none, and how many URIs each gives.
pub const ENDING: &[(&str, u64)] = &[
    (":", 0),
    ("http://", 0),
    ("<http://", 0),
    ("<http://a/", 1),
    ("\"http://a", 1),
    ("\"http://a ", 1),
    ("((((", 0),
    ("%41", 0),
    ("\u{e9}", 0),
    ("mailto:", 0),
    ("news:", 0),
    ("blob:http://-/", 0),
    ("http://-/", 0),
    ("“http://a/ ", 1),
    ("x\n", 0),
    ("&lt;http://a/", 1),
    ("\\", 0),
    ("&amp;", 0),
    ("URL:", 0),
    ("http://a.example/x[ ", 1),
    ("(http://a/\n", 1),
    ("<http://a/\n", 1),
    ("<http://a-\n", 1),
    ("<ht\n", 0),
    ("http://a,", 1),
    ("\"http://a/\\x22", 1),
    ("=\"http://a/\n ", 1),
    ("http://a/[b] ", 1),
    ("http://a/([{`", 1),
    ("http://a/[", 1),
    ("“http://a/", 1),
    ("(http://a/、", 1),
    ("'http://a/(", 1),
    ("(http://a/[", 1),
    ("(http://a/\n-/", 1),
    ("http://a,;", 1),
    ("[http://a/]", 1),
    ("magnet:?", 0),
    ("cid:@", 0),
    ("tag:", 0),
    ("a/&amp;", 0),
    ("ISBN ", 0),
    ("ISBN (", 0),
    ("1 2 ", 0),
    ("10.1000/x;", 0),
    ("10.1000/x ", 0),
    ("10.1000/-", 0),
    ("10.2020/11.", 0),
    ("10.", 0),
    ("10.1000.", 0),
    ("hdl 12.", 0),
    ("handle:1", 0),
    ("0000-000", 0),
];

/// Units that make one candidate, which is too long (B7), however often they are
/// repeated beyond the longest.
pub const ENDLESS: &[&str] = &[
    "http://a/(",
    "http://a/[x](",
    "http://a/[]",
    "http://a/<1:2>",
    "http://a/x",
    "urn:a-b:",
];

/// All of them.
pub fn units() -> impl Iterator<Item = &'static str> {
    let ending = ENDING.iter().map(|row| row.0);
    ending.chain(ENDLESS.iter().copied())
}

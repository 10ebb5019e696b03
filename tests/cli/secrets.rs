//! Secrets are never printed with `--redact`, in any output, message or file of losses;
//! nor live addresses with `--defang`; nor characters that would control a terminal, or
//! formulas of a spreadsheet.

use crate::program::{Ran, run};
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use urisieve::canonicalize::{Canonicalizer, Level, Redactor};
use urisieve::decode::Refanged;
use urisieve::output::defang;
use urisieve::{Sieve, each};

/// A part of every secret that occurs nowhere else.
const SECRET: &str = "zqx";

/// The values that `--redact=@secrets,own` hides.
const PARAMETERS: [&str; 20] = [
    "token",
    "API_KEY",
    "X-Amz-Signature",
    "x-amz-credential",
    "password",
    "PHPSESSID",
    "code",
    "own",
    "user[password]",
    "accessToken",
    "clientSecret",
    "X-Plex-Token",
    "refreshtoken",
    "userPassword",
    "APIKEY",
    "SharedAccessKey",
    "my_session_id",
    "passkey",
    "hdnts",
    "user[accessToken]",
];

/// Paths with secrets, after the scheme and the slashes.
const PATHS: [&str; 5] = [
    "hooks.slack.com/services/T000/B000/zqx-_zqx",
    "Discord.com/api/v10/webhooks/123/zqx_zqx/slack",
    "o.webhook.office.com/webhookb2/a@b/IncomingWebhook/zqxzqx/c",
    "hooks.zapier.com/hooks/catch/123/zqx/",
    "api.telegram.example/bot123456:zqxzqxzqxzqxzqxzqxzqxzqxzqxzqx-_z/getMe",
];

/// Secrets that are known by their shape.
const SHAPES: [&str; 7] = [
    "eyJzqxzqxzqxzqxzqx.eyJzqx.zqx-_",
    "ghp_zqxzqxzqxzqx",
    "github_pat_zqxzqx_zqxzqx",
    "glpat-zqxzqx-zqxzqx",
    "xoxb-1234567-zqxzqx",
    "AIzaSyzqxzqxzqxzqx",
    "npm_zqxzqxzqxzqx",
];

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A URI with secrets in it.
fn uri() -> impl Strategy<Value = String> {
    let scheme = prop::sample::select(vec!["http", "HTTPS", "ftp", "redis", "Git+ssh"]);
    let password = prop::sample::select(vec![
        "zqx",
        "zqx&zqx",
        "zqx;zqx=1",
        "zqx:zqx",
        "zqx%40zqx",
        "zqx%2Fzqx",
        "zqx!$+*,=zqx",
        "zqx/zqx",
        "zqx#zqx?zqx@zqx/zqx",
    ]);
    let value = prop::sample::select(vec![
        "zqx",
        "zqx%26zqx",
        "zqx%20zqx",
        "zqx=zqx==",
        "zqx/zqx?zqx",
        "zqx,zqx:zqx@zqx",
        "zqx%2523zqx",
        "zqx;zqx",
        "%7Azqx.zqx-zqx_zqx",
    ]);
    let userinfo = (password, 0..4).prop_map(|(password, form)| match form {
        0 => String::new(),
        1 => format!("joe:{password}@"),
        2 => format!("{}@", password.replace([':', '/', '#', '?'], ".")),
        _ => format!(":{password}@"),
    });
    let name = prop::sample::select(PARAMETERS.to_vec());
    let parameter = (name, value).prop_map(|(name, value)| format!("{name}={value}"));
    let parameters = prop::collection::vec(parameter, 3);
    let path = prop::sample::select(PATHS.to_vec());
    let shape = prop::sample::select(SHAPES.to_vec());
    (scheme, userinfo, parameters, (path, shape), 0..11, 0..1000).prop_map(
        |(scheme, userinfo, parameters, (path, shape), form, number)| {
            let [a, b, c] = &parameters[..] else {
                unreachable!()
            };
            let start = format!("{scheme}://{userinfo}h{number}.example");
            match form {
                0 => format!("{start}/?{a}"),
                1 => format!("{start}/p;jsessionid=zqx/q?x=1&{a}&y=2#{b}"),
                2 => format!("{start}/#/x?{a}&{b}"),
                3 => format!("sip:u{number}:zqx@h.example;x=y?{a}"),
                4 => format!("{start}:80/?%74oken=zqx&{a};x=1&{b}#{c}&x"),
                5 => format!("https://{userinfo}{path}?{number}"),
                6 => format!("{start}/v/{shape}/{number}"),
                7 => format!("{start}/?d={shape}&n={number}#{shape}"),
                8 => format!(
                    "sb://h{number}.example/;SharedAccessKeyName=R;SharedAccessKey=zqx+/zqx="
                ),
                9 => format!("jdbc:x://h{number}.example:1/d;user=u;password=zqx/zqx;x=y"),
                _ => format!("mailto:u{number}:zqx@h.example?{a}"),
            }
        },
    )
}

fn encoded(uri: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    uri.bytes()
        .map(|b| match plain(b) {
            true => (b as char).to_string(),
            false => format!("%{b:02X}"),
        })
        .collect()
}

/// A URI with secrets, or one with such a URI inside.
fn nested_uri() -> impl Strategy<Value = String> {
    (uri(), 0..6).prop_map(|(uri, form)| match form {
        0 => format!("http://o.example/?x=1&u={uri}"),
        1 => format!("http://o.example/?u={}&x=1", encoded(&uri)),
        2 => format!("https://o.example/?u={}", encoded(&encoded(&uri))),
        3 => format!("http://o.example/r/{}?x", encoded(&uri)),
        4 => format!(
            "http://o.example/?u={}",
            encoded(&format!("http://p.example/?v={}", encoded(&uri)))
        ),
        _ => uri,
    })
}

/// A URI as it stands in a text.
fn in_text(uri: &str, form: usize) -> String {
    match form % 6 {
        0 => format!("see {uri} there\n"),
        1 => format!("<{uri}>\n"),
        2 => format!(
            "{{\"u\": \"{}\"}}\n",
            uri.replace('/', "\\/").replace('&', "\\u0026")
        ),
        3 => format!("<a href=\"{}\">\n", uri.replace('&', "&amp;")),
        4 => {
            let middle = uri.len() / 2;
            format!("<{}\n   {}>\n", &uri[..middle], &uri[middle..])
        }
        _ => format!("{uri}\n"),
    }
}

fn assert_hidden(what: &str, text: &[u8]) {
    let text = String::from_utf8_lossy(text).to_lowercase();
    if let Some(line) = text.lines().find(|line| line.contains(SECRET)) {
        panic!("{what}: {line}");
    }
}

/// Runs the program in `folder` with secrets hidden; neither its output nor its
/// messages nor its files contain one. Returns the output.
fn hidden(folder: &Path, args: &[&str], input: &str) -> Ran {
    let errors = folder.join("errors.jsonl");
    let all = [
        args,
        &[
            "--redact=@secrets,own",
            "--errors",
            errors.to_str().unwrap(),
        ],
    ]
    .concat();
    let ran = run(&all, input.as_bytes());
    let what = args.join(" ");
    assert_hidden(&what, ran.out.as_bytes());
    assert_hidden(&format!("{what} stderr"), ran.err.as_bytes());
    assert_hidden(&format!("{what} --errors"), &fs::read(&errors).unwrap());
    let lacks_column = ran.err.contains("there is no column");
    assert!(ran.code < 2 || lacks_column, "{what}: {}", ran.err);
    ran
}

const FORMATS: [&[&str]; 15] = [
    &[],
    &["--all", "-n", "--column", "-b", "-H"],
    &["--all", "--original", "--vimgrep"],
    &["--all", "--json"],
    &["--all", "-f", "csv", "--excel"],
    &["--all", "-f", "tsv"],
    &["--all", "-f", "ecs"],
    &["--groups"],
    &["--groups", "--json"],
    &["--groups", "-f", "csv"],
    &["-c", "--original"],
    &["-c", "--by", "host", "--json"],
    &["--surt", "-L", "scheme"],
    &["--sort", "--defang", "--nested", "--json"],
    &[
        "-L", "scheme", "--refang", "-v", "--stats", "--opaque", "all", "--all", "--json",
    ],
];

fn record(uri: &str, block: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <{uri}>\r\nWARC-Target-URI: {uri}\r\n\
         Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

/// A page with a link.
fn page(uri: &str, target: &str) -> String {
    let block = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=\"{}\" rel=\"nofollow\">x</a> {target}",
        target.replace('&', "&amp;")
    );
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    #[test]
    fn no_output_has_a_secret(uris in prop::collection::vec(nested_uri(), 80)) {
        let folder = folder();
        let text: String = uris.iter().enumerate().map(|(n, uri)| in_text(uri, n)).collect();
        for format in FORMATS {
            let ran = hidden(folder.path(), format, &text);
            prop_assert!(ran.out.contains("***") || format.contains(&"host"), "{:?}", format);
        }
        let table = folder.path().join("a.parquet");
        hidden(folder.path(), &["--all", "-o", table.to_str().unwrap()], &text);
        let reader = SerializedFileReader::new(fs::File::open(&table).unwrap()).unwrap();
        let mut rows = 0;
        for row in reader.get_row_iter(None).unwrap() {
            assert_hidden("parquet", row.unwrap().to_string().as_bytes());
            rows += 1;
        }
        prop_assert!(rows > uris.len() / 2);
    }

    #[test]
    fn no_archive_prints_a_secret(uris in prop::collection::vec(nested_uri(), 40)) {
        let folder = folder();
        let records: Vec<String> = uris
            .iter()
            .enumerate()
            .map(|(n, uri)| record(uri, &in_text(uri, n)))
            .collect();
        let mut archive = records.concat();
        for format in FORMATS {
            hidden(folder.path(), format, &archive);
        }
        // The last record is truncated.
        archive.truncate(archive.len() - 9);
        let errors = folder.path().join("errors.jsonl");
        let args = ["--redact=@secrets,own", "--json", "--errors", errors.to_str().unwrap()];
        let ran = run(&args, archive.as_bytes());
        prop_assert_eq!(ran.code, 2);
        assert_hidden("damaged", ran.out.as_bytes());
        assert_hidden("damaged stderr", ran.err.as_bytes());
        assert_hidden("damaged --errors", &fs::read(&errors).unwrap());
    }

    #[test]
    fn no_other_command_prints_a_secret(uris in prop::collection::vec(nested_uri(), 40)) {
        let folder = folder();
        let pages: String = uris.iter().map(|uri| page(uri, &uris[0])).collect();
        for format in ["text", "jsonl", "csv", "tsv"] {
            for node in [&[][..], &["--node", "host"]] {
                let args = [&["links", "--mentions", "--nofollow", "mark", "-f", format], node].concat();
                hidden(folder.path(), &args, &pages);
            }
        }
        for base in &uris[..8] {
            let mut args = vec!["resolve", "--redact=@secrets,own", "--base", base, "?x", "y"];
            args.extend(uris.iter().map(String::as_str));
            let ran = run(&args, b"");
            assert_hidden("resolve", ran.out.as_bytes());
            assert_hidden("resolve stderr", ran.err.as_bytes());
        }
        let records: String = uris
            .iter()
            .map(|uri| uri.replace('$', "{dollar}"))
            .map(|uri| format!(
                "=LDR  00000nam a2200000 a 4500\n=001  1\n=856  40$u{uri}$zsee {uri} x\n\n"
            ))
            .collect();
        for command in ["list", "check"] {
            for format in ["csv", "tsv", "jsonl"] {
                let ran = hidden(folder.path(), &["catalog", command, "-f", format], &records);
                prop_assert!(ran.out.contains("***"), "{}", ran.out);
            }
        }
    }

    #[test]
    fn no_list_has_a_secret(uris in prop::collection::vec(nested_uri(), 60)) {
        let folder = folder();
        let bad = |n: usize, uri: &String| match n % 4 {
            0 => format!("{uri}\n"),
            1 => format!("see {uri} x\n"),
            2 => format!("//{}\n", uri.split_once("//").map_or(&uri[..0], |(_, rest)| rest)),
            _ => format!("<{uri}>\n"),
        };
        let lines: String = uris.iter().enumerate().map(|(n, uri)| bad(n, uri)).collect();
        for args in [
            &["normalize"][..],
            &["normalize", "-L", "scheme", "--surt"],
            &["normalize", "--defang"],
            &["dedup"],
            &["dedup", "--canonical", "--stats"],
            &["dedup", "--groups"],
        ] {
            hidden(folder.path(), args, &lines);
        }
        let table: String = uris
            .iter()
            .map(|uri| format!("1,\"{uri}\",{},2\n", uri.replace(',', "")))
            .collect();
        for column in ["2", "3", "9"] {
            let ran = hidden(folder.path(), &["dedup", "--csv-column", column], &table);
            for line in ran.out.lines() {
                prop_assert!(line.starts_with("1,\"") && line.ends_with(",2"), "{}", line);
            }
        }
        let objects: String = uris
            .iter()
            .enumerate()
            .map(|(n, uri)| {
                let escaped = uri.replace('/', "\\/").replace('&', "\\u0026");
                format!("{{\"u\":\"{escaped}\",\"v\":\"{uri}\",\"n\":{n}}}\n")
            })
            .collect();
        for pointer in ["/u", "/none"] {
            let ran = hidden(folder.path(), &["dedup", "--field", pointer], &objects);
            for line in ran.out.lines() {
                prop_assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{}", line);
            }
        }
    }
}

proptest! {
    #[test]
    fn what_is_redacted_is_a_uri_and_stays_so(uri in nested_uri()) {
        let redactor = Redactor::default().parameters(["@secrets", "own"]).unwrap();
        let (mut once, mut twice) = (Vec::new(), Vec::new());
        let once = redactor.redact(uri.as_bytes(), &mut once);
        assert_hidden(&uri, once);
        let twice = redactor.redact(once, &mut twice);
        prop_assert_eq!(once, twice);
        prop_assert!(!urisieve::problems_of(once).has(urisieve::item::Problem::BadChar));
        prop_assert!(!urisieve::problems_of(once).has(urisieve::item::Problem::NoScheme));
        let is_found = |uri: &[u8]| {
            let mut found: Vec<Vec<u8>> = Vec::new();
            let mut add = each(|finding| found.push(finding.uri.to_vec()));
            let sieve = Sieve::builder().canonicalize(Canonicalizer::new(Level::None)).build();
            sieve.run([&[b"<", uri, b">"].concat()[..]], &mut add).unwrap();
            found == [uri]
        };
        // Without the delimiters in a password the host may be another one, and none where the
        // password extends to an "@" in a value that is hidden.
        let text = String::from_utf8_lossy(once);
        let (before, after) = text.split_once("***").unwrap_or(("", ""));
        let authority = before.split_once("//").map_or("/", |(_, authority)| authority);
        let has_host = authority.contains(['/', '?', '#']) || after.starts_with('@');
        prop_assert!(is_found(once) || !has_host || !is_found(uri.as_bytes()), "{}", uri);
    }

    /// Hosts and what stands around them, also encoded.
    #[test]
    fn what_is_defanged_is_refanged(
        scheme in r"(https?|ftp|x|git\+https|HTTP)://|mailto:|sip:|xmpp:",
        rest in r"((https?|ftp|x)://|mailto:|www\.|[a-z]{1,3}|\.|:|/|//|\?u=|&|#|@|,|\(|\)|_|%3A%2F%2F|%2E|%253A%252F%252F|\[::1\]|\[2001:db8::1\.2\.3\.4\]){0,16}"
    ) {
        let text = format!("<{scheme}{rest}>");
        let mut uris = Vec::new();
        let sieve = Sieve::builder().canonicalize(Canonicalizer::new(Level::Lexical)).build();
        sieve.for_each(text.as_bytes(), |finding| uris.push(finding.uri.to_vec())).unwrap();
        let (mut refanged, mut out) = (Refanged::new(), Vec::new());
        for uri in uris {
            refanged.read(&uri, true);
            // Others have marks without having been defanged.
            if refanged.text() == uri {
                out.clear();
                defang(&uri, &mut out);
                refanged.read(&out, true);
                prop_assert_eq!(
                    String::from_utf8_lossy(refanged.text()),
                    String::from_utf8_lossy(&uri),
                    "{}", String::from_utf8_lossy(&out)
                );
            }
        }
    }

    #[test]
    fn no_defanged_address_is_live(
        inner in r"(https?|ftp)://[a-z]{1,3}\.[a-z]{2,3}(:80)?/", form in 0..5,
    ) {
        let uri = match form {
            0 => inner,
            1 => format!("http://o.example/?u={inner}"),
            2 => format!("http://o.example/?u={}", encoded(&inner)),
            3 => format!("http://o.example/{}", encoded(&encoded(&inner))),
            _ => format!("mailto:joe@o.example?body={}", encoded(&inner)),
        };
        let mut out = Vec::new();
        defang(uri.as_bytes(), &mut out);
        let out = String::from_utf8(out).unwrap();
        prop_assert!(!out.replace("[.]", "").contains('.'), "{}", out);
        prop_assert!(!out.contains("http:"), "{}", out);
    }
}

#[test]
fn tokens_and_encoded_uris_are_hidden() {
    for (uri, expect) in [
        ("https://ghp_1@h.example/", "https://***@h.example/"),
        ("sip:joe:pw@h.example", "sip:joe:***@h.example"),
        ("mailto:joe@h.example", "mailto:joe@h.example"),
        (
            "http://h.example/?u=http%3A%2F%2Fa%3Ab%40c%2F%3Ftoken%3Dd&x",
            "http://h.example/?u=http%3A%2F%2Fa%3A***%40c%2F%3Ftoken%3D***&x",
        ),
        (
            "http://h.example/;jsessionid=1A?x",
            "http://h.example/;jsessionid=***?x",
        ),
    ] {
        for command in [
            &["--redact=@secrets"][..],
            &["normalize", "--redact", "@secrets"],
        ] {
            let ran = run(command, format!("{uri}\n").as_bytes());
            assert_eq!(ran.out, format!("{expect}\n"), "{command:?}");
        }
    }
    let formats = run(&["formats"], b"").out;
    for name in [
        "token",
        "api key",
        "code",
        "discord.com/api/webhooks/*/***",
        "ghp_…",
    ] {
        assert!(formats.contains(&format!("secret\t{name}\t")), "{formats}");
    }
    assert_eq!(run(&["--redact=@other"], b"").code, 2);
    assert_eq!(
        run(
            &[
                "resolve",
                "--base",
                "http://a:b@h/",
                "--redact=@secrets",
                "--defang",
                "?token=1"
            ],
            b""
        )
        .out,
        "hxxp://a:***@h/?token=***\n"
    );
}

#[test]
fn records_of_archives_are_redacted_and_defanged() {
    let archive = record("http://a:b@h.example/?token=1", "http://x.example/");
    let report = |args: &[&str]| {
        let out = run(&[args, &["--json"]].concat(), archive.as_bytes()).out;
        let found = serde_json::from_str::<serde_json::Value>(out.lines().last().unwrap());
        found.unwrap()["warc"]["target_uri"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        report(&["--redact=@secrets"]),
        "http://a:***@h.example/?token=***"
    );
    assert_eq!(report(&["--defang"]), "hxxp://a:b@h[.]example/?token=1");
    // References are resolved against the URI in the record, not against the one that
    // is printed.
    assert_eq!(report(&[]), "http://a:b@h.example/?token=1");
}

#[test]
fn lists_are_defanged() {
    let text = b"http://a.example/?u=ftp%3A%2F%2Fb.example\nmailto:joe@c.example\nno uri\n";
    let wanted = "hxxp://a[.]example/?u=ftp%3A%2F%2Fb[.]example\nmailto:joe@c[.]example\nno uri\n";
    for command in ["normalize", "dedup"] {
        assert_eq!(run(&[command, "--defang"], text).out, wanted);
    }
    assert_eq!(run(&["normalize", "--defang", "--surt"], text).code, 2);
    let hosts = run(
        &["-c", "--by", "host", "--defang"],
        b"http://[::1]/ http://a.b/",
    );
    assert_eq!(hosts.out, "1\t[[:][:]1]\n1\ta[.]b\n");
}

#[cfg(unix)]
#[test]
fn messages_quote_nothing_that_a_terminal_obeys() {
    let odd = "a\u{1b}[2J\u{202e}b\u{2028}c\u{200f}\u{9b}\nd";
    for args in [
        &["--by", odd, "-c"][..],
        &["-L", odd],
        &[&format!("--{}", &odd[1..])],
        &["normalize", &format!("--{}", &odd[1..])],
        &[odd],
        &["normalize", odd],
        &["--redact", &format!("--redact=query:@{odd}")],
        &["-g", &format!("[{odd}")],
        &["--wrap-limit", odd],
        &["--errors", &format!("none/{odd}")],
        &["-o", &format!("none/{odd}.csv")],
        &["--resolvers", odd],
        &["--files-from", odd],
        &["resolve", "--base", odd, "x"],
        &["dedup", "--field", &format!("/~{odd}")],
    ] {
        let ran = run(args, b"");
        let code = if args[0] == "resolve" { 1 } else { 2 };
        assert_eq!(ran.code, code, "{args:?}");
        let is_odd =
            |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2028}\u{200f}".contains(c);
        assert!(
            !ran.err.is_empty() && !ran.err.contains(is_odd),
            "{args:?}: {:?}",
            ran.err
        );
        assert!(
            !ran.err.lines().any(|line| line.starts_with('d')),
            "{args:?}: {:?}",
            ran.err
        );
    }
    let json = run(&["--json", "--label-is-none"], b"").err;
    assert!(json.contains("--label-is-none"), "{json}");
    let archive = record("http://a.example/\u{202e}x", "urn:a-b:c");
    let json = run(&["--json"], archive.as_bytes()).out;
    assert!(
        json.contains(r"\u202ex") && !json.contains('\u{202e}'),
        "{json}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_an_error() {
    for args in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["normalize", "--help"],
        &["formats"],
        &["formats", "--schema"],
        &["--generate", "man"],
        &["--generate", "complete-bash"],
        &["explain", "urn:a-b:c"],
        &["resolve", "--base", "http://a/", "b"],
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
            .args(args)
            .stdout(full)
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(err.contains("standard output: "), "{args:?}: {err}");
    }
}

#[cfg(unix)]
#[test]
fn spreadsheets_run_nothing() {
    let folder = folder();
    let file = folder.path().join("=1+1.txt");
    fs::write(&file, "http://a.example/\n").unwrap();
    let ran = |args: &[&str]| {
        let output = assert_cmd::Command::cargo_bin("urisieve")
            .unwrap()
            .current_dir(folder.path())
            .args([args, &["=1+1.txt"]].concat())
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (_, plain) = ran(&["-f", "csv"]);
    assert!(plain.starts_with("uri,") && plain.contains(",=1+1.txt,") && !plain.contains('\r'));
    let (_, guarded) = ran(&["-f", "csv", "--excel"]);
    assert!(
        guarded.starts_with("\u{feff}uri,") && guarded.contains(",'=1+1.txt,"),
        "{guarded}"
    );
    assert_eq!(guarded.matches("\r\n").count(), 2);
    let (_, counts) = ran(&["-f", "csv", "--excel", "-c", "--by", "file"]);
    assert_eq!(counts, "\u{feff}file,count\r\n'=1+1.txt,1\r\n");
    for format in ["text", "tsv", "jsonl", "ecs"] {
        assert_eq!(ran(&["-f", format, "--excel"]).0, Some(2), "{format}");
    }
    let archive = record("=http://h/", "http://x.example/");
    let report = run(&["-f", "csv", "--excel"], archive.as_bytes()).out;
    assert!(report.contains(",'=http://h/,"), "{report}");
}

#[test]
fn doubled_quotation_marks_of_a_table_save_no_secret() {
    let table = "id,url\n1,\"http://u:SEC\"\"RET@h/\"\n2,\"http://h/?access-token=SEC\"\"RET2\"\n3,\"http://h/?q=\"\"\"\n";
    let ran = run(
        &["dedup", "--csv-column", "url", "--redact=@secrets"],
        table.as_bytes(),
    );
    assert_eq!(
        ran.out,
        "id,url\n1,\"http://u:***@h/\"\n2,\"http://h/?access-token=***\"\n3,\"http://h/?q=\"\"\"\n"
    );
}

/// A table without a header, whose values are cut by a delimiter that is not its own.
#[test]
fn a_missing_column_shows_no_secret() {
    let row = "1,\"http://o.example/?u=https://:zqx;zqx=1@h.example/?token=zqx\",2\n";
    for rows in 1..6 {
        let table = row.repeat(rows);
        for column in ["1", "2", "9", "url"] {
            hidden(folder().path(), &["dedup", "--csv-column", column], &table);
        }
    }
}

//! The command `enrich`: every other byte of an event stays, whatever it is.

use crate::program::{Ran, output_of, program, run};
use proptest::prelude::*;
use std::fs;

fn enrich(args: &[&str], text: &str) -> Ran {
    run(&[&["enrich"], args].concat(), text.as_bytes())
}

#[test]
fn uris_are_added_before_the_end_of_an_event() {
    let text = "{\"m\":\"see http://a.example/x HTTP://A.example/x\",\"n\":1.50}\r\n\
        { \"m\" : \"http:\\/\\/b.example\" }\n{\"m\":\"none\"}\n\n[\"http://a.example/\"]\nnot http://a.example/\n\
        {\"urls\":1,\"m\":\"http://a.example/\"}\n{\"m\":\"http://a.example/\"\n{\"big\":12345678901234567890}";
    let ran = enrich(&[], text);
    let wanted = "{\"m\":\"see http://a.example/x HTTP://A.example/x\",\"n\":1.50,\"urls\":[\"http://a.example/x\"]}\r\n\
        { \"m\" : \"http:\\/\\/b.example\" ,\"urls\":[\"http://b.example\"]}\n";
    let (_, rest) = text.split_once("b.example\" }\n").unwrap();
    assert_eq!((ran.out, ran.code), (format!("{wanted}{rest}"), 0));
    let nothing = enrich(&[], "{\"m\":\"none\"}\n");
    assert_eq!(
        (nothing.out.as_str(), nothing.code),
        ("{\"m\":\"none\"}\n", 1)
    );
}

#[test]
fn fields_members_and_limits() {
    let text = "{\"a\":{\"m\":\"http://a.example/\"},\"b\":\"http://b.example/\"}\n";
    let out = |args: &[&str]| enrich(args, text).out;
    assert_eq!(
        out(&["--field", "/b"]),
        text.replace("/\"}\n", "/\",\"urls\":[\"http://b.example/\"]}\n")
    );
    assert_eq!(
        out(&["--into", "/a/found", "--max-per-event", "1"]),
        text.replace(
            "},",
            ",\"found\":[\"http://a.example/\"],\"found_more\":1},"
        )
    );
    assert_eq!(out(&["--into", "/c/found"]), text);
    let parts = out(&["--as", "urls", "--field", "/a"]);
    let wanted = ",\"urls\":[{\"uri\":\"http://a.example/\",\"kind\":\"url\",\"scheme\":\"http\",\
        \"host\":\"a.example\",\"path\":\"/\",\"pointer\":\"/a/m\"}]}\n";
    assert!(parts.ends_with(wanted), "{parts}");
    let ecs = out(&["--as", "ecs", "--field", "/b"]);
    assert!(ecs.contains("\"domain\":\"b.example\""), "{ecs}");
    assert_eq!(enrich(&["--always"], "{}\n").out, "{\"urls\":[]}\n");
    let secret = "{\"m\":\"http://u:p@a.example/\"}";
    let wanted = "{\"m\":\"http://u:p@a.example/\",\"urls\":[\"http://u:***@a.example/\"]}";
    assert_eq!(enrich(&["--redact"], secret).out, wanted);
    for (args, why) in [
        (&["--into", "urls"][..], "--into"),
        (&["--field", "m"], "--field"),
        (&["--drop-unmatched"], "--match"),
        (&["no-such-file"], "no-such-file"),
    ] {
        let ran = enrich(args, text);
        assert!(
            ran.code == 2 && ran.err.contains(why),
            "{args:?} {}",
            ran.err
        );
    }
}

#[test]
fn many_uris_of_one_event_are_added_once() {
    let uris: Vec<String> = (0..300)
        .map(|at| format!("http://a.example/{}", at % 150))
        .collect();
    let ran = enrich(&["--stats"], &format!("{{\"m\":\"{}\"}}\n", uris.join(" ")));
    assert!(
        ran.out
            .ends_with("http://a.example/99\"],\"urls_more\":50}\n"),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("50 uris_more"), "{}", ran.err);
}

#[test]
fn events_without_a_match_may_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("l"), "evil.example\nx y\n").unwrap();
    let text =
        "{\"m\":\"http://ok.example/ http://evil.example/1\"}\n{\"m\":\"http://ok.example/\"}\n";
    let ran = |more: &[&str]| {
        let args = [&["enrich", "--match", "l"], more].concat();
        output_of(program(&args).current_dir(folder.path()).write_stdin(text))
    };
    let first = "{\"m\":\"http://ok.example/ http://evil.example/1\",\"urls\":[\"http://evil.example/1\"]}\n";
    assert_eq!(ran(&["--drop-unmatched"]).out, first);
    let all = ran(&[]);
    assert_eq!(
        (all.out, all.code),
        (format!("{first}{{\"m\":\"http://ok.example/\"}}\n"), 2)
    );
    let parts = ran(&["--as", "urls", "--drop-unmatched"]).out;
    assert!(parts.contains("\"match\":[\"evil.example\"]"), "{parts}");
}

#[test]
fn files_are_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let event = "{\"m\":\"http://a.example/\"}\n";
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gz, event.as_bytes()).unwrap();
    fs::write(folder.path().join("a.jsonl.gz"), gz.finish().unwrap()).unwrap();
    fs::write(folder.path().join("b.jsonl"), event).unwrap();
    let args = ["enrich", "-o", "o.jsonl", "a.jsonl.gz", "b.jsonl"];
    let ran = output_of(program(&args).current_dir(folder.path()));
    assert_eq!((ran.out.as_str(), ran.code), ("", 0), "{}", ran.err);
    let written = fs::read_to_string(folder.path().join("o.jsonl")).unwrap();
    assert_eq!(
        written,
        event
            .replace("}", ",\"urls\":[\"http://a.example/\"]}")
            .repeat(2)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Without what is added, the output is the input (law of I18).
    #[test]
    fn every_other_byte_stays(
        lines in proptest::collection::vec(
            "[ ]?\\{\"[a-c]\" ?: ?(\"(x http://a\\.example/[a-c]?|y|\\\\\\\\|\\\\u0041)\"|[1-9]\\.50|null|\\[\\]|\\{\\})(,\"d\":\"http://b\\.example\")? ?\\}?|[a-z{}\"\\[]{0,8}",
            0..12,
        ),
        end in "\r?\n?",
    ) {
        let text = format!("{}{end}", lines.join("\n"));
        let out = enrich(&[], &text).out;
        let (mut before, mut after) = (text.split('\n'), out.split('\n'));
        loop {
            match (before.next(), after.next()) {
                (None, None) => break,
                (Some(before), Some(after)) if before == after => {}
                (Some(before), Some(after)) => {
                    let at = after.rfind(",\"urls\":[").unwrap();
                    let end = after.rfind("]}").unwrap();
                    prop_assert_eq!(format!("{}{}", &after[..at], &after[end + 1..]), before);
                    prop_assert!(serde_json::from_str::<serde_json::Value>(after).is_ok());
                }
                (before, after) => prop_assert!(false, "{before:?} {after:?}"),
            }
        }
    }
}

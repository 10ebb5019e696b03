//! `--drop-param @FILE` (I15): rules of ClearURLs and of AdGuard.

use crate::program::{Ran, output_of, program};
use std::fs;
use std::path::Path;

fn ran(folder: &Path, args: &[&str], text: &str) -> Ran {
    output_of(program(args).current_dir(folder).write_stdin(text))
}

#[test]
fn parameters_are_removed_by_rules_of_lists() {
    let folder = tempfile::tempdir().unwrap();
    let clear = r#"{"providers":{
        "shop":{"urlPattern":"^https?:\\/\\/(?:[a-z0-9-]+\\.)*?shop\\.example",
            "rules":["ref_?","pf_rd_[a-z]*","(?!x)y"],"referralMarketing":["tag"],
            "exceptions":["^https?:\\/\\/shop\\.example\\/keep"]},
        "none":{"urlPattern":"(?<!x)y","rules":["q"]},
        "all":{"urlPattern":".*","rules":["utm_[a-z]*"]}}}"#;
    fs::write(folder.path().join("clear.json"), clear).unwrap();
    let filter = "[Adblock Plus 2.0]\n! $removeparam=id\n||a.example^$removeparam=ref\n\
        ||c.example^$removeparam,domain=d.example\n$removeparam=/^from=[0-9]/i\n\
        @@||keep.a.example^$removeparam=ref\n||b.example^$doc,removeparam\n||x.example^\n";
    fs::write(folder.path().join("filter.txt"), filter).unwrap();
    let args = [
        "--all",
        "--drop-param",
        "@clear.json",
        "--drop-param",
        "@filter.txt",
    ];
    for (uri, wanted) in [
        (
            "http://www.shop.example/a?ref_=1&PF_rd_r=2&tag=t&id=3#f",
            "?tag=t&id=3#f",
        ),
        ("http://shop.example/keep?ref=1", "?ref=1"),
        ("http://o.example/?ref=1&utm_source=x&q=2", "?ref=1&q=2"),
        ("http://www.a.example/?x=1&%72ef=2&reff", "?x=1&reff"),
        (
            "http://keep.a.example/?ref=2&FROM=1&from=x",
            "?ref=2&from=x",
        ),
        ("http://b.example/?x=1;y", ""),
        ("http://c.example/?x=1", "?x=1"),
        ("http://aa.example/?ref", "?ref"),
    ] {
        let ran = ran(folder.path(), &args, uri);
        let wanted = format!("{}{wanted}\n", uri.split('?').next().unwrap());
        assert_eq!(
            (ran.out.as_str(), ran.code),
            (wanted.as_str(), 0),
            "{}",
            ran.err
        );
    }
    for (file, text, why) in [
        ("none", "a.example\n", "neither rules of ClearURLs"),
        ("bad", "{\"providers\":{\"a\":{}}}", "has no urlPattern"),
        ("broken", "{", "EOF"),
    ] {
        fs::write(folder.path().join(file), text).unwrap();
        let ran = ran(folder.path(), &["--drop-param", &format!("@{file}")], "");
        let said = format!("--drop-param @{file}");
        assert!(
            ran.code == 2 && ran.err.contains(why) && ran.err.contains(&said),
            "{}",
            ran.err
        );
    }
    let ran = ran(folder.path(), &["--drop-param", "@trackng"], "");
    assert!(ran.code == 2 && ran.err.contains("trackng"), "{}", ran.err);
}

#[test]
fn a_store_has_the_rules_that_it_was_made_by() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules");
    fs::write(&rules, "$removeparam=a\n").unwrap();
    let args = ["--drop-param", "@rules", "--seen", "s"];
    let first = ran(folder.path(), &args, "http://a.example/?a=1");
    assert_eq!(
        (first.out.as_str(), first.code),
        ("http://a.example/\n", 0),
        "{}",
        first.err
    );
    fs::write(&rules, "$removeparam=b\n").unwrap();
    let second = ran(folder.path(), &args, "http://a.example/?a=1");
    assert!(
        second.code == 2 && second.err.contains("params"),
        "{}",
        second.err
    );
}

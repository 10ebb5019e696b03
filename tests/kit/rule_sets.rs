//! The rules of extraction, as the program's flags, the slow reference and the library
//! state them.

#![allow(dead_code)] // Random rules come from no flags, references are found by no finder.

use urisieve::delimit::{Config, Hyphen, Wrap, WrapLimit};
use urisieve::item::{IdentifierKind, Marks, Problem, Problems};
use urisieve::reference::{self as slow, Options};
use urisieve::{Builder, Finder};

/// The rules that the flags set, and the flags that set no rule of extraction.
pub fn options<'a>(flags: &[&'a str]) -> (Options, Vec<&'a str>) {
    let mut options = Options::default();
    let mut others = Vec::new();
    let mut flags = flags.iter().copied();
    while let Some(flag) = flags.next() {
        let mut list = || flags.next().unwrap().split(',');
        match flag {
            "--nested" => options.nested = true,
            "--nested=base64" => (options.nested, options.nested_base64) = (true, true),
            "--abbreviated" => options.abbreviated = true,
            "--ascii" => options.ascii = true,
            "--strict" => options.strict = true,
            "--templates" => options.templates = true,
            "--refang" => options.refang = true,
            "--max-length" => options.max_length = flags.next().unwrap().parse().unwrap(),
            "--opaque" => {
                for name in list() {
                    match name {
                        "all" => options.opaque_all = true,
                        name => options.opaque.push(name.to_owned()),
                    }
                }
            }
            "--bare" => {
                let kind = |name| IdentifierKind::of_name(name).unwrap();
                options.identifiers = list().map(kind).collect();
            }
            "--wrap" => {
                options.wrap = match flags.next().unwrap() {
                    "any" => slow::Wrap::Any,
                    "off" => slow::Wrap::Off,
                    other => panic!("--wrap {other}"),
                }
            }
            "--hyphen" => {
                options.hyphen = match flags.next().unwrap() {
                    "drop" => slow::Hyphen::Drop,
                    "both" => slow::Hyphen::Both,
                    other => panic!("--hyphen {other}"),
                }
            }
            other => others.push(other),
        }
    }
    (options, others)
}

/// The rules of delimiting.
pub fn config(options: &Options) -> Config {
    Config::default()
        .wrap(match options.wrap {
            slow::Wrap::Lines => Wrap::Lines,
            slow::Wrap::Any => Wrap::Any,
            slow::Wrap::Off => Wrap::Off,
        })
        .wrap_limit(WrapLimit {
            bytes: options.wrap_limit_bytes,
            lines: options.wrap_limit_lines,
        })
        .hyphen(match options.hyphen {
            slow::Hyphen::Keep => Hyphen::Keep,
            slow::Hyphen::Drop => Hyphen::Drop,
            slow::Hyphen::Both => Hyphen::Both,
        })
        .nested(options.nested)
        .nested_base64(options.nested_base64)
        .ascii(options.ascii)
        .strict(options.strict)
        .templates(options.templates)
        .max_length(options.max_length)
        .opaque(&options.opaque)
        .opaque_all(options.opaque_all)
}

pub fn finder(options: &Options) -> Builder<Finder> {
    Finder::builder()
        .delimit(config(options))
        .abbreviated(options.abbreviated)
        .bare(options.identifiers)
        .refang(options.refang)
}

/// S7: the text of a finding of the slow reference with the scheme that it lacks.
pub fn with_scheme(found: &slow::Found) -> Vec<u8> {
    let scheme = match found.text.first() {
        _ if !found.marks.abbreviated => &b""[..],
        Some(b'f' | b'F') => b"ftp://",
        _ => b"http://",
    };
    let uri = match found.marks.identifier {
        Some(kind) => kind.reported(&found.text),
        None => &found.text,
    };
    [scheme, uri].concat()
}

/// The marks that delimiting gives; what the names of URNs are is not its matter.
pub fn delimited(marks: Marks) -> Marks {
    let mut problems = Problems::NONE;
    for problem in marks.problems.iter() {
        if problem <= Problem::NestedLimit {
            problems |= problem;
        }
    }
    let mut delimited = marks;
    delimited.problems = problems;
    delimited
}

//! What the flags mean on this machine: builders, inputs, a form.

use super::args::{self, Extract};
use crate::cli::messages::Names;
use std::path::PathBuf;
use urisieve::delimit::{Config, Hyphen, Wrap, WrapLimit};
use urisieve::engine::{Mode, Sieve};
use urisieve::input::{self, Source};
use urisieve::output::{Count, Form, Json, Text};

/// All that a run of `extract` needs.
pub(super) struct Plan {
    pub sieve: Sieve,
    pub inputs: Vec<Input>,
    pub form: Box<dyn Form>,
    pub max_length: usize,
    /// How records name standard input.
    pub stdin_name: &'static str,
}

/// An argument that names an input.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Stdin,
    Path(PathBuf),
}

impl Plan {
    /// # Errors
    /// A message for whoever typed the flags.
    pub(super) fn new(args: Extract) -> Result<Plan, String> {
        let max_length = size("--max-length", &args.max_length)?;
        let mode = match (args.all, args.count) {
            (true, _) => Mode::All,
            (_, true) => Mode::Count,
            _ => Mode::Distinct,
        };
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = match args.threads {
            Some(0) => return Err("-j: there must be at least one thread".to_owned()),
            Some(threads) => threads,
            None => cores(),
        };
        let sieve = Sieve::builder()
            .delimit(rules(&args, max_length)?)
            .abbreviated(args.abbreviated)
            .every_scheme(!args.opaque.is_empty())
            .level(args.level.parse().map_err(|e| format!("-L: {e}"))?)
            .mode(mode)
            .top(args.top)
            .originals(args.json)
            .threads(threads)
            .build();
        let form: Box<dyn Form> = match (args.json, args.count) {
            (true, _) => Box::new(Json),
            (_, true) => Box::new(Count),
            _ => Box::new(
                Text::default()
                    .names(args.with_filename)
                    .offsets(args.byte_offset),
            ),
        };
        Ok(Plan {
            sieve,
            inputs: inputs(args.files),
            form,
            max_length,
            stdin_name: if args.json { "-" } else { "(standard input)" },
        })
    }
}

fn rules(args: &Extract, max_length: usize) -> Result<Config, String> {
    let (bytes, lines) = match args.wrap_limit.split_once(',') {
        Some((bytes, lines)) => (bytes, lines),
        None => (&args.wrap_limit[..], "20"),
    };
    let limit = WrapLimit {
        bytes: size("--wrap-limit", bytes)?,
        lines: lines
            .parse()
            .map_err(|_| format!("--wrap-limit: {lines:?} is no number of lines"))?,
    };
    if limit.bytes > WRAP_LIMIT_MAX {
        return Err(format!(
            "--wrap-limit: {bytes} is more than {} bytes",
            WRAP_LIMIT_MAX
        ));
    }
    let all = args.opaque.iter().any(|name| name == "all");
    Ok(Config::default()
        .wrap(match args.wrap {
            args::Wrap::Lines => Wrap::Lines,
            args::Wrap::Any => Wrap::Any,
            args::Wrap::Off => Wrap::Off,
        })
        .wrap_limit(limit)
        .hyphen(match args.hyphen {
            args::Hyphen::Keep => Hyphen::Keep,
            args::Hyphen::Drop => Hyphen::Drop,
            args::Hyphen::Both => Hyphen::Both,
        })
        .nested(args.nested)
        .ascii(args.ascii)
        .strict(args.strict)
        .max_length(max_length)
        .opaque_all(all)
        .opaque(args.opaque.iter().filter(|name| *name != "all")))
}

/// Every block is read with twice as much before it.
const WRAP_LIMIT_MAX: usize = 1 << 20;

/// Bytes, with a unit of 1024: `8K`, `2M`, `1G`.
fn size(flag: &str, text: &str) -> Result<usize, String> {
    let wrong = || format!("{flag}: {text:?} is no size; write bytes or 8K, 2M, 1G");
    let split = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let unit = match &text[split..] {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        _ => return Err(wrong()),
    };
    let number: usize = text[..split].parse().map_err(|_| wrong())?;
    number.checked_mul(1 << unit).ok_or_else(wrong)
}

fn inputs(files: Vec<PathBuf>) -> Vec<Input> {
    if files.is_empty() {
        return vec![Input::Stdin];
    }
    let input = |path: PathBuf| match path.to_str() {
        Some("-") => Input::Stdin,
        _ => Input::Path(path),
    };
    files.into_iter().map(input).collect()
}

/// The sources of `inputs`, directories walked, each with its name in `names`.
pub(super) fn sources(
    inputs: Vec<Input>,
    names: Names,
) -> impl Iterator<Item = Source<'static>> + Send {
    inputs.into_iter().flat_map(move |input| {
        let paths = match input {
            Input::Path(path) if path.is_dir() => input::walk(&path)
                .into_iter()
                // What could not be walked fails again, and is told, when opened.
                .map(|found| found.unwrap_or_else(|(path, _)| path))
                .collect(),
            Input::Path(path) => vec![path],
            Input::Stdin => {
                names.add_stdin();
                return vec![Source::Stdin];
            }
        };
        let source = |path: PathBuf| {
            names.add(&path);
            Source::Path(path)
        };
        paths.into_iter().map(source).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("f", "12"), Ok(12));
        assert_eq!(size("f", "8K"), Ok(8192));
        assert_eq!(size("f", "2m"), Ok(2 << 20));
        for wrong in ["", "K", "8KB", "-1", "99999999999999999999", "99999999999G"] {
            assert!(size("f", wrong).is_err(), "{wrong}");
        }
    }
}

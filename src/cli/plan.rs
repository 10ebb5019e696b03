//! What the flags mean on this machine: builders, inputs, a form.

use super::args::{self, Extract, Rules};
use super::messages::Names;
use super::{select, signals};
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::canonicalize::{Canonicalizer, Redactor};
use urisieve::delimit::{Config, Hyphen, Wrap, WrapLimit};
use urisieve::engine::{Mode, Sequence, Sieve};
use urisieve::input::{Source, Walk};
use urisieve::output::{Count, Form, Json, Screen, Text};

/// All that a run of `extract` needs.
pub(super) struct Plan {
    pub sieve: Sieve,
    pub inputs: Vec<Input>,
    pub walk: Walk,
    pub form: Box<dyn Form>,
    pub max_length: usize,
    /// How records name standard input.
    pub stdin_name: &'static str,
    /// Set when the user interrupts.
    pub interrupted: Arc<AtomicBool>,
    pub quiet: bool,
    pub messages: Speech,
    /// Where losses are written, opened.
    pub errors: Option<File>,
    pub defang: bool,
    pub line_buffered: bool,
    pub stats: Option<StatsForm>,
}

/// How much is said on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speech {
    Silent,
    Brief,
    Verbose,
}

/// How the numbers of a run are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatsForm {
    Text,
    Json,
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
        let Extract {
            files,
            output,
            selection,
            input,
            rules,
        } = args;
        let max_length = size("--max-length", &rules.max_length)?;
        let mode = match (output.all, output.groups, output.count) {
            (true, _, _) => Mode::All,
            (_, true, _) => Mode::Groups,
            (_, _, true) => Mode::Count,
            _ => Mode::Distinct,
        };
        let counts = matches!(mode, Mode::Count | Mode::Groups);
        if output.top.is_some() && !counts {
            return Err("--top: only with -c or --groups".to_owned());
        }
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = match input.threads {
            Some(0) => return Err("-j: there must be at least one thread".to_owned()),
            Some(threads) => threads,
            None => cores(),
        };
        let places = output.line_number || output.column || output.vimgrep || output.json;
        let mut sieve = Sieve::builder()
            .delimit(delimit_rules(&rules, max_length)?)
            .abbreviated(rules.abbreviated)
            .every_scheme(!rules.opaque.is_empty())
            .refang(rules.refang)
            .canonicalize(
                Canonicalizer::new(output.level.parse().map_err(|e| format!("-L: {e}"))?)
                    .keep_components(output.keep_components)
                    .strip_fragment(output.strip_fragment),
            )
            .mode(mode)
            .top(output.top)
            .originals(output.json || output.original)
            .lines(places && !counts)
            .decompress(!input.no_decompress)
            .archives(input.input_format != "text")
            .threads(threads);
        if let Some(sequence) = sequence(&output) {
            sieve = sieve.sequence(sequence);
        }
        if let Some(what) = &output.redact {
            sieve = sieve.redact(redactor(what)?);
        }
        if let Some(select) = select::selection(selection)? {
            sieve = sieve.select(select);
        }
        let interrupted = signals::interrupt_flag().map_err(|error| error.to_string())?;
        let sieve = sieve.cancel(Arc::clone(&interrupted));
        let screen = screen(output.color);
        let form: Box<dyn Form> = match (output.json, counts) {
            (true, _) => Box::new(Json),
            (_, true) => Box::new(
                Count::default()
                    .originals(output.original)
                    .zero(output.null)
                    .screen(screen),
            ),
            _ => Box::new(
                Text::default()
                    .names((output.with_filename || output.vimgrep) && !output.no_filename)
                    .lines(output.line_number || output.vimgrep)
                    .columns(output.column || output.vimgrep)
                    .offsets(output.byte_offset)
                    .originals(output.original)
                    .zero(output.null)
                    .screen(screen),
            ),
        };
        let errors = output.errors.as_deref().map(|path| {
            File::create(path).map_err(|error| format!("--errors {}: {error}", path.display()))
        });
        Ok(Plan {
            sieve: sieve.build(),
            inputs: inputs(files, input.files_from)?,
            walk: Walk::default()
                .hidden(input.hidden)
                .ignore_files(input.gitignore)
                .follow(input.follow)
                .max_depth(input.max_depth)
                .globs(input.glob)
                .map_err(|error| format!("-g: {error}"))?,
            form,
            max_length,
            stdin_name: if output.json { "-" } else { "(standard input)" },
            interrupted,
            quiet: output.quiet,
            messages: match (output.no_messages, output.verbose) {
                (true, _) => Speech::Silent,
                (_, true) => Speech::Verbose,
                _ => Speech::Brief,
            },
            errors: errors.transpose()?,
            defang: output.defang,
            line_buffered: output.line_buffered,
            stats: output.stats.then_some(if output.json {
                StatsForm::Json
            } else {
                StatsForm::Text
            }),
        })
    }
}

/// The order of the records, when it is not that of the mode.
fn sequence(output: &args::Output) -> Option<Sequence> {
    if output.sort {
        Some(Sequence::Sorted)
    } else if output.unordered {
        Some(Sequence::Unordered)
    } else if output.count {
        Some(Sequence::Frequent)
    } else {
        None
    }
}

/// What `--redact` names: nothing, or `query:KEY,...`.
fn redactor(what: &str) -> Result<Redactor, String> {
    let names = match what.strip_prefix("query:") {
        Some(names) => names,
        None if what.is_empty() => "",
        None => return Err(format!("--redact: {what:?} is not query:KEY,...")),
    };
    let names = names.split(',').filter(|name| !name.is_empty());
    Ok(Redactor::default().parameters(names))
}

/// How text is told where standard output is a terminal, or where it is not.
fn screen(color: args::Color) -> Screen {
    let terminal = io::stdout().is_terminal();
    let plain = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let colors = match color {
        args::Color::Always => true,
        args::Color::Never => false,
        args::Color::Auto => terminal && !plain("NO_COLOR") && !dumb,
    };
    let screen = match terminal {
        true => Screen::SAFE,
        false => Screen::default(),
    };
    screen.colors(colors)
}

fn delimit_rules(args: &Rules, max_length: usize) -> Result<Config, String> {
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
    if limit.bytes > WRAP_BYTES_MAX || limit.lines > WRAP_LINES_MAX {
        return Err(format!(
            "--wrap-limit: at most {WRAP_BYTES_MAX} bytes and {WRAP_LINES_MAX} lines"
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
const WRAP_BYTES_MAX: usize = 1 << 20;
/// So many ends of lines are remembered.
const WRAP_LINES_MAX: usize = 1000;

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

fn inputs(files: Vec<PathBuf>, list: Option<PathBuf>) -> Result<Vec<Input>, String> {
    let mut inputs: Vec<Input> = files.into_iter().map(named).collect();
    if let Some(list) = list {
        inputs.extend(listed(&list)?.into_iter().map(named));
    } else if inputs.is_empty() {
        inputs.push(Input::Stdin);
    }
    Ok(inputs)
}

fn named(path: PathBuf) -> Input {
    match path.to_str() {
        Some("-") => Input::Stdin,
        _ => Input::Path(path),
    }
}

/// The names in a list, one a line; empty lines are passed over.
fn listed(list: &Path) -> Result<Vec<PathBuf>, String> {
    let mut text = Vec::new();
    let result = if list == Path::new("-") {
        io::stdin().read_to_end(&mut text)
    } else {
        File::open(list).and_then(|mut file| file.read_to_end(&mut text))
    };
    result.map_err(|error| format!("--files-from {}: {error}", list.display()))?;
    let lines = text.split(|&b| b == b'\n');
    let names = lines.filter(|line| !line.is_empty()).map(|line| {
        String::from_utf8(line.to_vec())
            .map(PathBuf::from)
            .map_err(|_| format!("--files-from {}: a name is not UTF-8", list.display()))
    });
    names.collect()
}

/// The sources of `inputs`, directories walked, each with its name in `names`.
pub(super) fn sources(
    inputs: Vec<Input>,
    walk: Walk,
    names: Names,
) -> impl Iterator<Item = Source<'static>> + Send {
    inputs.into_iter().flat_map(move |input| {
        let paths = match input {
            Input::Path(path) if path.is_dir() => walk
                .files(&path)
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

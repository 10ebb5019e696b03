//! The manual pages and the completions of shells, made from the flags.

use crate::cli::args::Args;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::io::{self, Write};

/// Prints the page or the completions that one of [`generated`](super::args::generated) names.
///
/// Returns an error when standard output cannot be written.
pub(super) fn print(name: &str) -> io::Result<()> {
    let mut out = Vec::new();
    match name.strip_prefix("complete-").map(str::parse) {
        Some(Ok(shell)) => complete(shell, &mut out),
        _ => page(name, &mut out)?,
    }
    io::stdout().write_all(&out)
}

fn complete(shell: Shell, out: &mut Vec<u8>) {
    let mut command = <Args as CommandFactory>::command();
    clap_complete::generate(shell, &mut command, "urisieve", out);
}

/// The manual page of the command whose page has this name, such as `man-dedup`.
fn page(name: &str, out: &mut Vec<u8>) -> io::Result<()> {
    // Flags that the short help hides would be listed without a description.
    let shown = |command: Command| command.mut_args(|arg| arg.hide_short_help(false));
    let mut whole = <Args as CommandFactory>::command();
    whole.build();
    let whole = shown(whole).mut_subcommands(|command| shown(command).mut_subcommands(shown));
    let mut command = whole.clone();
    for name in name.split('-').skip(1) {
        if let Some(found) = command.find_subcommand(name) {
            command = found.clone();
        }
    }
    let help = command.get_after_long_help().map(ToString::to_string);
    let source = format!("urisieve {}", env!("CARGO_PKG_VERSION"));
    let has_commands = command.has_subcommands();
    let man = Man::new(command).source(source);
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if has_commands {
        man.render_subcommands_section(out)?;
    }
    if let Some(help) = help {
        let (examples, codes) = parted(&help);
        let mut roff = Roff::new();
        roff.control("SH", ["EXAMPLES"]);
        roff.control("nf", []);
        for line in examples.lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
        if let Some(codes) = codes {
            roff.control("SH", ["EXIT STATUS"]);
            roff.text([roman(codes.replace('\n', " "))]);
        }
        roff.to_writer(out)?;
    }
    if name == "man" {
        man.render_version_section(out)?;
    }
    *out = with_one_preamble(out);
    Ok(())
}

/// Merges a page whose sections were rendered one by one: each has the same two lines
/// that define the apostrophe, and one copy is enough.
fn with_one_preamble(page: &[u8]) -> Vec<u8> {
    let lines = || page.split_inclusive(|&byte| byte == b'\n');
    let preamble: Vec<&[u8]> = lines().take(2).collect();
    let rest = lines().skip(2).filter(|line| !preamble.contains(line));
    preamble
        .iter()
        .copied()
        .chain(rest)
        .flatten()
        .copied()
        .collect()
}

/// Splits a help text into its examples and the description of the exit codes.
fn parted(help: &str) -> (&str, Option<&str>) {
    let (examples, codes) = match help.split_once("Exit codes: ") {
        Some((examples, codes)) => (examples, Some(codes)),
        None => (help, None),
    };
    let examples = examples.strip_prefix("Examples:\n").unwrap_or(examples);
    (examples.trim_end(), codes)
}

#[cfg(test)]
mod tests {
    use super::super::args::generated;
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let names = generated();
        for wanted in ["man", "man-dedup", "man-catalog-fix", "complete-bash"] {
            assert!(names.iter().any(|name| name == wanted), "{wanted}");
        }
        for name in names.iter().filter(|name| name.starts_with("man")) {
            let mut text = Vec::new();
            page(name, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            let title = format!(".TH {} ", name.replacen("man", "urisieve", 1));
            assert!(text.contains(&title), "{name}");
        }
    }
}

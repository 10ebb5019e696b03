//! Flags that users of grep expect, and their effect on the other flags.

use crate::cli::flags::OutputFlags;
use std::io::Write;
use urisieve::CountBy;
use urisieve::item::Finding;
use urisieve::output::{Form, FormError, Screen};

/// The flags of grep without a counterpart among the other flags.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Habits {
    /// Print the names of the inputs that contain a URI, each once
    ///
    /// In the order of the inputs; -0 ends each name with NUL. URIs that -s, --host and
    /// the like leave out do not count. An input is read up to the first URI that
    /// counts.
    #[arg(
        short = 'l',
        long,
        help_heading = "Output",
        hide_short_help = true,
        conflicts_with_all = [
            "count", "groups", "json", "line_number", "column", "byte_offset", "vimgrep",
            "original", "surt", "sort", "top", "against",
        ]
    )]
    pub files_with_matches: bool,

    /// Print at most N URIs of each input, and read it no further
    ///
    /// Without --all each class is printed once, and only printed URIs count. The rest
    /// of an input is not read: its damage is not reported, and a URI in it is new in
    /// the next input. With --all -c up to N occurrences are counted in each input.
    #[arg(
        short = 'm',
        long,
        value_name = "N",
        help_heading = "Output",
        hide_short_help = true,
        conflicts_with = "groups"
    )]
    pub max_count: Option<u64>,

    /// Names in --files-from end with NUL, whatever else they contain (grep's
    /// --null-data)
    #[arg(
        short = 'z',
        long,
        alias = "zero-terminated",
        requires = "files_from",
        help_heading = "Input",
        hide_short_help = true
    )]
    pub null_data: bool,

    /// Accepted for users of grep: directories are always walked
    #[arg(short = 'r', long, help_heading = "Input", hide_short_help = true)]
    pub recursive: bool,

    /// Accepted for users of grep: binary files are always searched
    #[arg(short = 'a', long, help_heading = "Input", hide_short_help = true)]
    pub text: bool,
}

/// The kind of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Print {
    /// Findings, or counts by a part.
    Findings,
    /// The names of inputs.
    Files,
    /// How many occurrences there are.
    Total,
}

impl Habits {
    /// Returns what is printed; turns `-cH` into `-c --by file`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn settle(&self, output: &mut OutputFlags) -> Result<Print, String> {
        // These flags ask for the default behavior.
        let _ = (self.recursive, self.text);
        if self.files_with_matches {
            return Ok(Print::Files);
        }
        if !output.counts.count {
            return Ok(Print::Findings);
        }
        if output.with_filename && !output.no_filename {
            match CountBy::named(&output.by) {
                None | Some(CountBy::Input) => output.by = CountBy::Input.name().to_owned(),
                _ => return Err("-H: with -c only by file; leave --by out".to_owned()),
            }
        }
        let is_total = output.counts.all && CountBy::named(&output.by).is_none();
        if self.max_count.is_some() && !is_total {
            return Err("-m: with -c only as --all -c -m N; --top N prints the first N".to_owned());
        }
        match is_total {
            true if output.order.top.is_some() => {
                Err("--top: not with --all -c, one number".to_owned())
            }
            true => Ok(Print::Total),
            false => {
                // Each part is counted once per occurrence.
                output.counts.all = false;
                Ok(Print::Findings)
            }
        }
    }

    /// The most findings that are wanted of an input.
    pub(in crate::cli) fn most(&self, print: Print) -> Option<u64> {
        match print {
            Print::Files => Some(self.max_count.unwrap_or(1).min(1)),
            Print::Findings | Print::Total => self.max_count,
        }
    }
}

impl Print {
    /// Returns the form of the output; `None` for findings.
    pub(in crate::cli) fn form(self, zero: bool, screen: Screen) -> Option<Box<dyn Form>> {
        let end = if zero { 0 } else { b'\n' };
        match self {
            Print::Findings => None,
            Print::Files => Some(Box::new(Files { end, screen })),
            Print::Total => Some(Box::new(Total { end, number: 0 })),
        }
    }
}

/// Writes the name of the input of each finding.
struct Files {
    end: u8,
    screen: Screen,
}

impl Form for Files {
    fn write(&mut self, _: &Finding, name: &[u8], out: &mut Vec<u8>) {
        match self.end {
            // Names that another program reads stay as they are.
            0 => out.extend_from_slice(name),
            _ => self.screen.line(name, out),
        }
        out.push(self.end);
    }
}

/// Counts findings.
struct Total {
    end: u8,
    number: u64,
}

impl Form for Total {
    fn write(&mut self, _: &Finding, _: &[u8], _: &mut Vec<u8>) {
        self.number += 1;
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        // Writing to memory does not fail.
        let _ = write!(out, "{}", self.number);
        out.push(self.end);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `ls` does it: a name is a line of a terminal, and stays as it is elsewhere.
    #[test]
    fn a_name_is_one_line_of_a_terminal() {
        let print = |zero, screen: Screen| {
            let mut out = Vec::new();
            let mut form = Print::Files.form(zero, screen).unwrap();
            urisieve::Sieve::builder()
                .build()
                .for_each(b"urn:a-b:c", |finding| {
                    form.write(finding, b"two\nlines\x1b", &mut out);
                })
                .unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(print(false, Screen::SAFE), "two\\x0Alines\\x1B\n");
        assert_eq!(print(false, Screen::PLAIN), "two\nlines\x1b\n");
        assert_eq!(print(true, Screen::SAFE), "two\nlines\x1b\0");
    }
}

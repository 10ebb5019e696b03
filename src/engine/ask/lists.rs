//! Which inputs are lists, and what follows from that: where an input may be cut, how
//! many of its ends of lines are remembered, and whether it may be a container.

use super::config::RunConfig;
use crate::decode::{
    Beginning, ExpectedFormat, InputFormat, Layout, MARK_MAX, MARKS_LEN, RECORD_MAX,
};
use crate::engine::batches::lines::Remembered;
use crate::input::{Source, is_maildir};
use crate::scan::Cutter;
use crate::unpack::{NamedFormat, Unpack, without_compression};
use std::collections::HashMap;
use std::path::Path;

/// The settings by which an input is read.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine) struct InputReading {
    pub unpack: Unpack,
    /// All text is UTF-16.
    pub utf16: bool,
    /// No text is UTF-16 or UTF-32: their byte-order marks are bytes like others.
    pub never_wide: bool,
    /// The format of its text.
    pub format: ExpectedFormat,
    /// Whether it is a list, which no container is.
    pub is_list: bool,
    /// Whether its records end with NUL, which is then no sign of UTF-16.
    pub ends_with_nul: bool,
    /// The input is a text in memory: UTF-16 is not detected.
    pub is_text: bool,
}

/// Returns what is unpacked of `source`: nothing of a text in memory. The name of a file
/// may promise a format.
pub(in crate::engine) fn unpack_of(source: &Source, unpack: Unpack) -> Unpack {
    match source.unnamed() {
        Source::Path(path) => unpack.expecting(path),
        Source::Text(_) => of_text(unpack),
        _ => unpack,
    }
}

/// Returns what is unpacked of a text in memory.
fn of_text(unpack: Unpack) -> Unpack {
    Unpack {
        decompress: false,
        containers: false,
        ..unpack
    }
}

/// Returns the format that the name of a file states, apart from the name of a compression: its
/// extension, or its folder in a Maildir.
fn format_of_name(path: &Path, decompress: bool) -> Option<&'static InputFormat> {
    let is_mail = || is_maildir(path.parent()?.parent()?).then_some(());
    let folder = path.parent().and_then(Path::file_name);
    let is_of_mail = folder.is_some_and(|name| name == "cur" || name == "new");
    let name = path.file_name()?.as_encoded_bytes();
    let name = match decompress {
        true => without_compression(name),
        false => name,
    };
    let named = InputFormat::of_name(name);
    named.or_else(|| {
        is_of_mail
            .then(is_mail)
            .flatten()
            .and(InputFormat::named("mail"))
    })
}

impl InputReading {
    /// Returns how the inputs of a run are read, as far as its settings say it.
    pub(in crate::engine) fn by(config: &RunConfig, unpack: Unpack) -> InputReading {
        InputReading {
            unpack,
            utf16: config.reading.utf16,
            never_wide: config.reading.never_wide,
            format: config.reading.expected(config.keys.pairs.is_some()),
            ..InputReading::default()
        }
    }

    /// Returns how `source` is read.
    pub(in crate::engine) fn of(self, source: &Source) -> InputReading {
        let named = match source.unnamed() {
            Source::Text(_) => return self.of_text(),
            Source::Path(path) | Source::ReaderLike(path, _) => {
                format_of_name(path, self.unpack.decompress)
            }
            _ => None,
        };
        InputReading {
            format: ExpectedFormat {
                named: named.filter(|_| !self.is_list),
                is_text: false,
                ..self.format
            },
            unpack: unpack_of(source, self.unpack),
            is_text: false,
            ..self
        }
    }

    /// Returns how a text in memory is read.
    #[inline]
    pub(in crate::engine) fn of_text(self) -> InputReading {
        InputReading {
            format: ExpectedFormat {
                named: None,
                is_text: true,
                ..self.format
            },
            unpack: of_text(self.unpack),
            is_list: false,
            is_text: true,
            ..self
        }
    }

    /// Returns how the rows of a table of Parquet are read, which are text.
    pub(in crate::engine) fn of_table(self) -> InputReading {
        InputReading {
            format: ExpectedFormat {
                chosen: InputFormat::named("parquet"),
                ..self.format
            },
            unpack: Unpack {
                decompress: false,
                containers: false,
                expected: NamedFormat::Unknown,
                ..self.unpack
            },
            ..self
        }
    }

    /// Whether every input that has no layout of its own is text, in UTF-8 unless a byte-order
    /// mark says otherwise.
    #[inline]
    pub(in crate::engine) fn is_all_text(&self) -> bool {
        let chosen = self.format.chosen;
        !self.utf16 && !self.ends_with_nul && chosen.is_some_and(InputFormat::is_text)
    }

    /// Returns the encoding of an input that begins with `head`, and its media type if it
    /// is markup; `None` when more bytes are needed. `whole` says that nothing follows
    /// `head`.
    pub(in crate::engine) fn begins(
        &self,
        head: &[u8],
        whole: bool,
    ) -> Option<(Beginning, Option<&'static str>)> {
        if (self.is_text || self.never_wide) && !self.utf16 {
            let media_type = self.format.media_type(head, whole)?;
            if media_type.is_none() || self.format.chosen.is_some() || self.never_wide {
                let mark = Beginning::by_mark(head, whole)?;
                let mark = mark.filter(|mark| mark.utf16.is_none());
                return Some((mark.unwrap_or_default(), media_type));
            }
        }
        let beginning = match self.ends_with_nul && !self.utf16 {
            true => Beginning::by_mark(head, whole)?.unwrap_or_default(),
            false => Beginning::of(head, whole, self.utf16)?,
        };
        if self.is_text && !self.utf16 && beginning.utf16.is_some() {
            // Markup that is only detected would be decoded as UTF-16 as well.
            return Some((Beginning::default(), None));
        }
        Some((beginning, self.format.media_type(head, whole)?))
    }

    /// Returns the format that an input which is read as text seems to be in.
    pub(in crate::engine) fn seeming(self, head: &[u8]) -> Option<&'static InputFormat> {
        let is_text = self.is_text || self.is_list;
        (!is_text).then(|| self.format.seeming(head)).flatten()
    }
}

/// Which inputs are lists, and how they are written.
#[derive(Debug)]
pub(in crate::engine) struct Lists {
    every: Option<Layout>,
    /// The layouts of single inputs, which override `every`.
    of: HashMap<usize, Layout>,
    /// Finds where texts may be cut.
    cutter: Cutter,
    /// The most line breaks that a URI in a text may have.
    breaks: usize,
}

impl Lists {
    pub(in crate::engine) fn new(config: &RunConfig) -> Lists {
        let limit = config.search.delimit.fold_limit();
        // The limit counts refanged bytes, each of which may replace a whole mark.
        let reach = match config.search.refang {
            true => limit.bytes * MARK_MAX + MARKS_LEN,
            false => limit.bytes,
        };
        Lists {
            every: config.search.layout.clone(),
            of: config.search.layouts.clone(),
            cutter: Cutter::new(reach, config.search.delimit.joins_blanks())
                .refang(config.search.refang)
                .line_ends(config.search.delimit.has_line_ends()),
            breaks: limit.lines,
        }
    }

    /// Whether no input is a list.
    #[inline]
    pub(in crate::engine) fn are_none(&self) -> bool {
        self.every.is_none() && self.of.is_empty()
    }

    /// Returns how the records of an input are written, if it is a list.
    pub(in crate::engine) fn layout(&self, input: usize) -> Option<&Layout> {
        self.of.get(&input).or(self.every.as_ref())
    }

    /// Returns the cutter for an input.
    pub(in crate::engine) fn cutter(&self, input: usize) -> Cutter {
        match self.layout(input) {
            None => self.cutter,
            Some(layout) if layout.ends_with_lines() => Cutter::every_line(),
            Some(_) => Cutter::nowhere(),
        }
    }

    /// Returns how many ends of lines of an input are remembered. A record begins at most
    /// [`RECORD_MAX`] bytes before its end, which UTF-16 doubles.
    pub(in crate::engine) fn remembered(&self, input: usize) -> Remembered {
        match self.layout(input) {
            None => Remembered::Lines(self.breaks),
            Some(_) => Remembered::Bytes(2 * RECORD_MAX as u64),
        }
    }

    /// Returns how an input is read, where others are read by `reading`. A list is never
    /// split as a container or read as markup, although it may begin like one. That all text is
    /// UTF-16 does not apply to an input that has a layout of its own.
    #[inline]
    pub(in crate::engine) fn reading(&self, input: usize, reading: InputReading) -> InputReading {
        let layout = self.layout(input);
        let is_list = layout.is_some();
        InputReading {
            unpack: Unpack {
                containers: reading.unpack.containers && !is_list,
                ..reading.unpack
            },
            utf16: reading.utf16 && !self.of.contains_key(&input),
            format: match is_list {
                true => ExpectedFormat {
                    chosen: Some(InputFormat::text()),
                    ..reading.format
                },
                false => reading.format,
            },
            is_list,
            ends_with_nul: matches!(layout, Some(Layout::Zero)),
            ..reading
        }
    }
}

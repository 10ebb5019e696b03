//! What `list`, `check` and `fix` have in common: which inputs are read and how, and what is
//! said on standard error while they are.

use super::flags::CatalogInput;
use crate::cli::destination::OutputNames;
use crate::cli::flags::MessageFlags;
use crate::cli::inputs::{self, Input, InputNames, STDIN, inputs};
use crate::cli::memory::{MemoryShares, MemoryUses};
use crate::cli::messages::{self, Messages};
use crate::cli::plan::{self, Speech};
use crate::cli::progress::{self, Line, Manner, Ticker};
use crate::cli::signals::Interrupt;
use std::path::PathBuf;
use std::sync::Arc;
use urisieve::decode::{InputFormat, TableColumn};
use urisieve::engine::{CatalogRun, CatalogSink, CatalogStats, CatalogWork, Error, Progress};
use urisieve::input::Walk;

/// The inputs, and how they are read.
pub(super) struct CatalogReading {
    pub inputs: Vec<Input>,
    pub names: InputNames,
    pub threads: usize,
    pub shares: MemoryShares,
    pub flags: CatalogInput,
    memory: MemoryUses,
    walk: Walk,
    is_named: bool,
    id_column: Option<TableColumn>,
    line: Line,
    progress: Option<(Arc<Progress>, Manner)>,
    /// Whether nothing is said, not even that standard input is read.
    is_mute: bool,
}

/// The messages on standard error.
pub(super) struct CatalogSpeech {
    pub messages: Messages,
    pub speech: Speech,
    /// The progress line, which is cleared while something else is written.
    pub line: Line,
}

impl CatalogReading {
    /// Settles what `files` and `flags` name, beside what takes `memory`, too.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn new(
        files: Vec<PathBuf>,
        mut flags: CatalogInput,
        id_column: Option<&str>,
        memory: MemoryUses,
    ) -> Result<CatalogReading, String> {
        let threads = plan::threads(flags.threads)?;
        let shares = flags.memory.shares(memory)?;
        let walk = flags.walk.walk()?;
        let listed = flags.walk.files_from.take();
        let is_named = !files.is_empty() || listed.is_some();
        Ok(CatalogReading {
            inputs: inputs(files, listed, false)?,
            names: InputNames::new(flags.label.as_deref().unwrap_or(STDIN)),
            threads,
            shares,
            flags,
            memory,
            walk,
            is_named,
            id_column: id_column.map(TableColumn::parse),
            line: Line::hidden(),
            progress: None,
            is_mute: false,
        })
    }

    /// Whether an input is named, and there is one.
    pub(super) fn has_inputs(&self) -> bool {
        self.is_named && !self.inputs.is_empty()
    }

    /// Settles what is said: only errors where the run is `quiet`, and no progress on the
    /// terminal that rows go to. The other outputs of the run are `outputs`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn speech(
        &mut self,
        flags: &MessageFlags,
        is_quiet: bool,
        to_terminal: bool,
        outputs: &mut OutputNames,
    ) -> Result<CatalogSpeech, String> {
        let inputs = self.inputs.iter().cloned();
        let errors = plan::errors(flags.errors.as_deref(), inputs, outputs)?;
        let speech = Speech::new(flags.no_messages, flags.verbose);
        self.is_mute = is_quiet || flags.no_messages;
        let manner = match self.is_mute {
            true => None,
            false => progress::manner(flags.progress, to_terminal),
        };
        self.progress = manner.map(|manner| (Arc::new(Progress::default()), manner));
        let (names, line) = (self.names.clone(), self.line.clone());
        let messages = Messages::new(names, usize::MAX, speech, errors, line.clone());
        Ok(CatalogSpeech {
            messages: messages.with_memory(self.memory),
            speech,
            line,
        })
    }

    /// Returns a run over the inputs.
    pub(super) fn run(&self, interrupt: &Interrupt) -> CatalogRun {
        let mut run = CatalogRun::new()
            .format(InputFormat::named(&self.flags.input_format).and_then(|format| format.records))
            .id_column(self.id_column.clone())
            .utf16(self.flags.utf16)
            .decompress(!self.flags.no_decompress)
            .threads(self.threads)
            .cancel(interrupt.flag());
        if let Some((progress, _)) = &self.progress {
            run = run.progress(Arc::clone(progress));
        }
        self.flags.memory.configure_catalog(run, &self.shares)
    }

    /// Reads all inputs by `run`, and shows the progress.
    ///
    /// # Errors
    /// Why the run ended.
    pub(super) fn read<W: CatalogWork, S: CatalogSink<W::Output>>(
        self,
        run: &CatalogRun,
        work: &W,
        sink: &mut S,
    ) -> Result<CatalogStats, Error> {
        messages::keyboard(self.is_named, !self.is_mute);
        let ticker = self.progress.map(|(progress, manner)| {
            let (inputs, walk) = (self.inputs.clone(), self.walk.clone());
            Ticker::start(self.line, manner, progress, inputs, walk)
        });
        let sources = inputs::sources(self.inputs, self.walk, self.names);
        let result = run.run(sources, work, sink);
        // Without the thread no progress is shown; nothing else changes.
        if let Some(Ok(ticker)) = ticker {
            ticker.stop();
        }
        result
    }
}

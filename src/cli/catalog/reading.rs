//! The common part of `list`, `check` and `fix`: which inputs are read and how, and what is
//! said on standard error while they are.

use super::flags::CatalogInput;
use crate::cli::destination::OutputNames;
use crate::cli::flags::memory::{MemoryShares, MemoryUses};
use crate::cli::flags::{MessageFlags, NamedInputs};
use crate::cli::inputs::{self, InputNames};
use crate::cli::report::messages::{self, Messages, Speech};
use crate::cli::report::progress::{Line, Manner, Ticker};
use crate::cli::shard::InputShard;
use crate::cli::signals::Interrupt;
use std::sync::Arc;
use urisieve::decode::{InputFormat, TableColumn};
use urisieve::{Builder, CatalogRun, CatalogSink, CatalogStats, CatalogWork, Error, Progress};

/// The inputs, and how they are read.
pub(super) struct CatalogReading {
    pub inputs: NamedInputs,
    pub names: InputNames,
    pub threads: usize,
    pub shares: MemoryShares,
    pub flags: CatalogInput,
    memory: MemoryUses,
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
    /// Settles what `flags` name, beside other uses of `memory`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn new(
        mut flags: CatalogInput,
        id_column: Option<TableColumn>,
        memory: MemoryUses,
    ) -> Result<CatalogReading, String> {
        let resources = &flags.resources;
        let threads = resources.threads()?;
        let shares = resources.memory.shares(memory)?;
        let walk = flags.files.walk()?;
        let files = std::mem::take(&mut flags.files);
        Ok(CatalogReading {
            inputs: files.inputs(walk, false)?,
            names: flags.text.stdin.names(),
            threads,
            shares,
            flags,
            memory,
            id_column,
            line: Line::hidden(),
            progress: None,
            is_mute: false,
        })
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
        let inputs = self.inputs.inputs.iter().cloned();
        let errors = flags.errors.open(inputs, outputs)?;
        let speech = flags.speech();
        self.is_mute = is_quiet || speech == Speech::Silent;
        let manner = flags.manner(is_quiet, to_terminal);
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
    pub(super) fn run(&self, interrupt: &Interrupt) -> Builder<CatalogRun> {
        let mut run = CatalogRun::builder()
            .format(InputFormat::named(&self.flags.input_format).and_then(|format| format.records))
            .id_column(self.id_column.clone())
            .utf16(self.flags.text.utf16)
            .decompress(!self.flags.decompress.no_decompress)
            .threads(self.threads)
            .cancel(interrupt.flag());
        if let Some((progress, _)) = &self.progress {
            run = run.progress(Arc::clone(progress));
        }
        let memory = &self.flags.resources.memory;
        memory.configure_catalog(run, &self.shares)
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
        messages::keyboard(self.inputs.is_named, !self.is_mute);
        let NamedInputs { inputs, walk, .. } = self.inputs;
        let ticker = self.progress.map(|(progress, manner)| {
            let (inputs, walk) = (inputs.clone(), walk.clone());
            Ticker::start(self.line, manner, progress, inputs, walk)
        });
        let sources = inputs::sources(inputs, walk, (self.names, InputShard::default()));
        let result = run.run(sources, work, sink);
        // Without the thread no progress is shown; nothing else changes.
        if let Some(Ok(ticker)) = ticker {
            ticker.stop();
        }
        result
    }
}

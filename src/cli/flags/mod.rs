//! The flags in groups, as they were typed, and their values: each flag is defined once and
//! flattened where a command has it. The commands decide what they mean; a command words
//! anew what a flag means otherwise there.

mod data;
mod defined_late;
pub(super) mod equivalence;
mod exchanges;
mod input;
mod logs;
mod matching;
pub(super) mod memory;
mod messages;
mod output;
pub(super) mod privacy;
mod records;
mod rules;
mod seen;
mod wording;

pub(super) use data::{FieldFlags, data_column, delimiter, with_field};
pub(super) use defined_late::DefinedLate;
pub(super) use exchanges::ExchangeFlags;
pub(super) use input::{
    AUTO, AgainstFlag, DecompressFlag, FileFlags, InputFlags, LineEndFlag, NamedInputs, ShardFlag,
    StdinFlag, TextFlags, format_names,
};
pub(super) use logs::{BaseFlag, LogFlags};
pub(super) use matching::{MatchFlags, MatchWithFlag};
pub(super) use messages::{ErrorsFlag, MessageFlags, SilenceFlag, StatsFlag};
pub(super) use output::{CountFlags, OrderFlags, OutputFlags, SurtFlag};
pub(super) use records::{Color, FormatFlags, LineBufferedFlag, PathFlag, ReportFlags, SplitFlag};
pub(super) use rules::{BareFlag, ReferenceFlags, RuleFlags, Selection};
pub(super) use seen::{SeenFlags, StoreFlags};
pub(super) use wording::{shown, worded, worded_first};

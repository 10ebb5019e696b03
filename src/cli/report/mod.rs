//! Standard error and standard output: messages, losses, progress, statistics, panics. What
//! is written of the findings is left to `destination` and to the forms.

pub(super) mod closed;
pub(super) mod errors_file;
pub(super) mod hints;
pub(super) mod messages;
pub(super) mod panics;
pub(super) mod printable;
pub(super) mod progress;
pub(super) mod stats;
pub(super) mod stderr;
pub(super) mod stdout;

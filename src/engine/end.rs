//! Why a run ends before the end of its inputs, and how the answers of a sink lead
//! to that.

use crate::engine::{Error, ErrorKind};
use std::io;
use std::ops::ControlFlow;

/// Why a run ends early.
#[derive(Debug)]
pub(super) enum End {
    /// The sink returned `Break`.
    Stopped,
    /// The run failed: the sink is not called any more.
    Failed(Error),
    /// A worker panicked: everything before the panic is reported first.
    Cut(Error),
}

/// Returns an error when the answer of a sink ends the run.
pub(super) fn check_flow(answer: io::Result<ControlFlow<()>>) -> Result<(), End> {
    match answer {
        Ok(ControlFlow::Continue(())) => Ok(()),
        Ok(ControlFlow::Break(())) => Err(End::Stopped),
        Err(cause) => Err(End::Failed(Error::new(ErrorKind::Write, cause))),
    }
}

/// An error of the temporary file, or of known keys, ends the run.
impl From<io::Error> for End {
    fn from(cause: io::Error) -> End {
        End::Failed(Error::of_set(cause))
    }
}

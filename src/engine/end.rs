//! Why a run ends before its inputs do, and what a sink answered.

use super::{Error, ErrorKind};
use std::io;
use std::ops::ControlFlow;

/// Why a run ends early.
#[derive(Debug)]
pub(super) enum End {
    /// The sink wants nothing more.
    Stopped,
    /// Nothing more is given to the sink.
    Failed(Error),
    /// What a worker did panicked: what comes before it is reported as a whole.
    Cut(Error),
}

/// What the answer of a sink means for the run.
pub(super) fn heed(answer: io::Result<ControlFlow<()>>) -> Result<(), End> {
    match answer {
        Ok(ControlFlow::Continue(())) => Ok(()),
        Ok(ControlFlow::Break(())) => Err(End::Stopped),
        Err(cause) => Err(End::Failed(Error::new(ErrorKind::Write, cause))),
    }
}

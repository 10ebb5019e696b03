//! What differs between operating systems in being interrupted. The first
//! interrupt or request to end ends the input, the second the program.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What a program adds to the number of the signal that ended it.
const ENDED_BY: usize = 128;

/// Whether the run is to end, and why.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt {
    flag: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Waits for signals from now on: interrupt, terminate, hang up.
    ///
    /// # Errors
    /// Those of installing a signal handler.
    #[cfg(unix)]
    pub(super) fn wait() -> io::Result<Interrupt> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let interrupt = Interrupt::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let code = ENDED_BY as i32 + signal;
            // In this order: the first signal finds the flag unset.
            signal_hook::flag::register_conditional_shutdown(
                signal,
                code,
                Arc::clone(&interrupt.flag),
            )?;
            let number = usize::try_from(signal).unwrap_or_default();
            signal_hook::flag::register_usize(signal, Arc::clone(&interrupt.signal), number)?;
            signal_hook::flag::register(signal, Arc::clone(&interrupt.flag))?;
        }
        Ok(interrupt)
    }

    /// Signals end the program here, at once.
    #[cfg(not(unix))]
    pub(super) fn wait() -> io::Result<Interrupt> {
        Ok(Interrupt::default())
    }

    /// The flag that the first signal sets.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// The exit code of a run that a signal ended.
    pub(super) fn code(&self) -> Option<u8> {
        let ended = self.flag.load(Ordering::Relaxed);
        let code = ENDED_BY + self.signal.load(Ordering::Relaxed);
        ended.then(|| u8::try_from(code).unwrap_or(u8::MAX))
    }
}

//! Interrupts, which differ between operating systems. The first signal ends the input;
//! one that comes at least a second later ends the program (`timeout` sends two at
//! once).

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A shell adds this to the number of the signal that ended a program.
const ENDED_BY: usize = 128;

/// A second signal that comes sooner does not end the program.
#[cfg(unix)]
const AGAIN: std::time::Duration = std::time::Duration::from_secs(1);

/// Whether the run must end, and why.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt {
    flag: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Starts to handle signals: interrupt, terminate, hang up.
    ///
    /// # Errors
    /// Returns an error when a signal handler cannot be installed, or when the thread
    /// that waits cannot be started.
    #[cfg(unix)]
    pub(super) fn wait() -> io::Result<Interrupt> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
        use signal_hook::iterator::Signals;
        use std::time::Instant;

        // A file that reaches the limit of `ulimit -f` is an error of its write.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        let interrupt = Interrupt::default();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let Interrupt { flag, signal } = interrupt.clone();
        let wait = move || {
            let mut first: Option<Instant> = None;
            for number in signals.forever() {
                match first {
                    None => {
                        let number = usize::try_from(number).unwrap_or_default();
                        signal.store(number, Ordering::Relaxed);
                        flag.store(true, Ordering::Release);
                        first = Some(Instant::now());
                    }
                    Some(first) if first.elapsed() < AGAIN => {}
                    Some(_) => signal_hook::low_level::exit(ENDED_BY as i32 + number),
                }
            }
        };
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(wait)?;
        Ok(interrupt)
    }

    /// Does nothing: on this system signals end the program at once.
    #[cfg(not(unix))]
    pub(super) fn wait() -> io::Result<Interrupt> {
        Ok(Interrupt::default())
    }

    /// Returns the flag that the first signal sets.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// The exit code of a run that a signal ended; `None` before the first signal.
    pub(super) fn code(&self) -> Option<u8> {
        let ended = self.flag.load(Ordering::Acquire);
        let code = ENDED_BY + self.signal.load(Ordering::Relaxed);
        ended.then(|| u8::try_from(code).unwrap_or(u8::MAX))
    }
}

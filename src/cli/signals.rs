//! What differs between operating systems in being interrupted. The first
//! interrupt or request to end ends the input; one that comes at least a second
//! later ends the program (`timeout` signals twice at once).

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What a program adds to the number of the signal that ended it.
const ENDED_BY: usize = 128;

/// A signal that comes sooner after the first one is not meant to end the program.
#[cfg(unix)]
const AGAIN: std::time::Duration = std::time::Duration::from_secs(1);

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
    /// Those of installing a signal handler and of starting the thread that waits.
    #[cfg(unix)]
    pub(super) fn wait() -> io::Result<Interrupt> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::iterator::Signals;
        use std::time::Instant;

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

    /// Signals end the program here, at once.
    #[cfg(not(unix))]
    pub(super) fn wait() -> io::Result<Interrupt> {
        Ok(Interrupt::default())
    }

    /// The flag that the first signal sets.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// The exit code of a run that a signal ended; none when no signal has come yet.
    pub(super) fn code(&self) -> Option<u8> {
        let ended = self.flag.load(Ordering::Acquire);
        let code = ENDED_BY + self.signal.load(Ordering::Relaxed);
        ended.then(|| u8::try_from(code).unwrap_or(u8::MAX))
    }
}

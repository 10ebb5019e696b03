//! What differs between operating systems in being interrupted. The first
//! interrupt ends the input, the second the program.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The exit code of an interrupted program (128 + SIGINT).
pub(super) const INTERRUPTED: u8 = 130;

/// A flag that the first interrupt sets; the second one ends the program.
///
/// # Errors
/// Those of installing a signal handler.
#[cfg(unix)]
pub(super) fn interrupt_flag() -> io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::SIGINT;
    let flag = Arc::new(AtomicBool::new(false));
    // In this order: the first interrupt finds the flag unset.
    signal_hook::flag::register_conditional_shutdown(
        SIGINT,
        i32::from(INTERRUPTED),
        Arc::clone(&flag),
    )?;
    signal_hook::flag::register(SIGINT, Arc::clone(&flag))?;
    Ok(flag)
}

/// Interrupts end the program here, at once.
#[cfg(not(unix))]
pub(super) fn interrupt_flag() -> io::Result<Arc<AtomicBool>> {
    Ok(Arc::new(AtomicBool::new(false)))
}

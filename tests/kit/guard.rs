//! A guard against tests that hang.

use std::sync::mpsc;
use std::time::Duration;

/// Ends the process when `work` never ends. How long `work` takes is not tested.
pub fn guarded<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (done, ended) = mpsc::channel::<()>();
    let what = what.to_owned();
    let watch = std::thread::spawn(move || {
        let limit = Duration::from_secs(300);
        if ended.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            eprintln!("{what}: hangs");
            std::process::abort();
        }
    });
    let given = work();
    drop(done);
    watch.join().unwrap();
    given
}

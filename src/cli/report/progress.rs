//! Progress on standard error: after a second, one line that is redrawn, and cleared at
//! the end. Without a terminal, when a flag asks for it, one line a second.

use crate::cli::inputs::Input;
use crate::cli::report::stderr;
use clap::ValueEnum;
use indicatif::{BinaryBytes, HumanCount, HumanDuration};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use urisieve::Progress;
use urisieve::input::Walk;

/// A shorter run shows no progress.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two drawings of the line.
const REDRAWN: Duration = Duration::from_millis(100);

/// When to show progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ProgressWhen {
    #[default]
    Auto,
    Always,
    Never,
}

/// The manner in which progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Manner {
    /// On a line that is redrawn.
    Redrawn,
    /// On a new line each time.
    Lines,
}

/// Returns how progress is shown, if it is; `to_terminal` is whether records are
/// written to a terminal.
pub(in crate::cli) fn manner(wanted: ProgressWhen, to_terminal: bool) -> Option<Manner> {
    match (wanted, io::stderr().is_terminal()) {
        (ProgressWhen::Never, _) | (ProgressWhen::Auto, false) => None,
        (ProgressWhen::Auto, true) if to_terminal => None,
        (ProgressWhen::Auto | ProgressWhen::Always, true) => Some(Manner::Redrawn),
        (ProgressWhen::Always, false) => Some(Manner::Lines),
    }
}

/// The progress line, which must be cleared while something else is written to the
/// terminal. Clones refer to the same line.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Line(ProgressBar);

impl Line {
    /// A line that is not drawn yet.
    pub(in crate::cli) fn hidden() -> Line {
        Line(ProgressBar::hidden())
    }

    /// Clears the line while `write` writes something else.
    pub(in crate::cli) fn around<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }
}

/// A thread that shows progress.
pub(in crate::cli) struct Ticker {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Ticker {
    /// Starts to show the progress of a run over `inputs`.
    ///
    /// # Errors
    /// Returns an error when the thread cannot be started.
    pub(in crate::cli) fn start(
        line: Line,
        manner: Manner,
        progress: Arc<Progress>,
        inputs: Vec<Input>,
        walk: Walk,
    ) -> io::Result<Ticker> {
        let (stop, stopped) = mpsc::channel();
        let begun = Instant::now();
        let tick = move || {
            let mut wait = PATIENCE;
            let total = Arc::new(OnceLock::new());
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                if wait == PATIENCE && total.get().is_none() {
                    begin(&line, manner);
                    let (inputs, walk, total) = (inputs.clone(), walk.clone(), Arc::clone(&total));
                    // Counting may take long, and the run does not wait for it.
                    let count = move || total.set(total_bytes(&inputs, &walk));
                    let _ = thread::Builder::new().spawn(count);
                }
                let known = total.get().copied().flatten();
                let text = text(&progress, known, begun.elapsed());
                match manner {
                    Manner::Redrawn => {
                        line.0.set_message(text);
                        wait = REDRAWN;
                    }
                    Manner::Lines => stderr::say(format_args!("{text}")),
                }
            }
            line.0.finish_and_clear();
        };
        let thread = thread::Builder::new().spawn(tick)?;
        Ok(Ticker { stop, thread })
    }

    /// Clears the line.
    pub(in crate::cli) fn stop(self) {
        // Sending fails only when the thread has ended.
        let _ = self.stop.send(());
        let _ = self.thread.join();
    }
}

fn begin(line: &Line, manner: Manner) {
    if manner == Manner::Redrawn {
        line.0.set_draw_target(ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            line.0.set_style(style);
        }
    }
}

/// The text of the line. `total` is the number of bytes of all inputs as stored.
fn text(progress: &Progress, total: Option<u64>, elapsed: Duration) -> String {
    let (bytes, stored) = (progress.bytes(), progress.stored());
    let seconds = elapsed.as_secs_f64().max(0.001);
    let rate = (bytes as f64 / seconds) as u64;
    let mut text = BinaryBytes(bytes).to_string();
    match total {
        Some(total) if stored == bytes => {
            text += &format!(" of {}", BinaryBytes(total.max(bytes)));
        }
        // For compressed inputs the length of the text is not known.
        Some(total) => {
            let (read, all) = (BinaryBytes(stored), BinaryBytes(total.max(stored)));
            text += &format!(" ({read} of {all} stored)");
        }
        None => {}
    }
    let found = HumanCount(progress.occurrences());
    text += &format!(", {}/s, {found} found", BinaryBytes(rate));
    if progress.distinct() != progress.occurrences() {
        text += &format!(", {} distinct", HumanCount(progress.distinct()));
    }
    let left = total.map(|total| total.saturating_sub(stored));
    let stored_rate = (stored as f64 / seconds) as u64;
    if let Some(left) = left.and_then(|left| left.checked_div(stored_rate)) {
        text += &format!(", {} left", HumanDuration(Duration::from_secs(left)));
    }
    text
}

/// Returns the number of bytes of all inputs as stored; `None` when one is not known.
fn total_bytes(inputs: &[Input], walk: &Walk) -> Option<u64> {
    let len = |path: &Path| {
        let about = path.metadata().ok().filter(|about| about.is_file())?;
        Some(about.len())
    };
    let of = |input: &Input| match input {
        Input::Path(path) if path.is_dir() => {
            let files = walk.files(path).into_iter();
            files.flatten().map(|path| len(&path)).sum()
        }
        // A missing file adds nothing to the total.
        Input::Path(path) if !path.exists() => Some(0),
        Input::Path(path) => len(path),
        Input::Stdin => len(Path::new("/dev/stdin")),
    };
    inputs.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use urisieve::{Sieve, each};

    #[test]
    fn what_is_known_is_said() {
        let progress = Arc::new(Progress::default());
        let sieve = Sieve::builder().progress(Arc::clone(&progress)).build();
        let text_of_2_kib = [&b"urn:a-b:c urn:a-b:c"[..], &[b' '; 2048 - 19]].concat();
        let sink = &mut each(|_| {});
        sieve.run([&text_of_2_kib[..]], sink).unwrap();
        let second = Duration::from_secs(1);
        assert_eq!(
            text(&progress, None, second),
            "2.00 KiB, 2.00 KiB/s, 2 found, 1 distinct"
        );
        assert_eq!(
            text(&progress, Some(6144), second),
            "2.00 KiB of 6.00 KiB, 2.00 KiB/s, 2 found, 1 distinct, 2 seconds left"
        );
        let fresh = Progress::default();
        assert_eq!(text(&fresh, Some(1), second), "0 B of 1 B, 0 B/s, 0 found");
    }

    #[test]
    fn time_left_is_that_of_what_is_stored() {
        // An LZ4 frame: 18 bytes that decompress to 3 bytes of text.
        let frame = b"\x04\x22\x4D\x18\x60\x40\x82\x03\0\0\x80abc\0\0\0\0";
        let progress = Arc::new(Progress::default());
        let sieve = Sieve::builder().progress(Arc::clone(&progress)).build();
        let sink = &mut each(|_| {});
        let source = urisieve::input::Source::Slice(frame);
        sieve.run([source], sink).unwrap();
        let stored = frame.len() as u64;
        assert_eq!((progress.bytes(), progress.stored()), (3, stored));
        let said = text(&progress, Some(3 * stored), Duration::from_secs(1));
        assert!(said.contains(" of 54 B stored), "), "{said}");
        assert!(said.ends_with(", 2 seconds left"), "{said}");
    }

    #[test]
    fn sizes_are_added_when_all_are_known() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), "abc").unwrap();
        std::fs::write(dir.path().join("b"), "de").unwrap();
        let inputs = |paths: &[&Path]| -> Vec<Input> {
            paths
                .iter()
                .map(|path| Input::Path(path.to_path_buf()))
                .collect()
        };
        let file = dir.path().join("b");
        let walk = Walk::default();
        assert_eq!(total_bytes(&inputs(&[dir.path(), &file]), &walk), Some(7));
        let none = dir.path().join("none");
        assert_eq!(total_bytes(&inputs(&[&file, &none]), &walk), Some(2));
        let packed = dir.path().join("c.gz");
        std::fs::write(&packed, b"\x1F\x8B\x08\0\0\0\0\0").unwrap();
        assert_eq!(total_bytes(&inputs(&[&file, &packed]), &walk), Some(10));
        assert_eq!(total_bytes(&inputs(&[dir.path()]), &walk), Some(13));
        #[cfg(unix)]
        assert_eq!(total_bytes(&inputs(&[Path::new("/dev/null")]), &walk), None);
    }
}

//! Signals to the program, sent when it can take them.

use std::fs;
use std::process::{Child, ChildStdin, Command};
use std::time::Duration;

/// Sends the signals, like `-TERM`, one after the other.
pub fn signal(child: &Child, signals: &[&str]) {
    for name in signals {
        let kill = Command::new("kill")
            .args([name, &child.id().to_string()[..]])
            .status();
        assert!(kill.unwrap().success());
    }
}

/// Waits until the child has a handler for its signals.
pub fn is_ready(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.map(|set| u64::from_str_radix(set.trim(), 16).unwrap());
        // The bit of SIGTERM. Elsewhere than on Linux there is nothing to look at.
        match caught {
            Some(set) if set >> 14 & 1 == 1 => return,
            Some(_) => std::thread::sleep(Duration::from_millis(5)),
            None => return std::thread::sleep(Duration::from_secs(1)),
        }
    }
}

/// Waits until the child has a handler and has read all that was written to it.
pub fn has_read(child: &Child, input: &ChildStdin) {
    is_ready(child);
    while rustix::io::ioctl_fionread(input).unwrap() > 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
}

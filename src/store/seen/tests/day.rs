//! A day of an endless stream, at a small scale: few runs, and each key is rewritten seldom.

use super::*;
use std::sync::atomic::AtomicBool;

#[test]
fn commits_each_minute_leave_few_runs() {
    let disk = MemoryDisk::default();
    let mut open = writer(&disk);
    let cancel = AtomicBool::new(false);
    let mut most = 0;
    for minute in 0..1440_u64 {
        // The clock goes back once an hour.
        let time = 1_700_000_000 + 60 * minute - 300 * u64::from(minute % 60 == 59);
        let key = |n: u64| {
            format!(
                "https://h{}.example/{:x}",
                n % 7,
                n.wrapping_mul(0x9E37_79B9)
            )
            .into_bytes()
        };
        let keys = (40 * minute..40 * minute + 40).map(key).collect();
        assert_eq!(commit(&mut open, time, keys).unwrap(), 40);
        assert!(!open.merge(&scratch(), &cancel).unwrap());
        most = most.max(disk.files().len());
    }
    let (stats, commits) = (reader(&disk).stats(), reader(&disk).commits().unwrap());
    assert!(most <= 28, "{most} files");
    assert_eq!(
        (stats.keys, stats.commits, commits.len()),
        (57_600, 1440, 1440)
    );
    assert!(commits.values().all(|commit| commit.keys == 40));
    assert!(commits.values().is_sorted_by_key(|commit| commit.time));
    let times = open.bytes_written() as f64 / stats.bytes as f64;
    assert!(times <= 6.0, "{times:.2} bytes written for each");
}

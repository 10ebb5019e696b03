//! The threads and the memory that a run may take, and the place for the rest: `--threads`;
//! `--max-memory`, or half of what the machine or the control group of the process has;
//! `--temp-dir`. What is kept of each URI: `--dedup`.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use urisieve::catalog::Groups;
use urisieve::links::Graph;
use urisieve::store::{Budget, ScratchFile};
use urisieve::{Builder, ByteSize, CatalogRun, Mode, Sieve, THREADS_MAX};

/// The least limit. Blocks and queues alone take some tens of MiB. Tests of the program
/// need less, so that little text exceeds it.
const LEAST: usize = match cfg!(feature = "failpoints") {
    true => 1 << 10,
    false => 64 << 20,
};

/// The least address space, where a limit is set (`ulimit -v`), and what each thread but the
/// first takes of it: its stack, and what the allocator sets aside for it. An allocation that
/// fails aborts the program, so a run keeps away from that limit.
const SPACE_LEAST: u64 = 96 << 20;
const SPACE_OF_THREAD: u64 = 96 << 20;
/// The part of the address space that is used unless a limit is named, and that a named
/// limit may be.
const SPACE_PART: u64 = 3;
const SPACE_PART_NAMED: u64 = 2;

/// What a group of rows of Parquet takes at most, and the part of a limit that this is at
/// most.
const TABLE: usize = 64 << 20;
const TABLE_PART: usize = 4;
/// The part of that which is text.
const TEXT_PART: usize = 4;

/// What is kept of each URI, so that equal ones are found.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct DedupFlags {
    /// What is compared: exact (default), the URIs; hash128, fingerprints of them
    ///
    /// hash128 keeps 16 bytes of each URI: its SipHash-2-4 of 128 bits, with a random key
    /// for each run. A URI is missing if another one has the same fingerprint. --stats prints the
    /// probability of that, about n² / 2^129 for n URIs: 1.5e-21 for a billion. Not with -c
    /// and --groups, which print at the end what is kept.
    #[arg(
        long,
        value_name = "HOW",
        default_value = "exact",
        hide_default_value = true,
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub dedup: DedupFlag,
}

/// The bytes that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum DedupFlag {
    Exact,
    Hash128,
}

impl DedupFlags {
    /// Whether fingerprints are compared.
    pub(in crate::cli) fn is_hashed(&self) -> bool {
        self.dedup == DedupFlag::Hash128
    }

    /// Sets what `sieve`, which runs in this `mode`, compares.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn configure(
        &self,
        sieve: Builder<Sieve>,
        mode: Mode,
    ) -> Result<Builder<Sieve>, String> {
        let reason = match (self.dedup, mode) {
            (DedupFlag::Exact, _) => return Ok(sieve),
            (DedupFlag::Hash128, Mode::Count | Mode::Groups) => {
                "-c and --groups, which print at the end the URIs that are kept"
            }
            (DedupFlag::Hash128, Mode::All) => "--all and -l, which compare no URIs",
            (DedupFlag::Hash128, _) => return Ok(sieve.fingerprints(true)),
        };
        Err(format!("--dedup hash128: not with {reason}"))
    }
}

/// The threads and the memory that a run may take.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct ResourceFlags {
    /// Threads (all cores); the output is the same for every N
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<usize>,

    #[command(flatten)]
    pub memory: MemoryFlags,
}

impl ResourceFlags {
    /// How many threads do the work.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn threads(&self) -> Result<usize, String> {
        let most = machine::address_space().map_or(usize::MAX, threads_within);
        match self.threads {
            Some(0) => Err("-j: there must be at least one thread".to_owned()),
            Some(threads) if threads > THREADS_MAX => {
                Err(format!("-j: at most {THREADS_MAX} threads"))
            }
            Some(threads) if threads > most => Err(format!(
                "-j {threads}: the limit of the address space (ulimit -v) leaves room for {most}"
            )),
            Some(threads) => Ok(threads),
            None => Ok(cores().min(most)),
        }
    }
}

/// The number of cores, which is asked for once: the answer is in many files.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Returns how many threads an address space of this size has room for.
fn threads_within(space: u64) -> usize {
    let threads = space.saturating_sub(SPACE_LEAST) / SPACE_OF_THREAD;
    usize::try_from(threads).unwrap_or(usize::MAX).max(1)
}

/// The memory of a run.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct MemoryFlags {
    /// Memory to use, from 64M, or none: no limit (default: half of the machine's)
    ///
    /// URIs for which there is no room are written to a temporary file and compared when
    /// all inputs are read: the output is the same for every limit. Queues, threads and
    /// groups of rows are smaller where the limit is low, and a compressed input whose
    /// window does not fit is not read, which is said with the limit that reads it. The
    /// program itself takes up to 32M more. The machine's memory is that of the control
    /// group (cgroup) where this is less. Where the address space is limited (ulimit -v), a
    /// third of it, if that is less.
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub max_memory: Option<String>,

    /// Directory of the temporary file (default: TMPDIR, else that of the system)
    #[arg(short = 'T', long, value_name = "DIR", hide_short_help = true)]
    pub temp_dir: Option<PathBuf>,
}

/// The other uses of memory of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::cli) struct MemoryUses {
    pub graph: bool,
    /// Groups of rows.
    pub groups: bool,
    /// A table of changes.
    pub edits: bool,
    /// Groups of rows of Parquet.
    pub table: bool,
    /// Stores of seen URIs.
    pub stores: bool,
    /// The files of an output that is divided.
    pub parts: PartMemory,
}

impl PartMemory {
    /// Of an output that is one file.
    pub(in crate::cli) const NONE: PartMemory = PartMemory {
        number: 0,
        least: 0,
        most: 0,
    };
}

/// The memory of the files of an output that is divided.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::cli) struct PartMemory {
    /// The number of files that are open together; 0 where the output is one file.
    pub number: usize,
    /// The least bytes that each takes, and the most.
    pub least: usize,
    pub most: usize,
}

impl MemoryUses {
    /// Returns the most bytes for groups of rows, or for the files of an output.
    fn table_most(self) -> usize {
        match (self.parts.number, self.table) {
            (0, true) => TABLE,
            (number, _) => number.saturating_mul(self.parts.most),
        }
    }

    /// Returns the part of `limit` for these.
    fn table(self, limit: usize) -> usize {
        (limit / TABLE_PART).min(self.table_most())
    }

    /// Checks that files which share `bytes` have room.
    ///
    /// # Errors
    /// A message that names the flag, and the limit that would do.
    fn check_parts(self, bytes: usize) -> Result<(), String> {
        let PartMemory { number, least, .. } = self.parts;
        let needed = number.saturating_mul(least);
        match bytes < needed {
            true => Err(format!(
                "--split {number}: the files take {}M of memory; --max-memory {}M has room for \
                 them",
                needed.div_ceil(1 << 20),
                needed.saturating_mul(TABLE_PART).div_ceil(1 << 20)
            )),
            false => Ok(()),
        }
    }

    /// Returns the part of `limit` for the sieve.
    fn sieve(self, limit: usize) -> usize {
        let rest = limit - self.table(limit);
        match self.has_other() {
            true => rest / 2,
            false => rest,
        }
    }

    /// Whether something takes as much as the sieve.
    fn has_other(self) -> bool {
        self.graph || self.groups || self.edits || self.stores
    }

    /// Returns the least limit that leaves `bytes` to what takes as much as the sieve.
    pub(in crate::cli) fn limit_of_other(self, bytes: u64) -> u64 {
        self.limit_of(bytes.div_ceil(2).saturating_mul(3))
    }

    /// Returns the least limit of which the sieve has `bytes`.
    pub(in crate::cli) fn limit_of(self, bytes: u64) -> u64 {
        let rest = match self.has_other() {
            true => bytes.saturating_mul(2),
            false => bytes,
        };
        // A quarter of the limit is a third of the rest.
        let third = rest.saturating_sub(1) / (TABLE_PART as u64 - 1);
        let table = third.min(self.table_most() as u64);
        rest.saturating_add(table)
    }
}

/// The division of a limit.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct MemoryShares {
    sieve: Option<usize>,
    /// The share of a graph, of groups, of a table of changes, or of stores.
    pub other: Option<usize>,
    /// The bytes of text in a group of rows of Parquet.
    pub row_group: usize,
    /// The bytes of each file of an output that is divided.
    pub part: usize,
}

impl MemoryFlags {
    /// Divides the limit.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn shares(&self, uses: MemoryUses) -> Result<MemoryShares, String> {
        let limit = self.limit()?;
        let sieve = limit.map(|limit| uses.sieve(limit));
        let table = limit.map_or(uses.table_most(), |limit| uses.table(limit));
        uses.check_parts(table)?;
        let part = table / uses.parts.number.max(1);
        Ok(MemoryShares {
            sieve,
            // As much as the sieve has, less a third for the files of the graph and for the
            // blocks of the temporary file: the sieve has a third for blocks and queues.
            other: sieve
                .filter(|_| uses.has_other())
                .map(|sieve| sieve / 3 * 2),
            row_group: (part / TEXT_PART).max(1),
            part,
        })
    }

    /// Sets the limits of `sieve`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn configure(
        &self,
        mut sieve: Builder<Sieve>,
        shares: &MemoryShares,
    ) -> Result<Builder<Sieve>, String> {
        if let Some(limit) = shares.sieve {
            sieve = sieve.max_memory(limit);
        }
        if let Some(directory) = self.directory()? {
            sieve = sieve.temp_dir(directory);
        }
        Ok(sieve)
    }

    /// Sets the limits of a run over catalogues.
    pub(in crate::cli) fn configure_catalog(
        &self,
        run: Builder<CatalogRun>,
        shares: &MemoryShares,
    ) -> Builder<CatalogRun> {
        match shares.sieve {
            Some(limit) => run.max_memory(limit),
            None => run,
        }
    }

    /// Returns groups of rows within the limits.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn groups(&self, shares: &MemoryShares) -> Result<Groups, String> {
        let budget = shares.other.map_or_else(Budget::unlimited, Budget::new);
        Ok(Groups::new(&self.scratch()?, &Arc::new(budget)))
    }

    /// Returns a temporary file.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn scratch(&self) -> Result<Arc<ScratchFile>, String> {
        let directory = self.directory()?.unwrap_or_else(std::env::temp_dir);
        Ok(Arc::new(ScratchFile::new(directory)))
    }

    /// Returns the directory of the temporary file, if it was named.
    ///
    /// # Errors
    /// A message that names the flag.
    fn directory(&self) -> Result<Option<PathBuf>, String> {
        match &self.temp_dir {
            Some(directory) if !directory.is_dir() => {
                let name = directory.display();
                Err(format!("-T {name}: is not a directory"))
            }
            directory => Ok(directory.clone()),
        }
    }

    /// Returns a graph within the limits.
    pub(in crate::cli) fn graph(&self, shares: &MemoryShares) -> Graph {
        let Some(limit) = shares.other else {
            return Graph::new();
        };
        let directory = self.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
        Graph::within(limit, directory)
    }

    /// Returns the limit in bytes, if there is one.
    fn limit(&self) -> Result<Option<usize>, String> {
        self.limit_within(machine::address_space())
    }

    /// Returns the limit in bytes, if there is one, in an address space of this size.
    fn limit_within(&self, space: Option<u64>) -> Result<Option<usize>, String> {
        if let Some(space) = space.filter(|&space| space < SPACE_LEAST) {
            return Err(format!(
                "the address space is limited to {}M (ulimit -v): at least {}M are needed",
                space >> 20,
                SPACE_LEAST >> 20
            ));
        }
        let part = |part: u64| space.map(|space| bytes(space / part).max(LEAST));
        match self.max_memory.as_deref() {
            Some("none") => Ok(None),
            Some(typed) => match (size("--max-memory", typed)?, part(SPACE_PART_NAMED)) {
                (limit, _) if limit < LEAST => {
                    Err("--max-memory: at least 64M, or none".to_owned())
                }
                (limit, Some(most)) if limit > most => Err(format!(
                    "--max-memory {typed}: at most {}M, half of the limit of the address space \
                     (ulimit -v)",
                    most >> 20
                )),
                (limit, _) => Ok(Some(limit)),
            },
            None => {
                let half = machine::memory().map(|memory| bytes(memory / 2).max(LEAST));
                Ok(half.into_iter().chain(part(SPACE_PART)).min())
            }
        }
    }
}

fn bytes(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Parses `text`, the value of `flag`, as a number of bytes.
///
/// # Errors
/// A message that names the flag.
pub(in crate::cli) fn size(flag: &str, text: &str) -> Result<usize, String> {
    let size = text.parse().map(|ByteSize(size)| size);
    size.map_err(|error| format!("{flag}: {error}"))
}

/// The memory of the machine.
#[cfg(target_os = "linux")]
mod machine {
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Returns the memory of the machine or of the control group, whichever is less, in
    /// bytes; `None` when neither is known.
    pub(in crate::cli) fn memory() -> Option<u64> {
        memory_below(Path::new("/"))
    }

    /// Returns the limit of the address space (`ulimit -v`) in bytes, if there is one.
    pub(in crate::cli) fn address_space() -> Option<u64> {
        rustix::process::getrlimit(rustix::process::Resource::As).current
    }

    /// Does the same as [`memory`] on a machine whose root directory is `root`.
    pub(in crate::cli) fn memory_below(root: &Path) -> Option<u64> {
        let read = |path: &str| fs::read_to_string(root.join(path)).ok();
        let installed = read("proc/meminfo").and_then(|text| total(&text));
        let groups = read("proc/self/cgroup").unwrap_or_default();
        let limits = groups.lines().filter_map(|line| limit_of(root, line));
        installed.into_iter().chain(limits).min()
    }

    /// Returns the value of `MemTotal`, in bytes.
    fn total(meminfo: &str) -> Option<u64> {
        let line = meminfo
            .lines()
            .find_map(|line| line.strip_prefix("MemTotal:"))?;
        let number = line.trim().strip_suffix("kB")?.trim();
        number.parse::<u64>().ok()?.checked_mul(1024)
    }

    /// Returns the limit of a control group, which is a line of `/proc/self/cgroup`:
    /// `0::PATH` of version 2, or `NUMBER:CONTROLLERS:PATH` of version 1. That of a group
    /// is the least of its own and of those around it.
    fn limit_of(root: &Path, line: &str) -> Option<u64> {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let (base, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let base = root.join(base);
        let mut group: PathBuf = base.join(path.trim_start_matches('/'));
        let mut least = None;
        loop {
            // "max" is no limit; version 1 writes a number that no machine has.
            let limit = fs::read_to_string(group.join(file)).ok();
            let limit = limit.and_then(|text| text.trim().parse::<u64>().ok());
            least = least.into_iter().chain(limit).min();
            if group == base || !group.pop() {
                return least;
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Writes files below a directory and returns the memory of that machine.
        fn memory_of(files: &[(&str, &str)]) -> Option<u64> {
            let root = tempfile::tempdir().unwrap();
            for (name, text) in files {
                let path = root.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            memory_below(root.path())
        }

        const MEMINFO: (&str, &str) = ("proc/meminfo", "MemFree: 1 kB\nMemTotal:  2048 kB\n");

        #[test]
        fn the_least_limit_counts() {
            assert_eq!(memory_of(&[]), None);
            assert_eq!(memory_of(&[MEMINFO]), Some(2 << 20));
            let unified = ("proc/self/cgroup", "0::/a/b\n");
            let max = |text| ("sys/fs/cgroup/a/b/memory.max", text);
            assert_eq!(memory_of(&[MEMINFO, unified, max("max\n")]), Some(2 << 20));
            assert_eq!(memory_of(&[MEMINFO, unified, max("4096\n")]), Some(4096));
            let around = ("sys/fs/cgroup/a/memory.max", "1024\n");
            assert_eq!(
                memory_of(&[MEMINFO, unified, max("4096\n"), around]),
                Some(1024)
            );
            let here = [unified, ("sys/fs/cgroup/memory.max", "512\n")];
            assert_eq!(memory_of(&here), Some(512));
        }

        #[test]
        fn groups_of_version_1() {
            let groups = ("proc/self/cgroup", "3:cpu:/x\n2:cpuset,memory:/a\n0::/\n");
            let file = "sys/fs/cgroup/memory/a/memory.limit_in_bytes";
            assert_eq!(memory_of(&[MEMINFO, groups, (file, "8192\n")]), Some(8192));
            let unlimited = (file, "9223372036854771712\n");
            assert_eq!(memory_of(&[MEMINFO, groups, unlimited]), Some(2 << 20));
        }
    }
}

/// The memory of the machine.
#[cfg(not(target_os = "linux"))]
mod machine {
    /// Returns `None`: a limit of the address space is not known here.
    pub(in crate::cli) fn address_space() -> Option<u64> {
        None
    }

    /// Returns the memory of the machine, in bytes.
    pub(in crate::cli) fn memory() -> Option<u64> {
        let mut system = sysinfo::System::new();
        system.refresh_memory();
        Some(system.total_memory()).filter(|&bytes| bytes > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_within_the_limit() {
        for (graph, table) in [(false, false), (false, true), (true, false), (true, true)] {
            let groups = graph && table;
            let shares = |typed: &str| {
                let flags = MemoryFlags {
                    max_memory: Some(typed.to_owned()),
                    temp_dir: None,
                };
                let uses = MemoryUses {
                    graph: graph && !groups,
                    groups,
                    table,
                    ..MemoryUses::default()
                };
                flags.shares(uses).unwrap()
            };
            for limit in [64 << 20, 256 << 20, 1 << 34] {
                let shares = shares(&limit.to_string());
                let group = if table {
                    TEXT_PART * shares.row_group
                } else {
                    0
                };
                let all = shares.sieve.unwrap() + shares.other.unwrap_or(0) + group;
                assert!(
                    limit / 3 * 2 < all && all <= limit,
                    "{limit} {graph} {table}"
                );
            }
            let unlimited = shares("none");
            assert_eq!((unlimited.sieve, unlimited.other), (None, None));
            assert_eq!(
                unlimited.row_group,
                if table { TABLE / TEXT_PART } else { 1 }
            );
            let uses = MemoryUses {
                graph: graph && !groups,
                groups,
                table,
                ..MemoryUses::default()
            };
            for bytes in [1, 47 << 20, 48 << 20, 95 << 20, 200 << 20, 1 << 33] {
                if uses.has_other() {
                    let limit = uses.limit_of_other(bytes as u64).max(64 << 20);
                    assert!(
                        shares(&limit.to_string()).other.unwrap() >= bytes,
                        "{bytes}"
                    );
                }
                let limit = uses.limit_of(bytes as u64) as usize;
                assert!(uses.sieve(limit) >= bytes, "{bytes} {uses:?}");
                assert!(uses.sieve(limit - 1) < bytes, "{bytes} {uses:?}");
            }
        }
    }

    #[test]
    fn files_share_a_quarter() {
        let shares = |typed: &str, number| {
            let flags = MemoryFlags {
                max_memory: Some(typed.to_owned()),
                temp_dir: None,
            };
            flags.shares(MemoryUses {
                parts: PartMemory {
                    number,
                    least: 1 << 20,
                    most: 8 << 20,
                },
                ..MemoryUses::default()
            })
        };
        assert_eq!(shares("none", 100).unwrap().part, 8 << 20);
        assert_eq!(shares("64M", 2).unwrap().part, 8 << 20);
        assert_eq!(shares("64M", 16).unwrap().part, 1 << 20);
        let refused = shares("64M", 17).unwrap_err();
        assert!(refused.contains("--max-memory 68M"), "{refused}");
        assert_eq!(shares("68M", 17).unwrap().part, 1 << 20);
    }

    #[test]
    fn a_limit_of_the_address_space_is_kept_away_from() {
        let limit = |typed: Option<&str>, space: u64| {
            let flags = MemoryFlags {
                max_memory: typed.map(str::to_owned),
                temp_dir: None,
            };
            flags.limit_within(Some(space << 20))
        };
        assert!(limit(None, 95).unwrap_err().contains("ulimit -v"));
        assert_eq!(limit(Some("64M"), 128), Ok(Some(64 << 20)));
        assert_eq!(limit(Some("200M"), 400), Ok(Some(200 << 20)));
        assert!(
            limit(Some("201M"), 400)
                .unwrap_err()
                .contains("at most 200M")
        );
        assert!(
            limit(None, 600)
                .unwrap()
                .is_some_and(|bytes| bytes <= 200 << 20)
        );
        assert_eq!(
            [96, 191, 288, 384].map(|space| threads_within(space << 20)),
            [1, 1, 2, 3]
        );
    }

    #[test]
    fn limits() {
        let limit = |typed: Option<&str>| {
            let flags = MemoryFlags {
                max_memory: typed.map(str::to_owned),
                temp_dir: None,
            };
            flags.limit()
        };
        assert_eq!(limit(Some("none")), Ok(None));
        assert_eq!(limit(Some("2G")), Ok(Some(2 << 30)));
        assert!(limit(Some("1")).unwrap_err().contains("at least 64M"));
        assert!(limit(Some("much")).unwrap_err().contains("is not a size"));
        assert!(limit(None).unwrap().is_some_and(|bytes| bytes >= LEAST));
    }
}

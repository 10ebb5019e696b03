//! The counts of a run. Counts of its parts are added up.

use crate::decode::MailNote;
use crate::dedup::Set;
use crate::item::{LossKind, Problem, Problems};
use std::ops::AddAssign;

/// Counts of a run or of a part of it.
///
/// ```
/// use urisieve::Sieve;
/// let sieve = Sieve::builder().build();
/// let mut stats = sieve.for_each(b"urn:isbn:1 URN:ISBN:1", |_| {})?;
/// assert_eq!((stats.bytes, stats.occurrences, stats.distinct), (21, 2, 1));
/// stats += stats;
/// assert_eq!(stats.occurrences, 4);
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Raw bytes that were searched.
    pub bytes: u64,
    /// Occurrences of URIs.
    pub occurrences: u64,
    /// Classes of equal URIs, or parts where these are counted. Where equal URIs are not
    /// merged, occurrences.
    pub distinct: u64,
    /// Occurrences that were not selected. They are not included in other counts.
    pub deselected: u64,
    /// Occurrences whose line or record states no exchange that was selected, or that are not
    /// requests where parts of requests are counted (G14). They are not included in other
    /// counts.
    pub not_selected: u64,
    /// Lines of logs that state a request without a host, which is not reported (G9). A line
    /// is text then.
    pub no_host: u64,
    /// Lines that have the shape of a request, but state none (G4). They are text.
    pub garbage: u64,
    /// Candidates that are not URIs because their host is a template, as in `http://${HOST}/`
    /// (I25).
    pub template_hosts: u64,
    /// Places at which JSON is broken: the rest of the line is text (J7).
    pub json_broken: u64,
    /// Quoted cells of tables without an end, whose quotation mark is a character (C7).
    pub csv_quote: u64,
    /// Values of JSON that lack every field that was selected (J6).
    pub without_field: u64,
    /// Values of JSON whose JSON Pointer is not known or too long (J5).
    pub without_pointer: u64,
    /// Records of lists whose value is not a URI.
    pub not_uris: u64,
    /// References that their format delimits and that are not reported: `javascript:` and
    /// the like, empty ones, those that are only a fragment, and those that are not URIs
    /// (F1). They are not losses.
    pub references_dropped: u64,
    /// Relative references without a base, or with a base that is not hierarchical.
    pub references_without_base: u64,
    /// Links whose page or target has no node, where nodes are reported.
    pub without_node: u64,
    /// Headers of mail with lines that are not fields.
    pub header: u64,
    /// Multiparts of mail whose boundary is missing, or was not found. They are text.
    pub boundary: u64,
    /// Multiparts of mail without an end.
    pub open: u64,
    /// Parts of mail in an unknown transfer coding. They are read as they are.
    pub coding: u64,
    /// Parts of mail that are not read, because their type holds no text.
    pub parts_not_read: u64,
    /// Records of archives that are not read, because other ones are selected.
    pub filtered: u64,
    /// Candidates that are longer than allowed. They are not reported (B7).
    pub too_long: u64,
    /// Damaged places in containers, and parts that are not read.
    pub damaged: u64,
    /// Damaged places where a part was read to its end, but its checksum or its length is
    /// wrong. They are included in `damaged`.
    pub suspect: u64,
    /// Inputs that are containers which are not unpacked, such as ZIP. They are not
    /// included in `damaged`.
    pub unseen: u64,
    /// Inputs that could not be opened, or not be read to their ends.
    pub failed_inputs: u64,
    /// Whether the sink ended the run with [`Break`](std::ops::ControlFlow::Break). If so,
    /// all other numbers are those of the blocks that were reported so far, completely or
    /// in part.
    pub stopped: bool,
    /// Whether the run was cancelled before all deferred keys were settled: URIs may be
    /// missing, and counts and groups are not reported.
    pub unsettled: bool,
    /// Keys that were in memory at the end of the run, for detecting repeats. Not counted
    /// for a single input.
    pub set_keys: u64,
    /// Bytes of these keys.
    pub set_key_bytes: u64,
    /// Bytes of memory for these keys and the records beside them. The number depends on
    /// the keys of the hash function, which differ from run to run.
    pub set_bytes: u64,
    /// Different keys whose fingerprints were compared in place of their bytes, also those
    /// that were deferred. 0 where bytes were compared. Not counted for a single input.
    pub fingerprints: u64,
    /// Occurrences for whose keys there was no room, where memory is limited. The number
    /// differs from run to run.
    pub deferred: u64,
    /// Bytes that were written to the temporary file.
    pub temporary_bytes: u64,
    /// The number of threads that did the work, where the limit of memory allowed fewer than were
    /// set; otherwise 0.
    pub fewer_threads: u64,
    problems: ProblemCounts,
}

/// A count for each problem, in the order of [`Problem::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProblemCounts([u64; Problem::ALL.len()]);

impl Default for ProblemCounts {
    fn default() -> ProblemCounts {
        ProblemCounts([0; Problem::ALL.len()])
    }
}

/// The counts of text that is neither a finding nor a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct Beside([u64; 16]);

/// Two values are equal when all their counts are but those that depend on the memory:
/// [`set_bytes`](Stats::set_bytes), [`deferred`](Stats::deferred),
/// [`temporary_bytes`](Stats::temporary_bytes) and [`fewer_threads`](Stats::fewer_threads).
impl PartialEq for Stats {
    fn eq(&self, other: &Stats) -> bool {
        let counts = |stats: &Stats| {
            // Fields are named, so that the compiler reports a new one.
            let &Stats {
                bytes,
                occurrences,
                distinct,
                deselected,
                not_selected,
                no_host,
                garbage,
                template_hosts,
                json_broken,
                csv_quote,
                without_field,
                without_pointer,
                not_uris,
                references_dropped,
                references_without_base,
                without_node,
                header,
                boundary,
                open,
                coding,
                parts_not_read,
                filtered,
                too_long,
                damaged,
                suspect,
                unseen,
                failed_inputs,
                stopped,
                unsettled,
                set_keys,
                set_key_bytes,
                set_bytes: _,
                fingerprints,
                deferred: _,
                temporary_bytes: _,
                fewer_threads: _,
                problems,
            } = stats;
            let found = [
                bytes,
                occurrences,
                distinct,
                deselected,
                not_selected,
                no_host,
                garbage,
                template_hosts,
                not_uris,
            ];
            let without = [
                references_without_base,
                without_node,
                without_field,
                without_pointer,
            ];
            let odd = [json_broken, csv_quote];
            let mail = [header, boundary, open, coding, parts_not_read];
            let left_out = [references_dropped, filtered, too_long];
            let ended = u64::from(stopped) + 2 * u64::from(unsettled);
            let lost = [damaged, suspect, unseen, failed_inputs, ended];
            (
                found,
                (without, odd, mail),
                left_out,
                lost,
                [set_keys, set_key_bytes, fingerprints],
                problems,
            )
        };
        counts(self) == counts(other)
    }
}

impl Eq for Stats {}

impl Stats {
    /// Returns the number of occurrences with this problem.
    ///
    /// ```
    /// use urisieve::{Sieve, item::Problem};
    /// let sieve = Sieve::builder().build();
    /// let stats = sieve.for_each(b"a http://a.example/100% b", |_| {})?;
    /// assert_eq!(stats.problem(Problem::BadPercent), 1);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn problem(&self, problem: Problem) -> u64 {
        self.problems.0[problem as usize]
    }

    /// Returns the probability that two different keys had the same fingerprint, so that
    /// one of them is missing: about n² / 2^129 for n [`fingerprints`](Stats::fingerprints).
    /// 0 where bytes were compared.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let text: String = (0..1000).map(|n| format!("http://a.example/{n}\n")).collect();
    /// for fingerprints in [false, true] {
    ///     let sieve = Sieve::builder().fingerprints(fingerprints).build();
    ///     let probability = sieve.for_each(text.as_bytes(), |_| {})?.collision_probability();
    ///     assert!(if fingerprints { (1e-33..2e-33).contains(&probability) } else { probability == 0.0 });
    /// }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn collision_probability(&self) -> f64 {
        (self.fingerprints as f64).powi(2) / 2_f64.powi(129)
    }

    /// Counts the keys of a set.
    pub(in crate::engine) fn add_set(&mut self, set: &Set) {
        self.set_keys += set.len() as u64;
        self.set_key_bytes += set.key_bytes() as u64;
        self.set_bytes += set.memory() as u64;
    }

    /// Counts a loss.
    pub(in crate::engine) fn add_loss(&mut self, kind: &LossKind) {
        match kind {
            LossKind::TooLong | LossKind::RecordTooLong => self.too_long += 1,
            LossKind::Unseen(_) => self.unseen += 1,
            _ => self.damaged += 1,
        }
        self.suspect += u64::from(matches!(kind, LossKind::Suspect(_)));
    }

    /// Returns the counts that neither findings nor losses change, without the bytes.
    pub(in crate::engine) fn beside(&self) -> Beside {
        Beside([
            self.deselected,
            self.template_hosts,
            self.not_uris,
            self.references_dropped,
            self.references_without_base,
            self.without_node,
            self.header,
            self.boundary,
            self.open,
            self.coding,
            self.parts_not_read,
            self.filtered,
            self.json_broken,
            self.csv_quote,
            self.without_field,
            self.without_pointer,
        ])
    }

    /// Sets the counts that neither findings nor losses change, without the bytes.
    pub(in crate::engine) fn set_beside(&mut self, beside: Beside) {
        [
            self.deselected,
            self.template_hosts,
            self.not_uris,
            self.references_dropped,
            self.references_without_base,
            self.without_node,
            self.header,
            self.boundary,
            self.open,
            self.coding,
            self.parts_not_read,
            self.filtered,
            self.json_broken,
            self.csv_quote,
            self.without_field,
            self.without_pointer,
        ] = beside.0;
    }

    /// Counts a departure of a mail from its rules.
    pub(in crate::engine) fn add_note(&mut self, note: MailNote) {
        match note {
            MailNote::Header => self.header += 1,
            MailNote::Boundary => self.boundary += 1,
            MailNote::Open => self.open += 1,
            MailNote::Coding => self.coding += 1,
            MailNote::NotRead => self.parts_not_read += 1,
            MailNote::Depth | MailNote::Charset | MailNote::Field => {}
        }
    }

    /// Counts the problems of an occurrence.
    pub(in crate::engine) fn add_problems(&mut self, problems: Problems) {
        for problem in problems.iter() {
            self.problems.0[problem as usize] += 1;
        }
    }
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.bytes += other.bytes;
        self.occurrences += other.occurrences;
        self.distinct += other.distinct;
        self.deselected += other.deselected;
        self.not_selected += other.not_selected;
        self.no_host += other.no_host;
        self.garbage += other.garbage;
        self.template_hosts += other.template_hosts;
        self.json_broken += other.json_broken;
        self.csv_quote += other.csv_quote;
        self.without_field += other.without_field;
        self.without_pointer += other.without_pointer;
        self.not_uris += other.not_uris;
        self.references_dropped += other.references_dropped;
        self.references_without_base += other.references_without_base;
        self.without_node += other.without_node;
        self.header += other.header;
        self.boundary += other.boundary;
        self.open += other.open;
        self.coding += other.coding;
        self.parts_not_read += other.parts_not_read;
        self.filtered += other.filtered;
        self.too_long += other.too_long;
        self.damaged += other.damaged;
        self.suspect += other.suspect;
        self.unseen += other.unseen;
        self.failed_inputs += other.failed_inputs;
        self.stopped |= other.stopped;
        self.unsettled |= other.unsettled;
        self.set_keys += other.set_keys;
        self.set_key_bytes += other.set_key_bytes;
        self.set_bytes += other.set_bytes;
        self.fingerprints += other.fingerprints;
        self.deferred += other.deferred;
        self.temporary_bytes += other.temporary_bytes;
        self.fewer_threads = self.fewer_threads.max(other.fewer_threads);
        for (sum, more) in self.problems.0.iter_mut().zip(other.problems.0) {
            *sum += more;
        }
    }
}

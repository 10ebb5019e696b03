//! The counts of a run. Counts of its parts are added up.

use super::line_state::OddLine;
use crate::decode::MailNote;
use crate::dedup::Set;
use crate::item::{LossKind, Problem, Problems};
use std::fmt;
use std::ops::AddAssign;

/// Defines [`Stats`] and what is done with all of its counts, each of which is named once.
macro_rules! stats {
    (
        $(#[$stats:meta])*
        // Counts that findings, losses, inputs and sets change.
        found { $($(#[$found_doc:meta])* $found:ident,)* }
        // Counts that only other text and other records change.
        beside { $($(#[$beside_doc:meta])* $beside:ident,)* }
        // Counts that depend on the memory.
        memory { $($(#[$memory_doc:meta])* $memory:ident,)* }
    ) => {
        $(#[$stats])*
        #[derive(Clone, Copy, Debug, Default)]
        #[non_exhaustive]
        pub struct Stats {
            $($(#[$found_doc])* pub $found: u64,)*
            $($(#[$beside_doc])* pub $beside: u64,)*
            $($(#[$memory_doc])* pub $memory: u64,)*
            /// The number of threads that did the work, where the limit of memory allowed fewer than were
            /// set; otherwise 0.
            pub fewer_threads: u64,
            /// Whether the sink ended the run with [`Break`](std::ops::ControlFlow::Break). If so,
            /// all other numbers are those of the blocks that were reported so far, completely or
            /// in part.
            pub stopped: bool,
            /// Whether the run was cancelled before all deferred keys were settled: URIs may be
            /// missing, and counts and groups are not reported.
            pub unsettled: bool,
            problems: ProblemCounts,
        }

        /// The counts of text and records that are neither a finding nor a loss.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(in crate::engine) struct Beside {
            $(pub $beside: u64,)*
        }

        /// Two values are equal when all their counts are but those that depend on the memory:
        /// [`set_bytes`](Stats::set_bytes), [`deferred`](Stats::deferred),
        /// [`temporary_bytes`](Stats::temporary_bytes) and
        /// [`fewer_threads`](Stats::fewer_threads).
        impl PartialEq for Stats {
            fn eq(&self, other: &Stats) -> bool {
                $(self.$found == other.$found &&)*
                self.beside() == other.beside()
                    && (self.stopped, self.unsettled) == (other.stopped, other.unsettled)
                    && self.problems == other.problems
            }
        }

        impl AddAssign for Stats {
            fn add_assign(&mut self, other: Stats) {
                $(self.$found += other.$found;)*
                $(self.$beside += other.$beside;)*
                $(self.$memory += other.$memory;)*
                self.fewer_threads = self.fewer_threads.max(other.fewer_threads);
                self.stopped |= other.stopped;
                self.unsettled |= other.unsettled;
                for (sum, more) in self.problems.0.iter_mut().zip(other.problems.0) {
                    *sum += more;
                }
            }
        }

        impl Stats {
            /// Returns the counts that neither findings nor losses change, without the bytes.
            pub(in crate::engine) fn beside(&self) -> Beside {
                Beside { $($beside: self.$beside,)* }
            }

            /// Sets the counts that neither findings nor losses change, without the bytes.
            pub(in crate::engine) fn set_beside(&mut self, beside: Beside) {
                $(self.$beside = beside.$beside;)*
            }
        }

        impl AddAssign for Beside {
            fn add_assign(&mut self, other: Beside) {
                $(self.$beside += other.$beside;)*
            }
        }
    };
}

stats! {
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
    found {
        /// Raw bytes that were searched.
        bytes,
        /// Occurrences of URIs.
        occurrences,
        /// Classes of equal URIs, or parts where these are counted. Where equal URIs are not
        /// merged, occurrences.
        distinct,
        /// Candidates that are longer than allowed. They are not reported (B7).
        too_long,
        /// Damaged places in containers, and parts that are not read.
        damaged,
        /// Damaged places where a part was read to its end, but its checksum or its length is
        /// wrong. They are included in `damaged`.
        suspect,
        /// Inputs that are containers which are not unpacked, such as ZIP. They are not
        /// included in `damaged`.
        unseen,
        /// Inputs that could not be opened, or not be read to their ends.
        failed_inputs,
        /// Keys that were in memory at the end of the run, for detecting repeats. Not counted
        /// for a single input.
        set_keys,
        /// Bytes of these keys.
        set_key_bytes,
        /// Different keys whose fingerprints were compared in place of their bytes, also those
        /// that were deferred. 0 where bytes were compared. Not counted for a single input.
        fingerprints,
    }
    beside {
        /// Occurrences that were not selected. They are not included in other counts.
        deselected,
        /// Occurrences whose line or record states no exchange that was selected, or that are not
        /// requests where parts of requests are counted (G14). They are not included in other
        /// counts.
        not_selected,
        /// Lines of logs that state a request without a host, which is not reported (G9). A line
        /// is text then.
        no_host,
        /// Lines that have the shape of a request, but state none (G4). They are text.
        garbage,
        /// Candidates that are not URIs because their host is a template, as in `http://${HOST}/`
        /// (I25).
        template_hosts,
        /// Places at which JSON is broken: the rest of the line is text (J7).
        json_broken,
        /// Quoted cells of tables without an end, whose quotation mark is a character (C7).
        csv_quote,
        /// Values of JSON that lack every field that was selected (J6).
        without_field,
        /// Values of JSON whose JSON Pointer is not known or too long (J5).
        without_pointer,
        /// Records of lists whose value is not a URI.
        not_uris,
        /// References that their format delimits and that are not reported: `javascript:` and
        /// the like, empty ones, those that are only a fragment, and those that are not URIs
        /// (F1). They are not losses.
        references_dropped,
        /// Relative references without a base, or with a base that is not hierarchical.
        references_without_base,
        /// Links whose page or target has no node, where nodes are reported.
        without_node,
        /// Headers of mail with lines that are not fields.
        header,
        /// Multiparts of mail whose boundary is missing, or was not found. They are text.
        boundary,
        /// Multiparts of mail without an end.
        open,
        /// Parts of mail in an unknown transfer coding. They are read as they are.
        coding,
        /// Parts of mail that are not read, because their type holds no text.
        parts_not_read,
        /// Records of archives that are not read, because other ones are selected.
        filtered,
    }
    memory {
        /// Bytes of memory for these keys and the records beside them. The number depends on
        /// the keys of the hash function, which differ from run to run.
        set_bytes,
        /// Occurrences for whose keys there was no room, where memory is limited. The number
        /// differs from run to run.
        deferred,
        /// Bytes that were written to the temporary file.
        temporary_bytes,
    }
}

/// A count for each problem, in the order of [`Problem::ALL`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct ProblemCounts([u64; Problem::ALL.len()]);

impl Default for ProblemCounts {
    fn default() -> ProblemCounts {
        ProblemCounts([0; Problem::ALL.len()])
    }
}

impl fmt::Debug for ProblemCounts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let counts = Problem::ALL.iter().zip(&self.0);
        f.debug_map()
            .entries(counts.filter(|(_, count)| **count > 0))
            .finish()
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

impl Beside {
    /// Returns the counts of one line that states no usable request.
    pub(in crate::engine) fn of_line(line: OddLine) -> Beside {
        match line {
            OddLine::NoHost => Beside {
                no_host: 1,
                ..Beside::default()
            },
            OddLine::Garbage => Beside {
                garbage: 1,
                ..Beside::default()
            },
        }
    }
}

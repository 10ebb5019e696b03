//! Makes a matcher of lists.

use super::intake::{BadEntry, ListCounts, ListIntake};
use super::jobs::{ListJob, ListJobs};
use super::lists;
use super::matcher::Matcher;
use super::tables::EntryTables;
use crate::decode::Refanged;
use std::io::{self, Read};

/// Reads lists of indicators into a [`Matcher`].
///
/// A list is a text with an entry on each line, in any of these forms. Blanks around an entry
/// are ignored, and marks of defanging are read: `hxxp://a[.]example`.
///
/// | entry | what it matches |
/// |---|---|
/// | empty, `# …`, `; …`, `// …`, `! …` | nothing: a comment |
/// | `!ENTRY`, `@@ENTRY` | an exception: what it matches, no entry does |
/// | `/RE/`, `/RE/i` | canonical forms in which the regular expression is found (feature `patterns`) |
/// | `sha256:` and 64 digits | the URI whose canonical form has this digest |
/// | `http://a.example/x` | this URI, in any spelling |
/// | `http://a.example/x*` | URIs that begin with this one; a `/` follows the host |
/// | `\|\|a.example^` | the host and those below it, as in filter lists |
/// | `\|\|a.example/x` | the same, where the path begins with this one |
/// | `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32` | addresses |
/// | `0.0.0.0 a.example b.example` | the names of a hosts file, alone |
/// | `a.example CNAME .` | the name of a response policy zone, alone; `*.a.example`: those below it |
/// | `a.example`, `.a.example` | the host and those below it |
/// | `=a.example`, `*.a.example` | it alone; those below it |
/// | `a.example:8080` | hosts as above, with this port |
/// | `a.example/x` | this URI with http and https |
///
/// Other lists are recognized by their content: attributes of MISP, indicators of STIX, and
/// CSV whose header names a column of indicators.
///
/// ```
/// use urisieve::Matcher;
/// let csv = "id,url\n1,http://a.example/x\n2,http://b.example/\n";
/// let mut builder = Matcher::builder();
/// builder.add_list("urls.csv", csv.as_bytes(), |bad| eprintln!("{}: {bad}", bad.line))?;
/// let matcher = builder.build();
/// assert!(matcher.matches(b"HTTP://B.example") && !matcher.matches(b"http://a.example/"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MatcherBuilder {
    tables: EntryTables,
    column: Option<String>,
    refanged: Refanged,
    jobs: ListJobs,
}

impl Matcher {
    /// Begins a matcher.
    ///
    /// ```
    /// assert!(urisieve::Matcher::builder().build().is_empty());
    /// ```
    pub fn builder() -> MatcherBuilder {
        MatcherBuilder {
            tables: EntryTables::new(),
            column: None,
            refanged: Refanged::new(),
            jobs: ListJobs::default(),
        }
    }
}

impl MatcherBuilder {
    /// Sets the column that has the entries, by its name: every list is then CSV.
    ///
    /// ```
    /// let mut builder = urisieve::Matcher::builder().column("seen");
    /// builder.add_list("l", &b"seen,url\na.example,http://b.example/\n"[..], |_| ())?;
    /// assert!(builder.build().matches(b"http://a.example/x"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn column(mut self, name: impl Into<String>) -> MatcherBuilder {
        self.column = Some(name.into());
        self
    }

    /// Sets how jobs are run.
    pub(crate) fn jobs(mut self, jobs: ListJobs) -> MatcherBuilder {
        self.jobs = jobs;
        self
    }

    /// Reads a list from its first byte to its last; `name` is its name in findings. Each line
    /// that is not an entry is passed to `bad`, and the others are added. Only the entries
    /// are kept in memory.
    ///
    /// ```
    /// let mut builder = urisieve::Matcher::builder();
    /// let file = std::fs::File::open("corpora/samples/mail.txt")?;
    /// let counts = builder.add_list("mail.txt", file, |_| ())?;
    /// assert!(counts.bad > 0);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The list cannot be read, it has no column of the name that was set, or the lists have more
    /// than 2^32 entries.
    pub fn add_list(
        &mut self,
        name: impl AsRef<[u8]>,
        list: impl Read,
        mut bad: impl FnMut(BadEntry),
    ) -> io::Result<ListCounts> {
        self.tables.matcher.texts.begin_list(name.as_ref());
        let column = self.column.clone();
        let MatcherBuilder {
            tables, refanged, ..
        } = self;
        let mut intake = ListIntake::new(tables, refanged, &mut bad);
        lists::read(list, column.as_deref(), &mut intake, self.jobs)?;
        Ok(intake.counts)
    }

    /// Returns the matcher.
    ///
    /// ```
    /// let matcher = urisieve::Matcher::builder().build();
    /// assert!(!matcher.matches(b"http://a.example/"));
    /// ```
    pub fn build(self) -> Matcher {
        let mut matcher = self.tables.matcher;
        matcher.texts.shrink();
        let (tables, keys) = matcher.index.unsettled(&matcher.texts);
        let jobs = tables
            .iter_mut()
            .map(|table| Box::new(move || table.settle(keys)) as ListJob);
        self.jobs.run(jobs);
        matcher.index.shrink();
        matcher.prefixes.settle(&matcher.texts);
        matcher.paths.settle(&matcher.texts);
        matcher.patterns.settle();
        matcher
    }
}

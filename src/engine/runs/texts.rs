//! Texts in memory, such as the lines of a log or the rows of a column: `serial` searches
//! them one after the other, where nothing of a run is needed but its findings.

use super::serial::{FirstBlock, Serial};
use super::sieve::Sieve;
use crate::engine::ask::config::RunConfig;
use crate::engine::ask::effects::wrong_settings;
use crate::engine::ask::mode::Mode;
use crate::engine::batches::findings::Findings;
use crate::engine::batches::stats::Stats;
use crate::engine::error::Error;
use crate::engine::fault;
use crate::engine::read::search::prefilter::Prefilter;
use crate::item::Finding;
use std::fmt;

/// The place of a panic that ends a search.
const SEARCHED: &str = "while a text was searched";

impl Sieve {
    /// Returns a search of one text after the other, each of which may be read into the
    /// buffer of the one before. It keeps its memory: a text costs no allocation.
    ///
    /// # Errors
    /// [`ErrorKind::Settings`](crate::ErrorKind::Settings) if the sieve does more than to find every occurrence, so that
    /// its findings need a run: another mode than [`Mode::All`], several threads, lists,
    /// links, lines, an order, a limit or known inputs. The cause names the setting.
    ///
    /// ```
    /// use std::io::BufRead;
    /// use urisieve::{Mode, Sieve};
    /// let sieve = Sieve::builder().mode(Mode::All).build();
    /// let mut search = sieve.text_search()?;
    /// let mut log = &b"GET http://a.example/\nnothing\nsee <HTTP://B.example/>\n"[..];
    /// let (mut line, mut found) = (Vec::new(), Vec::new());
    /// while log.read_until(b'\n', &mut line)? > 0 {
    ///     search.search(&line, |finding| found.push((finding.input, finding.uri.to_vec())))?;
    ///     line.clear();
    /// }
    /// assert_eq!(found, [(0, b"http://a.example/".to_vec()), (2, b"http://b.example/".to_vec())]);
    /// assert_eq!(search.stats().occurrences, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn text_search(&self) -> Result<TextSearch, Error> {
        self.config.check_effects()?;
        match beyond_findings(&self.config) {
            None => Ok(TextSearch::new(&self.config)),
            Some(setting) => Err(wrong_settings(format!(
                "{setting} needs a run: use Sieve::for_each"
            ))),
        }
    }
}

/// A search of one text after the other. [`Sieve::text_search`] returns it, and shows its use.
pub struct TextSearch {
    config: RunConfig,
    serial: Serial,
    /// The number of texts so far.
    texts: usize,
    stats: Stats,
}

impl TextSearch {
    fn new(config: &RunConfig) -> TextSearch {
        TextSearch {
            config: config.clone(),
            serial: serial(config),
            texts: 0,
            stats: Stats::default(),
        }
    }

    /// Calls `visit` with each finding of `text`; [`Finding::input`] counts the texts. The
    /// findings are those that a run gives of the text as a [`Source::Text`](crate::input::Source).
    ///
    /// # Errors
    /// A panic of `visit` or of another callback; the search may be continued. A text that
    /// makes a stage panic is a bug; it counts as one of [`Stats::failed_inputs`].
    ///
    /// ```
    /// let sieve = urisieve::Sieve::builder().mode(urisieve::Mode::All).build();
    /// let mut search = sieve.text_search()?;
    /// let mut lengths = Vec::new();
    /// search.search(b"see http://a.example/b", |finding| lengths.push(finding.length))?;
    /// assert_eq!(lengths, [18]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn search(&mut self, text: &[u8], mut visit: impl FnMut(&Finding)) -> Result<(), Error> {
        let TextSearch {
            config,
            serial,
            texts,
            stats,
        } = self;
        let number = *texts;
        *texts += 1;
        if serial.is_cancelled() {
            return Ok(());
        }
        let mut rest = None;
        let first = fault::catch(|| serial.search_first(text, number, &mut rest));
        let mut searched = match first {
            Ok(FirstBlock::Passed { bytes }) => {
                stats.bytes += bytes;
                return Ok(());
            }
            first => first.map(|_| true),
        };
        loop {
            match searched {
                Ok(true) => {
                    let mut findings = Findings::new(&serial.batch, None, true);
                    let visited = fault::catch(|| {
                        fault::call(|| findings.by_ref().for_each(|finding| visit(&finding)))
                    });
                    *stats += serial.batch.stats;
                    stats.distinct += findings.classes;
                    visited.map_err(|panic| panic.error(number, SEARCHED))?;
                }
                Ok(false) => return Ok(()),
                Err(panic) => {
                    *serial = self::serial(config);
                    if panic.is_of_caller {
                        return Err(panic.error(number, SEARCHED));
                    }
                    stats.failed_inputs += 1;
                    return Ok(());
                }
            }
            searched = fault::catch(|| serial.search_next(&mut rest));
        }
    }

    /// Returns the counts of the texts so far.
    ///
    /// ```
    /// let sieve = urisieve::Sieve::builder().mode(urisieve::Mode::All).build();
    /// let mut search = sieve.text_search()?;
    /// search.search(b"http://a.example/ http://a.example/", |_| {})?;
    /// assert_eq!(search.stats().occurrences, 2);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl fmt::Debug for TextSearch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("TextSearch")
            .field("texts", &self.texts)
            .finish_non_exhaustive()
    }
}

/// Returns a searcher of texts.
fn serial(config: &RunConfig) -> Serial {
    Serial::new(config, Some(Prefilter::new(&config.search)))
}

/// Returns the first setting because of which a run does more than to search one text after
/// the other, and to report every finding as it is.
pub(in crate::engine) fn beyond_findings(config: &RunConfig) -> Option<&'static str> {
    let (keys, report) = (&config.keys, &config.report);
    let settings = [
        (keys.mode != Mode::All, "another mode than Mode::All"),
        (keys.pairs.is_some(), "links"),
        (config.reading.threads != 1, "threads"),
        (config.memory.max_memory.is_some(), "max_memory"),
        (config.search.layout.is_some(), "list"),
        (!config.search.layouts.is_empty(), "layout_of"),
        (report.sequence.is_some(), "sequence"),
        (report.most.is_some(), "max_findings"),
        (report.known_inputs > 0, "known_inputs"),
        (report.lines, "lines"),
        (report.progress.is_some(), "progress"),
    ];
    settings
        .into_iter()
        .find_map(|(is_set, name)| is_set.then_some(name))
}

//! The command `enrich`: events of JSON Lines in, the same lines with the URIs that are in
//! them. Every other byte of an event stays (I18, I19).

use super::event::{MemberPath, MemberPlace};
use super::flags::StreamFlags;
use super::line_loop::{self, LineOutput, LineWork};
use super::seen_events::SeenEvents;
use crate::cli::destination::printer::Printer;
use crate::cli::destination::{Destination, OutputNames, form};
use crate::cli::flags::equivalence::Equivalence;
use crate::cli::flags::memory::{MemoryFlags, MemoryUses};
use crate::cli::flags::{SeenFlags, StoreFlags, with_field, worded};
use crate::cli::indicator_lists::IndicatorLists;
use crate::cli::inputs::{self, Input, InputNames};
use crate::cli::report::messages::{self, Messages, Speech};
use crate::cli::report::progress::Line;
use crate::cli::report::stderr;
use crate::cli::seen::remembered::{SeenOutput, Stores};
use crate::cli::seen::settings::StoredKeys;
use crate::cli::shard::InputShard;
use crate::cli::signals::Interrupt;
use clap::ValueEnum;
use std::collections::BTreeSet;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use urisieve::decode::{DataFields, InputFormat};
use urisieve::input::Walk;
use urisieve::item::Finding;
use urisieve::output::{Added, OutputFormat, new_member};
use urisieve::store::seen::SeenSettings;
use urisieve::{LogFormat, TextSearch};

/// Add the URIs of each event to it: JSON Lines in, JSON Lines out
///
/// `,"urls":["http://a.example/"]` is written before the last } of an event that has URIs.
/// Every other byte stays, and so does every line that is not an object. Each URI is added
/// once. What is complete is written when the writer of a pipe pauses.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_arg("stats", |arg| worded(arg, "Print numbers of events to standard error", "")),
    mut_arg("output", |arg| worded(arg, "Write to FILE, which appears only when it is complete", "")),
    mut_arg("seen", |arg| worded(arg, "Remember in STORE the URIs that are added, and say which are new", SEEN)),
    mut_arg("commit_every", |arg| worded(arg, "Commit to the store of --seen every TIME (30s, 5m, 1h), not only at the end", COMMIT_EVERY))
)]
pub(in crate::cli) struct Enrich {
    /// Files; without them, or with -, standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Only this field of the events, a JSON pointer like /message; may be repeated
    ///
    /// Of an object or array all that is in it is searched; * is every member or element.
    #[arg(long, value_name = "POINTER", help_heading = "Events")]
    field: Vec<String>,

    /// The member that is added
    ///
    /// Its parent must exist, and may not have it yet: other events are unchanged, and
    /// --stats counts them.
    #[arg(
        long,
        value_name = "POINTER",
        default_value = "/urls",
        help_heading = "Events"
    )]
    into: String,

    /// What is added of a URI: the URI (default), its parts, or those of ECS
    #[arg(
        long = "as",
        id = "as",
        value_name = "WHAT",
        default_value = "uris",
        hide_default_value = true,
        help_heading = "Events"
    )]
    form: AddedForm,

    /// Add an empty list to events without URIs
    #[arg(long, help_heading = "Events")]
    always: bool,

    /// The most URIs that are added to an event; the number of others is its urls_more
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Events")]
    max_per_event: usize,

    /// With --match, print only events with a URI that an entry matches
    #[arg(long, requires = "match", help_heading = "Events")]
    drop_unmatched: bool,

    #[command(flatten)]
    stream: StreamFlags,

    #[command(flatten)]
    seen: StoreFlags,

    // Last, because its heading applies to all flags after it.
    #[command(flatten)]
    equivalence: Equivalence,
}

const SEEN: &str = "\
The member new of each URI, with --as urls, is true where neither STORE nor an event before had it, \
else false. STORE is a directory, which is made if it is missing, and which extract and dedup share. \
It is changed once, when all events were written: after an error, and when nobody reads any more, it \
is as before. One run at a time may write to it.";

const COMMIT_EVERY: &str = "\
URIs whose events are written and flushed are remembered, also while the input pauses; a kill loses \
nothing else, and memory does not grow with the URIs. Not with -o, which appears at the end.";

const EXAMPLES: &str = "\
Examples:
  The URIs of the messages of a journal, beside them
      journalctl -f -o json | urisieve enrich --field /MESSAGE
  Their parts, for an index
      urisieve enrich --as urls events.jsonl
  Only events that name a host of a list
      urisieve enrich --match ioc.txt --drop-unmatched events.jsonl
  Which URIs were never seen before, on this and all earlier days
      tail -F app.jsonl | urisieve enrich --as urls --seen store --commit-every 1m

Exit codes: 0 something found, 1 nothing found, 2 an error; 143 after SIGTERM: what waits
in a pipe is still passed on.";

/// What is added of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AddedForm {
    Uris,
    Urls,
    #[value(name = "ecs")]
    Elastic,
}

impl AddedForm {
    fn added(self) -> Added {
        match self {
            AddedForm::Uris => Added::Uri,
            AddedForm::Urls => Added::Parts,
            AddedForm::Elastic => Added::Elastic,
        }
    }
}

/// Runs the command.
pub(in crate::cli) fn run(args: Enrich) -> ExitCode {
    match enrich(args) {
        Ok(code) => code,
        Err(message) => messages::usage(&message),
    }
}

fn enrich(args: Enrich) -> Result<ExitCode, String> {
    let speech = args.stream.silence.speech();
    let path = MemberPath::parse(&args.into);
    let path = path.map_err(|error| format!("--into: {:?}: {error}", args.into))?;
    let lists = IndicatorLists::open(&args.stream.selection.matching, 1, speech, false)?;
    let search = searcher(&args, &lists)?;
    let is_named = !args.files.is_empty();
    let inputs = inputs::inputs(args.files, None, false)?;
    inputs::are_lists(&inputs, &Walk::default())?;
    let mut outputs = OutputNames::new();
    let out = args.stream.output.path();
    let (format, compression) = form::by_flags(out, None, OutputFormat::JSON)?;
    if format != OutputFormat::JSON && format != OutputFormat::TEXT {
        return Err("-o: events are JSON Lines; use .jsonl".to_owned());
    }
    if args.seen.is_paced() && out.is_some() {
        return Err("--commit-every: not with -o, which appears at the end".to_owned());
    }
    let destination = Destination::named(out, compression, 1, is_named, &mut outputs)?;
    let interrupt = Interrupt::wait().map_err(|error| error.to_string())?;
    let seen = SeenFlags {
        store: args.seen,
        journal: None,
    };
    let keys = StoredKeys::Uri.settings(&args.equivalence, &args.stream.privacy)?;
    let seen = opened(seen, &keys, (speech, &interrupt), &inputs)?;
    messages::keyboard(is_named, speech != Speech::Silent);
    let names = InputNames::new(inputs::STDIN);
    let report = Messages::new(names.clone(), usize::MAX, speech, None, Line::hidden());
    let printer = Printer::new(destination).lasting(seen.is_some());
    let which = (names.clone(), InputShard::default());
    let sources = inputs::sources(inputs, Walk::default(), which);
    let mut work = Enricher {
        search,
        path,
        added: args.form.added(),
        always: args.always,
        most: args.max_per_event,
        drops: args.drop_unmatched,
        counts: EventCounts::default(),
        events: Vec::new(),
        found: EventUris::default(),
        seen,
        failed: None,
    };
    let name = |number| names.get(number).to_vec();
    let output = LineOutput {
        printer,
        report,
        interrupt: &interrupt,
        speech,
        quiet: false,
    };
    let ended = line_loop::run(sources, name, output, &mut work, |work| {
        if args.stream.stats.stats {
            work.counts.print();
            if let Some(seen) = &work.seen {
                seen.stores.say_unfiltered();
            }
        }
    });
    let ended = match ended {
        Ok(ended) => ended,
        Err(code) => return Ok(code),
    };
    if let Some(seen) = work.seen.as_mut().filter(|_| ended.delivered) {
        seen.stores.commit(&interrupt.flag())?;
    }
    let lost = ended.lost || lists.bad > 0 || work.counts.failed();
    let found = work.counts.uris > 0;
    Ok(messages::code(lost, ended.interrupted, u8::from(!found)))
}

/// Opens the store that `flags` name, if they do.
fn opened(
    flags: SeenFlags,
    keys: &SeenSettings,
    (speech, interrupt): (Speech, &Interrupt),
    inputs: &[Input],
) -> Result<Option<SeenEvents>, String> {
    let memory = MemoryFlags {
        max_memory: None,
        temp_dir: None,
    };
    let shares = memory.shares(MemoryUses {
        stores: flags.store.seen.is_some(),
        ..MemoryUses::default()
    })?;
    let output = SeenOutput {
        divided: None,
        inputs,
    };
    let speaks = speech != Speech::Silent;
    let stores = Stores::open(
        flags,
        &[],
        keys,
        (&memory, &shares),
        (speaks, interrupt),
        output,
    )?;
    Ok(SeenEvents::new(stores))
}

/// Returns the search of events.
fn searcher(args: &Enrich, lists: &IndicatorLists) -> Result<TextSearch, String> {
    let mut fields = DataFields::default();
    for field in &args.field {
        if !field.starts_with('/') {
            return Err(format!(
                "--field: {field:?}: write a JSON pointer such as /message"
            ));
        }
        fields = with_field(fields, field)?;
    }
    // What an event states of a request is in its fields already.
    let off = LogFormat::from_str("off").map_err(|error| error.to_string())?;
    let canonicalizer = args.equivalence.canonicalizer()?;
    let mut sieve = args.stream.sieve(lists, canonicalizer)?;
    sieve = sieve
        .format(InputFormat::named("json"))
        .fields(fields)
        .log_format(off)
        .originals(args.form == AddedForm::Elastic)
        .positions(args.form == AddedForm::Urls)
        .matched(args.form == AddedForm::Urls);
    if let Some(redactor) = args.stream.privacy.redactor()? {
        sieve = sieve.redact(redactor);
    }
    if args.stream.privacy.defang {
        return Err("--defang: not with enrich, whose URIs are for programs".to_owned());
    }
    let search = sieve.build().text_search();
    search.map_err(|error| error.to_string())
}

/// Adds the URIs of events to them.
struct Enricher {
    search: TextSearch,
    path: MemberPath,
    added: Added,
    always: bool,
    most: usize,
    drops: bool,
    counts: EventCounts,
    /// The lines that are searched together, with the places of their members.
    events: Vec<(Range<usize>, MemberPlace)>,
    found: EventUris,
    /// The store that remembers what is added.
    seen: Option<SeenEvents>,
    /// Why it does not.
    failed: Option<String>,
}

/// The numbers of events.
#[derive(Debug, Default)]
struct EventCounts {
    events: u64,
    enriched: u64,
    uris: u64,
    more: u64,
    dropped: u64,
    not_object: u64,
    present: u64,
    no_parent: u64,
    too_long: u64,
    unsearched: u64,
}

impl EventCounts {
    fn print(&self) {
        let rows = [
            (self.events, "events"),
            (self.enriched, "enriched"),
            (self.uris, "uris"),
            (self.more, "uris_more"),
            (self.dropped, "dropped"),
            (self.not_object, "not_object"),
            (self.present, "member_present"),
            (self.no_parent, "no_parent"),
            (self.too_long, "too_long"),
            (self.unsearched, "unsearched"),
        ];
        for (number, name) in rows.iter().filter(|row| row.0 > 0) {
            stderr::line(format_args!("{number:>14} {name}"));
        }
    }

    /// Whether events were not searched that should have been.
    fn failed(&self) -> bool {
        self.too_long > 0 || self.unsearched > 0
    }
}

/// The URIs of the events that are searched together.
#[derive(Debug, Default)]
struct EventUris {
    /// What is added, one after the other.
    texts: Vec<u8>,
    /// The URIs, one after the other.
    uris: Vec<u8>,
    rows: Vec<EventUri>,
    /// For each event with more URIs than are added: its number, and how many.
    more: Vec<(usize, u64)>,
    /// The URIs of the last event, once it has many.
    many: BTreeSet<Vec<u8>>,
}

/// A URI that is added to an event.
#[derive(Debug)]
struct EventUri {
    /// The number of the event.
    event: usize,
    /// The place of what is added.
    text: Range<usize>,
    /// The place in it of the member that says whether the URI is new.
    mark: Option<usize>,
    /// The place of the URI.
    uri: Range<usize>,
    is_new: bool,
}

/// The number of URIs of an event that are compared one by one.
const FEW: usize = 16;

impl EventUris {
    fn clear(&mut self) {
        self.texts.clear();
        self.uris.clear();
        self.rows.clear();
        self.more.clear();
        self.many.clear();
    }

    /// Adds a URI of an event. Events come in their order.
    fn add(&mut self, event: usize, finding: &Finding, (added, most): (Added, usize)) {
        let first = self.rows.partition_point(|row| row.event < event);
        let is_next = first == self.rows.len() && self.more.last().is_none_or(|m| m.0 != event);
        if is_next {
            self.many.clear();
        }
        let rows = &self.rows[first..];
        let is_known = match self.many.is_empty() {
            true => rows
                .iter()
                .any(|row| &self.uris[row.uri.clone()] == finding.uri),
            false => self.many.contains(finding.uri),
        };
        if is_known {
            return;
        }
        if rows.len() >= FEW.min(most) {
            if self.many.is_empty() {
                let known = rows.iter().map(|row| self.uris[row.uri.clone()].to_vec());
                self.many = known.collect();
            }
            self.many.insert(finding.uri.to_vec());
        }
        if rows.len() >= most {
            match self.more.last_mut() {
                Some((last, number)) if *last == event => *number += 1,
                _ => self.more.push((event, 1)),
            }
            return;
        }
        let (text, uri) = (self.texts.len(), self.uris.len());
        let mark = added.push_open(finding, &mut self.texts);
        self.uris.extend_from_slice(finding.uri);
        self.rows.push(EventUri {
            event,
            text: text..self.texts.len(),
            mark,
            uri: uri..self.uris.len(),
            is_new: false,
        });
    }
}

impl EventUris {
    /// Has the store remember the URIs, and notes which are new.
    fn remember(&mut self, seen: &mut SeenEvents) -> io::Result<()> {
        let EventUris { uris, rows, .. } = self;
        let mut new = Vec::new();
        seen.add(uris, rows.iter().map(|row| row.uri.clone()), |number| {
            new.push(number);
        })?;
        for number in new {
            rows[number].is_new = true;
        }
        Ok(())
    }
}

impl Enricher {
    fn go_on(&self) -> ControlFlow<()> {
        match self.failed {
            None => ControlFlow::Continue(()),
            Some(_) => ControlFlow::Break(()),
        }
    }

    /// Searches the events that are kept, which are in this part of `lines`, and writes them.
    fn write_events(&mut self, lines: &[u8], out: &mut Vec<u8>) {
        let (Some(first), Some(last)) = (self.events.first(), self.events.last()) else {
            return;
        };
        let part = first.0.start..last.0.end;
        let Enricher {
            search,
            events,
            found,
            ..
        } = self;
        found.clear();
        let limits = (self.added, self.most);
        let mut event = 0;
        let searched = search.search(&lines[part.clone()], |finding| {
            let at = part.start + finding.offset as usize;
            while event + 1 < events.len() && events[event].0.end <= at {
                event += 1;
            }
            found.add(event, finding, limits);
        });
        if searched.is_err() {
            self.counts.unsearched += self.events.len() as u64;
        }
        if let Some(seen) = &mut self.seen
            && let Err(error) = self.found.remember(seen)
        {
            // Nothing is said of what could not be asked for.
            self.failed.get_or_insert(format!("--seen {error}"));
            self.events.clear();
            return;
        }
        let (mut row, mut more) = (0, 0);
        for number in 0..self.events.len() {
            let (range, place) = self.events[number].clone();
            let first = row;
            while self
                .found
                .rows
                .get(row)
                .is_some_and(|row| row.event == number)
            {
                row += 1;
            }
            let further = self.found.more.get(more).filter(|more| more.0 == number);
            let further = further.map(|more| more.1);
            more += usize::from(further.is_some());
            self.write(&lines[range], place, (first..row, further), out);
        }
        self.events.clear();
    }

    /// Writes an event with the URIs of these rows, and the number of others.
    fn write(
        &mut self,
        line: &[u8],
        place: MemberPlace,
        (rows, more): (Range<usize>, Option<u64>),
        out: &mut Vec<u8>,
    ) {
        let MemberPlace::Before { offset, is_empty } = place else {
            return;
        };
        if rows.is_empty() && more.is_none() {
            if self.drops {
                self.counts.dropped += 1;
                return;
            }
            if !self.always {
                out.extend_from_slice(line);
                return;
            }
        }
        self.counts.enriched += 1;
        self.counts.uris += rows.len() as u64 + more.unwrap_or(0);
        self.counts.more += more.unwrap_or(0);
        out.extend_from_slice(&line[..offset]);
        if !is_empty {
            out.push(b',');
        }
        push_name(self.path.name(), out);
        out.extend_from_slice(b":[");
        for (number, row) in self.found.rows[rows].iter().enumerate() {
            if number > 0 {
                out.push(b',');
            }
            let text = row.text.clone();
            let mark = row.mark.filter(|_| self.seen.is_some());
            let mark = mark.unwrap_or(text.end);
            out.extend_from_slice(&self.found.texts[text.start..mark]);
            if mark < text.end {
                out.extend_from_slice(new_member(row.is_new).as_bytes());
            }
            out.extend_from_slice(&self.found.texts[mark..text.end]);
        }
        out.push(b']');
        if let Some(more) = more {
            out.push(b',');
            push_name(&format!("{}_more", self.path.name()), out);
            out.extend_from_slice(format!(":{more}").as_bytes());
        }
        out.extend_from_slice(&line[offset..]);
    }
}

/// Appends a name as a string of JSON.
fn push_name(name: &str, out: &mut Vec<u8>) {
    // A string is always written.
    out.extend_from_slice(&serde_json::to_vec(name).unwrap_or_default());
}

impl LineWork for Enricher {
    fn lines(&mut self, _: &[u8], lines: &[u8], out: &mut Vec<u8>) -> ControlFlow<()> {
        let mut at = 0;
        while at < lines.len() {
            let end = memchr::memchr(b'\n', &lines[at..]).map_or(lines.len(), |len| at + len + 1);
            let line = &lines[at..end];
            let place = self.path.place_in(line);
            self.counts.events += u64::from(!line.trim_ascii().is_empty());
            if matches!(place, MemberPlace::Before { .. }) {
                self.events.push((at..end, place));
            } else {
                self.write_events(lines, out);
                if self.failed.is_some() {
                    return self.go_on();
                }
                let count = match place {
                    MemberPlace::Present => &mut self.counts.present,
                    MemberPlace::NoParent => &mut self.counts.no_parent,
                    _ => &mut self.counts.not_object,
                };
                *count += u64::from(!line.trim_ascii().is_empty());
                match self.drops {
                    true => self.counts.dropped += 1,
                    false => out.extend_from_slice(line),
                }
            }
            at = end;
        }
        self.write_events(lines, out);
        self.go_on()
    }

    fn part(&mut self, part: &[u8], first: bool, out: &mut Vec<u8>) {
        self.counts.too_long += u64::from(first);
        out.extend_from_slice(part);
    }

    fn is_due(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| seen.stores.is_due())
    }

    fn passed_on(&mut self) -> ControlFlow<()> {
        if let Some(seen) = &mut self.seen {
            seen.stores.flushed();
            if seen.stores.is_due()
                && let Err(error) = seen.stores.commit_flushed()
            {
                let store = seen.stores.name();
                self.failed = Some(format!(
                    "--seen {store}: nothing more is remembered: {error}"
                ));
            }
        }
        self.go_on()
    }

    fn failure(&mut self) -> Option<String> {
        self.failed.take()
    }
}

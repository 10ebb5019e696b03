//! The numbers of a report, collected row by row: counts by name, times, groups of spellings,
//! and the first rows of the table.

use super::tally::NameCounts;
use super::timeline::Timeline;
use crate::item::{Finding, Reason, Timestamp, UtcOffset};
use crate::output::fields::Field;
use crate::output::rows::RowKind;
use crate::output::value::{Row, Value};
use crate::syntax::Parts;
#[cfg(feature = "domain")]
use crate::syntax::domain;

/// The most rows in the table of a report.
pub const REPORT_ROWS: usize = 10_000;

/// The most bytes of the table in a page, so that the page has less than 2 MB.
const TABLE_BYTES: usize = 1_600_000;
/// Where all rows of a report are that shows the first ones.
const BESIDE: &str = "With <code>-o NAME.html</code> all of them are in \
    <code>NAME.rows.parquet</code> beside it.";
const OTHER_FORMATS: &str = "<code>-f csv</code> and <code>-f parquet</code> write all of them.";
/// The groups that are kept, and the spellings of each.
const GROUPS_MAX: usize = 100;
const SPELLINGS_MAX: usize = 10;

/// The numbers of a report.
#[derive(Debug)]
pub(super) struct Summary {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The first rows of the table.
    pub rows: Vec<Vec<ReportCell>>,
    /// The bytes of the cells, without their tags.
    table_bytes: usize,
    /// Whether each column has a value.
    pub used: Vec<bool>,
    /// Where all rows are, as markup.
    pub all_rows: &'static str,
    /// Whether the table has no room for more rows.
    is_full: bool,
    /// All rows.
    pub records: u64,
    /// Occurrences in all rows.
    pub occurrences: u64,
    /// Whether rows have counts.
    pub counts: bool,
    pub facets: Vec<(&'static Facet, NameCounts)>,
    pub times: Timeline,
    pub groups: Vec<SpellingGroup>,
    /// Classes with several spellings, of which `groups` has the first.
    pub groups_in_all: u64,
    fields: Vec<Field>,
    /// The values of `facets` in records.
    values: Vec<FacetValues>,
}

/// A value in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReportCell {
    Absent,
    Number(u64),
    Text(Box<[u8]>),
}

/// A part by which rows are counted.
#[derive(Debug)]
pub(super) struct Facet {
    /// The key in JSON.
    pub name: &'static str,
    /// The heading in a page.
    pub title: &'static str,
    /// The meaning of a number of rows.
    pub meaning: &'static str,
    /// Whether the first rows with a value are kept as examples.
    pub has_examples: bool,
}

/// A part of rows of the records.
#[derive(Debug)]
struct RowFacet {
    facet: Facet,
    /// Calls a function with each value of a row.
    values: FacetValues,
}

type FacetValues = for<'r> fn(&Row<'r>, &mut dyn FnMut(&[u8]));

/// A class with several spellings.
#[derive(Debug)]
pub(super) struct SpellingGroup {
    pub uri: Box<[u8]>,
    pub spellings: Vec<GroupSpelling>,
    /// Spellings that are not in the list.
    pub further: usize,
}

#[derive(Debug)]
pub(super) struct GroupSpelling {
    pub text: Box<[u8]>,
    pub count: u64,
    /// The steps to the canonical form: name and section.
    pub steps: Vec<(Box<str>, Box<str>)>,
}

/// The columns of the table, where rows have them.
const FINDING_COLUMNS: &[&str] = &[
    "uri",
    "count",
    "kind",
    "problems",
    "request.method",
    "request.status",
    "first_seen",
    "last_seen",
    "file",
    "line",
];
const LINK_COLUMNS: &[&str] = &["s", "t", "path", "rel", "nofollow", "count", "file"];

const fn facet(
    name: &'static str,
    title: &'static str,
    meaning: &'static str,
    values: FacetValues,
) -> RowFacet {
    RowFacet {
        facet: Facet {
            name,
            title,
            meaning,
            has_examples: false,
        },
        values,
    }
}

/// The parts by which findings are counted.
const FINDING_FACETS: &[RowFacet] = &[
    RowFacet {
        facet: Facet {
            name: "problems",
            title: "Problems",
            meaning: "URIs with the problem",
            has_examples: true,
        },
        values: |row, add| {
            for problem in row.finding.problems().iter() {
                add(problem.code().as_bytes());
            }
        },
    },
    facet("hosts", "Hosts", "URIs with the host", |row, add| {
        row.host()
            .filter(|host| !host.is_empty())
            .into_iter()
            .for_each(add);
    }),
    #[cfg(feature = "domain")]
    facet(
        "domains",
        "Registered domains",
        "URIs below the domain",
        |row, add| {
            row.host()
                .and_then(domain::registered_domain)
                .into_iter()
                .for_each(add);
        },
    ),
    facet("schemes", "Schemes", "URIs with the scheme", |row, add| {
        row.scheme().into_iter().for_each(add);
    }),
    facet(
        "namespaces",
        "URN namespaces",
        "URNs in the namespace",
        |row, add| row.nid().into_iter().for_each(add),
    ),
    facet("kinds", "Kinds", "URIs of the kind", |row, add| {
        add(row.kind().as_bytes());
    }),
    facet(
        "statuses",
        "Status codes",
        "URIs by the status of their first request",
        |row, add| {
            if let Some(status) = row.exchange().status {
                add(status.to_string().as_bytes());
            }
        },
    ),
    facet(
        "methods",
        "Methods",
        "URIs by the method of their first request",
        |row, add| row.exchange().method.into_iter().for_each(add),
    ),
    facet(
        "files",
        "Inputs",
        "URIs that the input has first",
        |row, add| add(row.name),
    ),
];

/// The parts by which links are counted.
const LINK_FACETS: &[RowFacet] = &[
    facet(
        "sources",
        "Hosts with the most links",
        "links from the host",
        |row, add| add(host_of(row.finding.source.unwrap_or_default())),
    ),
    facet(
        "targets",
        "Hosts that are linked to most",
        "links to the host",
        |row, add| add(host_of(row.uri())),
    ),
    facet(
        "pages",
        "Pages or nodes with the most links",
        "links from the page",
        |row, add| add(row.finding.source.unwrap_or_default()),
    ),
    facet(
        "elements",
        "Elements",
        "links in the element and attribute",
        |row, add| {
            let path = row.context().link.unwrap_or_default().path;
            Some(path)
                .filter(|path| !path.is_empty())
                .into_iter()
                .for_each(add);
        },
    ),
];

/// Returns the host of a URI, or the whole text, which may be a node that is a host.
fn host_of(text: &[u8]) -> &[u8] {
    Parts::of(text).host().unwrap_or(text)
}

impl Summary {
    /// The summary of rows of this kind.
    pub(super) fn of_rows(rows: RowKind) -> Summary {
        let (columns, facets) = match rows {
            RowKind::Findings => (Some(FINDING_COLUMNS), FINDING_FACETS),
            RowKind::Links(_) => (Some(LINK_COLUMNS), LINK_FACETS),
            RowKind::Parts(_) => (None, &[][..]),
        };
        let mut fields = rows.fields();
        if let Some(columns) = columns {
            let place = |field: &Field| columns.iter().position(|name| *name == field.name);
            fields.retain(|field| place(field).is_some());
            fields.sort_by_key(|field| place(field));
        }
        let names = fields.iter().map(|field| field.name.to_owned()).collect();
        Summary {
            fields,
            all_rows: BESIDE,
            values: facets.iter().map(|facet| facet.values).collect(),
            ..Summary::new(names, facets.iter().map(|facet| &facet.facet).collect())
        }
    }

    /// The summary of rows with these columns, which are counted by the parts.
    pub(super) fn new(columns: Vec<String>, facets: Vec<&'static Facet>) -> Summary {
        let facets = facets.into_iter();
        Summary {
            used: vec![false; columns.len()],
            columns,
            rows: Vec::new(),
            table_bytes: 0,
            all_rows: OTHER_FORMATS,
            is_full: false,
            records: 0,
            occurrences: 0,
            counts: false,
            facets: facets.map(|facet| (facet, NameCounts::default())).collect(),
            times: Timeline::default(),
            groups: Vec::new(),
            groups_in_all: 0,
            fields: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Whether the table has all rows.
    pub(super) fn is_whole(&self) -> bool {
        self.records == self.rows.len() as u64
    }

    /// Adds a record.
    pub(super) fn add(&mut self, row: &Row) {
        let finding = row.finding;
        let count = finding.count.unwrap_or(1);
        self.counts |= finding.count.is_some();
        for part in 0..self.values.len() {
            let values = self.values[part];
            values(row, &mut |value| {
                self.tally(part, value, count, finding.uri);
            });
        }
        if let Some(time) = time(finding) {
            self.times.add(time);
        }
        let spellings = row.spellings.iter().map(|spelling| {
            let step = |reason: &Reason| (reason.name.into(), reason.section.into());
            GroupSpelling {
                text: spelling.text.into(),
                count: spelling.count,
                steps: spelling.reasons.iter().map(step).collect(),
            }
        });
        self.add_group(finding.uri, spellings);
        let cells = match self.is_full {
            true => Vec::new(),
            false => {
                let fields = self.fields.iter();
                fields.map(|field| cell((field.value)(row))).collect()
            }
        };
        self.add_row(cells, count);
    }

    /// Counts a value of the part with this number.
    pub(super) fn tally(&mut self, part: usize, value: &[u8], count: u64, example: &[u8]) {
        let (facet, tally) = &mut self.facets[part];
        let tallied = tally.add(value, count);
        if facet.has_examples {
            tallied.example(example);
        }
    }

    /// Counts a row, and adds its cells to the table, if it has room.
    pub(super) fn add_row(&mut self, cells: Vec<ReportCell>, count: u64) {
        self.records += 1;
        self.occurrences += count;
        if self.is_full {
            return;
        }
        for (is_used, cell) in self.used.iter_mut().zip(&cells) {
            *is_used |= *cell != ReportCell::Absent;
        }
        self.table_bytes += cells.iter().map(ReportCell::cost).sum::<usize>();
        let used = self.used.iter().filter(|is_used| **is_used).count();
        let tags = "<tr>".len() + used * "<td>".len() + 1;
        let bytes = self.table_bytes + tags * (self.rows.len() + 1);
        match bytes > TABLE_BYTES || self.rows.len() >= REPORT_ROWS {
            true => self.is_full = true,
            false => self.rows.push(cells),
        }
    }

    /// Adds a class to the groups, if it has several spellings and there is room.
    pub(super) fn add_group(
        &mut self,
        uri: &[u8],
        mut spellings: impl ExactSizeIterator<Item = GroupSpelling>,
    ) {
        if spellings.len() < 2 {
            return;
        }
        self.groups_in_all += 1;
        if self.groups.len() < GROUPS_MAX {
            self.groups.push(SpellingGroup {
                uri: uri.into(),
                spellings: spellings.by_ref().take(SPELLINGS_MAX).collect(),
                further: spellings.len(),
            });
        }
    }
}

/// The first time of a class, or that of an occurrence.
fn time(finding: &Finding) -> Option<Timestamp> {
    let stated = || finding.context.request?.exchange.time;
    let archived = || Timestamp::parse(finding.context.warc?.date, UtcOffset::UTC);
    let written = finding.context.message_date;
    finding
        .first_seen
        .or_else(stated)
        .or_else(archived)
        .or(written)
}

fn cell(value: Value) -> ReportCell {
    match value {
        Value::Number(number) => ReportCell::Number(number),
        Value::Text(text) => ReportCell::Text(text.into()),
        value => value.cell().map_or(ReportCell::Absent, |text| {
            ReportCell::Text(text.as_bytes().into())
        }),
    }
}

impl ReportCell {
    /// The most bytes of the cell in a page, beyond those of its tag without attributes.
    fn cost(&self) -> usize {
        match self {
            ReportCell::Absent => 0,
            ReportCell::Number(number) => {
                " class=n".len() + 4 * number.to_string().len().div_ceil(3)
            }
            ReportCell::Text(text) => text
                .iter()
                .map(|byte| match byte {
                    b'&' | b'<' | b'>' | b'"' | b'\'' => 6,
                    b' '..=b'~' => 1,
                    _ => 4,
                })
                .sum(),
        }
    }
}

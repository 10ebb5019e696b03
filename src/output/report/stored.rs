//! Records that an earlier run wrote, as JSON or as a row of a table, read back into a report.

use super::Report;
use super::summary::GroupSpelling;
use crate::item::{
    Context, Exchange, Finding, Link, Problem, Problems, Request, RequestPart, Timestamp,
    UtcOffset, Warc,
};
use crate::output::rows::RowKind;
use crate::output::value::Row;
use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Map, Value};

/// A URI and how it may be shown.
pub type PrivateText<'p> = &'p mut dyn FnMut(&[u8]) -> Vec<u8>;

impl Report {
    /// Returns the kind of the rows of a record that [`Json`](crate::output::Json) or a table
    /// with its keys wrote; `None` for every other object.
    ///
    /// ```
    /// use urisieve::output::{Report, RowKind};
    /// let record = serde_json::json!({
    ///     "uri": "http://a/", "kind": "url", "path": "/", "file": "f", "offset": 0, "length": 9,
    ///     "wrapper": "none",
    /// });
    /// assert_eq!(Report::kind_of(record.as_object().unwrap()), Some(RowKind::Findings));
    /// assert_eq!(Report::kind_of(&Default::default()), None);
    /// ```
    pub fn kind_of(record: &Map<String, Value>) -> Option<RowKind> {
        let has = |names: &[&str]| names.iter().all(|name| record.contains_key(*name));
        let place = has(&["file", "offset", "length"]);
        if place && has(&["uri", "kind", "wrapper"]) {
            return Some(RowKind::Findings);
        }
        (place && has(&["s", "t"])).then(|| RowKind::Links(Default::default()))
    }

    /// Adds a record of an earlier run if it `is_chosen`; URIs are shown as `private` returns
    /// them. Returns whether it was added, or `None` where it is not a record of the kind of
    /// this report.
    ///
    /// ```
    /// use urisieve::output::{Form, Report, RowKind};
    /// let line = r#"{"uri":"http://a/?token=1","kind":"url","scheme":"http","host":"a","path":"/",
    ///     "file":"f.txt","offset":3,"length":17,"wrapper":"none","count":2}"#;
    /// let mut report = Report::new(RowKind::Findings).json(true);
    /// let record = serde_json::from_str(line)?;
    /// let private = &mut |_: &[u8]| b"http://a/?token=***".to_vec();
    /// assert_eq!(report.add_record(&record, |_| true, private), Some(true));
    /// let mut out = Vec::new();
    /// report.finish(&mut out)?;
    /// assert!(out.starts_with(br#"{"records":1,"occurrences":2,"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_record(
        &mut self,
        record: &Map<String, Value>,
        is_chosen: impl FnOnce(&Finding) -> bool,
        private: PrivateText,
    ) -> Option<bool> {
        let is_links = matches!(self.rows, RowKind::Links(_));
        match Report::kind_of(record) {
            Some(RowKind::Links(_)) if is_links => {}
            Some(RowKind::Findings) if !is_links => {}
            _ => return None,
        }
        let stored = Stored(record);
        let bytes = |name: &str| stored.bytes(name);
        let stored_uri = bytes(if is_links { "t" } else { "uri" }).unwrap_or_default();
        let mut chosen = Finding::new(&stored_uri);
        chosen.marks.problems = stored.problems();
        if !is_chosen(&chosen) {
            return Some(false);
        }
        let uri = private(&stored_uri);
        let source = bytes("s").map(|source| private(&source));
        let name = bytes("file").unwrap_or_default();
        let method = bytes("request.method");
        let (path, rel) = (bytes("path"), bytes("rel"));
        let date = bytes("warc.date").unwrap_or_default();
        let mut finding = Finding::new(&uri);
        finding.source = source.as_deref();
        finding.count = stored.number("count");
        finding.first_seen = stored.time("first_seen");
        finding.last_seen = stored.time("last_seen");
        finding.place = stored.number("line").map(|line| crate::item::LineColumn {
            line,
            column: stored.number("column").unwrap_or_default(),
        });
        finding.marks = chosen.marks;
        finding.context = Context {
            warc: Some(Warc {
                date: &date,
                ..Warc::default()
            })
            .filter(|_| !date.is_empty()),
            link: is_links.then(|| Link {
                path: path.as_deref().unwrap_or_default(),
                rel: rel.as_deref().unwrap_or_default(),
                nofollow: record.get("nofollow") == Some(&Value::Bool(true)),
            }),
            request: bytes("request.part").map(|_| Request {
                part: RequestPart::default(),
                exchange: Exchange {
                    method: method.as_deref(),
                    status: stored
                        .number("request.status")
                        .and_then(|status| status.try_into().ok()),
                    time: stored.time("request.time"),
                    client: None,
                },
            }),
            ..Context::default()
        };
        self.summary.add(&Row::new(&finding, &name));
        let spellings = stored.spellings(private);
        self.summary.add_group(&uri, spellings.into_iter());
        Some(true)
    }
}

/// An object with its values by the names of fields.
struct Stored<'r>(&'r Map<String, Value>);

impl<'r> Stored<'r> {
    /// Returns the value of a field: below an object, or under a name with a dot.
    fn value(&self, name: &str) -> Option<&'r Value> {
        let nested = || {
            let (object, key) = name.split_once('.')?;
            self.0.get(object)?.get(key)
        };
        self.0.get(name).or_else(nested)
    }

    /// Returns the bytes of a text; the ones in Base64 are those of a text that is not UTF-8.
    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let encoded = self.0.get(&format!("{name}_b64")).and_then(Value::as_str);
        let exact = encoded.and_then(|text| BASE64_STANDARD.decode(text).ok());
        exact.or_else(|| Some(self.value(name)?.as_str()?.as_bytes().to_vec()))
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.value(name)?.as_u64()
    }

    fn time(&self, name: &str) -> Option<Timestamp> {
        Timestamp::parse(self.value(name)?.as_str()?.as_bytes(), UtcOffset::UTC)
    }

    /// Returns the problems: a list of codes, or in a table one text with `;` between them.
    fn problems(&self) -> Problems {
        let codes: Vec<&str> = match self.0.get("problems") {
            Some(Value::Array(codes)) => codes.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(codes)) => codes.split(';').collect(),
            _ => Vec::new(),
        };
        let problems = codes.into_iter().filter_map(Problem::of_code);
        problems.fold(Problems::default(), |mut all, problem| {
            all |= problem;
            all
        })
    }

    fn spellings(&self, private: PrivateText) -> Vec<GroupSpelling> {
        let list = self.0.get("spellings").and_then(Value::as_array);
        let objects = list.into_iter().flatten().filter_map(Value::as_object);
        let spelling = |object: &Map<String, Value>| {
            let spelling = Stored(object);
            let text = |step: &Value, name: &str| -> Box<str> {
                let text = step.get(name).and_then(Value::as_str);
                text.unwrap_or_default().into()
            };
            let steps = object.get("steps").and_then(Value::as_array);
            let steps = steps.into_iter().flatten();
            GroupSpelling {
                text: private(&spelling.bytes("original").unwrap_or_default()).into(),
                count: spelling.number("count").unwrap_or(1),
                steps: steps
                    .map(|step| (text(step, "name"), text(step, "section")))
                    .collect(),
            }
        };
        objects.map(spelling).collect()
    }
}

//! An explanation as JSON.

use super::{Explanation, Urn};
use serde_json::{Map, Value, json};

impl Explanation {
    /// Returns one JSON object with the keys `uri`, `components` (`name`, `value`,
    /// `start`, `end` in bytes), `host`, `valid` (`true` or `offset` and `rule`),
    /// `problems`, `level`, `canonical`, `levels`, `steps` (`name`, `section`,
    /// `before`, `after`), for a URN `urn_syntax` (by document) and `urn`
    /// (`registration`, `reference`, `rule`, `source`, `defects`), and `whatwg` (`null`
    /// with `whatwg_failure`). Bytes that are not UTF-8 are written as U+FFFD.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// use urisieve::explain::Explanation;
    /// let json = Explanation::of(b"urn:x:a", &Canonicalizer::default()).to_json("lexical");
    /// let value: serde_json::Value = serde_json::from_str(&json)?;
    /// assert_eq!(value["urn_syntax"]["rfc8141"], "invalid");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn to_json(&self, level: &str) -> String {
        let components: Vec<Value> = self
            .parts
            .iter()
            .map(|part| {
                json!({
                    "name": part.name,
                    "value": text(&self.uri[part.range.clone()]),
                    "start": part.range.start,
                    "end": part.range.end,
                })
            })
            .collect();
        let valid = match &self.valid {
            Ok(()) => json!(true),
            Err(violation) => json!({"offset": violation.offset, "rule": violation.rule}),
        };
        let levels: Map<String, Value> = self
            .levels
            .iter()
            .map(|(level, form)| (level.name().to_owned(), text(form)))
            .collect();
        let steps: Vec<Value> = self
            .steps
            .iter()
            .map(|step| {
                json!({
                    "name": step.name,
                    "section": step.section,
                    "before": text(&step.before),
                    "after": text(&step.after),
                })
            })
            .collect();
        let problems: Vec<&str> = self.problems.iter().map(|p| p.code()).collect();
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
        put("uri", text(&self.uri));
        put("components", components.into());
        put("host", json!(self.host.map(|host| host.name())));
        put("valid", valid);
        put("problems", problems.into());
        put("level", level.into());
        put("canonical", text(&self.canonical));
        put("levels", levels.into());
        put("steps", steps.into());
        if let Some(urn) = &self.urn {
            let readings: Map<String, Value> = urn
                .readings
                .iter()
                .map(|(document, reading)| (document.name().to_owned(), reading.as_str().into()))
                .collect();
            put("urn_syntax", readings.into());
            put("urn", about(urn));
        }
        match &self.whatwg {
            Ok(url) => put("whatwg", url.as_str().into()),
            Err(cause) => {
                put("whatwg", Value::Null);
                put("whatwg_failure", cause.as_str().into())
            }
        };
        Value::Object(object).to_string()
    }
}

fn about(urn: &Urn) -> Value {
    json!({
        "registration": urn.registration.map(|registration| registration.name()),
        "reference": urn.reference.filter(|reference| !reference.is_empty()),
        "rule": urn.rule.map(|(_, summary)| summary),
        "source": urn.rule.map(|(source, _)| source),
        "defects": urn.defects,
    })
}

fn text(bytes: &[u8]) -> Value {
    String::from_utf8_lossy(bytes).into_owned().into()
}

//! The fields of a record, in the order of [`RECORD`](super::RECORD): what a
//! finding says is decided here, how a field is written by whoever takes them.

use super::schema::WARC;
use crate::item::{Finding, Warc};
use crate::syntax::{Components, urn};
use base64::prelude::{BASE64_STANDARD, Engine};
use std::borrow::Cow;

/// Takes fields by their keys, each at most once and in order.
pub(super) trait Fields {
    fn string(&mut self, key: &str, value: &str);

    fn number(&mut self, key: &str, value: u64);

    /// A flag that is absent when it is not set.
    fn flag(&mut self, key: &str, value: bool);

    fn list<'v>(&mut self, key: &str, values: impl Iterator<Item = &'v str>);

    /// What is known of a record of a web archive: the values of
    /// [`WARC`](super::schema::WARC), of which empty ones are absent.
    fn warc(&mut self, warc: &Warc) {
        for ((_, column, _), value) in WARC.into_iter().zip(values(warc)) {
            match value {
                WarcValue::Number(number) => self.number(column, number),
                WarcValue::Text(text) => self.optional(column, (!text.is_empty()).then_some(text)),
            }
        }
    }

    /// Bytes that are a string but where they are not UTF-8.
    fn text(&mut self, key: &str, value: &[u8]) {
        let value: Cow<str> = String::from_utf8_lossy(value);
        self.string(key, &value);
    }

    /// Bytes that stay what they are: in Base64, under another key, where they are
    /// not UTF-8.
    fn bytes(&mut self, key: &str, value: &[u8]) {
        match std::str::from_utf8(value) {
            Ok(value) => self.string(key, value),
            Err(_) => self.string(&format!("{key}_b64"), &BASE64_STANDARD.encode(value)),
        }
    }

    /// Bytes in Base64, where they are not UTF-8 and so were told with losses.
    fn if_not_utf8(&mut self, key: &str, value: &[u8]) {
        if std::str::from_utf8(value).is_err() {
            self.string(key, &BASE64_STANDARD.encode(value));
        }
    }

    fn optional(&mut self, key: &str, value: Option<&[u8]>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }
}

/// Gives the fields of a finding, found in the input `name`, to `object`.
pub(super) fn record(finding: &Finding, name: &[u8], object: &mut impl Fields) {
    let uri = finding.uri;
    let parts = Components::parse(uri);
    let nid = urn::nid(uri);
    object.text("uri", uri);
    object.if_not_utf8("uri_b64", uri);
    object.bytes("original", finding.original);
    object.string("kind", kind(nid.is_some(), &parts));
    object.optional("scheme", parts.scheme(uri));
    object.optional("nid", nid);
    object.optional("host", parts.host(uri));
    object.optional("port", parts.port(uri));
    object.text("path", parts.path(uri));
    object.optional("query", parts.query(uri));
    object.optional("fragment", parts.fragment(uri));
    object.text("file", name);
    object.if_not_utf8("file_b64", name);
    if let Some(place) = finding.place {
        object.number("line", place.line);
        object.number("column", place.column);
    }
    object.number("offset", finding.offset);
    object.number("length", finding.length);
    let marks = finding.marks;
    object.string("wrapper", marks.wrapper.name());
    object.flag("url_prefix", marks.url_prefix);
    if marks.wrapped > 0 {
        object.number("wrapped", u64::from(marks.wrapped));
    }
    object.flag("hyphen_break", marks.hyphen_break);
    object.optional("alternative", finding.alternative);
    if let Some(count) = finding.count {
        object.number("count", count);
    }
    if !marks.problems.is_empty() {
        object.list("problems", marks.problems.iter().map(|p| p.code()));
    }
    if let Some(warc) = &finding.context.warc {
        object.warc(warc);
    }
}

/// A value of [`WARC`](super::schema::WARC).
pub(super) enum WarcValue<'w> {
    Number(u64),
    Text(&'w [u8]),
}

/// The values of [`WARC`](super::schema::WARC), in its order.
pub(super) fn values<'w>(warc: &Warc<'w>) -> [WarcValue<'w>; 5] {
    [
        WarcValue::Number(warc.offset),
        WarcValue::Text(warc.record_id),
        WarcValue::Text(warc.kind),
        WarcValue::Text(warc.date),
        WarcValue::Text(warc.target_uri),
    ]
}

/// `url` with an authority, `urn` with a namespace, else `uri`.
pub(super) fn kind(is_urn: bool, parts: &Components) -> &'static str {
    if is_urn {
        "urn"
    } else if parts.has_authority() {
        "url"
    } else {
        "uri"
    }
}

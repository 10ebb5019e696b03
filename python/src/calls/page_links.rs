//! `links` of a column of pages: for each page the list of its links, each target once.

use crate::arrow::arrays::{Column, Rows};
use crate::arrow::columns::Texts;
use crate::arrow::export::answer;
use crate::arrow::offsets::Offsets;
use crate::arrow::rows::RowKeys;
use crate::arrow::text_type::TextType;
use crate::running::{all_searched, in_parts, interruptible, run_error};
use crate::settings::given::wrong_value;
use crate::settings::options::{OF_CLASSES, Options};
use arrow_array::{ArrayRef, BooleanArray, Int64Array, ListArray, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::decode::InputFormat;
use urisieve::input::Source;
use urisieve::item::Finding;
use urisieve::syntax::resolve::is_base_for;
use urisieve::{Builder, Error, Sieve};

/// The byte-order mark, which takes precedence over the encoding that a page declares.
pub(super) const MARK: &[u8] = "\u{FEFF}".as_bytes();

/// The most bytes of pages with one base that are read in one run, beyond the first page.
const BYTES: usize = 1 << 20;

/// The base of the pages: that of all, or a column of them.
pub(crate) enum Bases {
    All(Option<String>),
    Each(Column),
}

/// The links of the pages so far.
#[derive(Default)]
struct FoundLinks {
    uri: Texts,
    original: Texts,
    path: Texts,
    rel: Texts,
    nofollow: Vec<bool>,
    offset: Vec<i64>,
    length: Vec<i64>,
    /// The links of each page that is complete.
    pages: Offsets,
    page: RowKeys,
    failed: u64,
}

/// The pages of a chunk, and the base of each.
struct Pages<'p> {
    rows: &'p Rows,
    bases: Vec<Option<&'p [u8]>>,
    strings: bool,
}

/// Returns the sieve of the links of pages with one base.
pub(super) fn page_sieve(
    options: &Options,
    base: Option<&[u8]>,
    sieve: Builder<Sieve>,
) -> Builder<Sieve> {
    let name: Arc<[u8]> = Arc::from(base.unwrap_or_default());
    let mut sieve = options.linking(sieve, move |_| Arc::clone(&name));
    if let Some(base) = base {
        sieve = sieve.base(base);
    }
    if !options.is_given("input_format") {
        sieve = sieve.format(InputFormat::named("html"));
    }
    sieve.originals(true)
}

/// Returns the links of a column of pages.
pub(crate) fn links(
    options: &Options,
    column: &Column,
    bases: &Bases,
    py: Python<'_>,
) -> PyResult<Py<PyAny>> {
    let others = OF_CLASSES.into_iter().filter(|name| *name != "base");
    options.reject("links on columns", &others.collect::<Vec<_>>())?;
    let each = match bases {
        Bases::All(base) => vec![base.as_deref().map(str::as_bytes); column.len()],
        Bases::Each(bases) => each_base(column, bases)?,
    };
    let texts = column.texts;
    let mut bases = each.into_iter();
    let mut arrays = Vec::with_capacity(column.chunks.len());
    for rows in &column.chunks {
        let pages = Pages {
            rows,
            bases: bases.by_ref().take(rows.len()).collect(),
            strings: texts.is_strings(),
        };
        let cancel = Arc::<AtomicBool>::default();
        let threads = options.threads.unwrap_or(1);
        let size = rows.bytes() + (1 << 14) * rows.len();
        let found = interruptible(py, size, &cancel, || {
            let part = |part| pages.part(options, part, &cancel);
            in_parts(rows.len(), threads, 1, part).try_fold(
                FoundLinks::default(),
                |mut all, part| {
                    all.append(part?);
                    Ok::<_, Error>(all)
                },
            )
        })?;
        let found = found.map_err(|error| run_error(&error))?;
        all_searched(found.failed)?;
        let mut nulls = NullBufferBuilder::new(rows.len());
        rows.iter().for_each(|row| nulls.append(row.is_some()));
        arrays.push(py.detach(|| found.finish(texts, nulls))?);
    }
    let kind = DataType::List(Arc::new(item(texts)));
    answer(py, kind, arrays, column.chunked)
}

/// Returns the base of each page.
///
/// # Errors
/// `ValueError`, when they are not as many as the pages, or one is not absolute.
fn each_base<'b>(column: &Column, bases: &'b Column) -> PyResult<Vec<Option<&'b [u8]>>> {
    if bases.len() != column.len() {
        let why = format!("{} bases for {} pages", bases.len(), column.len());
        return Err(wrong_value("base", &why));
    }
    let each: Vec<Option<&[u8]>> = bases.rows().collect();
    let is_wrong = |base: &Option<&[u8]>| base.is_some_and(|base| !is_base_for(base, b""));
    if let Some(row) = each.iter().position(is_wrong) {
        let base = String::from_utf8_lossy(each[row].unwrap_or_default());
        let why = format!("row {row}: {base:?} is not an absolute URI");
        return Err(wrong_value("base", &why));
    }
    Ok(each)
}

impl Pages<'_> {
    /// Returns the links of some pages. Those with one base are read in one run.
    fn part(
        &self,
        options: &Options,
        part: Range<usize>,
        cancel: &Arc<AtomicBool>,
    ) -> Result<FoundLinks, Error> {
        let mut found = FoundLinks::default();
        let mut from = part.start;
        while from < part.end {
            let base = self.bases[from];
            let mut pages = Vec::new();
            let mut bytes = 0;
            let mut at = from;
            while at < part.end && self.bases[at] == base && bytes < BYTES {
                let page = self.rows.get(at).unwrap_or_default();
                bytes += page.len();
                pages.push(match self.strings {
                    true => [MARK, page].concat(),
                    false => page.to_vec(),
                });
                at += 1;
            }
            let before = if self.strings { MARK.len() as u64 } else { 0 };
            let sieve = page_sieve(options, base, options.of_rows(cancel)).build();
            let sources = pages.iter().map(|page| Source::Text(page));
            let first = found.pages.len();
            let stats = sieve.for_each_in(sources, |link| found.push(first, link, before))?;
            found.failed += stats.failed_inputs;
            found.end_pages(first + pages.len());
            from = at;
        }
        Ok(found)
    }
}

impl FoundLinks {
    /// Adds a link of the page that is its input, after `first` pages.
    fn push(&mut self, first: usize, link: &Finding, before: u64) {
        let page = first + link.input;
        if page != self.pages.len() {
            self.end_pages(page);
        }
        let start = self.pages.end();
        if !self.page.insert(link.uri, &self.uri, start) {
            return;
        }
        let context = link.context.link.unwrap_or_default();
        self.uri.push(link.uri);
        self.original.push(link.original);
        for (texts, text) in [(&mut self.path, context.path), (&mut self.rel, context.rel)] {
            match text {
                b"" => texts.push_null(),
                text => texts.push(text),
            }
        }
        self.nofollow.push(context.nofollow);
        let offset = link.offset.saturating_sub(before);
        self.offset.push(offset.cast_signed());
        self.length.push(link.length.cast_signed());
    }

    /// Ends the pages before `page`.
    fn end_pages(&mut self, page: usize) {
        self.pages.extend_to(page, self.uri.len());
        self.page.clear();
    }

    /// Appends the pages of `other`.
    fn append(&mut self, mut other: FoundLinks) {
        self.failed += other.failed;
        self.pages.append(&other.pages);
        self.uri.append(other.uri);
        self.original.append(other.original);
        self.path.append(other.path);
        self.rel.append(other.rel);
        self.nofollow.append(&mut other.nofollow);
        self.offset.append(&mut other.offset);
        self.length.append(&mut other.length);
    }

    fn finish(self, texts: TextType, mut nulls: NullBufferBuilder) -> PyResult<ArrayRef> {
        let columns: Vec<ArrayRef> = vec![
            self.uri.finish(texts)?,
            self.original.finish(texts)?,
            self.path.finish(TextType::String)?,
            self.rel.finish(TextType::String)?,
            Arc::new(BooleanArray::from(self.nofollow)),
            Arc::new(Int64Array::from(self.offset)),
            Arc::new(Int64Array::from(self.length)),
        ];
        let values = StructArray::new(fields(texts), columns, None);
        let list = ListArray::new(
            Arc::new(item(texts)),
            self.pages.finish()?,
            Arc::new(values),
            nulls.finish(),
        );
        Ok(Arc::new(list))
    }
}

fn fields(texts: TextType) -> Fields {
    Fields::from(vec![
        Field::new("uri", texts.data_type(), false),
        Field::new("original", texts.data_type(), false),
        Field::new("path", DataType::Utf8, true),
        Field::new("rel", DataType::Utf8, true),
        Field::new("nofollow", DataType::Boolean, false),
        Field::new("offset", DataType::Int64, false),
        Field::new("length", DataType::Int64, false),
    ])
}

fn item(texts: TextType) -> Field {
    Field::new("item", DataType::Struct(fields(texts)), true)
}

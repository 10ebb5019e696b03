//! Pages, and the URIs that are found in them, in pieces of any size.

mod documents;
mod mentions;
mod pieces;
mod references;

use super::super::convert::Converter;
use super::super::document::MarkupDecoder;
use super::page::Html;
use crate::decode::event::{
    DataPlace, Decode, DocumentBase, Event, MarkupValue, Output, ValueKind,
};
use crate::decode::in_pieces::{PushedEvent, push_in_pieces};
use crate::decode::mentions::Mentions;
use crate::item::{OffsetMap, Schemes};

/// A value that is found: the path with relations, the text, and the bytes if they
/// differ.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Link(String, String, String, u32),
    JsonLink(String, String, Option<String>),
    Mention(String, String, String),
    Base(u32, u32, String),
    Unsupported(&'static str),
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The values that a decoder finds.
#[derive(Default)]
struct Finder {
    found: Vec<Found>,
    /// Whether the last event can be continued as a text.
    in_text: bool,
}

impl Finder {
    fn add(&mut self, pushed: PushedEvent) {
        let was_text = std::mem::take(&mut self.in_text);
        let found = match pushed.event {
            Event::Skipped(_) => return,
            Event::Value(value) => {
                if let Some(map) = pushed.map {
                    check_map(map, pushed.text, pushed.raw);
                }
                return self.value(value, pushed.raw, pushed.text, was_text);
            }
            Event::Base(DocumentBase {
                number,
                parent,
                reference,
            }) => Found::Base(*number, *parent, shown(reference)),
            Event::Unsupported(cause) => Found::Unsupported(cause),
            other => panic!("{other:?}"),
        };
        self.found.push(found);
    }

    fn value(&mut self, value: &MarkupValue, raw: &[u8], text: &[u8], was_text: bool) {
        let link = value.link.as_ref().unwrap();
        let mut path = shown(&link.path);
        if !link.rel.is_empty() {
            path = format!("{path} {}", shown(&link.rel));
        }
        if link.nofollow {
            path += " !";
        }
        let (raw, text) = (shown(raw), shown(text));
        let found = match value.kind {
            ValueKind::Reference(Schemes::Any) => Found::Link(path, text, raw, value.base),
            ValueKind::Reference(_) => {
                let pointer = match &value.place {
                    Some(DataPlace::Json(path)) => Some(shown(&path.text())),
                    _ => None,
                };
                Found::JsonLink(path, text, pointer)
            }
            ValueKind::Text { continues } => {
                self.in_text = true;
                if let (true, Some(Found::Mention(last, before, bytes))) =
                    (continues, self.found.last_mut())
                {
                    assert!(was_text && *last == path);
                    *before += &text;
                    *bytes += &raw;
                    return;
                }
                assert!(!continues);
                Found::Mention(path, text, raw)
            }
        };
        self.found.push(found);
    }
}

/// The map of a text leads to its bytes, in order.
fn check_map(map: &OffsetMap, text: &[u8], raw: &[u8]) {
    let mut places = map.places(text);
    let mut end = 0;
    for at in 0..text.len() {
        let (from, len) = places.span(at..at + 1);
        assert!(
            from >= end || len == 0 || from + len == end,
            "{map:?} of {}",
            shown(text)
        );
        end = end.max(from + len);
    }
    assert!(
        end <= raw.len() as u64,
        "{map:?} of {} from {}",
        shown(text),
        shown(raw)
    );
}

/// Returns the values that are found in `page`, pushed in pieces of these sizes.
fn find_with(mut html: impl Decode, page: &[u8], sizes: &[usize]) -> Vec<Found> {
    let mut finder = Finder::default();
    push_in_pieces(&mut html, page, sizes, |pushed| finder.add(pushed));
    finder.found
}

fn find(page: &str, mentions: Mentions) -> Vec<Found> {
    let whole = find_with(
        Html::new(mentions.into(), 0),
        page.as_bytes(),
        &[page.len().max(1)],
    );
    for size in [1, 2, 7, 100] {
        let pieces = find_with(Html::new(mentions.into(), 0), page.as_bytes(), &[size]);
        assert_eq!(pieces, whole, "{page} by {size}");
    }
    whole
}

/// Checks the links of a page: their paths, texts, and bytes where these differ.
#[track_caller]
fn check_links(page: &str, wanted: &[(&str, &str)]) {
    let links = |found: Vec<Found>| -> Vec<(String, String)> {
        let link = |found| match found {
            Found::Link(path, text, raw, _) if text == raw => Some((path, text)),
            Found::Link(path, text, raw, _) => Some((path, format!("{text} <- {raw}"))),
            Found::JsonLink(path, text, pointer) => {
                Some((path, format!("{text} {}", pointer.unwrap_or_default())))
            }
            _ => None,
        };
        found.into_iter().filter_map(link).collect()
    };
    let found = links(find(page, Mentions::None));
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(path, text)| (&path[..], &text[..]))
        .collect();
    assert_eq!(found, wanted, "{page}");
    // Mentions change no link.
    for mentions in [Mentions::WithColon, Mentions::All] {
        let more = links(find(page, mentions));
        assert!(
            more.iter()
                .map(|(path, text)| (&path[..], &text[..]))
                .eq(found.iter().copied()),
            "{page}"
        );
    }
}

/// Checks the mentions of a page.
#[track_caller]
fn check_mentions(page: &str, wanted: &[(&str, &str)]) {
    let found = find(page, Mentions::WithColon);
    let mentions = found.iter().filter_map(|found| match found {
        Found::Mention(path, text, _) => Some((&path[..], &text[..])),
        _ => None,
    });
    assert_eq!(mentions.collect::<Vec<_>>(), wanted, "{page}");
}

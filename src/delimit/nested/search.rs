//! Looks for the URIs inside another one: as they are (S6), and behind percent-encoding and
//! Base64 (I13). Each part of the outer one is decoded on its own, layer by layer, so that no
//! byte of a layer is read more than a few times.

use super::found::{InnerUri, InnerUris};
use super::layer::{InnerLayer, LayerView};
use crate::delimit::{Config, is_valid, problems_of, shape};
use crate::item::{Marks, NestedBy};
use crate::syntax::steps;
use std::ops::Range;

/// The greatest number of URIs inside another one that are reported.
const NESTED_MAX: usize = 8;

/// The number of times that a part is decoded.
const LAYERS_MAX: usize = 8;

/// The starts of `http`, `ftp:` and `www.` in Base64, from which more digits follow.
const BASE64_STARTS: [&[u8]; 3] = [b"aHR0c", b"ZnRwO", b"d3d3L"];

/// A part of a text that is decoded on its own.
struct InnerPiece {
    range: Range<usize>,
    /// Whether it ends in a path, not in a query or fragment.
    in_path: bool,
}

/// The pieces of a text: what is between `&` and `#`, in a path also between `/` and `?`.
struct InnerPieces<'t> {
    text: &'t [u8],
    /// The start of the next piece; `None` after the last one.
    from: Option<usize>,
    in_path: bool,
    /// The start of a URI, whose path comes first.
    uri: Option<usize>,
}

impl Iterator for InnerPieces<'_> {
    type Item = InnerPiece;

    fn next(&mut self) -> Option<InnerPiece> {
        let start = self.from.take()?;
        for at in start..self.text.len() {
            self.in_path |= self.uri == Some(at);
            let in_path = self.in_path;
            match self.text[at] {
                b'?' if in_path => self.in_path = false,
                b'#' => self.in_path = false,
                b'&' => {}
                b'/' if in_path => {}
                _ => continue,
            }
            self.from = Some(at + 1);
            let range = start..at;
            return Some(InnerPiece { range, in_path });
        }
        let range = start..self.text.len();
        let in_path = self.in_path;
        Some(InnerPiece { range, in_path })
    }
}

/// The way to a layer.
#[derive(Clone, Copy)]
struct Way {
    by: NestedBy,
    /// How often the outer URI was decoded.
    depth: usize,
    /// Where URIs are looked for.
    from: usize,
    in_path: bool,
}

impl InnerUris {
    /// Looks for the URIs inside `outer`, which has no scheme when `scheme_len` is `None` (S7).
    pub(super) fn search(&mut self, config: &Config, outer: &[u8], scheme_len: Option<usize>) {
        self.clear();
        let view = LayerView {
            text: outer,
            layer: None,
        };
        let way = Way {
            by: NestedBy::Plain,
            depth: 0,
            from: shape::path_start(outer, scheme_len),
            in_path: true,
        };
        self.look(config, &view, way);
        self.has_more |= self.found.len() > NESTED_MAX;
        self.found.truncate(NESTED_MAX);
    }

    /// Adds the URIs inside a text, in the order of their starts; of at most one more than are
    /// reported.
    fn look(&mut self, config: &Config, view: &LayerView, way: Way) {
        let begin = self.found.len();
        let uri = self.add_standing(config, view, way);
        let is_whole = uri == Some(0);
        if way.by == NestedBy::Base64 && !is_whole && !self.add_abbreviated(config, view) {
            self.found.truncate(begin);
            return;
        }
        let by_pieces = self.found.len();
        let pieces = InnerPieces {
            text: view.text,
            from: Some(way.from),
            in_path: way.in_path,
            uri: uri.filter(|_| way.depth > 0),
        };
        let rest = &view.text[way.from..];
        let may_decode = config.nested_base64 || memchr::memchr(b'%', rest).is_some();
        steps::count(rest.len());
        for piece in pieces.take_while(|_| may_decode) {
            if self.found.len() - by_pieces > NESTED_MAX {
                break;
            }
            self.decode(config, view, &piece, way);
        }
        self.found[begin..].sort_by_key(|found| found.range.start);
        self.found.truncate(begin + NESTED_MAX + 1);
    }

    /// Decodes a piece once, and looks for URIs in it.
    fn decode(&mut self, config: &Config, view: &LayerView, piece: &InnerPiece, way: Way) {
        // Beyond the last layer only whether anything is encoded is of interest.
        let is_deepest = way.depth == LAYERS_MAX;
        if self.layers.len() == way.depth {
            self.layers.push(InnerLayer::default());
        }
        let mut layer = std::mem::take(&mut self.layers[way.depth]);
        let value = || {
            let value = config.nested_base64.then(|| base64_value(view.text, piece));
            value.flatten()
        };
        let (by, in_path) = if layer.undo_percent(view, piece.range.clone()) {
            (Some(NestedBy::Percent), piece.in_path)
        } else if value().is_some_and(|value| layer.undo_base64(view, value)) {
            (Some(NestedBy::Base64), true)
        } else {
            (None, false)
        };
        match by {
            Some(_) if is_deepest => self.has_more = true,
            Some(by) => {
                let way = Way {
                    by,
                    depth: way.depth + 1,
                    from: 0,
                    in_path,
                };
                self.look(config, &layer.view(), way);
            }
            None => {}
        }
        self.layers[way.depth] = layer;
    }

    /// Adds the URIs that stand in a text and not in the one that it was decoded from; returns
    /// the start of the first one.
    fn add_standing(&mut self, config: &Config, view: &LayerView, way: Way) -> Option<usize> {
        let is_outer = view.layer.is_none();
        let least = usize::from(is_outer);
        let is_new = |range| view.is_new(range);
        let mut first = None;
        let mut left = NESTED_MAX + 1;
        let base = self.text.len();
        for (range, verdict) in shape::nested(view.text, way.from, least, is_new, &config.opaque) {
            first.get_or_insert(range.start);
            let text = &view.text[range.clone()];
            if config.strict && !is_valid(text, false) {
                continue;
            }
            let mut problems = problems_of(text, verdict);
            if range.start == 0 {
                problems |= view.layer.map(|layer| layer.problems).unwrap_or_default();
            }
            let marks = Marks {
                problems,
                nested_by: Some(way.by),
                ..Marks::default()
            };
            self.push(view, range, base, marks);
            left -= 1;
            if left == 0 {
                break;
            }
        }
        first
    }

    /// Adds a decoded text that is a URL without a scheme (S7); returns whether it is one.
    fn add_abbreviated(&mut self, config: &Config, view: &LayerView) -> bool {
        let Some(verdict) = shape::abbreviated(view.text) else {
            return false;
        };
        if !config.strict || is_valid(view.text, true) {
            let layer = view.layer.map(|layer| layer.problems).unwrap_or_default();
            let marks = Marks {
                problems: problems_of(view.text, verdict) | layer,
                abbreviated: true,
                nested_by: Some(NestedBy::Base64),
                ..Marks::default()
            };
            self.push(view, 0..view.text.len(), self.text.len(), marks);
        }
        true
    }

    /// Adds a URI in this range of a text, which begins at `base` in the decoded texts if it is
    /// one of these.
    fn push(&mut self, view: &LayerView, range: Range<usize>, base: usize, marks: Marks) {
        let outer = view.outer(range.start)..view.outer(range.end);
        let (shift, text_end) = match view.layer {
            None => (0, view.text.len()),
            Some(layer) => {
                if self.text.len() == base {
                    self.text.extend_from_slice(&layer.text);
                    self.text.push(b'\n');
                    self.starts.extend_from_slice(&layer.starts);
                }
                (base, base + view.text.len())
            }
        };
        self.found.push(InnerUri {
            range: outer,
            text: range.start + shift..range.end + shift,
            text_end,
            marks,
        });
    }
}

/// Returns the range in a piece that may be Base64: all of it, or its value.
fn base64_value(text: &[u8], piece: &InnerPiece) -> Option<Range<usize>> {
    let Range { start, end } = piece.range;
    let begins = |at: usize| {
        let text = &text[at..end];
        BASE64_STARTS.iter().any(|start| text.starts_with(start))
    };
    if begins(start) {
        return Some(start..end);
    }
    let value = start + memchr::memchr(b'=', &text[start..end])? + 1;
    begins(value).then_some(value..end)
}

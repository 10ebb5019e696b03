//! URIs inside the path, query or fragment of another one (S6), of which at most eight
//! are reported. The places where a nested URI may start are left to `shape`.

use super::{Delimiter, FoundUri, is_valid, problems_of, shape};
use crate::item::{Marks, Problem, Problems, Segment};
use crate::syntax::scheme;
use std::ops::Range;

/// The greatest number of URIs inside another one that are reported.
const NESTED_MAX: usize = 8;

impl Delimiter {
    /// Returns the URIs inside `uri`, the URI of a reference, and the problems of each
    /// (S6); no URIs when nested ones are not reported.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// let delimiter = Delimiter::new(Config::default().nested(true));
    /// let uri = b"http://a.example/?u=http://b.example/";
    /// let nested: Vec<_> = delimiter.nested_in(uri).map(|(uri, _)| uri).collect();
    /// assert_eq!(nested, [b"http://b.example/"]);
    /// let uri = b"http://a.example/?u=http://b.example/&v=1";
    /// let nested: Vec<_> = delimiter.nested_in(uri).map(|(uri, _)| uri).collect();
    /// assert_eq!(nested, [b"http://b.example/"]);
    /// ```
    pub fn nested_in<'u>(
        &'u self,
        uri: &'u [u8],
    ) -> impl Iterator<Item = (&'u [u8], Problems)> + 'u {
        let places = self.nested_places(uri);
        places.map(|(range, problems)| (&uri[range], problems))
    }

    /// Does the same as [`nested_in`](Delimiter::nested_in), with the ranges of the URIs.
    pub(crate) fn nested_places<'u>(
        &'u self,
        uri: &'u [u8],
    ) -> impl Iterator<Item = (Range<usize>, Problems)> + 'u {
        let is_wanted = self.config.nested;
        let inner = is_wanted.then(|| self.inner(uri, scheme::prefix_len(uri)));
        inner.into_iter().flatten().take(NESTED_MAX)
    }

    /// Returns the text from the start of found URI number `number` to the end of the URI that
    /// it is nested in, or its own text.
    pub(crate) fn text_to_outer_end<'a>(
        &'a self,
        number: usize,
        segment: &Segment<'a>,
    ) -> &'a [u8] {
        let Some((outer, found)) = self.found.first().zip(self.found.get(number)) else {
            return b"";
        };
        // Other spellings of the first one are not nested in it.
        let to = match found.source == outer.source {
            true => outer.to,
            false => found.to,
        };
        self.text_of(&FoundUri { to, ..*found }, segment)
    }

    /// Returns whether `uri` has more URIs inside than are reported.
    pub(super) fn has_too_many_inside(&self, uri: &[u8], scheme_len: usize) -> bool {
        self.config.nested && self.inner(uri, Some(scheme_len)).count() > NESTED_MAX
    }

    /// S6: records the URIs inside the first found URI.
    pub(super) fn add_nested(&mut self, segment: &Segment, scheme_len: usize) {
        let Some(&outer) = self.found.first() else {
            return;
        };
        let outers = self.found.len();
        let end = outer.offset + outer.length;
        let scheme_len = (!outer.marks.abbreviated).then_some(scheme_len);
        let text = self.text_of(&outer, segment);
        let mut inner = Vec::new();
        let mut places = self.scratch.places();
        for (range, problems) in self.inner(text, scheme_len) {
            let (from, to) = (outer.from + range.start, outer.from + range.end);
            let offset = self.place(&mut places, outer.source, from);
            // One that ends within the outer one ends with its last byte, not at a fold.
            let end = match range.end < text.len() {
                true => self.end_place(&mut places, outer.source, to - 1),
                false => end,
            };
            inner.push(FoundUri {
                from,
                to,
                offset,
                length: end - offset,
                marks: Marks {
                    problems,
                    ..Marks::default()
                },
                ..outer
            });
        }
        if inner.len() > NESTED_MAX {
            inner.truncate(NESTED_MAX);
            for found in &mut self.found[..outers] {
                found.marks.problems |= Problem::NestedLimit;
            }
        }
        self.found.extend(inner);
    }

    /// S6: returns the URIs inside `text` and their problems, of at most one more than are
    /// reported.
    fn inner<'t>(
        &'t self,
        text: &'t [u8],
        scheme_len: Option<usize>,
    ) -> impl Iterator<Item = (Range<usize>, Problems)> + 't {
        shape::nested(text, scheme_len, &self.config.opaque)
            .filter(|(range, _)| !self.config.strict || is_valid(&text[range.clone()], false))
            .map(|(range, verdict)| {
                let problems = problems_of(&text[range.clone()], verdict);
                (range, problems)
            })
            .take(NESTED_MAX + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delimit::{Cleaning, Config, Referred};
    use crate::item::Schemes;

    #[test]
    fn uris_inside_are_nested() {
        let many = "http://a.example/".to_owned() + &"?http://b.example/".repeat(NESTED_MAX + 1);
        let few = &many[..many.len() - "?http://b.example/".len()];
        for (config, text, nested, limit) in [
            (Config::default(), &many[..], 0, false),
            (Config::default().nested(true), few, NESTED_MAX, false),
            (Config::default().nested(true), &many, NESTED_MAX, true),
            (Config::default().nested(true), "mailto:a", 0, false),
        ] {
            let delimiter = Delimiter::new(config);
            let mut cleaning = Cleaning::default();
            let referred = delimiter.reference(text.as_bytes(), Schemes::Any, &mut cleaning);
            let Ok(Referred::Uri { uri, problems, .. }) = referred else {
                panic!("{referred:?}")
            };
            assert_eq!(delimiter.nested_in(uri).count(), nested);
            assert_eq!(problems.has(Problem::NestedLimit), limit);
        }
    }
}

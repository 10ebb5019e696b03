//! Adds the URIs inside the first URI of a candidate to it (S6, I13), and finds those inside
//! the URI of a reference.

use super::found::InnerUris;
use crate::delimit::{Delimiter, FoundUri, TextSource};
use crate::item::{Marks, Problem, Segment};
use crate::syntax::scheme;

impl Delimiter {
    /// Returns the URIs inside `uri`, the URI of a reference, and the marks of each (S6, I13); no
    /// URIs when nested ones are not reported. One without a scheme is marked as abbreviated.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, InnerUris};
    /// use urisieve::item::NestedBy;
    /// let delimiter = Delimiter::new(Config::default().nested(true));
    /// let mut inner = InnerUris::default();
    /// let uri = b"http://a.example/?u=http://b.example/&v=http%3A%2F%2Fc.example%2F";
    /// let nested: Vec<_> = delimiter.nested_in(uri, &mut inner).collect();
    /// assert_eq!(nested[0].0, b"http://b.example/");
    /// assert_eq!(nested[1].0, b"http://c.example/");
    /// assert_eq!(nested[1].1.nested_by, Some(NestedBy::Percent));
    /// ```
    pub fn nested_in<'u>(
        &self,
        uri: &'u [u8],
        inner: &'u mut InnerUris,
    ) -> impl Iterator<Item = (&'u [u8], Marks)> + use<'u> {
        self.find_inside(uri, inner);
        inner.uris(uri)
    }

    /// Has the URIs inside `uri` found, if nested ones are reported.
    pub(crate) fn find_inside(&self, uri: &[u8], inner: &mut InnerUris) {
        match self.config.nested {
            true => inner.search(&self.config, uri, scheme::prefix_len(uri)),
            false => inner.clear(),
        }
    }

    /// Returns the text from the start of found URI number `number` to the end of the URI that
    /// it is nested in, or its own text. One that is decoded at first is written into `buffer`.
    pub(crate) fn text_to_outer_end<'a>(
        &'a self,
        number: usize,
        segment: &Segment<'a>,
        buffer: &'a mut Vec<u8>,
    ) -> &'a [u8] {
        let Some((outer, found)) = self.found.first().zip(self.found.get(number)) else {
            return b"";
        };
        // Other spellings of the first one are not nested in it.
        match found.marks.nested_by {
            None => self.text_of(found, segment),
            Some(_) => {
                let inner = number - (self.found.len() - self.inner.found.len());
                let outer = self.text_of(outer, segment);
                self.inner.text_to_outer_end(inner, outer, buffer)
            }
        }
    }

    /// Whether the last call found URIs inside another one.
    pub(crate) fn has_inner(&self) -> bool {
        self.config.nested
            && self
                .found
                .last()
                .is_some_and(|last| last.marks.nested_by.is_some())
    }

    /// S6: records the URIs inside the first found URI.
    pub(in crate::delimit) fn add_nested(&mut self, segment: &Segment, scheme_len: usize) {
        let Some(&outer) = self.found.first() else {
            return;
        };
        let scheme_len = (!outer.marks.abbreviated).then_some(scheme_len);
        let mut inner = std::mem::take(&mut self.inner);
        inner.search(&self.config, self.text_of(&outer, segment), scheme_len);
        if inner.has_more {
            for found in &mut self.found {
                found.marks.problems |= Problem::NestedLimit;
            }
        }
        let mut places = self.scratch.places();
        let mut uris = Vec::with_capacity(inner.found.len());
        for found in &inner.found {
            let (from, to) = (outer.from + found.range.start, outer.from + found.range.end);
            let offset = self.place(&mut places, outer.source, from);
            // One that ends within the outer one ends with its last byte, not at a fold.
            let end = match to < outer.to {
                true => self.end_place(&mut places, outer.source, to - 1),
                false => outer.offset + outer.length,
            };
            let (source, shift) = match found.is_plain() {
                true => (outer.source, outer.from),
                false => (TextSource::Inner, 0),
            };
            uris.push(FoundUri {
                source,
                from: found.text.start + shift,
                to: found.text.end + shift,
                offset,
                length: end - offset,
                marks: found.marks,
                ..outer
            });
        }
        self.found.extend(uris);
        self.inner = inner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delimit::{Cleaning, Config, Referred};
    use crate::item::Schemes;

    /// The greatest number of URIs inside another one that are reported.
    const NESTED_MAX: usize = 8;

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
            let mut inner = InnerUris::default();
            assert_eq!(delimiter.nested_in(uri, &mut inner).count(), nested);
            assert_eq!(problems.has(Problem::NestedLimit), limit);
        }
    }
}

//! Regular expressions of lists. Without the feature `patterns` there are none.

/// Regular expressions, each with the number of its entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns {
    #[cfg(feature = "patterns")]
    texts: Vec<String>,
    #[cfg(feature = "patterns")]
    entries: Vec<u32>,
    /// Sets of consecutive ones: each is within the limit of the size of one.
    #[cfg(feature = "patterns")]
    sets: Vec<(usize, regex::bytes::RegexSet)>,
}

#[cfg(feature = "patterns")]
impl Patterns {
    /// Adds the expression of an entry.
    ///
    /// # Errors
    /// Why it is not one, or that it is too large.
    pub(crate) fn add(&mut self, text: &str, ignores_case: bool, entry: u32) -> Result<(), String> {
        // A set of one is built last, if no larger one is within the limit.
        let text = match ignores_case {
            true => format!("(?i){text}"),
            false => text.to_owned(),
        };
        regex::bytes::RegexSet::new([&text]).map_err(|error| {
            // The last line of the error has its cause; the lines before it draw its place.
            let error = error.to_string();
            let cause = error.lines().last().unwrap_or_default();
            let cause = cause.strip_prefix("error: ").unwrap_or(cause);
            format!("not a regular expression: {cause}")
        })?;
        self.texts.push(text);
        self.entries.push(entry);
        Ok(())
    }

    /// Adds expressions of which no sets were built, whose entries have numbers from `first` on.
    pub(crate) fn append(&mut self, more: Patterns, first: u32) {
        self.texts.extend(more.texts);
        self.entries
            .extend(more.entries.iter().map(|entry| entry + first));
    }

    /// Builds the sets. Expressions are found from then on.
    pub(crate) fn settle(&mut self) {
        let mut ranges = Vec::new();
        ranges.push(0..self.texts.len());
        while let Some(range) = ranges.pop() {
            if range.is_empty() {
                continue;
            }
            match regex::bytes::RegexSet::new(&self.texts[range.clone()]) {
                Ok(set) => self.sets.push((range.start, set)),
                // Each of them is within the limit, all together are not.
                Err(_) if range.len() > 1 => {
                    let middle = range.start + range.len() / 2;
                    ranges.push(middle..range.end);
                    ranges.push(range.start..middle);
                }
                Err(_) => {}
            }
        }
        self.texts = Vec::new();
    }

    /// Calls `each` with the entry of every expression that matches `uri`.
    pub(crate) fn each(&self, uri: &[u8], mut each: impl FnMut(u32)) {
        for (first, set) in &self.sets {
            // Most URIs match none, and need no list.
            if set.is_match(uri) {
                let matches = set.matches(uri);
                matches.iter().for_each(|at| each(self.entries[first + at]));
            }
        }
    }
}

#[cfg(not(feature = "patterns"))]
impl Patterns {
    pub(crate) fn add(&mut self, _: &str, _: bool, _: u32) -> Result<(), String> {
        Err("regular expressions need the feature patterns".to_owned())
    }

    pub(crate) fn append(&mut self, _: Patterns, _: u32) {}

    pub(crate) fn settle(&mut self) {}

    pub(crate) fn each(&self, _: &[u8], _: impl FnMut(u32)) {}
}

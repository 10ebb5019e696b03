//! The entries of lists as they are written, and where: the file and the line.

/// Entries whose texts have a common start, from which theirs are counted.
const SPAN: usize = 64;

/// The texts of entries, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryTexts {
    bytes: Vec<u8>,
    /// The start of the first text of each [`SPAN`] of entries.
    bases: Vec<u64>,
    /// The start of each text, from that of its span.
    starts: Vec<u32>,
    /// The line of each entry, from 1.
    lines: Vec<u32>,
    /// The lists, each with the number of its first entry.
    lists: Vec<(u32, Box<[u8]>)>,
}

impl EntryTexts {
    /// Begins the list with this name: the entries that are added from now on are in it.
    pub(crate) fn begin_list(&mut self, name: &[u8]) {
        self.lists.push((self.starts.len() as u32, name.into()));
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Adds an entry; returns its number. `None` when there is no room for more.
    pub(crate) fn add(&mut self, text: &[u8], line: u64) -> Option<u32> {
        let number = u32::try_from(self.starts.len()).ok()?;
        let line = u32::try_from(line).ok()?;
        if number >= u32::MAX - 1 {
            return None;
        }
        self.push_start(self.bytes.len())?;
        self.bytes.extend_from_slice(text);
        self.lines.push(line);
        Some(number)
    }

    /// Adds entries of the last list behind these; returns the number of the first. `None` when
    /// there is no room for them.
    pub(crate) fn append(&mut self, more: &EntryTexts) -> Option<u32> {
        let first = self.starts.len();
        if first + more.starts.len() >= u32::MAX as usize - 1 {
            return None;
        }
        let base = self.bytes.len();
        self.bytes.extend_from_slice(&more.bytes);
        for entry in 0..more.starts.len() {
            self.push_start(base + more.start(entry))?;
        }
        self.lines.extend_from_slice(&more.lines);
        Some(first as u32)
    }

    /// Notes where the next text starts. `None` when that is too far from the start of its span.
    fn push_start(&mut self, start: usize) -> Option<()> {
        if self.starts.len().is_multiple_of(SPAN) {
            self.bases.push(start as u64);
        }
        let base = *self.bases.last()?;
        self.starts.push(u32::try_from(start as u64 - base).ok()?);
        Some(())
    }

    /// Takes the last entry away.
    pub(crate) fn remove_last(&mut self) {
        let Some(last) = self.starts.len().checked_sub(1) else {
            return;
        };
        self.bytes.truncate(self.start(last));
        self.starts.truncate(last);
        self.lines.truncate(last);
        self.bases.truncate(last.div_ceil(SPAN));
    }

    fn start(&self, entry: usize) -> usize {
        match (self.bases.get(entry / SPAN), self.starts.get(entry)) {
            (Some(&base), Some(&start)) => base as usize + start as usize,
            _ => self.bytes.len(),
        }
    }

    /// Returns the text of an entry; empty for a number that no entry has.
    pub(crate) fn text(&self, entry: u32) -> &[u8] {
        let entry = entry as usize;
        let range = self.start(entry)..self.start(entry.saturating_add(1));
        self.bytes.get(range).unwrap_or(&[])
    }

    /// Returns the name of the list that has an entry, and its line there.
    pub(crate) fn place(&self, entry: u32) -> (&[u8], u64) {
        let list = self.lists.partition_point(|(first, _)| *first <= entry);
        let name = list.checked_sub(1).and_then(|list| self.lists.get(list));
        let line = self.lines.get(entry as usize).copied();
        (
            name.map_or(&[], |(_, name)| name),
            u64::from(line.unwrap_or(0)),
        )
    }

    /// Gives back memory that is kept for more entries.
    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.bases.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.lines.shrink_to_fit();
    }

    /// The bytes of memory that they take.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        self.bytes.capacity()
            + 8 * self.bases.capacity()
            + 4 * (self.starts.capacity() + self.lines.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_places() {
        let mut texts = EntryTexts::default();
        for list in 0..3u64 {
            texts.begin_list(format!("list{list}").as_bytes());
            for line in 0..100u64 {
                let number = texts.add(format!("{list}-{line}").as_bytes(), line + 1);
                assert_eq!(number, Some((list * 100 + line) as u32));
                texts.add(b"removed", 1);
                texts.remove_last();
            }
        }
        let mut more = EntryTexts::default();
        for line in 0..100u64 {
            more.add(format!("3-{line}").as_bytes(), line + 1);
        }
        texts.begin_list(b"list3");
        assert_eq!(texts.append(&more), Some(300));
        assert_eq!(texts.len(), 400);
        for number in 0..400u32 {
            let (list, line) = (number / 100, number % 100);
            assert_eq!(texts.text(number), format!("{list}-{line}").as_bytes());
            let name = format!("list{list}");
            assert_eq!(texts.place(number), (name.as_bytes(), u64::from(line) + 1));
        }
        assert_eq!(texts.text(400), b"");
    }
}

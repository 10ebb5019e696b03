//! Hides secrets in cells, and defangs them: in URIs, and in texts that have some.

use crate::cli::flags::privacy::PrivateUri;
use std::borrow::Cow;
use urisieve::Finder;
use urisieve::catalog::IdentifierRow;
use urisieve::catalog::check::check;

/// Values that are printed in another form.
#[derive(Clone, Debug)]
pub(super) struct PrivateCells {
    private: PrivateUri,
    finder: Finder,
}

impl PrivateCells {
    pub(super) fn new(private: PrivateUri) -> PrivateCells {
        PrivateCells {
            private,
            finder: Finder::new(),
        }
    }

    /// Whether cells stay as they are.
    pub(super) fn is_idle(&self) -> bool {
        self.private.is_idle()
    }

    /// Returns the suggestion for a value. Without its escapes a secret may be delimited
    /// otherwise, so the suggestion for a value that has secrets is that for the value
    /// without them.
    pub(super) fn suggestion<'r>(&self, row: &'r IdentifierRow) -> Cow<'r, [u8]> {
        let Some(suggestion) = &row.suggestion else {
            return Cow::Borrowed(b"");
        };
        let text = match self.private.without_secrets(&row.original) {
            None => Some(Cow::Borrowed(&**suggestion)),
            Some(hidden) => {
                let checked = check(&String::from_utf8_lossy(&hidden), row.expected);
                checked.suggestion.map(Cow::Owned)
            }
        };
        match text.unwrap_or_default() {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }

    /// Rewrites a cell that should be a URI as a whole.
    pub(super) fn uri(&self, cell: &mut Cow<[u8]>) {
        let mut out = Vec::new();
        self.private.push(cell, &mut out);
        if out != **cell {
            *cell = Cow::Owned(out);
        } else {
            self.text(cell);
        }
    }

    /// Rewrites the URIs in a cell. What is between them may be a URI that is not found,
    /// and loses its secrets.
    pub(super) fn text(&self, cell: &mut Cow<[u8]>) {
        let push_between = |text: &[u8], out: &mut Vec<u8>| match self.private.without_secrets(text)
        {
            Some(hidden) => out.extend_from_slice(&hidden),
            None => out.extend_from_slice(text),
        };
        let mut out = Vec::new();
        let mut at = 0;
        for found in self.finder.find(&**cell) {
            push_between(&cell[at..found.start()], &mut out);
            self.private.push(found.as_bytes(), &mut out);
            at = found.end();
        }
        push_between(&cell[at..], &mut out);
        if out != **cell {
            *cell = Cow::Owned(out);
        }
    }
}

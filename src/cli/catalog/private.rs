//! Hides secrets in cells, and defangs them: in URIs, and in texts that have some.

use crate::cli::privacy::PrivateUri;
use std::borrow::Cow;
use urisieve::engine::Finder;

/// What is printed in another form.
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

    /// Rewrites the URIs in a cell.
    pub(super) fn text(&self, cell: &mut Cow<[u8]>) {
        let mut out = Vec::new();
        let mut at = 0;
        for found in self.finder.find(&**cell) {
            out.extend_from_slice(&cell[at..found.start()]);
            self.private.push(found.as_bytes(), &mut out);
            at = found.end();
        }
        if at > 0 {
            out.extend_from_slice(&cell[at..]);
            *cell = Cow::Owned(out);
        }
    }
}

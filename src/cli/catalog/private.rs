//! Hides secrets in cells, and defangs them: in URIs, and in texts that have some.

use std::borrow::Cow;
use urisieve::canonicalize::Redactor;
use urisieve::engine::Finder;
use urisieve::output::defang;

/// What is printed in another form.
#[derive(Clone, Debug)]
pub(super) struct PrivateCells {
    redactor: Option<Redactor>,
    defangs: bool,
    finder: Finder,
}

impl PrivateCells {
    pub(super) fn new(redactor: Option<Redactor>, defangs: bool) -> PrivateCells {
        PrivateCells {
            redactor,
            defangs,
            finder: Finder::new(),
        }
    }

    /// Whether cells stay as they are.
    pub(super) fn is_idle(&self) -> bool {
        self.redactor.is_none() && !self.defangs
    }

    /// Rewrites a cell that should be a URI as a whole.
    pub(super) fn uri(&self, cell: &mut Cow<[u8]>) {
        let mut buffer = Vec::new();
        let redacted = match &self.redactor {
            Some(redactor) => redactor.redact(cell, &mut buffer),
            None => cell,
        };
        let mut out = Vec::new();
        match self.defangs {
            true => defang(redacted, &mut out),
            false => out.extend_from_slice(redacted),
        }
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
            let mut uri = Cow::Borrowed(found.as_bytes());
            let mut buffer = Vec::new();
            if let Some(redactor) = &self.redactor {
                uri = Cow::Owned(redactor.redact(&uri, &mut buffer).to_vec());
            }
            match self.defangs {
                true => defang(&uri, &mut out),
                false => out.extend_from_slice(&uri),
            }
            at = found.end();
        }
        if at > 0 {
            out.extend_from_slice(&cell[at..]);
            *cell = Cow::Owned(out);
        }
    }
}

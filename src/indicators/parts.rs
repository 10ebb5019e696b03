//! Pieces of a list that are read side by side. Each is read with the state in which the list is
//! at its start, as far as that is known: a state hardly ever changes behind the first lines, and
//! pieces behind one that changed it are read again.

use super::intake::{BadEntry, ListCounts, ListIntake, ListState};
use super::jobs::{ListJob, ListJobs};
use super::piece::ListPiece;
use super::tables::EntryTables;
use crate::decode::Refanged;
use std::io;

/// A piece with its entries.
struct ListPart<'s> {
    piece: ListPiece,
    begins: &'s ListState,
    ends: ListState,
    tables: EntryTables,
    counts: ListCounts,
    bad: Vec<(u64, Vec<u8>, String)>,
}

impl ListPart<'_> {
    fn read(&mut self) {
        let bad = &mut self.bad;
        let mut refanged = Refanged::new();
        let mut note = |entry: BadEntry| {
            bad.push((entry.line, entry.text.to_vec(), entry.why.to_owned()));
        };
        let mut intake = ListIntake::new(&mut self.tables, &mut refanged, &mut note);
        intake.state = self.begins.clone();
        intake.piece(&self.piece);
        (self.counts, self.ends) = (intake.counts, intake.state);
    }
}

/// Takes pieces that follow each other.
///
/// # Errors
/// There are too many entries.
pub(super) fn take(
    intake: &mut ListIntake,
    mut pieces: Vec<ListPiece>,
    jobs: ListJobs,
) -> io::Result<()> {
    if jobs.threads == 1 || pieces.len() == 1 {
        pieces.iter().for_each(|piece| intake.piece(piece));
        return Ok(());
    }
    while !pieces.is_empty() {
        let begins = intake.state.clone();
        let part = |piece| ListPart {
            piece,
            begins: &begins,
            ends: ListState::default(),
            tables: intake.tables.part(),
            counts: ListCounts::default(),
            bad: Vec::new(),
        };
        let mut parts: Vec<ListPart> = pieces.drain(..).map(part).collect();
        jobs.run(
            parts
                .iter_mut()
                .map(|part| Box::new(|| part.read()) as ListJob),
        );
        for part in parts {
            if *part.begins != intake.state {
                pieces.push(part.piece);
                continue;
            }
            intake.append(part.tables, part.counts)?;
            for (line, text, why) in &part.bad {
                intake.report(*line, text, why);
            }
            intake.state = part.ends;
        }
    }
    Ok(())
}

//! L5 on every combination of a few pieces: texts where what is read ahead, a limit or
//! the piece beside it decides. Random texts seldom hold them.

mod ends;
mod starts;
mod wrappers;

use super::agrees;
use crate::thorough;
use urisieve::reference::{Hyphen, Options, Wrap};

/// Returns every text that has one piece of each of `parts`.
fn products(parts: &[&[&str]]) -> Vec<String> {
    let mut texts = vec![String::new()];
    for pieces in parts {
        let with = |text: String| pieces.iter().map(move |piece| text.clone() + piece);
        texts = texts.into_iter().flat_map(with).collect();
    }
    texts
}

/// Asserts law L5 for every text that has one piece of each of `parts`; of many texts for some,
/// in which each piece is.
fn agree(options: &Options, parts: &[&[&str]]) {
    let number: usize = parts.iter().map(|pieces| pieces.len()).product();
    // A step that no number of pieces divides reaches every piece of every part.
    let reaches_all = |step: &usize| parts.iter().all(|pieces| pieces.len() % step != 0);
    let step = match number > 200 {
        true => [3, 5, 7].into_iter().find(reaches_all).unwrap_or(1),
        false => 1,
    };
    for text in products(parts).into_iter().step_by(thorough::step(step)) {
        agrees(text.as_bytes(), options);
    }
}

fn default() -> Options {
    Options::default()
}

fn more_opaque() -> Options {
    Options {
        opaque_all: true,
        opaque: vec!["acme".to_owned()],
        ..default()
    }
}

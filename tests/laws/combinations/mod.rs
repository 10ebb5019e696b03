//! L5 on every combination of a few pieces: texts where what is read ahead, a limit or
//! the piece beside it decides. Random texts seldom hold them.

mod ends;
mod starts;
mod wrappers;

use super::agrees;
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

/// Asserts law L5 for every text that has one piece of each of `parts`.
fn agree(options: &Options, parts: &[&[&str]]) {
    for text in products(parts) {
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

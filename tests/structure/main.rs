//! The structure of the project: layers, lists of steps, words, the oracle's independence.

mod features;
mod imports;
mod layering;
mod licences;
mod oracle;
mod python;
mod sources;
mod steps;
mod words;

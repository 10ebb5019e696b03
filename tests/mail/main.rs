//! Mail: the cases of its rules, the same findings in every way of reading, lists in every
//! coding, and damage.

#[path = "../kit/archive.rs"]
mod archive;
mod archives;
#[path = "../kit/cases.rs"]
mod cases;
mod codings;
mod damage;
mod limits;
mod names;
#[path = "../kit/packed.rs"]
mod packed;
#[path = "../kit/program.rs"]
mod program;
mod read;
mod rules;
#[path = "../kit/ways.rs"]
mod ways;

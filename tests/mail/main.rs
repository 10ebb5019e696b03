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
#[path = "../kit/random.rs"]
mod random;
mod read;
mod rules;
#[path = "../kit/thorough.rs"]
mod thorough;
#[path = "../kit/ways.rs"]
mod ways;

//! Compressed inputs, archives and encodings: the same findings in every form, and every loss named.

#[path = "../kit/archive.rs"]
mod archive;
mod blocks;
mod damage;
#[path = "../kit/dribble.rs"]
mod dribble;
mod encodings;
mod first_findings;
#[path = "../kit/forms.rs"]
mod forms;
#[path = "../kit/guard.rs"]
mod guard;
mod inputs;
mod order;
#[path = "../kit/packed.rs"]
mod packed;
mod parts;
#[path = "../kit/program.rs"]
mod program;
#[path = "../kit/random.rs"]
mod random;
#[path = "../kit/reports.rs"]
mod reports;
mod streams;
mod tar;
#[path = "../kit/thorough.rs"]
mod thorough;
#[path = "../kit/warc.rs"]
mod warc;
#[path = "../kit/ways.rs"]
mod ways;
mod windows;

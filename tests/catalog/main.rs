//! Catalogues: findings, rows, checks and repairs, with damage and in every way of reading.

#[path = "../kit/archive.rs"]
mod archive;
#[path = "../kit/cases.rs"]
mod cases;
mod checks;
mod damage;
#[path = "../kit/dribble.rs"]
mod dribble;
mod findings;
mod fix;
mod groups;
mod list;
#[path = "../kit/marc.rs"]
mod marc;
#[path = "../kit/packed.rs"]
mod packed;
#[path = "../kit/program.rs"]
mod program;
mod run;
mod silence;
#[path = "../kit/thorough.rs"]
mod thorough;
#[path = "../kit/ways.rs"]
mod ways;
mod workbook;

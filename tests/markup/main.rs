//! Documents of markup, and the links between them.

#[path = "../kit/cases.rs"]
mod cases;
mod documents;
mod links;
#[path = "../kit/program.rs"]
mod program;
#[path = "../kit/thorough.rs"]
mod thorough;
#[path = "../kit/ways.rs"]
mod ways;

//! The rules of extraction and equivalence, by the cases of `corpora/conformance`.

#[path = "../kit/cases.rs"]
mod cases;
mod conformance;
#[path = "../kit/dribble.rs"]
mod dribble;
mod equivalence;
#[path = "../kit/forms.rs"]
mod forms;
mod indicators;
mod logs;
#[path = "../kit/program.rs"]
mod program;
mod references;
#[path = "../kit/referrals.rs"]
mod referrals;
mod resolve;
#[path = "../kit/rule_sets.rs"]
mod rule_sets;
mod surt;
mod urn;

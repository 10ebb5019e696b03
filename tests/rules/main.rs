//! The rules of extraction and equivalence, by the cases of `corpora/conformance`.

mod conformance;
mod equivalence;
#[path = "../kit/forms.rs"]
mod forms;
#[path = "../kit/program.rs"]
mod program;
mod references;
#[path = "../kit/referrals.rs"]
mod referrals;
mod resolve;
mod surt;
mod urn;

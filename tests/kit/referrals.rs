//! The result of a reference (F1), by the library and by the slow reference.

use crate::rule_sets::config;
use urisieve::delimit::{Cleaning, Delimiter, Referred, Refusal};
use urisieve::item::{Problems, Schemes};
use urisieve::reference::{Options, Reference, Referral, refer};
use urisieve::syntax::resolve::{self, Rules};

/// A URI before it is made canonical, and its problems; or why there is none.
pub type Given = Result<(Vec<u8>, Problems), &'static str>;

/// The library's result, step by step; for a URI also its original.
pub fn by_library(reference: &Reference, options: &Options) -> (Given, Option<Vec<u8>>) {
    let refused = |refusal| match refusal {
        Refusal::Dropped => "dropped",
        Refusal::Void => "void",
        Refusal::TooLong => "too-long",
        Refusal::Text => "text",
        other => panic!("{other:?}"),
    };
    let delimiter = Delimiter::new(config(options).all_references(reference.all));
    let schemes = match (reference.any_scheme, reference.is_data) {
        (true, _) => Schemes::Any,
        (false, true) => Schemes::Value,
        (false, false) => Schemes::Known,
    };
    let (mut cleaning, mut again) = (Cleaning::default(), Cleaning::default());
    let text = match delimiter.reference(reference.text, schemes, &mut cleaning) {
        Ok(Referred::Uri {
            uri,
            original,
            problems,
        }) => return (Ok((uri.to_vec(), problems)), Some(original.to_vec())),
        Ok(Referred::Relative { reference, .. }) => reference,
        Err(refusal) => return (Err(refused(refusal)), None),
    };
    let Some(base) = reference.base.filter(|b| resolve::is_base_for(b, text)) else {
        return (Err("without-base"), None);
    };
    let mut resolved = Vec::new();
    resolve::resolve(Rules::Rfc3986, base, text, &mut resolved).unwrap();
    match delimiter.resolved(&resolved, &mut again) {
        Ok((uri, problems)) => (Ok((uri.to_vec(), problems)), Some(uri.to_vec())),
        Err(refusal) => (Err(refused(refusal)), None),
    }
}

/// The slow reference's result.
pub fn by_oracle(reference: &Reference, options: &Options) -> Given {
    match refer(reference, options) {
        Referral::Uri { uri, problems } => Ok((uri, problems)),
        Referral::Text => Err("text"),
        Referral::Dropped => Err("dropped"),
        Referral::WithoutBase => Err("without-base"),
        Referral::Void => Err("void"),
        Referral::TooLong => Err("too-long"),
    }
}

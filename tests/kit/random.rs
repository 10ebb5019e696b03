//! How many random cases a slow property has.

use proptest::prelude::ProptestConfig;

use crate::thorough;

/// Returns the settings for `quick` cases, or eight times as many where the tests are thorough.
pub fn cases(quick: u32) -> ProptestConfig {
    ProptestConfig::with_cases(quick * 8 / thorough::step(8) as u32)
}

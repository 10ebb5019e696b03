//! The same questions to other implementations. Where one of them answers
//! differently, the difference is written down here with its reason; any other
//! difference fails the test.

mod normalize;
mod resolve;
mod validate;

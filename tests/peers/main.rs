//! The same inputs for other implementations. Where one of them has another result, the
//! difference is listed here with its reason; any other difference fails the test.

mod normalize;
mod resolve;
mod validate;

//! The same inputs for other implementations. Where one of them has another result, the
//! difference is listed here with its reason; any other difference fails the test.

#[path = "../kit/cases.rs"]
mod cases;
mod normalize;
mod resolve;
mod validate;

//! What is known already: stores of seen URIs, and the inputs of `--against`.

mod events;
mod known;
#[cfg(unix)]
mod live;
mod runs;
mod store;

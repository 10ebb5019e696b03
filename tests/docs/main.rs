//! The documents, examples and benchmarks of the project do what they say.

#[path = "../kit/archive.rs"]
mod archive;
mod compare;
mod documents;
mod examples;
mod guide;
mod links;
mod readme;
#[cfg(unix)]
mod seen_format;

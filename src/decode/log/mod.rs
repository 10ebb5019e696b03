//! Requests in the lines of logs: the URL that a line says was asked for, with the exchange.
//! A line is decided on its own, by its prefixes and its shape; without a request it is text
//! by the ordinary rules. No regular expressions are used, and no line costs an allocation.

mod columns;
mod directive;
mod field_names;
mod format;
mod names;
mod object;
mod pairs;
mod prefix;
mod quoted;
mod quoting;
mod reader;
mod request;
mod request_line;
mod shape;
mod stated;
#[cfg(test)]
mod tests;
mod time;
mod url;
mod value;

pub(crate) use columns::Columns as LogColumns;
pub use format::{LogFormat, UnknownLogFormat};
pub(crate) use reader::{
    HEAD as LOG_HEAD, LineKind, LineReader, RECORD_MAX as LOG_RECORD_MAX, states_request,
};
pub use request::LogRequest;

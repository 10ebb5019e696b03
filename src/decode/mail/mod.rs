//! Mail (RFC 5322, MIME): messages, mailboxes of the format mbox, and their parts. `reader`
//! splits them, `header` and `fields` read headers, and `body` makes the decoder of the
//! content of a part. Parts in base64 and uuencode are decoded by `unpack`.

mod body;
mod boundary;
mod date;
mod detect;
mod fields;
mod flowed;
mod header;
mod header_end;
mod kinds;
mod leaf;
mod line_starts;
mod mbox;
mod parameters;
mod quoted;
mod reader;
mod text;
mod words;

pub(super) use body::{mail_part_decoder, mail_text_decoder};
pub(super) use detect::{is_calendar, is_mail};
pub(super) use reader::Mail;

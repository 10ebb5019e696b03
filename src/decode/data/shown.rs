//! The events of a decoder of data as a short text, for tests.

use crate::decode::event::{Decode, Event};
use crate::decode::in_pieces::{PushedEvent, push_in_pieces};
use std::borrow::Cow;

/// Returns what the events show of `text`, which is pushed in pieces of these sizes: texts in
/// parentheses, neighbours as one, and other events by `show`, which gets the text of the event.
pub(super) fn shown(
    decoder: &mut dyn Decode,
    text: &str,
    sizes: &[usize],
    show: impl Fn(&PushedEvent, Cow<str>) -> String,
) -> String {
    let (mut shown, mut open) = (String::new(), false);
    push_in_pieces(decoder, text.as_bytes(), sizes, |pushed| {
        let text = String::from_utf8_lossy(pushed.text);
        let is_text = matches!(pushed.event, Event::Text(_));
        let was_open = std::mem::replace(&mut open, is_text);
        if !is_text {
            shown += &show(&pushed, text);
            return;
        }
        if was_open {
            shown.pop();
        } else {
            shown.push('(');
        }
        shown += &format!("{text})");
    });
    shown
}

//! Gives a decoder the bytes that it left unread together with the next ones. Few of these
//! are copied behind the unread ones for a first step: most often the decoder then reads
//! beyond what was left, and takes the others where they are.

use crate::decode::{Decode, Output};

/// The number of bytes that are copied for the first step. Where more were left unread, all
/// are copied, because a decoder may look at the unread ones again.
const HEAD: usize = if cfg!(test) { 8 } else { 4 << 10 };

/// What a decoder made of its unread bytes and the next ones, in one step or in two.
#[derive(Debug, Default)]
pub(in crate::engine) struct DecodedSteps {
    /// The bytes that were unread before, and next ones behind them.
    joined: Vec<u8>,
    /// The number of bytes of `joined` in the first step, and of those that were read.
    head: usize,
    head_read: usize,
    /// The bytes of the second step.
    rest: RestBytes,
    /// The number of bytes that the last step read.
    read: usize,
    outputs: StepOutputs,
}

/// The events of the two steps.
pub(in crate::engine) type StepOutputs = [Output; 2];

/// The bytes of a second step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RestBytes {
    /// No bytes: one step took all.
    #[default]
    Nothing,
    /// The next bytes from this offset on.
    Next(usize),
    /// Those of `joined` that the first step left.
    Joined,
}

/// The bytes of a step, whether they are the last ones, and the events.
type DecodedStep<'s> = (&'s [u8], bool, &'s Output);

impl DecodedSteps {
    /// Has `decoder` decode `unread` and `bytes`, the next ones, or the `last` ones, into
    /// the memory of `outputs`.
    pub(in crate::engine) fn decode(
        decoder: &mut dyn Decode,
        unread: Vec<u8>,
        (bytes, last): (&[u8], bool),
        outputs: StepOutputs,
    ) -> DecodedSteps {
        let mut steps = DecodedSteps {
            joined: unread,
            outputs,
            ..DecodedSteps::default()
        };
        // Directly before their successors ask for memory: 4 % of the time of mail.
        steps.outputs.iter_mut().for_each(Output::clear);
        let left = steps.joined.len();
        if left == 0 {
            steps.rest = RestBytes::Next(0);
        } else {
            let copied = match left <= HEAD {
                true => bytes.len().min(HEAD),
                false => bytes.len(),
            };
            steps.joined.extend_from_slice(&bytes[..copied]);
            steps.head = steps.joined.len();
            let is_last = last && copied == bytes.len();
            steps.head_read = push(decoder, &steps.joined, is_last, &mut steps.outputs[0]);
            steps.read = steps.head_read;
            if copied < bytes.len() {
                steps.rest = match steps.head_read.checked_sub(left) {
                    Some(from) => RestBytes::Next(from),
                    None => {
                        steps.joined.extend_from_slice(&bytes[copied..]);
                        RestBytes::Joined
                    }
                };
            }
        }
        let rest = match steps.rest {
            RestBytes::Nothing => return steps,
            RestBytes::Next(from) => &bytes[from..],
            RestBytes::Joined => &steps.joined[steps.head_read..],
        };
        steps.read = push(decoder, rest, last, &mut steps.outputs[1]);
        steps
    }

    /// Returns the steps; `bytes` are those that were decoded, the `last` ones or not.
    pub(in crate::engine) fn iter<'s>(
        &'s self,
        (bytes, last): (&'s [u8], bool),
    ) -> impl Iterator<Item = DecodedStep<'s>> {
        let rest = self.rest(bytes);
        let [of_head, of_rest] = &self.outputs;
        let head = &self.joined[..self.head];
        let head = (self.head > 0).then_some((head, last && rest.is_none(), of_head));
        head.into_iter()
            .chain(rest.map(|rest| (rest, last, of_rest)))
    }

    fn rest<'s>(&'s self, bytes: &'s [u8]) -> Option<&'s [u8]> {
        match self.rest {
            RestBytes::Nothing => None,
            RestBytes::Next(from) => Some(&bytes[from..]),
            RestBytes::Joined => Some(&self.joined[self.head_read..]),
        }
    }

    /// Returns the bytes that are left unread.
    pub(in crate::engine) fn unread<'s>(&'s self, bytes: &'s [u8]) -> &'s [u8] {
        &self.rest(bytes).unwrap_or(&self.joined)[self.read..]
    }

    /// Returns the bytes that are left unread, and the memory of the events.
    pub(in crate::engine) fn into_unread(mut self, bytes: &[u8]) -> (Vec<u8>, StepOutputs) {
        match self.rest {
            RestBytes::Next(from) => {
                self.joined.clear();
                self.joined.extend_from_slice(&bytes[from + self.read..]);
            }
            RestBytes::Nothing => drop(self.joined.drain(..self.read)),
            RestBytes::Joined => drop(self.joined.drain(..self.head_read + self.read)),
        }
        (self.joined, self.outputs.map(Output::recycle))
    }
}

fn push(decoder: &mut dyn Decode, bytes: &[u8], last: bool, out: &mut Output) -> usize {
    #[cfg(feature = "failpoints")]
    crate::engine::faultpoint::at("decode", bytes);
    decoder.push(bytes, last, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Event;

    /// Reads whole lines, and the bytes behind them once they are the last ones.
    #[derive(Debug)]
    struct WholeLines;

    impl Decode for WholeLines {
        fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
            let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
            let read = if last { bytes.len() } else { whole };
            out.events.push(Event::Text(read));
            read
        }
    }

    #[test]
    fn steps_read_what_one_push_reads() {
        let line = |len: usize| format!("{}\n", "x".repeat(len));
        // Lines that end in the first step, behind it, and nowhere.
        for lens in [
            vec![3, 3, 30],
            vec![2, 40, 1],
            vec![90],
            vec![0; 50],
            vec![],
        ] {
            let text: String = lens.into_iter().map(line).collect();
            for split in 0..=text.len().min(2 * HEAD) {
                for last in [false, true] {
                    let (unread, bytes) = text.as_bytes().split_at(split);
                    let (unread, given) = (unread.to_vec(), (bytes, last));
                    let outputs = StepOutputs::default();
                    let steps = DecodedSteps::decode(&mut WholeLines, unread, given, outputs);
                    let mut read = Vec::new();
                    let mut lasts = Vec::new();
                    for (bytes, last, output) in steps.iter(given) {
                        let [Event::Text(len)] = output.events[..] else {
                            panic!("{:?}", output.events);
                        };
                        read.extend_from_slice(&bytes[..len]);
                        lasts.push(last);
                    }
                    assert_eq!(lasts.pop(), Some(last));
                    assert!(!lasts.contains(&true));
                    read.extend_from_slice(steps.unread(bytes));
                    assert_eq!(read, text.as_bytes(), "{split}");
                    let left = steps.unread(bytes).to_vec();
                    assert!(!left.contains(&b'\n') && (left.is_empty() || !last));
                    assert_eq!(steps.into_unread(bytes).0, left);
                }
            }
        }
    }
}

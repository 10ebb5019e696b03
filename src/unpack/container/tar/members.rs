//! The members one after the other, up to two blocks of zeros and beyond: archives
//! may be joined. What is no member is a named loss, and the next header is looked
//! for.

use super::block::{self, BLOCK, Header, find, is_zero};
use super::extension::Extension;
use crate::item::{Damage, LossKind, OwnedContext, Part};
use crate::unpack::container::feed::Feed;
use crate::unpack::container::piece::{Container, Piece};
use crate::unpack::magic::Compression;
use std::sync::Arc;

/// A longer pax header, or name, is not read.
const EXTENSION_MAX: u64 = 1 << 20;
/// Bytes of content that are given at a time.
const PIECE: usize = 64 << 10;
/// So many bytes show the compression of a member.
const HEAD: u64 = 16;
/// In a block of the map of a sparse file: whether another one follows.
const MAP_GOES_ON: usize = 504;

const GARBAGE: &str = "bytes that belong to no member";
const WITHOUT_END: &str = "the archive lacks its end";

/// Splits a tar archive.
pub(in crate::unpack::container) struct Tar {
    place: Place,
    /// A place at which a header may begin, as those that are any number of blocks away
    /// from it; `None` where that is not known.
    aligned: Option<u64>,
    /// What is said of all members, and of the next one.
    global: Extension,
    local: Extension,
    /// Where that of the next one begins, in the input.
    begun: Option<u64>,
    /// Nothing has to follow: the end was read, or it is known to be missing.
    is_over: bool,
}

enum Place {
    /// Before a header or the end.
    Between,
    /// In what is said of members.
    Extension(Saying),
    /// In the map of a sparse file.
    Map(Member),
    /// In the content of a member.
    Content(Member),
    /// In so many bytes that are passed over.
    Skip(u64),
    /// The next header is looked for; `None` when nothing is lost yet.
    Lost(Option<Lost>),
}

/// What is said of members, as it is read.
struct Saying {
    flag: u8,
    offset: u64,
    left: u64,
    text: Vec<u8>,
}

/// A member whose header was read.
struct Member {
    /// The member, until it was given.
    part: Option<Part>,
    offset: u64,
    left: u64,
    padding: u64,
}

/// A loss whose end is not known yet.
#[derive(Clone, Copy)]
struct Lost {
    offset: u64,
    cause: &'static str,
    kind: Kind,
}

type Losses = Vec<(u64, LossKind)>;
type Kind = fn(Damage) -> LossKind;

impl Container for Tar {
    fn next(&mut self, feed: &mut Feed, out: &mut Vec<u8>, losses: &mut Losses) -> Piece {
        loop {
            feed.pass_members();
            let piece = match std::mem::replace(&mut self.place, Place::Between) {
                Place::Between => self.between(feed, losses),
                Place::Extension(saying) => self.extension(saying, feed, losses),
                Place::Map(member) => self.map(member, feed, losses),
                Place::Content(member) => self.content(member, feed, out, losses),
                Place::Skip(left) => self.skip(left, feed),
                Place::Lost(lost) => self.search(lost, feed, losses),
            };
            if let Some(piece) = piece {
                return piece;
            }
        }
    }
}

impl Tar {
    pub(in crate::unpack::container) fn new() -> Tar {
        Tar {
            place: Place::Between,
            aligned: Some(0),
            global: Extension::default(),
            local: Extension::default(),
            begun: None,
            is_over: false,
        }
    }

    fn between(&mut self, feed: &mut Feed, losses: &mut Losses) -> Option<Piece> {
        let (rest, ends) = feed.up_to_gap();
        if rest.len() < BLOCK {
            return match ends {
                true => self.end(feed, losses),
                false => Some(Piece::Hungry),
            };
        }
        let (block, after) = rest.split_at(BLOCK);
        if is_zero(block) {
            self.is_over = true;
            feed.advance(BLOCK);
            return None;
        }
        let Some(header) = Header::of(block) else {
            let (cause, kind): (_, Kind) = match block::is_damaged_header(block) {
                true => ("the header of a member is wrong", LossKind::Damaged),
                false => (GARBAGE, LossKind::Garbage),
            };
            self.lose(feed.offset(), cause, kind);
            return None;
        };
        let size = match header.flag() {
            // Links, devices, directories and FIFOs have no content, whatever they say.
            b'2'..=b'6' => Some(0),
            b'1' if self.local.size.is_none() && !header.is_posix() => Some(0),
            // Some say the length of what they link to: then the next member follows.
            b'1' if self.local.size.is_none() && header.size() != Some(0) => {
                if after.len() < BLOCK && !ends {
                    return Some(Piece::Hungry);
                }
                let is_next = |next: &[u8]| is_zero(next) || Header::of(next).is_some();
                match after.get(..BLOCK).is_none_or(is_next) {
                    true => Some(0),
                    false => header.size(),
                }
            }
            b'x' | b'X' | b'g' | b'L' | b'K' => header.size(),
            _ => self.local.size.or(self.global.size).or(header.size()),
        };
        let offset = feed.offset();
        let Some(size) = size else {
            feed.advance(BLOCK);
            self.lose(
                offset,
                "the size of a member is no number",
                LossKind::Damaged,
            );
            return None;
        };
        self.is_over = false;
        self.place = match header.flag() {
            flag @ (b'x' | b'X' | b'g' | b'L') => {
                if flag != b'g' {
                    self.begun.get_or_insert(offset);
                }
                self.say(flag, offset, size, losses)
            }
            // The target of a link, names of a directory, names of old.
            b'K' | b'D' | b'N' => Place::Skip(padded(size)),
            flag => {
                let member = self.member(header, offset, size);
                match flag == b'S' && header.map_goes_on() {
                    true => Place::Map(member),
                    false => Place::Content(member),
                }
            }
        };
        feed.advance(BLOCK);
        None
    }

    /// Reads what is said of members, unless it is too long.
    fn say(&mut self, flag: u8, offset: u64, size: u64, losses: &mut Losses) -> Place {
        if size > EXTENSION_MAX {
            let cause = "a pax header or name of more than 1 MiB";
            let kind = LossKind::Unsupported;
            Lost {
                offset,
                cause,
                kind,
            }
            .report(None, losses);
            return Place::Skip(padded(size));
        }
        Place::Extension(Saying {
            flag,
            offset,
            left: size,
            text: Vec::new(),
        })
    }

    /// The member of `header`, of which `size` bytes follow.
    fn member(&mut self, header: Header, offset: u64, size: u64) -> Member {
        let offset = self.begun.take().unwrap_or(offset);
        let local = std::mem::take(&mut self.local).into_name();
        let name = local.or_else(|| self.global.clone().into_name());
        let name = name.unwrap_or_else(|| header.name());
        let context = OwnedContext {
            member: Some(Arc::from(name)),
            ..OwnedContext::default()
        };
        Member {
            part: Some(Part {
                context,
                offset,
                ..Part::default()
            }),
            offset,
            left: size,
            padding: padded(size) - size,
        }
    }

    /// What is between the last header and the end or a gap: less than a block.
    fn end(&mut self, feed: &mut Feed, losses: &mut Losses) -> Option<Piece> {
        let (rest, _) = feed.up_to_gap();
        let (len, is_zero) = (rest.len(), is_zero(rest));
        if feed.is_before_gap() {
            // That something is missing was reported.
            feed.advance(len);
            self.pass_gap(feed);
            return None;
        }
        let offset = feed.offset();
        let loss: Option<(_, Kind)> = match (len, self.is_over) {
            (0, false) => Some((WITHOUT_END, LossKind::Truncated)),
            (_, _) if is_zero => None,
            (_, false) => Some(("the header of a member lacks its end", LossKind::Truncated)),
            (_, true) => Some((GARBAGE, LossKind::Garbage)),
        };
        if let Some((cause, kind)) = loss {
            Lost {
                offset,
                cause,
                kind,
            }
            .report(None, losses);
        }
        feed.advance(len);
        self.is_over = true;
        Some(Piece::End)
    }

    /// Goes on after a gap, where it is not known what follows.
    fn pass_gap(&mut self, feed: &mut Feed) {
        feed.pass_members();
        feed.pass_mark();
        self.aligned = None;
        self.is_over = true;
        self.search_from(None);
    }

    fn lose(&mut self, offset: u64, cause: &'static str, kind: Kind) {
        self.search_from(Some(Lost {
            offset,
            cause,
            kind,
        }));
    }

    /// What was said of the next member may not be of the one that will be found.
    fn search_from(&mut self, lost: Option<Lost>) {
        self.local = Extension::default();
        self.begun = None;
        self.place = Place::Lost(lost);
    }

    fn extension(
        &mut self,
        mut saying: Saying,
        feed: &mut Feed,
        losses: &mut Losses,
    ) -> Option<Piece> {
        let (rest, ends) = feed.up_to_gap();
        let here = &rest[..within(saying.left, rest.len())];
        let len = here.len();
        saying.text.extend_from_slice(here);
        saying.left -= len as u64;
        feed.advance(len);
        if saying.left > 0 {
            return match ends {
                true => self.cut(
                    saying.offset,
                    "the header of a member lacks its end",
                    feed,
                    losses,
                ),
                false => {
                    self.place = Place::Extension(saying);
                    Some(Piece::Hungry)
                }
            };
        }
        let text = &saying.text;
        let is_read = match saying.flag {
            b'L' => {
                self.local.read_name(text);
                true
            }
            b'g' => self.global.read_records(text),
            _ => self.local.read_records(text),
        };
        if !is_read {
            let (offset, kind) = (saying.offset, LossKind::Damaged);
            let cause = "a pax header is not understood";
            Lost {
                offset,
                cause,
                kind,
            }
            .report(None, losses);
        }
        let len = text.len() as u64;
        self.place = Place::Skip(padded(len) - len);
        None
    }

    /// The bytes end in the member that begins at `offset`, or something is missing
    /// there, which was reported.
    fn cut(
        &mut self,
        offset: u64,
        cause: &'static str,
        feed: &Feed,
        losses: &mut Losses,
    ) -> Option<Piece> {
        if !feed.is_before_gap() {
            let kind = LossKind::Truncated;
            Lost {
                offset,
                cause,
                kind,
            }
            .report(None, losses);
        }
        self.is_over = true;
        None
    }

    fn map(&mut self, member: Member, feed: &mut Feed, losses: &mut Losses) -> Option<Piece> {
        let (rest, ends) = feed.up_to_gap();
        let Some(block) = rest.get(..BLOCK) else {
            if !ends {
                self.place = Place::Map(member);
                return Some(Piece::Hungry);
            }
            let len = rest.len();
            feed.advance(len);
            return self.cut(
                member.offset,
                "the header of a member lacks its end",
                feed,
                losses,
            );
        };
        self.place = match block[MAP_GOES_ON] {
            0 => Place::Content(member),
            _ => Place::Map(member),
        };
        feed.advance(BLOCK);
        None
    }

    fn content(
        &mut self,
        mut member: Member,
        feed: &mut Feed,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Option<Piece> {
        let (rest, ends) = feed.up_to_gap();
        let here = within(member.left, rest.len());
        if let Some(mut part) = member.part.take() {
            if member.left == 0 {
                return None;
            }
            if (here as u64) < member.left.min(HEAD) && !ends {
                member.part = Some(part);
                self.place = Place::Content(member);
                return Some(Piece::Hungry);
            }
            let coding = Compression::of(&rest[..here]).map(Compression::name);
            part.codings = coding
                .map(|name| name.as_bytes().to_vec())
                .into_iter()
                .collect();
            self.place = Place::Content(member);
            return Some(Piece::Record(part));
        }
        let given = here.min(PIECE).min(feed.until_doubt());
        if given > 0 {
            out.extend_from_slice(&rest[..given]);
            feed.advance(given);
            member.left -= given as u64;
            self.place = Place::Content(member);
            return Some(Piece::Content(given));
        }
        if member.left == 0 {
            self.place = Place::Skip(member.padding);
            return Some(Piece::RecordEnd);
        }
        if !ends {
            self.place = Place::Content(member);
            return Some(Piece::Hungry);
        }
        self.cut(member.offset, "the member lacks its end", feed, losses);
        Some(Piece::RecordEnd)
    }

    fn skip(&mut self, left: u64, feed: &mut Feed) -> Option<Piece> {
        let (rest, ends) = feed.up_to_gap();
        let here = within(left, rest.len());
        feed.advance(here);
        let left = left - here as u64;
        if left > 0 && !ends {
            self.place = Place::Skip(left);
            return Some(Piece::Hungry);
        }
        None
    }

    /// Looks for the next header.
    fn search(
        &mut self,
        mut lost: Option<Lost>,
        feed: &mut Feed,
        losses: &mut Losses,
    ) -> Option<Piece> {
        let (rest, ends) = feed.up_to_gap();
        let to_aligned = |aligned: u64| {
            let past = feed.position().wrapping_sub(aligned) % BLOCK as u64;
            (BLOCK - past as usize) % BLOCK
        };
        let found = find(rest, self.aligned.map(to_aligned));
        let passed = match found {
            Some(at) => at,
            None if ends => rest.len(),
            // A header may begin in the last bytes.
            None => (rest.len() + 1).saturating_sub(BLOCK),
        };
        // Zeros after a gap are the end of the archive.
        let zeros = match lost {
            Some(_) => 0,
            None => rest[..passed].iter().take_while(|&&b| b == 0).count(),
        };
        feed.advance(zeros);
        feed.pass_members();
        if zeros < passed {
            lost = lost.or(Some(Lost {
                offset: feed.offset(),
                cause: GARBAGE,
                kind: LossKind::Garbage,
            }));
            feed.advance(passed - zeros);
            feed.pass_members();
        }
        if found.is_some() {
            if let Some(lost) = lost {
                lost.report(Some(feed.offset()), losses);
            }
            self.aligned = Some(feed.position());
            return None;
        }
        if !ends {
            self.place = Place::Lost(lost);
            return Some(Piece::Hungry);
        }
        if feed.is_before_gap() {
            self.pass_gap(feed);
            self.place = Place::Lost(lost);
            return None;
        }
        if let Some(lost) = lost {
            lost.report(None, losses);
        }
        self.is_over = true;
        Some(Piece::End)
    }
}

impl Lost {
    fn report(self, resumes: Option<u64>, losses: &mut Losses) {
        let damage = Damage {
            container: super::NAME,
            cause: self.cause,
            at: self.offset,
            resumes: resumes.filter(|&resumes| resumes != self.offset),
            text: None,
        };
        losses.push((self.offset, (self.kind)(damage)));
    }
}

/// So many bytes and those that fill their last block.
fn padded(len: u64) -> u64 {
    len.checked_next_multiple_of(BLOCK as u64).unwrap_or(len)
}

/// How many of `left` bytes are among the next `here`.
fn within(left: u64, here: usize) -> usize {
    usize::try_from(left).map_or(here, |left| left.min(here))
}

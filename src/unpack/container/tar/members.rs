//! The members one after the other, up to two blocks of zeros and beyond: archives may
//! be joined. Bytes outside of members are reported as losses, and the next header is
//! searched for.

use super::block::{self, BLOCK, MemberHeader, find, is_zero};
use super::extension::Extension;
use crate::item::{Damage, LossKind, OwnedContext, Part};
use crate::unpack::container::feed::Feed;
use crate::unpack::container::piece::{Container, Piece};
use crate::unpack::magic::Compression;
use std::sync::Arc;

/// Longer pax headers and names are not read.
const EXTENSION_MAX: u64 = 1 << 20;
/// The greatest number of bytes of content that are returned at a time.
const PIECE: usize = 64 << 10;
/// The number of bytes that show the compression of a member.
const HEAD: u64 = 16;
/// The offset of the flag, in a block of the map of a sparse file, that another block
/// follows.
const MAP_GOES_ON: usize = 504;

const GARBAGE: &str = "bytes that belong to no member";
const WITHOUT_END: &str = "the end of the archive is missing";

/// Splits a tar archive.
pub(in crate::unpack::container) struct Tar {
    place: Phase,
    /// An offset at which a header may begin, like all offsets that are a number of
    /// blocks away from it; `None` where that is not known.
    aligned: Option<u64>,
    /// The metadata of all members, and of the next one.
    global: Extension,
    local: Extension,
    /// The offset of the next member's metadata in the input.
    begun: Option<u64>,
    /// Whether no bytes have to follow: the end was read, or is known to be missing.
    is_over: bool,
}

enum Phase {
    /// Before a header or the end.
    Between,
    /// In the metadata of members.
    Extension(Saying),
    /// In the map of a sparse file.
    Map(TarMember),
    /// In the content of a member.
    Content(TarMember),
    /// In skipped bytes, of which this number is left.
    Skip(u64),
    /// The next header is being searched for; `None` while no bytes are lost.
    Lost(Option<LostBlocks>),
}

/// Metadata that is being read.
struct Saying {
    flag: u8,
    offset: u64,
    left: u64,
    text: Vec<u8>,
}

/// A member whose header was read.
struct TarMember {
    /// The member, until it was returned.
    part: Option<Part>,
    offset: u64,
    left: u64,
    padding: u64,
}

/// A loss whose end is not known yet.
#[derive(Clone, Copy)]
struct LostBlocks {
    offset: u64,
    cause: &'static str,
    kind: ToLoss,
}

type Losses = Vec<(u64, LossKind)>;
type ToLoss = fn(Damage) -> LossKind;

impl Container for Tar {
    fn next(&mut self, feed: &mut Feed, out: &mut Vec<u8>, losses: &mut Losses) -> Piece {
        loop {
            feed.pass_members();
            let piece = match std::mem::replace(&mut self.place, Phase::Between) {
                Phase::Between => self.between(feed, losses),
                Phase::Extension(saying) => self.extension(saying, feed, losses),
                Phase::Map(member) => self.map(member, feed, losses),
                Phase::Content(member) => self.content(member, feed, out, losses),
                Phase::Skip(left) => self.skip(left, feed),
                Phase::Lost(lost) => self.search(lost, feed, losses),
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
            place: Phase::Between,
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
        let Some(header) = MemberHeader::of(block) else {
            let (cause, kind): (_, ToLoss) = match block::is_damaged_header(block) {
                true => ("the header of a member is wrong", LossKind::Damaged),
                false => (GARBAGE, LossKind::Garbage),
            };
            self.lose(feed.offset(), cause, kind);
            return None;
        };
        let size = match header.flag() {
            // Links, devices, directories and FIFOs have no content, whatever their
            // size field says.
            b'2'..=b'6' => Some(0),
            b'1' if self.local.size.is_none() && !header.is_posix() => Some(0),
            // Some hard links have the size of their target, without content: then the
            // next header follows.
            b'1' if self.local.size.is_none() && header.size() != Some(0) => {
                if after.len() < BLOCK && !ends {
                    return Some(Piece::Hungry);
                }
                let is_next = |next: &[u8]| is_zero(next) || MemberHeader::of(next).is_some();
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
                "the size of a member is not a number",
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
            // The target of a link, the names in a directory, old names.
            b'K' | b'D' | b'N' => Phase::Skip(padded(size)),
            flag => {
                let member = self.member(header, offset, size);
                match flag == b'S' && header.map_goes_on() {
                    true => Phase::Map(member),
                    false => Phase::Content(member),
                }
            }
        };
        feed.advance(BLOCK);
        None
    }

    /// Begins to read metadata, unless it is too long.
    fn say(&mut self, flag: u8, offset: u64, size: u64, losses: &mut Losses) -> Phase {
        if size > EXTENSION_MAX {
            let cause = "a pax header or name of more than 1 MiB";
            let kind = LossKind::Unsupported;
            LostBlocks {
                offset,
                cause,
                kind,
            }
            .report(None, losses);
            return Phase::Skip(padded(size));
        }
        Phase::Extension(Saying {
            flag,
            offset,
            left: size,
            text: Vec::new(),
        })
    }

    /// Returns the member of `header`, of which `size` bytes follow.
    fn member(&mut self, header: MemberHeader, offset: u64, size: u64) -> TarMember {
        let offset = self.begun.take().unwrap_or(offset);
        let local = std::mem::take(&mut self.local).into_name();
        let name = local.or_else(|| self.global.clone().into_name());
        let name = name.unwrap_or_else(|| header.name());
        let context = OwnedContext {
            member: Some(Arc::from(name)),
            ..OwnedContext::default()
        };
        TarMember {
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

    /// Handles the bytes between the last header and the end or a gap: less than a
    /// block.
    fn end(&mut self, feed: &mut Feed, losses: &mut Losses) -> Option<Piece> {
        let (rest, _) = feed.up_to_gap();
        let (len, is_zero) = (rest.len(), is_zero(rest));
        if feed.is_before_gap() {
            // The gap was reported already.
            feed.advance(len);
            self.pass_gap(feed);
            return None;
        }
        let offset = feed.offset();
        let loss: Option<(_, ToLoss)> = match (len, self.is_over) {
            (0, false) => Some((WITHOUT_END, LossKind::Truncated)),
            (_, _) if is_zero => None,
            (_, false) => Some(("the header of a member is truncated", LossKind::Truncated)),
            (_, true) => Some((GARBAGE, LossKind::Garbage)),
        };
        if let Some((cause, kind)) = loss {
            LostBlocks {
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

    /// Continues after a gap: the bytes after it may be of any kind.
    fn pass_gap(&mut self, feed: &mut Feed) {
        feed.pass_members();
        feed.pass_mark();
        self.aligned = None;
        self.is_over = true;
        self.search_from(None);
    }

    fn lose(&mut self, offset: u64, cause: &'static str, kind: ToLoss) {
        self.search_from(Some(LostBlocks {
            offset,
            cause,
            kind,
        }));
    }

    /// Searches for the next header; forgets the metadata of the next member, which may
    /// be another one.
    fn search_from(&mut self, lost: Option<LostBlocks>) {
        self.local = Extension::default();
        self.begun = None;
        self.place = Phase::Lost(lost);
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
                    "the header of a member is truncated",
                    feed,
                    losses,
                ),
                false => {
                    self.place = Phase::Extension(saying);
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
            let cause = "a pax header is malformed";
            LostBlocks {
                offset,
                cause,
                kind,
            }
            .report(None, losses);
        }
        let len = text.len() as u64;
        self.place = Phase::Skip(padded(len) - len);
        None
    }

    /// Reports that the bytes end in the member at `offset`, unless a gap is there,
    /// which was reported already.
    fn cut(
        &mut self,
        offset: u64,
        cause: &'static str,
        feed: &Feed,
        losses: &mut Losses,
    ) -> Option<Piece> {
        if !feed.is_before_gap() {
            let kind = LossKind::Truncated;
            LostBlocks {
                offset,
                cause,
                kind,
            }
            .report(None, losses);
        }
        self.is_over = true;
        None
    }

    fn map(&mut self, member: TarMember, feed: &mut Feed, losses: &mut Losses) -> Option<Piece> {
        let (rest, ends) = feed.up_to_gap();
        let Some(block) = rest.get(..BLOCK) else {
            if !ends {
                self.place = Phase::Map(member);
                return Some(Piece::Hungry);
            }
            let len = rest.len();
            feed.advance(len);
            return self.cut(
                member.offset,
                "the header of a member is truncated",
                feed,
                losses,
            );
        };
        self.place = match block[MAP_GOES_ON] {
            0 => Phase::Content(member),
            _ => Phase::Map(member),
        };
        feed.advance(BLOCK);
        None
    }

    fn content(
        &mut self,
        mut member: TarMember,
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
                self.place = Phase::Content(member);
                return Some(Piece::Hungry);
            }
            let name = part.context.member.as_deref().unwrap_or_default();
            let coding = coding(name, &rest[..here]);
            let coding = coding.map(|form| form.name().as_bytes().to_vec());
            part.codings = coding.into_iter().collect();
            self.place = Phase::Content(member);
            return Some(Piece::Record(Box::new(part)));
        }
        let given = here.min(PIECE).min(feed.until_doubt());
        if given > 0 {
            out.extend_from_slice(&rest[..given]);
            feed.advance(given);
            member.left -= given as u64;
            self.place = Phase::Content(member);
            return Some(Piece::Content(given));
        }
        if member.left == 0 {
            self.place = Phase::Skip(member.padding);
            return Some(Piece::RecordEnd);
        }
        if !ends {
            self.place = Phase::Content(member);
            return Some(Piece::Hungry);
        }
        self.cut(member.offset, "the member is truncated", feed, losses);
        Some(Piece::RecordEnd)
    }

    fn skip(&mut self, left: u64, feed: &mut Feed) -> Option<Piece> {
        let (rest, ends) = feed.up_to_gap();
        let here = within(left, rest.len());
        feed.advance(here);
        let left = left - here as u64;
        if left > 0 && !ends {
            self.place = Phase::Skip(left);
            return Some(Piece::Hungry);
        }
        None
    }

    /// Searches for the next header.
    fn search(
        &mut self,
        mut lost: Option<LostBlocks>,
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
            lost = lost.or(Some(LostBlocks {
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
            self.place = Phase::Lost(lost);
            return Some(Piece::Hungry);
        }
        if feed.is_before_gap() {
            self.pass_gap(feed);
            self.place = Phase::Lost(lost);
            return None;
        }
        if let Some(lost) = lost {
            lost.report(None, losses);
        }
        self.is_over = true;
        Some(Piece::End)
    }
}

/// Returns the compression of a member whose content begins with `head`. One byte may be
/// wrong where its name promises a compression.
fn coding(name: &[u8], head: &[u8]) -> Option<Compression> {
    let expected = || {
        let extension = memchr::memrchr(b'.', name).map(|at| &name[at + 1..]);
        let (form, _) = Compression::of_extension(extension?)?;
        form.nearly_begins(head).then_some(form)
    };
    Compression::of(head).or_else(expected)
}

impl LostBlocks {
    fn report(self, resumes: Option<u64>, losses: &mut Losses) {
        let damage = Damage {
            resumes: resumes.filter(|&resumes| resumes != self.offset),
            ..Damage::new("tar", self.cause, self.offset)
        };
        losses.push((self.offset, (self.kind)(damage)));
    }
}

/// Returns `len`, rounded up to whole blocks.
fn padded(len: u64) -> u64 {
    len.checked_next_multiple_of(BLOCK as u64).unwrap_or(len)
}

/// Returns the number of the `left` bytes that are among the next `here`.
fn within(left: u64, here: usize) -> usize {
    usize::try_from(left).map_or(here, |left| left.min(here))
}

//! Writes a run: keys in byte order, each with its commit, then an index, a filter and the
//! commits. Where the keys come from, and the name of the file, is left to others.

use super::commits::{self, CommitTable};
use super::disk::{Disk, failed};
use super::fault::{SeenError, SeenFault};
use super::filter::{KeyHasher, WaitingHashes, bits_of};
use super::footer::{RunFooter, header};
use super::format::KEY_MAX;
use super::frame::{FrameKind, FrameWriter};
use super::index::{FAN, FrameListBuilder, separate};
use super::key_block::KeyBlockBuilder;
use super::manifest::{RunEntry, run_name};
use crate::store::scratch::ScratchFile;
use crate::store::varint;
use std::io;
use std::sync::Arc;

/// Writes a run.
#[derive(Debug)]
pub(super) struct SeenRunWriter<'d> {
    disk: &'d dyn Disk,
    name: String,
    frames: FrameWriter,
    hasher: KeyHasher,
    hashes: WaitingHashes,
    block: KeyBlockBuilder,
    /// The separator of the block that is filled.
    separator: Vec<u8>,
    list: FrameListBuilder,
    /// The separator of the list that is filled.
    list_separator: Vec<u8>,
    root: FrameListBuilder,
    /// The keys of each commit.
    table: CommitTable,
    footer: RunFooter,
    raw: Vec<u8>,
}

impl<'d> SeenRunWriter<'d> {
    /// Creates the file of the run with this number. Hashes of keys wait in `scratch`.
    pub(super) fn new(
        disk: &'d dyn Disk,
        run: u64,
        hasher: KeyHasher,
        scratch: &Arc<ScratchFile>,
    ) -> Result<SeenRunWriter<'d>, SeenError> {
        let name = run_name(run);
        let file = disk
            .create(&name)
            .map_err(failed(disk, &name, "create it"))?;
        let mut frames = FrameWriter::new(file, run);
        let begun = frames.plain(&header(run));
        begun.map_err(failed(disk, &name, "write it"))?;
        Ok(SeenRunWriter {
            disk,
            frames,
            hasher,
            hashes: WaitingHashes::new(scratch),
            block: KeyBlockBuilder::default(),
            separator: Vec::new(),
            list: FrameListBuilder::default(),
            list_separator: Vec::new(),
            root: FrameListBuilder::default(),
            table: CommitTable::new(),
            footer: RunFooter {
                run,
                ..RunFooter::default()
            },
            name,
            raw: Vec::new(),
        })
    }

    /// Adds a key, which is greater than the one before, of the commit with this number.
    pub(super) fn push(&mut self, key: &[u8], commit: u64) -> Result<(), SeenError> {
        if key.len() > KEY_MAX {
            let fault = SeenFault::LongKey(key.len());
            return Err(SeenError::new(&self.disk.path(""), fault));
        }
        let hash = self.hasher.hash(key);
        self.add(key, hash, commit)
            .map_err(failed(self.disk, &self.name, "write it"))
    }

    fn add(&mut self, key: &[u8], hash: u64, commit: u64) -> io::Result<()> {
        self.hashes.push(hash)?;
        self.table.entry(commit).or_default().keys += 1;
        self.footer.keys += 1;
        self.footer.key_bytes += key.len() as u64;
        self.footer.digest = self.footer.digest.wrapping_add(hash);
        if !self.block.has_room_for(key) {
            self.end_block()?;
            separate(self.block.last(), key, &mut self.separator);
        }
        self.block.push(key, commit);
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        self.block.finish(&mut self.raw);
        let place = self.frames.push(FrameKind::Keys, &self.raw)?;
        self.footer.blocks += 1;
        if self.list.len() == 0 {
            self.list_separator.clone_from(&self.separator);
        }
        self.list.push(&self.separator, place);
        match self.list.len() < FAN {
            true => Ok(()),
            false => self.end_list(),
        }
    }

    fn end_list(&mut self) -> io::Result<()> {
        if self.list.len() == 0 {
            return Ok(());
        }
        self.list.finish(&mut self.raw);
        let place = self.frames.push(FrameKind::Index, &self.raw)?;
        self.root.push(&self.list_separator, place);
        Ok(())
    }

    /// Ends the run and makes it last. `known` has the times and notes of its commits.
    pub(super) fn finish(mut self, known: &CommitTable) -> Result<RunEntry, SeenError> {
        let (disk, name) = (self.disk, self.name.clone());
        for (number, commit) in &mut self.table {
            if let Some(known) = known.get(number) {
                commit.time = known.time;
                commit.note.clone_from(&known.note);
            }
        }
        self.end().map_err(failed(disk, &name, "write it"))
    }

    fn end(mut self) -> io::Result<RunEntry> {
        self.end_block()?;
        self.end_list()?;
        self.root.finish(&mut self.raw);
        self.footer.root = self.frames.push(FrameKind::Root, &self.raw)?;
        self.footer.bits = u64::from(bits_of(self.hashes.count()));
        let mut lengths = Vec::new();
        varint::put(self.frames.offset(), &mut lengths);
        let (frames, raw) = (&mut self.frames, &mut self.raw);
        self.hashes.build(|filter| {
            let len = match filter {
                Some(filter) => {
                    filter.write(raw);
                    frames.push(FrameKind::Filter, raw)?.len
                }
                None => 0,
            };
            varint::put(u64::from(len), &mut lengths);
            Ok(())
        })?;
        self.footer.parts = self.frames.push(FrameKind::Parts, &lengths)?;
        self.raw.clear();
        commits::write(&self.table, &mut self.raw);
        self.footer.commits = self.frames.push(FrameKind::Commits, &self.raw)?;
        self.frames.plain(&self.footer.write())?;
        let entry = RunEntry {
            run: self.footer.run,
            keys: self.footer.keys,
            key_bytes: self.footer.key_bytes,
            checksum: self.footer.checksum(),
            bytes: 0,
        };
        Ok(RunEntry {
            bytes: self.frames.finish()?,
            ..entry
        })
    }
}

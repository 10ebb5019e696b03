//! The destination of fixed records: one new file or standard output, or each input in its place with
//! a backup. A file is replaced when its new content is complete, never before.

use crate::cli::destination::{Destination, FileCompression, OutputNames};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use urisieve::Compression;

/// Returns the compression that the name of a file asks for.
pub(super) fn compression_of(path: &Path) -> FileCompression {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => FileCompression::Gzip,
        Some("zst") => FileCompression::Zstd,
        _ => FileCompression::None,
    }
}

/// The ending of the name of a backup; `*` in it is the name of the file.
#[derive(Clone, Debug)]
pub(super) struct BackupSuffix(String);

impl BackupSuffix {
    /// # Errors
    /// A message: the backup would be the file itself, or elsewhere.
    pub(super) fn parse(typed: &str) -> Result<BackupSuffix, String> {
        match typed {
            "" | "*" => Err("--in-place: the backup needs a suffix".to_owned()),
            _ if typed.contains('/') => {
                Err("--in-place: the backup is in the folder of the file".to_owned())
            }
            _ => Ok(BackupSuffix(typed.to_owned())),
        }
    }

    /// Returns the name of the backup of a file.
    fn backup(&self, path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default();
        let mut backup = std::ffi::OsString::new();
        match self.0.contains('*') {
            false => {
                backup.push(name);
                backup.push(&self.0);
            }
            true => {
                for (number, part) in self.0.split('*').enumerate() {
                    if number > 0 {
                        backup.push(name);
                    }
                    backup.push(part);
                }
            }
        }
        path.with_file_name(backup)
    }
}

/// A file that is replaced.
pub(super) struct ReplacedFile {
    /// The file itself, which a symbolic link may name.
    path: PathBuf,
    destination: Destination,
    /// The compression of the file.
    compression: FileCompression,
    /// Why it is left as it is.
    pub refused: Option<String>,
    /// The number of its values that changed.
    pub changed: u64,
    written: u64,
}

impl ReplacedFile {
    /// Opens a new file beside `path`, which is not one of `outputs`.
    ///
    /// # Errors
    /// Why it cannot be replaced.
    pub(super) fn open(
        path: &Path,
        threads: usize,
        outputs: &OutputNames,
    ) -> io::Result<ReplacedFile> {
        let path = fs::canonicalize(path)?;
        if let Some(holder) = outputs.holder(&path) {
            return Err(io::Error::other(format!("{holder} is the same file")));
        }
        if !fs::metadata(&path)?.is_file() {
            return Err(io::Error::other("only files are changed in place"));
        }
        let mut head = Vec::new();
        File::open(&path)?.take(4).read_to_end(&mut head)?;
        let compression = match &head[..] {
            [0x1F, 0x8B, ..] => FileCompression::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD] => FileCompression::Zstd,
            _ => FileCompression::None,
        };
        Ok(ReplacedFile {
            destination: Destination::file(&path, compression, threads)?,
            path,
            compression,
            refused: None,
            changed: 0,
            written: 0,
        })
    }

    /// Writes bytes of the new content, unless it is refused already.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        if self.refused.is_some() {
            return;
        }
        self.written += bytes.len() as u64;
        if let Err(error) = self.destination.write_all(bytes) {
            self.refused = Some(error.to_string());
        }
    }

    /// Refuses the file, for the first of all reasons.
    pub(super) fn refuse(&mut self, reason: &str) {
        self.refused.get_or_insert_with(|| reason.to_owned());
    }

    /// Whether the input was compressed as the new file is. Another compression, or one in
    /// another, is not written.
    pub(super) fn is_compressed_as(&self, compressions: &[Compression]) -> bool {
        match self.compression {
            FileCompression::None => compressions.is_empty(),
            FileCompression::Gzip => compressions == [Compression::Gzip],
            FileCompression::Zstd => compressions == [Compression::Zstd],
        }
    }

    /// Replaces the file, if something changed: first its backup appears, then the new file
    /// takes its name. At no time there is neither the old nor the new one. The backup is not
    /// one of `outputs`.
    ///
    /// # Errors
    /// Why it was left as it is.
    pub(super) fn finish(self, suffix: &BackupSuffix, outputs: &OutputNames) -> Result<(), String> {
        if let Some(reason) = self.refused {
            return Err(reason);
        }
        if self.changed == 0 {
            return Ok(());
        }
        let first = suffix.backup(&self.path);
        let mut number = 0;
        loop {
            let backup = numbered(&first, number);
            if let Some(holder) = outputs.holder(&backup) {
                return Err(format!("backup: {holder} is the same file"));
            }
            match back_up(&self.path, &backup) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < BACKUPS => {
                    number += 1;
                }
                Err(error) => return Err(format!("backup: {}: {error}", backup.display())),
                Ok(()) => break,
            }
        }
        let finished = self.destination.finish();
        finished.map(drop).map_err(|error| error.to_string())
    }
}

/// The most backups of a file that are kept.
const BACKUPS: u32 = 9_999;

/// Returns the name of another backup: `a.mrc.bak`, `a.mrc.bak.1` and so on.
fn numbered(first: &Path, number: u32) -> PathBuf {
    let mut name = first.as_os_str().to_owned();
    if number > 0 {
        name.push(format!(".{number}"));
    }
    PathBuf::from(name)
}

/// Gives `path` a second name; where the file system has no such names, copies it. Nothing
/// that is there already is replaced.
fn back_up(path: &Path, backup: &Path) -> io::Result<()> {
    match fs::hard_link(path, backup) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            let mut copy = File::create_new(backup)?;
            let copied = io::copy(&mut File::open(path)?, &mut copy)
                .and_then(|_| copy.sync_all())
                .and_then(|()| fs::set_permissions(backup, fs::metadata(path)?.permissions()));
            if copied.is_err() {
                let _ = fs::remove_file(backup);
            }
            copied
        }
        made => made,
    }
}

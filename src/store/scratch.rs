//! One temporary file without a name, for all that a run keeps on disk: bytes in extents,
//! and compressed blocks. The content of blocks is left to `log`.

use super::block::Packer;
use super::error::{StoreAction, StoreError};
use super::medium::{Medium, unnamed_file};
use super::space::{PAGE, Space};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A temporary file, which is created by the first write. Several threads write and
/// read at once.
///
/// ```
/// use urisieve::store::ScratchFile;
/// let file = ScratchFile::new(std::env::temp_dir());
/// let extent = file.write(b"urn:a:b")?;
/// let mut bytes = Vec::new();
/// file.read(&extent, &mut bytes)?;
/// assert_eq!(bytes, b"urn:a:b");
/// file.free(extent);
/// assert_eq!(file.live(), 0);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ScratchFile {
    directory: PathBuf,
    block_len: usize,
    medium: OnceLock<Box<dyn Medium>>,
    space: Mutex<Space>,
    /// The packers that no thread uses now.
    packers: Mutex<Vec<Packer>>,
    written: AtomicU64,
    packed: AtomicU64,
}

/// The place of a compressed block.
#[derive(Debug)]
pub(super) struct StoredBlock {
    extent: Extent,
    /// The length of the block before compression. A block that compression does not
    /// shorten is stored uncompressed.
    raw_len: u32,
}

impl StoredBlock {
    pub(super) fn raw_len(&self) -> usize {
        self.raw_len as usize
    }
}

const BLOCK_LEN: usize = 32 << 10;

/// The position of bytes in a [`ScratchFile`].
///
/// ```
/// use urisieve::store::ScratchFile;
/// let extent = ScratchFile::new(std::env::temp_dir()).write(b"urn:a:b")?;
/// assert_eq!(extent.len(), 7);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Extent {
    /// The first page.
    page: u32,
    len: u32,
}

impl Extent {
    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn offset(&self) -> u64 {
        u64::from(self.page) * PAGE
    }

    fn pages(&self) -> u32 {
        u64::from(self.len).div_ceil(PAGE).max(1) as u32
    }
}

impl ScratchFile {
    /// Returns a file that will be in this directory.
    ///
    /// ```
    /// use urisieve::store::ScratchFile;
    /// // Nothing is created yet.
    /// assert_eq!(ScratchFile::new("no/such/directory").bytes_written(), 0);
    /// ```
    pub fn new(directory: impl Into<PathBuf>) -> ScratchFile {
        ScratchFile {
            directory: directory.into(),
            block_len: BLOCK_LEN,
            medium: OnceLock::new(),
            space: Mutex::default(),
            packers: Mutex::default(),
            written: AtomicU64::new(0),
            packed: AtomicU64::new(0),
        }
    }

    /// Returns a file on this medium.
    #[cfg(all(test, feature = "store"))]
    pub(crate) fn on(medium: impl Medium + 'static, directory: &str) -> ScratchFile {
        let mut file = ScratchFile::new(directory);
        file.medium = OnceLock::from(Box::new(medium) as Box<dyn Medium>);
        file
    }

    /// Sets the number of bytes that are compressed and written at a time; default 32 KiB.
    /// Each partition, and each sequence that is merged, has a buffer of this length.
    ///
    /// ```
    /// use urisieve::store::ScratchFile;
    /// let file = ScratchFile::new(std::env::temp_dir()).blocks_of(4 << 10);
    /// assert_eq!(file.block_len(), 4096);
    /// ```
    #[must_use]
    pub fn blocks_of(mut self, bytes: usize) -> ScratchFile {
        self.block_len = bytes.max(1);
        self
    }

    /// Returns the number of bytes that are compressed and written at a time.
    pub fn block_len(&self) -> usize {
        self.block_len
    }

    /// Writes `bytes`, fewer than 2 to the 32nd, and returns where they are. An error has a
    /// [`StoreError`] inside.
    ///
    /// ```
    /// use urisieve::store::ScratchFile;
    /// let file = ScratchFile::new(std::env::temp_dir());
    /// assert_ne!(file.write(b"urn:a:b")?, file.write(b"urn:a:c")?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write(&self, bytes: &[u8]) -> io::Result<Extent> {
        let medium = self.medium()?;
        let too_long = || self.error(StoreAction::Write, io::ErrorKind::FileTooLarge.into());
        let mut extent = Extent {
            page: 0,
            len: u32::try_from(bytes.len()).map_err(|_| too_long())?,
        };
        let page = self.space().take(extent.pages());
        extent.page = page.ok_or_else(too_long)?;
        let (mut rest, mut offset) = (bytes, extent.offset());
        while !rest.is_empty() {
            let cause = match medium.write_at(rest, offset) {
                Ok(0) => io::ErrorKind::WriteZero.into(),
                Ok(written) => {
                    rest = &rest[written..];
                    offset += written as u64;
                    continue;
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
                Err(cause) => cause,
            };
            self.free(extent);
            return Err(self.error(StoreAction::Write, cause).into());
        }
        self.written
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(extent)
    }

    /// Reads the bytes of an extent into `bytes`, and replaces its content. An error has
    /// a [`StoreError`] inside.
    ///
    /// ```
    /// use urisieve::store::ScratchFile;
    /// let file = ScratchFile::new(std::env::temp_dir());
    /// let (first, second) = (file.write(b"urn:a:b")?, file.write(b"urn:a:c")?);
    /// let mut bytes = Vec::new();
    /// for (extent, expected) in [(second, b"urn:a:c"), (first, b"urn:a:b")] {
    ///     file.read(&extent, &mut bytes)?;
    ///     assert_eq!(bytes, expected);
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read(&self, extent: &Extent, bytes: &mut Vec<u8>) -> io::Result<()> {
        let medium = self.medium()?;
        bytes.clear();
        bytes.resize(extent.len(), 0);
        let (mut rest, mut offset) = (&mut bytes[..], extent.offset());
        while !rest.is_empty() {
            let cause = match medium.read_at(rest, offset) {
                Ok(0) => io::ErrorKind::UnexpectedEof.into(),
                Ok(read) => {
                    rest = &mut rest[read..];
                    offset += read as u64;
                    continue;
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
                Err(cause) => cause,
            };
            return Err(self.error(StoreAction::Read, cause).into());
        }
        Ok(())
    }

    /// Compresses and writes a block.
    pub(super) fn write_block(&self, raw: &[u8]) -> io::Result<StoredBlock> {
        let too_long = || self.error(StoreAction::Write, io::ErrorKind::FileTooLarge.into());
        let raw_len = u32::try_from(raw.len()).map_err(|_| too_long())?;
        let mut packer = self.packer();
        let extent = self.write(packer.pack(raw))?;
        self.return_packer(packer);
        self.packed.fetch_add(raw.len() as u64, Ordering::Relaxed);
        Ok(StoredBlock { extent, raw_len })
    }

    /// Reads a block into `raw`, and replaces its content.
    pub(super) fn read_block(&self, block: &StoredBlock, raw: &mut Vec<u8>) -> io::Result<()> {
        if block.extent.len() == block.raw_len() {
            return self.read(&block.extent, raw);
        }
        let mut packer = self.packer();
        self.read(&block.extent, packer.buffer())?;
        let is_whole = packer.unpack(block.raw_len(), raw);
        self.return_packer(packer);
        match is_whole {
            true => Ok(()),
            false => Err(self
                .error(StoreAction::Read, io::ErrorKind::InvalidData.into())
                .into()),
        }
    }

    /// Frees the space of a block.
    pub(super) fn free_block(&self, block: StoredBlock) {
        self.free(block.extent);
    }

    fn packer(&self) -> Packer {
        self.packers().pop().unwrap_or_default()
    }

    /// Keeps a packer for later, without its buffer if that is exceptionally long.
    fn return_packer(&self, mut packer: Packer) {
        packer.shrink_to(2 * self.block_len);
        self.packers().push(packer);
    }

    fn packers(&self) -> MutexGuard<'_, Vec<Packer>> {
        self.packers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frees the space of an extent of this file, which may be used again.
    ///
    /// ```
    /// use urisieve::store::ScratchFile;
    /// let file = ScratchFile::new(std::env::temp_dir());
    /// let extent = file.write(&[7; 5000])?;
    /// assert_eq!(file.live(), 8192);
    /// file.free(extent);
    /// assert_eq!(file.live(), 0);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn free(&self, extent: Extent) {
        self.space().free(extent.page, extent.pages());
    }

    /// Returns the number of bytes that were written so far.
    ///
    /// ```
    /// use urisieve::store::ScratchFile;
    /// let file = ScratchFile::new(std::env::temp_dir());
    /// file.write(b"urn:a:b")?;
    /// assert_eq!(file.bytes_written(), 7);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn bytes_written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes of the blocks that were written so far, before they were
    /// compressed.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let mut writer = LogWriter::new(&file, &Arc::new(Budget::unlimited()));
    /// writer.push(&[7; 1000])?;
    /// let _log = writer.finish_in_file()?;
    /// assert!(file.bytes_packed() > 1000 && file.bytes_written() < 100);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn bytes_packed(&self) -> u64 {
        self.packed.load(Ordering::Relaxed)
    }

    /// Returns the largest size of the file so far.
    ///
    /// ```
    /// use urisieve::store::ScratchFile;
    /// let file = ScratchFile::new(std::env::temp_dir());
    /// for _ in 0..9 {
    ///     let extent = file.write(b"urn:a:b")?;
    ///     file.free(extent);
    /// }
    /// assert_eq!(file.peak_size(), 4096);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn peak_size(&self) -> u64 {
        self.space().peak()
    }

    /// Returns the number of bytes in use: the lengths of all extents that are not free,
    /// each rounded up to 4 KiB.
    pub fn live(&self) -> u64 {
        self.space().live()
    }

    /// Returns the medium, and creates it before the first use.
    fn medium(&self) -> Result<&dyn Medium, StoreError> {
        if let Some(medium) = self.medium.get() {
            return Ok(&**medium);
        }
        let created = unnamed_file(&self.directory);
        let created = created.map_err(|cause| self.error(StoreAction::Create, cause))?;
        // If two threads create a file, one of the files is used.
        Ok(&**self.medium.get_or_init(|| created))
    }

    /// A panic elsewhere leaves no page in use that is not.
    fn space(&self) -> MutexGuard<'_, Space> {
        self.space.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, action: StoreAction, cause: io::Error) -> StoreError {
        StoreError::new(&self.directory, action, cause)
    }
}

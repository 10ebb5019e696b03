//! Files of text that may be compressed, read as their text: lists, lines to rewrite, records of
//! earlier runs. Inputs of a search are read by the library.

use std::io::{self, Cursor, Read};
use urisieve::Compression;

/// The bytes that show how a file is compressed.
pub(super) const HEAD: usize = 10;

/// Reads the first bytes of `file`, and returns a reader of its text.
///
/// # Errors
/// Those of reading, and those of [`decompressed`].
pub(super) fn text_of(mut file: Box<dyn Read>) -> io::Result<Box<dyn Read>> {
    let mut head = Vec::with_capacity(HEAD);
    file.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    decompressed(head, file)
}

/// Returns a reader of the text of a file that begins with `head`, of which `rest` is to be read.
///
/// # Errors
/// [`Unsupported`](io::ErrorKind::Unsupported) for a compression that only a search reads.
pub(super) fn decompressed(head: Vec<u8>, rest: Box<dyn Read>) -> io::Result<Box<dyn Read>> {
    let compression = Compression::of(&head);
    let whole = Cursor::new(head).chain(rest);
    Ok(match compression {
        None => Box::new(whole),
        Some(Compression::Gzip) => Box::new(flate2::read::MultiGzDecoder::new(whole)),
        Some(Compression::Zstd) => Box::new(zstd::Decoder::new(whole)?),
        #[cfg(feature = "decompress")]
        Some(Compression::Xz) => Box::new(liblzma::read::XzDecoder::new_multi_decoder(whole)),
        #[cfg(feature = "decompress")]
        Some(Compression::Bzip2) => Box::new(bzip2::read::MultiBzDecoder::new(whole)),
        Some(other) => {
            let why = format!("compressed as {}: decompress it first", other.name());
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
    })
}

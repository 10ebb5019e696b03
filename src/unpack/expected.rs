//! The format that the name of an input promises, and whether the first bytes confirm it.
//! Damage of a few bytes must not turn a compressed file into a text without URIs. Where
//! the name promises no format, only the first bytes decide.

use super::container::{ARCHIVES, ArchiveFormat};
use super::magic::{self, Compression};
use super::opaque::{self, is_text};
use crate::item::{Damage, LossKind};
use std::path::Path;

/// The number of bytes that decide whether an input is text, although its name promises
/// another format.
pub(super) const JUDGED: usize = 64 << 10;

/// The format that a name promises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NamedFormat {
    /// No known format.
    #[default]
    Unknown,
    /// A compression of the whole input, and the container in it.
    Compressed(Compression, Option<&'static ArchiveFormat>),
    Archive(&'static ArchiveFormat),
    /// A container with this name that is not unpacked.
    Opaque(&'static str),
}

/// Returns the name of a file without the extension of a compression.
pub(crate) fn without_compression(name: &[u8]) -> &[u8] {
    let mut parts = name.rsplitn(2, |byte| *byte == b'.');
    match (parts.next(), parts.next()) {
        (Some(last), Some(before)) if Compression::of_extension(last).is_some() => before,
        _ => name,
    }
}

impl NamedFormat {
    /// Returns the promise of the name of `path`, by its last extensions, in any case.
    pub(crate) fn of(path: &Path) -> NamedFormat {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let mut extensions = name.rsplitn(3, |&b| b == b'.');
        let (last, before) = (extensions.next(), extensions.next());
        // A name without a dot is not an extension.
        let Some((last, before)) = last.zip(before) else {
            return NamedFormat::Unknown;
        };
        let has_more = extensions.next().is_some();
        let is = |names: &[&str], extension: &[u8]| {
            names
                .iter()
                .any(|name| name.as_bytes().eq_ignore_ascii_case(extension))
        };
        let archive = |extension: &[u8]| {
            let mut archives = ARCHIVES.iter();
            archives.find(|archive| is(archive.extensions, extension))
        };
        if let Some((form, is_tar)) = Compression::of_extension(last) {
            let inner = match is_tar {
                true => ARCHIVES.iter().find(|archive| archive.is_short),
                false => archive(before).filter(|_| has_more),
            };
            return NamedFormat::Compressed(form, inner);
        }
        let opaque = || opaque::named(|extensions| is(extensions, last));
        let archive = archive(last).map(NamedFormat::Archive);
        let format = archive.or_else(|| opaque().map(NamedFormat::Opaque));
        format.unwrap_or_default()
    }

    /// The part of the promise that is unpacked: compressions if they are undone,
    /// containers if they are split.
    pub(super) fn unpacked(self, decompress: bool, containers: bool) -> NamedFormat {
        match self {
            NamedFormat::Compressed(form, archive) if decompress => {
                NamedFormat::Compressed(form, archive.filter(|_| containers))
            }
            NamedFormat::Archive(archive) if containers => NamedFormat::Archive(archive),
            NamedFormat::Opaque(name) if decompress => NamedFormat::Opaque(name),
            _ => NamedFormat::Unknown,
        }
    }

    /// The promise for the text inside a compression.
    pub(super) fn inside(self) -> NamedFormat {
        match self {
            NamedFormat::Compressed(_, Some(archive)) => NamedFormat::Archive(archive),
            NamedFormat::Compressed(..) | NamedFormat::Opaque(_) => NamedFormat::Unknown,
            format => format,
        }
    }
}

/// The verdict on an input whose first bytes are not those of the promised format.
#[derive(Clone, Copy)]
pub(super) enum Judgement {
    /// The beginning of the first member is damaged.
    Compressed(Compression),
    /// The beginning of the first record is damaged.
    Archive(&'static ArchiveFormat),
    /// A container and its defect; the stored bytes are searched.
    Loss((&'static str, &'static str), fn(Damage) -> LossKind),
    /// Text, without a note.
    Text,
}

/// The note on an input that looks like another format.
const UNPACKED: &str = "it is not unpacked, although its name says so";
/// The cause of the loss of a container that would not be unpacked in any case.
const WRONG: &str = "its first bytes are wrong, and compressed content is not searched";

impl NamedFormat {
    /// Judges an input by its first bytes, [`JUDGED`] of them or all.
    pub(super) fn judge(self, head: &[u8]) -> Judgement {
        let magics = match self {
            NamedFormat::Compressed(form, _) => vec![form.magic()],
            NamedFormat::Opaque(name) => opaque::magics(name),
            NamedFormat::Archive(_) | NamedFormat::Unknown => Vec::new(),
        };
        let looks_like = looks_like(&head[..head.len().min(JUDGED)], &magics);
        match (self, looks_like) {
            (NamedFormat::Compressed(form, _), None) => Judgement::Compressed(form),
            (NamedFormat::Archive(archive), None) => Judgement::Archive(archive),
            (NamedFormat::Opaque(name), None) => {
                Judgement::Loss((name, WRONG), LossKind::Unsupported)
            }
            // Web archives are text themselves.
            (NamedFormat::Archive(archive), Some(what)) => match archive.follows_in {
                Some(follows_in) if follows_in(head) => Judgement::Archive(archive),
                Some(_) => Judgement::Text,
                None => Judgement::Loss((what, UNPACKED), LossKind::Unseen),
            },
            (_, Some(what)) => Judgement::Loss((what, UNPACKED), LossKind::Unseen),
            (NamedFormat::Unknown, None) => Judgement::Text,
        }
    }
}

/// The appearance of an input that begins with `head`, although its name promises one of
/// `magics`: the input was never compressed, or was decompressed in transit. Returns `None`
/// for damage: one wrong byte is damage, whatever follows it.
fn looks_like(head: &[u8], magics: &[&[u8]]) -> Option<&'static str> {
    match magics.iter().any(|magic| magic::is_nearly(head, magic)) {
        _ if head.is_empty() => Some("an empty file"),
        true => None,
        false => is_text(head).then_some("text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> NamedFormat {
        NamedFormat::of(Path::new(name))
    }

    #[test]
    fn names_promise_formats() {
        for (name, compression, archive) in [
            ("a.gz", Some(Compression::Gzip), None),
            ("dir.tar/A.GZ", Some(Compression::Gzip), None),
            ("access.log.1.gz", Some(Compression::Gzip), None),
            ("a.warc.gz", Some(Compression::Gzip), Some("warc")),
            ("a.wet.zst", Some(Compression::Zstd), Some("warc")),
            ("warc.gz", Some(Compression::Gzip), None),
            ("a.tgz", Some(Compression::Gzip), Some("tar")),
            ("a.tar.xz", Some(Compression::Xz), Some("tar")),
            ("a.tbz2", Some(Compression::Bzip2), Some("tar")),
            ("a.lz4", Some(Compression::Lz4), None),
            ("a.tar", None, Some("tar")),
            ("a.warc", None, Some("warc")),
            ("a.log", None, None),
            ("gz", None, None),
            ("a.gz.txt", None, None),
            ("..", None, None),
        ] {
            let archive = archive.map(|name| {
                let mut archives = ARCHIVES.iter();
                archives.find(|archive| archive.name == name).unwrap()
            });
            let expected = match (compression, archive) {
                (Some(form), archive) => NamedFormat::Compressed(form, archive),
                (None, Some(archive)) => NamedFormat::Archive(archive),
                (None, None) => NamedFormat::Unknown,
            };
            assert_eq!(of(name), expected, "{name}");
        }
        for (name, opaque) in [
            ("a.zip", "a ZIP archive"),
            ("a.7z", "a 7z archive"),
            ("a.rar", "a RAR archive"),
            ("a.parquet", "a Parquet file"),
            ("a.Z", "a file of compress (.Z)"),
        ] {
            assert_eq!(of(name), NamedFormat::Opaque(opaque), "{name}");
        }
    }

    #[test]
    fn text_is_distinguished_from_damage() {
        const DAMAGED: Option<&str> = None;
        const TEXT: Option<&str> = Some("text");
        let gzip: &[&[u8]] = &[b"\x1F\x8B\x08"];
        for (head, judged) in [
            (&b""[..], Some("an empty file")),
            (b"\x1F", DAMAGED),
            (b"\x1F\x8B", DAMAGED),
            (b"\x1F\x8B\x09 only", DAMAGED),
            (b"see http://a.example/", TEXT),
            (b"caf\xC3\xA9 \xC3", TEXT),
            (b"caf\xE9 in Latin-1", TEXT),
            (b"8=FIX\x019=1\x01", TEXT),
            (b"caf\xE9 \x01 and \x02", DAMAGED),
            (b"text\0", DAMAGED),
            (b"<!doctype html>\0", TEXT),
            (b"\xEF\xBB\xBF\n <p>\0", TEXT),
            (b"<\0h\0t\0", TEXT),
            (b"\xFF\xFEh\0", TEXT),
            (b"< \0", DAMAGED),
        ] {
            assert_eq!(looks_like(head, gzip), judged, "{head:?}");
        }
        let late = [&vec![b'x'; JUDGED][..], b"\0"].concat();
        assert!(matches!(of("a.gz").judge(&late), Judgement::Loss(..)));
        assert!(matches!(
            of("a.gz").judge(&late[1..]),
            Judgement::Compressed(_)
        ));
    }
}

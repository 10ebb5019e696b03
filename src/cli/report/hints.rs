//! Hints: where an input was read as something that its user may not expect, or has nothing
//! of what was asked for, what to try. A hint is one line, given to a person at a terminal,
//! with `-v` and with `--stats`.

use urisieve::decode::InputFormat;
use urisieve::unpack::ARCHIVES;
use urisieve::{ReadAs, Stats};

/// The findings that a run looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum LookedFor {
    Uris,
    /// Only URIs of requests in logs and archives.
    Requests,
    Links,
}

/// An input that was read to its end.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct InputRead<'r> {
    /// The name of the file, or a description in parentheses.
    pub name: &'r [u8],
    pub read_as: ReadAs,
    pub stats: &'r Stats,
    pub wanted: LookedFor,
}

/// Returns an advice where it applies, to be printed after what the input was read as.
type Advise = fn(&InputRead<'_>) -> Option<String>;

/// The kinds of hints, of which the first that applies is given.
const HINTS: [Advise; 5] = [of_name, of_content, of_broken, of_requests, of_links];

/// Returns the hint for an input, if there is one, and the number of its kind.
pub(in crate::cli) fn hint(read: &InputRead<'_>) -> Option<(usize, String)> {
    let mut hints = HINTS.iter().enumerate();
    hints.find_map(|(kind, advise)| Some((kind, advise(read)?)))
}

/// Extensions of files whose first bytes decide, and the format that they promise.
const PROMISES: [(&[&str], &str); 5] = [
    (&["mrc", "marc", "iso2709"], "marc"),
    (&["mrk"], "mrk"),
    (&["pica", "pp"], "pica"),
    (&["xml", "rdf", "rss", "atom", "svg", "xsd", "xsl"], "xml"),
    (&["ics", "vcf"], "calendar"),
];

impl InputRead<'_> {
    fn is_text(&self) -> bool {
        self.read_as.archive().is_none() && self.read_as.format().is_none()
    }

    /// The last extension of the name that is not of a compression.
    fn extension(&self) -> Option<String> {
        let packed = self.read_as.compressions().count();
        let mut parts = self.name.rsplit(|&byte| byte == b'.');
        let extension = parts.nth(packed)?;
        // What is before the first dot is not an extension.
        parts.next()?;
        Some(String::from_utf8_lossy(extension).to_lowercase())
    }
}

fn of_name(read: &InputRead<'_>) -> Option<String> {
    let extension = read.extension().filter(|_| read.is_text())?;
    let is = |known: &&str| **known == extension;
    let mut archives = ARCHIVES.iter();
    if let Some(archive) = archives.find(|archive| archive.extensions.iter().any(is)) {
        // Where the name promises an archive with a mark, a message said so.
        let is_silent = read.stats.unseen == 0 && read.stats.damaged == 0;
        let title = archive.title;
        return is_silent.then(|| {
            format!("its name says {title}, but no record begins it: look at its first lines")
        });
    }
    let (_, name) = PROMISES.iter().find(|(known, _)| known.iter().any(is))?;
    let title = InputFormat::named(name)?.title;
    Some(format!("its name says {title}: -i {name} reads it so"))
}

fn of_content(read: &InputRead<'_>) -> Option<String> {
    let format = read.read_as.seems()?;
    let gain = match format.name {
        // Nearly all of JSON is read well as text, such as lines of a log.
        "json" if read.stats.occurrences > 0 => return None,
        "json" => "reads each string as a text of its own",
        _ => "reads its links, and undoes its character references",
    };
    let (title, name) = (format.title, format.name);
    Some(format!("it begins as {title}: -i {name} {gain}"))
}

fn of_broken(read: &InputRead<'_>) -> Option<String> {
    let count = read.stats.json_broken;
    let is_json = read.read_as.format().is_some() && count > 0;
    is_json.then(|| {
        format!("places that are not JSON, whose lines were read as text: {count}; -i text reads all of it so")
    })
}

fn of_requests(read: &InputRead<'_>) -> Option<String> {
    // Where only the host is missing, another message says so.
    let is_without = read.wanted == LookedFor::Requests
        && read.stats.occurrences == 0
        && read.stats.no_host == 0
        && read.is_text();
    is_without.then(|| {
        "no line states a request that was asked for: --log-format describes other lines \
         (urisieve formats has its names)"
            .to_owned()
    })
}

fn of_links(read: &InputRead<'_>) -> Option<String> {
    let is_without =
        read.wanted == LookedFor::Links && read.stats.occurrences == 0 && read.is_text();
    is_without.then(|| {
        "it states no links: --mentions takes the URIs of its text, -i html reads it as a page"
            .to_owned()
    })
}

/// Containers that are not unpacked, and the commands that write their text.
const TOOLS: [(&str, &str); 11] = [
    ("a ZIP archive", "unzip -p FILE"),
    ("a PDF document", "pdftotext FILE -"),
    ("an SQLite database", "sqlite3 FILE .dump"),
    ("a 7z archive", "7z e -so FILE"),
    ("a RAR archive", "unrar p -inul FILE"),
    ("a cabinet archive", "cabextract -p FILE"),
    ("a Debian package", "dpkg-deb --fsys-tarfile FILE"),
    ("an RPM package", "rpm2archive -n FILE"),
    ("a file of compress (.Z)", "gzip -dc FILE"),
    ("an lzip file", "lzip -dc FILE"),
    ("a SquashFS image", "sqfs2tar FILE"),
];

/// Returns what to do about a container that is not unpacked.
pub(in crate::cli) fn unpacked_by(container: &str) -> Option<String> {
    let (_, tool) = TOOLS.iter().find(|(name, _)| *name == container)?;
    Some(format!("{tool} | urisieve searches it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use urisieve::unpack::opaque_container;

    #[track_caller]
    fn check(name: &str, wanted: LookedFor, hinted: Option<&str>) {
        let read = InputRead {
            name: name.as_bytes(),
            read_as: ReadAs::default(),
            stats: &Stats::default(),
            wanted,
        };
        let hint = hint(&read).map(|(_, text)| text);
        match hinted {
            Some(begin) => assert!(hint.unwrap().starts_with(begin), "{name}"),
            None => assert_eq!(hint, None, "{name}"),
        }
    }

    #[test]
    fn a_name_and_what_was_wanted_decide() {
        let xml = Some("its name says XML: -i xml ");
        for (name, wanted, hinted) in [
            ("a.XML", LookedFor::Uris, xml),
            ("a.b.xml", LookedFor::Requests, xml),
            (
                "a.mrc",
                LookedFor::Uris,
                Some("its name says ISO 2709: -i marc "),
            ),
            ("a.wet", LookedFor::Uris, Some("its name says WARC, but ")),
            ("a.log", LookedFor::Uris, None),
            ("xml", LookedFor::Uris, None),
            ("(standard input)", LookedFor::Uris, None),
            (
                "a.log",
                LookedFor::Requests,
                Some("no line states a request"),
            ),
            ("a.log", LookedFor::Links, Some("it states no links")),
        ] {
            check(name, wanted, hinted);
        }
    }

    #[test]
    fn promises_are_of_formats_that_only_the_first_bytes_show() {
        for (extensions, name) in PROMISES {
            let format = InputFormat::named(name).unwrap();
            for extension in extensions {
                assert!(!format.extensions.contains(extension), "{extension}");
            }
        }
    }

    #[test]
    fn tools_are_for_containers() {
        for head in [
            &b"PK\x03\x04"[..],
            b"%PDF-",
            b"\x1F\x9D",
            b"LZIP\x01",
            b"hsqs",
        ] {
            assert!(unpacked_by(opaque_container(head).unwrap()).is_some());
        }
        assert_eq!(unpacked_by("text"), None);
    }
}

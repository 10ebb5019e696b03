//! The answers of servers for the links of a catalogue, as a table that another program made:
//! which links are dead, which have moved, and whereto. Nothing here asks a server.

use super::check::{CheckRow, ExpectedValue, Severity, check};
use crate::canonicalize::{Canonicalizer, Level};
use crate::decode::{CatalogRecord, is_same_column};
use crate::syntax::resolve::{Rules, target};
use std::collections::HashMap;

/// The answer for a link.
///
/// ```
/// use urisieve::catalog::{LinkStatus, LinkStatuses};
/// let mut statuses = LinkStatuses::default();
/// statuses.push(b"http://a.example/old", "301", "/new");
/// statuses.push(b"http://a.example/gone", "410", "");
/// let moved = LinkStatus::Moved("http://a.example/new".into());
/// assert_eq!(statuses.of(b"HTTP://A.example/old"), Some(&moved));
/// assert_eq!(statuses.of(b"http://a.example/gone"), Some(&LinkStatus::Dead));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkStatus {
    /// The link leads nowhere: 404, 410, or its host is unknown.
    Dead,
    /// The link has this address now, for good: 301 or 308.
    Moved(String),
}

/// The answers for links, which are compared at level `scheme`.
///
/// ```
/// assert_eq!(urisieve::catalog::LinkStatuses::default().of(b"http://a.example/"), None);
/// ```
#[derive(Clone, Debug)]
pub struct LinkStatuses {
    canonicalizer: Canonicalizer,
    links: HashMap<Box<[u8]>, LinkStatus>,
    bytes: usize,
}

impl Default for LinkStatuses {
    fn default() -> LinkStatuses {
        LinkStatuses {
            canonicalizer: Canonicalizer::new(Level::Scheme),
            links: HashMap::new(),
            bytes: 0,
        }
    }
}

/// The names of the columns: of the link, the status and the new address. Only the last one
/// may be absent.
const COLUMNS: [&[&str]; 3] = [
    &["url", "uri", "link", "original"],
    &["status", "code", "status code", "http code"],
    &["location", "redirect", "redirect url", "target"],
];

/// The ways in which programs say that a host is unknown, in lower case and without signs.
const NO_HOST: [&str; 6] = [
    "nosuchhost",
    "nxdomain",
    "enotfound",
    "hostnotfound",
    "errnamenotresolved",
    "couldnotresolvehost",
];
/// The bytes that an entry of the table takes beside its texts.
const ENTRY: usize = 128;

impl LinkStatuses {
    /// Adds a row of a table, which has the columns `url` and `status`, and `location` for links
    /// that have moved.
    ///
    /// ```
    /// use urisieve::catalog::LinkStatuses;
    /// use urisieve::decode::CatalogRecord;
    /// assert!(LinkStatuses::default().push_row(&CatalogRecord::default()).is_err());
    /// ```
    ///
    /// # Errors
    /// The column that it lacks.
    pub fn push_row(&mut self, record: &CatalogRecord) -> Result<(), String> {
        let cell = |names: &[&str]| {
            let is_it = |tag: &[u8]| {
                names
                    .iter()
                    .any(|name| is_same_column(name.as_bytes(), tag))
            };
            let field = record.fields().find(|field| is_it(field.tag))?;
            let text = field.subfields().next()?.text.trim_ascii();
            Some(String::from_utf8_lossy(text).into_owned())
        };
        let lacking = |name: &str| {
            let number = record.number();
            format!("record {number}: the column {name} is missing")
        };
        let [link, status, location] = COLUMNS.map(cell);
        let link = link.ok_or_else(|| lacking("url"))?;
        let status = status.ok_or_else(|| lacking("status"))?;
        self.push(link.as_bytes(), &status, &location.unwrap_or_default());
        Ok(())
    }

    /// Adds the answer for a link: its status, and the address that a server gave with it. Other
    /// answers than those of [`LinkStatus`] say nothing about the link.
    ///
    /// ```
    /// let mut statuses = urisieve::catalog::LinkStatuses::default();
    /// statuses.push(b"http://a.example/", "503", "");
    /// assert_eq!(statuses.of(b"http://a.example/"), None);
    /// ```
    pub fn push(&mut self, link: &[u8], status: &str, location: &str) {
        let plain: String = status.chars().filter(char::is_ascii_alphanumeric).collect();
        let plain = plain.to_ascii_lowercase();
        let found = match &*plain {
            "404" | "410" => Some(LinkStatus::Dead),
            "301" | "308" => address(link, location).map(LinkStatus::Moved),
            plain if NO_HOST.contains(&plain) => Some(LinkStatus::Dead),
            _ => None,
        };
        let Some(found) = found else {
            return;
        };
        let key: Box<[u8]> = self.canonicalizer.canonical(link).into();
        self.bytes += ENTRY + key.len() + location.len() + link.len();
        self.links.insert(key, found);
    }

    /// Returns the answer for a link.
    ///
    /// ```
    /// assert!(urisieve::catalog::LinkStatuses::default().of(b"").is_none());
    /// ```
    pub fn of(&self, link: &[u8]) -> Option<&LinkStatus> {
        if self.links.is_empty() {
            return None;
        }
        self.links.get(&*self.canonicalizer.canonical(link))
    }

    /// Returns the number of bytes of memory that it takes at most.
    ///
    /// ```
    /// assert_eq!(urisieve::catalog::LinkStatuses::default().bytes(), 0);
    /// ```
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Returns the new address of a link: as a whole, or by a path on the same host (RFC 9110 section
/// 10.2.2). `None` where it is the old one, or something is wrong with it.
fn address(link: &[u8], location: &str) -> Option<String> {
    let is_web = |address: &str| {
        let mut schemes = ["http://", "https://"].iter();
        schemes.any(|scheme| address.starts_with(scheme))
    };
    // A misspelt address such as `http//a` would be a path.
    if !location.starts_with('/') && !is_web(location) {
        return None;
    }
    let address = target(Rules::Rfc3986, link, location.as_bytes()).ok()?;
    let address = String::from_utf8(address).ok()?;
    let is_wrong = |row: &CheckRow| row.severity > Severity::Info;
    let hits = check(&address, ExpectedValue::Uri).hits;
    let is_right = is_web(&address) && !hits.iter().any(|hit| is_wrong(hit.row));
    (is_right && address.as_bytes() != link).then_some(address)
}

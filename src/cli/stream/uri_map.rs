//! The table of `--map`: URIs, and those that replace them (I29).

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use urisieve::canonicalize::Canonicalizer;
use urisieve::decode;

/// URIs that are replaced by others, whatever their spelling.
pub(super) struct UriMap {
    /// Decides which are equal.
    canonicalizer: Canonicalizer,
    uris: HashMap<Vec<u8>, Vec<u8>>,
    buffer: Vec<u8>,
}

impl UriMap {
    /// Reads a table with two columns and a tab between them: a URI, and the one in its place.
    ///
    /// # Errors
    /// A message about the file, or the first line that is not a row.
    pub(super) fn open(path: &Path, canonicalizer: Canonicalizer) -> Result<UriMap, String> {
        let named = |error: &dyn std::fmt::Display| format!("--map {}: {error}", path.display());
        let bytes = fs::read(path).map_err(|error| named(&error))?;
        let mut map = UriMap {
            canonicalizer,
            uris: HashMap::new(),
            buffer: Vec::new(),
        };
        for (number, line) in decode::text_of(&bytes)
            .split(|&byte| byte == b'\n')
            .enumerate()
        {
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let tab = memchr::memchr(b'\t', line);
            let row = tab.map(|tab| (line[..tab].trim_ascii(), line[tab + 1..].trim_ascii()));
            let is_one = |uri: &[u8]| !uri.is_empty() && !uri.iter().any(u8::is_ascii_whitespace);
            let Some((from, to)) = row.filter(|(from, to)| is_one(from) && is_one(to)) else {
                let line = number + 1;
                let why = format!("line {line}: not two URIs with a tab between them");
                return Err(named(&why));
            };
            let key = map.canonicalizer.canonicalize(from, &mut map.buffer);
            // The first row of a URI counts.
            map.uris.entry(key.to_vec()).or_insert_with(|| to.to_vec());
        }
        Ok(map)
    }

    /// Returns the URI that replaces `uri`.
    pub(super) fn get(&mut self, uri: &[u8]) -> Option<&[u8]> {
        let key = self.canonicalizer.canonicalize(uri, &mut self.buffer);
        self.uris.get(key).map(Vec::as_slice)
    }
}

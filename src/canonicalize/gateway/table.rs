//! The table of gateways that have the target in a parameter, and tables of the same form.

use super::url::GatewayUrl;
use std::fmt;

/// The built-in table. After the columns that are read: a public source, and the date on which
/// the row was compared with it.
const BUILT_IN: &str = include_str!("gateways.tsv");

/// The coding of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Percent,
    /// Base64, percent-encoded.
    Base64,
    /// The URL does not have its target.
    Opaque,
}

/// The words for them in a table.
const CODINGS: [(&str, Coding); 3] = [
    ("percent", Coding::Percent),
    ("base64", Coding::Base64),
    ("-", Coding::Opaque),
];

/// A gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GatewayRow {
    pub name: String,
    /// A host; `*.` at its start: below it; `*` at its end: any suffix.
    host: String,
    path: String,
    pub parameters: Vec<String>,
    pub coding: Coding,
}

impl GatewayRow {
    #[cfg(test)]
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    #[cfg(test)]
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Returns all that the row says.
    pub(super) fn fields(&self) -> impl Iterator<Item = &str> {
        let coding = CODINGS.iter().find(|row| row.1 == self.coding);
        let columns = [&*self.name, &self.host, &self.path];
        let parameters = self.parameters.iter().map(String::as_str);
        let coding = coding.map(|row| row.0);
        columns.into_iter().chain(parameters).chain(coding)
    }

    /// Whether `url` is one of this gateway.
    pub(super) fn is_of(&self, url: &GatewayUrl) -> bool {
        let pattern = self.host.as_bytes();
        let host = url.host;
        let is_host = match (pattern.strip_prefix(b"*"), pattern.strip_suffix(b"*")) {
            (Some(end), _) => {
                let at = host.len().checked_sub(end.len());
                at.is_some_and(|at| at > 0 && host[at..].eq_ignore_ascii_case(end))
            }
            (None, Some(start)) => {
                let head = host.get(..start.len());
                head.is_some_and(|head| head.eq_ignore_ascii_case(start))
            }
            (None, None) => host.eq_ignore_ascii_case(pattern),
        };
        is_host && path_is_below(url.path, self.path.as_bytes())
    }
}

/// Whether `path` is `prefix` or below it.
fn path_is_below(path: &[u8], prefix: &[u8]) -> bool {
    let Some(rest) = path.strip_prefix(prefix) else {
        return prefix == b"/" && path.is_empty();
    };
    prefix.ends_with(b"/") || rest.is_empty() || rest.starts_with(b"/")
}

/// A line of a table that is not a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGateway {
    line: usize,
    why: &'static str,
}

impl BadGateway {
    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }
}

impl fmt::Display for BadGateway {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for BadGateway {}

pub(super) fn built_in() -> Vec<GatewayRow> {
    // A test parses it.
    parse(BUILT_IN).unwrap_or_default()
}

/// Parses the lines of a table.
pub(super) fn parse(text: &str) -> Result<Vec<GatewayRow>, BadGateway> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let row = row(line).map_err(|why| BadGateway {
            line: number + 1,
            why,
        })?;
        rows.push(row);
    }
    Ok(rows)
}

fn row(line: &str) -> Result<GatewayRow, &'static str> {
    let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [name, host, path, parameters, coding, ..] = columns[..] else {
        return Err(
            "not a name, a host, a path, parameters and percent or base64, with tabs between them",
        );
    };
    let is_name = |name: &str| !name.is_empty() && !name.contains([' ', ',', '@']);
    if !is_name(name) || !is_name(host) {
        return Err("the name or the host is missing, or has a blank or comma");
    }
    if !path.starts_with('/') {
        return Err("the path does not begin with /");
    }
    let (_, coding) = CODINGS
        .into_iter()
        .find(|row| row.0 == coding)
        .ok_or("the coding is not percent, base64 or -")?;
    let parameters: Vec<String> = match coding {
        Coding::Opaque => Vec::new(),
        _ => parameters.split_whitespace().map(str::to_owned).collect(),
    };
    if parameters.is_empty() && coding != Coding::Opaque {
        return Err("no parameter is named");
    }
    Ok(GatewayRow {
        name: name.to_owned(),
        host: host.to_owned(),
        path: path.to_owned(),
        parameters,
        coding,
    })
}

//! An explanation as text.

use super::Explanation;
use crate::output::Screen;
use std::fmt;

/// Bytes as text, with U+FFFD for control characters and bytes that are not UTF-8.
struct Shown<'t>(&'t [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = String::from_utf8_lossy(self.0);
        text.chars().try_for_each(|char| match Screen::shows(char) {
            true => write!(f, "{char}"),
            false => f.write_str("\u{FFFD}"),
        })
    }
}

impl fmt::Display for Explanation {
    /// Writes the diagram, the steps, the levels and the other parts, one below the
    /// other.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// use urisieve::explain::Explanation;
    /// let text = Explanation::of(b"HTTP://a/", &Canonicalizer::default()).to_string();
    /// assert!(text.starts_with("HTTP://a/\n|"));
    /// assert!(text.contains("  lexical   http://a/\n"));
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.diagram)?;
        if let Some(host) = self.host {
            writeln!(f, "host: {}", host.name())?;
        }
        match (&self.valid, &self.valid_iri) {
            (Ok(()), _) => writeln!(f, "valid by RFC 3986")?,
            (Err(violation), Ok(())) => {
                writeln!(
                    f,
                    "an IRI, valid by RFC 3987; not a URI by RFC 3986: {violation}"
                )?;
            }
            (Err(violation), Err(_)) => writeln!(f, "not valid by RFC 3986: {violation}")?,
        }
        for problem in self.problems.iter() {
            writeln!(f, "problem {}: {}", problem.code(), problem.meaning())?;
        }
        writeln!(f, "levels")?;
        for (level, form) in &self.levels {
            writeln!(f, "  {:9} {}", level.name(), Shown(form))?;
        }
        match self.steps.is_empty() {
            true => writeln!(f, "steps: none, the URI is canonical")?,
            false => writeln!(f, "steps")?,
        }
        for step in &self.steps {
            writeln!(
                f,
                "  {} ({})\n    {}",
                step.name,
                step.section,
                Shown(&step.after)
            )?;
        }
        if let Some(urn) = &self.urn {
            writeln!(f, "as a URN")?;
            for (document, reading) in &urn.readings {
                write!(f, "  {:9} {reading}", document.name())?;
                let violation = urn.violations.iter().find(|(of, _)| of == document);
                match violation {
                    Some((_, violation)) => writeln!(f, ": {violation}")?,
                    None => writeln!(f)?,
                }
            }
            if let Some(registration) = urn.registration {
                write!(f, "  namespace {}", registration.name())?;
                match urn.reference.filter(|reference| !reference.is_empty()) {
                    Some(reference) => writeln!(f, " ({reference})")?,
                    None => writeln!(f)?,
                }
            }
            if let Some((source, summary)) = urn.rule {
                writeln!(f, "  its rule at level scheme: {summary} ({source})")?;
            }
            for defect in &urn.defects {
                writeln!(f, "  {defect}")?;
            }
        }
        match &self.whatwg {
            Ok(url) => writeln!(f, "URL Standard: {}", Shown(url.as_bytes())),
            Err(cause) => writeln!(f, "URL Standard: failure, {cause}"),
        }
    }
}

//! The choice of the lines that are read as requests, and of the fields of their parts (G12).

use super::directive::{BadDirective, Directive};
use super::field_names::FieldNames;
use super::names::{LogPart, NAMES, part_named};
use super::shape::{LogShape, SHAPES};
use super::value::is_web_scheme;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Which lines of logs are read as requests (G12), and which of their fields count. Written
/// as `auto`, `any`, `off`, the name of a shape, each with `,part=FIELD` for fields with other
/// names; or as a format from the configuration of nginx, Apache or GoAccess (G13).
///
/// ```
/// use urisieve::LogFormat;
/// for text in ["auto", "json,host=x_host,scheme=https", "\"$request\" $status $host"] {
///     assert!(text.parse::<LogFormat>().is_ok(), "{text}");
/// }
/// assert!("apache".parse::<LogFormat>().is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFormat {
    pub(super) choice: LogChoice,
    pub(super) fields: Arc<FieldNames>,
}

/// The choice of shapes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum LogChoice {
    /// All shapes, if a line that begins in the first 64 KiB is a request or a header.
    #[default]
    Auto,
    /// All shapes.
    Any,
    /// No shape: all lines are text.
    Off,
    Only(LogShape),
    Directive(Arc<Directive>),
}

/// A text that chooses no format of logs.
///
/// ```
/// use urisieve::LogFormat;
/// let error = "apache".parse::<LogFormat>().unwrap_err();
/// assert!(error.to_string().contains("clf"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLogFormat(String);

impl fmt::Display for UnknownLogFormat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnknownLogFormat {}

impl From<BadDirective> for UnknownLogFormat {
    fn from(cause: BadDirective) -> UnknownLogFormat {
        UnknownLogFormat(cause.to_string())
    }
}

impl FromStr for LogFormat {
    type Err = UnknownLogFormat;

    fn from_str(text: &str) -> Result<LogFormat, UnknownLogFormat> {
        if text.contains(['$', '%']) {
            return Ok(LogFormat {
                choice: LogChoice::Directive(Arc::new(Directive::parse(text)?)),
                ..LogFormat::default()
            });
        }
        let mut items = text.split(',');
        let name = items.next().unwrap_or_default();
        let choice = match name {
            "auto" => LogChoice::Auto,
            "any" => LogChoice::Any,
            "off" => LogChoice::Off,
            _ => match LogShape::named(name) {
                Some(shape) => LogChoice::Only(shape),
                None => return Err(unknown_shape(name)),
            },
        };
        let mut fields = FieldNames::default();
        for (number, item) in items.enumerate() {
            let split = item.split_once('=');
            let found = split.and_then(|(part, field)| Some((part_named(part)?, field)));
            let Some((part, field)) = found else {
                return Err(unknown_part(item));
            };
            if part == LogPart::Scheme && is_web_scheme(field.as_bytes()) {
                fields.set_scheme(field);
            } else if !fields.add(part, number, field) {
                let message = format!("{field:?} is no key, column or JSON pointer");
                return Err(UnknownLogFormat(message));
            }
        }
        Ok(LogFormat {
            choice,
            fields: Arc::new(fields),
        })
    }
}

fn unknown_shape(name: &str) -> UnknownLogFormat {
    let names: Vec<_> = SHAPES.iter().map(|row| row.name).collect();
    UnknownLogFormat(format!(
        "{name:?} is not auto, any, off, {}, or a format of nginx ($), Apache or GoAccess (%)",
        names.join(", ")
    ))
}

fn unknown_part(item: &str) -> UnknownLogFormat {
    let names = NAMES.iter().map(|row| row.name);
    let names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
    UnknownLogFormat(format!(
        "{item:?} is not part=FIELD, where the part is one of {}",
        names.join(", ")
    ))
}

impl LogFormat {
    /// Whether no line is read as a request.
    ///
    /// ```
    /// use urisieve::LogFormat;
    /// assert!("off".parse::<LogFormat>().is_ok_and(|format| format.is_off()));
    /// ```
    pub fn is_off(&self) -> bool {
        self.choice == LogChoice::Off
    }

    /// Whether lines of this shape are read.
    pub(super) fn reads(&self, shape: LogShape) -> bool {
        match &self.choice {
            LogChoice::Auto | LogChoice::Any => true,
            LogChoice::Off | LogChoice::Directive(_) => false,
            LogChoice::Only(only) => *only == shape,
        }
    }

    /// Returns the shapes that can be chosen, each with what it is.
    ///
    /// ```
    /// use urisieve::LogFormat;
    /// assert!(LogFormat::shapes().any(|(name, _)| name == "clf"));
    /// ```
    pub fn shapes() -> impl Iterator<Item = (&'static str, String)> {
        SHAPES.iter().map(|row| {
            let aliases = match row.aliases {
                [] => String::new(),
                aliases => format!(" ({})", aliases.join(", ")),
            };
            (row.name, format!("{}{aliases}", row.meaning))
        })
    }

    /// Returns the parts of a request that fields can be chosen for, each with the names of
    /// fields that count without a choice, in their order.
    ///
    /// ```
    /// use urisieve::LogFormat;
    /// let (_, fields) = LogFormat::parts().find(|(name, _)| *name == "query").unwrap();
    /// assert_eq!(fields.first(), Some(&"query"));
    /// ```
    pub fn parts() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        let named = NAMES.iter().filter(|row| !row.name.is_empty());
        named.map(|row| (row.name, row.fields))
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::PlainName;
    use super::*;

    #[test]
    fn choices_and_their_errors() {
        for text in [
            "auto",
            "any",
            "off",
            "clf",
            "VCOMBINED",
            "json,host=/a/b,scheme=https",
        ] {
            assert!(text.parse::<LogFormat>().is_ok(), "{text}");
        }
        for (text, part) in [
            ("", "clf"),
            ("apache", "clf"),
            ("json,x=y", "referer"),
            ("json,host", "referer"),
            ("json,host=", "no key"),
            ("$request$status", "$status"),
            ("%h", "request line"),
        ] {
            let error = text.parse::<LogFormat>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn fields_override_names() {
        let format: LogFormat = "json,host=x_host,path=y".parse().unwrap_or_default();
        assert_eq!(format, LogFormat::default());
        let format: LogFormat = "json,host=X-Host,target=/a/b".parse().unwrap();
        let names = &format.fields;
        let a = PlainName::of(b"a").unwrap();
        assert_eq!(names.roles(b"x_host", &[])[0].0, LogPart::Host);
        assert_eq!(
            names.roles(b"b", std::slice::from_ref(&a))[0].0,
            LogPart::Target
        );
        assert!(names.roles(b"b", &[]).is_empty());
        assert!(names.is_object(&a));
        assert!(!names.counts((LogPart::Host, 3)) && names.counts((LogPart::Method, 0)));
    }
}

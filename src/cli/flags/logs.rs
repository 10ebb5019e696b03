//! The flags for the lines of logs, and for what they leave out.

use urisieve::LogFormat;
use urisieve::syntax::resolve::is_base_for;

/// Which lines are requests, and where their URLs begin.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub(in crate::cli) struct LogFlags {
    /// Lines of logs that are requests: auto (default), any, off, a shape or a format
    ///
    /// A request gives the URL that was asked for; the rest of its line is searched. auto:
    /// lines of every shape, unless no line of the first 64 KiB is a request. any: lines of
    /// every shape. A shape, such as clf or json (urisieve formats lists them), may be followed
    /// by fields: json,host=x_host,time=/meta/at,scheme=https. A format is that of nginx
    /// ($request), Apache or GoAccess (%r), as it is in their configuration.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "auto",
        hide_default_value = true,
        hide_short_help = true
    )]
    pub log_format: LogFormat,
}

/// The address of inputs that do not state their own.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub(in crate::cli) struct BaseFlag {
    /// The URI of inputs that do not state their own
    ///
    /// References in markup are resolved against it. Requests in logs whose lines state no
    /// host have its scheme and its host.
    #[arg(long, value_name = "URI", hide_short_help = true)]
    base: Option<String>,
}

impl BaseFlag {
    /// Returns the URI.
    ///
    /// # Errors
    /// A message that names the flag, if the URI is not absolute.
    pub(in crate::cli) fn uri(&self) -> Result<Option<&str>, String> {
        match self.base.as_deref() {
            Some(base) if !is_base_for(base.as_bytes(), b"") => Err(format!(
                "--base: {base:?} is not an absolute URI, such as https://a.example/"
            )),
            base => Ok(base),
        }
    }
}

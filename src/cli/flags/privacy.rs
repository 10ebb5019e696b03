//! The flags that hide secrets and defang URIs, for every command that prints URIs.

use crate::cli::destination::respell::Respelling;
use urisieve::canonicalize::Redactor;
use urisieve::output::{OutputFormat, defang};

/// Values that are printed in another form.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Privacy {
    /// Print *** instead of passwords and tokens, and of the values of named parameters
    ///
    /// In userinfo always: the password, or all of it without a password (of mailto:
    /// and sip: only the password). With query:KEY,... also the values of these
    /// parameters of query, fragment and ;name= in a path: --redact=query:token,key. With
    /// @secrets also those whose names say that they are tokens, keys, passwords,
    /// signatures or sessions, secrets in paths, such as those of webhooks, and tokens with
    /// a known shape; urisieve formats prints the list. URIs inside URIs are redacted, too,
    /// also percent-encoded ones. With client the clients of requests in logs.
    /// Redacted values do not count for equality.
    #[arg(long, value_name = "@secrets|client|query:KEY,...", num_args = 0..=1, require_equals = true,
          default_missing_value = "", hide_short_help = true)]
    pub redact: Option<String>,

    /// Print secrets in a report (-f html), which has --redact=@secrets otherwise
    #[arg(long, conflicts_with = "redact", hide_short_help = true)]
    pub no_redact: bool,

    /// Print hxxp, [.] and [:], so that nobody opens a URI by mistake
    #[arg(long, hide_short_help = true)]
    pub defang: bool,
}

impl Privacy {
    /// Returns the redactor, when a flag asks for it.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn redactor(&self) -> Result<Option<Redactor>, String> {
        match self.no_redact {
            true => Err("--no-redact: only with -f html, which hides secrets".to_owned()),
            false => self.redact.as_deref().map(redactor).transpose(),
        }
    }

    /// Returns the redactor for an output in `format`: reports are passed on, and hide
    /// secrets unless a flag says otherwise.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn redactor_of(
        &self,
        format: &OutputFormat,
    ) -> Result<Option<Redactor>, String> {
        match (format == OutputFormat::HTML, &self.redact) {
            (true, None) if self.no_redact => Ok(None),
            (true, None) => redactor("@secrets").map(Some),
            _ => self.redactor(),
        }
    }

    /// Returns how single URIs are printed in an output in `format`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn private_uri(&self, format: &OutputFormat) -> Result<PrivateUri, String> {
        Ok(PrivateUri {
            redactor: self.redactor_of(format)?,
            defangs: self.defang,
        })
    }

    /// Returns the respelling that defangs URIs, when a flag asks for it.
    pub(in crate::cli) fn respelling(&self) -> Option<Respelling> {
        self.defang.then(Respelling::defanged)
    }
}

/// The form in which a URI is printed that is no finding of a sieve.
#[derive(Clone, Debug)]
pub(in crate::cli) struct PrivateUri {
    redactor: Option<Redactor>,
    defangs: bool,
}

impl PrivateUri {
    /// Whether URIs stay as they are.
    pub(in crate::cli) fn is_idle(&self) -> bool {
        self.redactor.is_none() && !self.defangs
    }

    /// Returns a URI without its secrets, if it has any that are not printed.
    pub(in crate::cli) fn without_secrets(&self, uri: &[u8]) -> Option<Vec<u8>> {
        let mut buffer = Vec::new();
        let redacted = self.redactor.as_ref()?.redact(uri, &mut buffer);
        (redacted != uri).then(|| redacted.to_vec())
    }

    /// Appends a URI as it is printed.
    pub(in crate::cli) fn push(&self, uri: &[u8], out: &mut Vec<u8>) {
        let mut buffer = Vec::new();
        let uri = match &self.redactor {
            Some(redactor) => redactor.redact(uri, &mut buffer),
            None => uri,
        };
        match self.defangs {
            true => defang(uri, out),
            false => out.extend_from_slice(uri),
        }
    }
}

/// Whether an argument after `--redact` is its value, not a file name.
pub(in crate::cli) fn is_value(arg: &[u8]) -> bool {
    let is_name = |name| {
        arg.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest[0] == b',')
    };
    arg.starts_with(b"query:") || is_name(&b"@secrets"[..]) || is_name(b"client")
}

/// Parses the value of `--redact`: empty, or `@secrets`, `client` and `query:KEY,...`.
fn redactor(what: &str) -> Result<Redactor, String> {
    if !what.is_empty() && !is_value(what.as_bytes()) {
        return Err(format!(
            "--redact: {what:?} is not @secrets, client or query:KEY,..."
        ));
    }
    Redactor::named(what.split(',')).map_err(|error| format!("--redact: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named() {
        for (what, expect) in [
            ("", "x://a/?token=1&q=2"),
            ("query:q", "x://a/?token=1&q=***"),
            ("@secrets", "x://a/?token=***&q=2"),
            ("@secrets,q", "x://a/?token=***&q=***"),
            ("query:q,@secrets", "x://a/?token=***&q=***"),
        ] {
            let mut buffer = Vec::new();
            let redactor = redactor(what).unwrap();
            let redacted = redactor.redact(b"x://a/?token=1&q=2", &mut buffer);
            assert_eq!(redacted, expect.as_bytes(), "{what}");
        }
        for (what, hides) in [
            ("client", true),
            ("@secrets,client", true),
            ("client,query:q", true),
            ("query:q,client", false),
            ("", false),
        ] {
            assert_eq!(redactor(what).unwrap().hides_clients(), hides, "{what}");
        }
        for wrong in ["clients", "token", "path:x", "@secret", "query:@tracking"] {
            assert!(redactor(wrong).is_err(), "{wrong}");
        }
    }
}

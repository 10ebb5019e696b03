//! Why a text is not a URL by the URL Standard.

use std::fmt;
use url::ParseError;

/// Why the URL Standard's parser fails.
///
/// ```
/// use urisieve::syntax::resolve::whatwg;
/// let failure = whatwg(b"http://a:99999/").unwrap_err();
/// assert_eq!(failure.to_string(), "invalid port number");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(pub(super) ParseError);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            ParseError::RelativeUrlWithoutBase => f.write_str("it has no scheme"),
            cause => cause.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

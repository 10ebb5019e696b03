//! Names of lists, such as `@tracking`, in a setting that takes names of parameters.

use std::fmt;

/// The error for a name that begins with `@` and is not the name of a list.
///
/// ```
/// use urisieve::canonicalize::Redactor;
/// let error = Redactor::default().parameters(["@secret"]).unwrap_err();
/// assert_eq!(error.to_string(), r#""@secret" is not a list; the list is @secrets"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownList {
    name: String,
    known: &'static str,
}

impl fmt::Display for UnknownList {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let UnknownList { name, known } = self;
        write!(f, "{name:?} is not a list; the list is {known}")
    }
}

impl std::error::Error for UnknownList {}

/// Whether `name` is the list `known`, not the name of a parameter.
///
/// # Errors
/// Fails for the name of another list.
pub(super) fn is_list(name: &str, known: &'static str) -> Result<bool, UnknownList> {
    match name.starts_with('@') && name != known {
        true => Err(UnknownList {
            name: name.to_owned(),
            known,
        }),
        false => Ok(name == known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_known_by_its_name() {
        assert_eq!(is_list("@a", "@a"), Ok(true));
        assert_eq!(is_list("a", "@a"), Ok(false));
        for other in ["@", "@A", "@ab"] {
            assert!(is_list(other, "@a").is_err(), "{other}");
        }
    }
}

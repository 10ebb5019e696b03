//! The codes of the repairs that are made.

use super::super::check::{CHECKS, CheckRow};

/// The repairs to make: of the table of checks, rows whose repair may be made without a
/// person.
///
/// ```
/// use urisieve::catalog::fix::RepairCodes;
/// let codes = RepairCodes::parse("missing-colon, trailing-punct")?;
/// assert!(codes.has("missing-colon") && !codes.has("blank-inside"));
/// # Ok::<(), urisieve::catalog::fix::RepairCodesError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairCodes(Vec<&'static str>);

impl RepairCodes {
    /// Returns the codes of all repairs that may be made without a person.
    ///
    /// ```
    /// use urisieve::catalog::fix::RepairCodes;
    /// assert!(RepairCodes::known().any(|code| code == "trailing-punct"));
    /// assert!(RepairCodes::known().all(|code| code != "two-uris"));
    /// ```
    pub fn known() -> impl Iterator<Item = &'static str> {
        let rows = CHECKS.iter().filter(|row| row.may_fix);
        rows.map(|row| row.code)
    }

    /// Reads codes with commas between them.
    ///
    /// ```
    /// use urisieve::catalog::fix::RepairCodes;
    /// let error = RepairCodes::parse("isbn-check").unwrap_err().to_string();
    /// assert!(error.starts_with("isbn-check: a person must decide; these can be repaired: control-char, "));
    /// ```
    ///
    /// # Errors
    /// A code that is not the code of a repair, or an empty list.
    pub fn parse(list: &str) -> Result<RepairCodes, RepairCodesError> {
        let mut codes = Vec::new();
        let typed = list.split(',').map(str::trim);
        for code in typed.filter(|code| !code.is_empty()) {
            match CheckRow::of_code(code) {
                Some(row) if row.may_fix => codes.push(row.code),
                found => {
                    return Err(RepairCodesError {
                        code: Some(code.to_owned()),
                        is_known: found.is_some(),
                    });
                }
            }
        }
        match codes.is_empty() {
            true => Err(RepairCodesError {
                code: None,
                is_known: false,
            }),
            false => Ok(RepairCodes(codes)),
        }
    }

    /// Whether the repair with this code is made.
    ///
    /// ```
    /// assert!(!urisieve::catalog::fix::RepairCodes::default().has("blank-inside"));
    /// ```
    pub fn has(&self, code: &str) -> bool {
        self.0.contains(&code)
    }
}

/// The reason why a list of codes is not accepted; its text lists the accepted codes.
///
/// ```
/// use urisieve::catalog::fix::RepairCodes;
/// let error = RepairCodes::parse("dots").unwrap_err();
/// assert!(error.to_string().starts_with("dots: unknown code; "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairCodesError {
    code: Option<String>,
    is_known: bool,
}

impl std::fmt::Display for RepairCodesError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match &self.code {
            None => f.write_str("a code is missing")?,
            Some(code) if self.is_known => write!(f, "{code}: a person must decide")?,
            Some(code) => write!(f, "{code}: unknown code")?,
        }
        let known: Vec<&str> = RepairCodes::known().collect();
        write!(f, "; these can be repaired: {}", known.join(", "))
    }
}

impl std::error::Error for RepairCodesError {}

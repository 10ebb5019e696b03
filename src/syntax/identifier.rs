//! Words that decide whether a number or a name in a text is an identifier: currencies,
//! after which a number is a price, and the archives of arXiv.

/// Codes and names of currencies, in lower case. A number after one of them is a price.
///
/// ```
/// assert!(urisieve::syntax::identifier::CURRENCIES.contains(&"eur"));
/// ```
pub const CURRENCIES: &[&str] = &[
    "eur", "euro", "euros", "usd", "us", "dollar", "dollars", "gbp", "chf", "fr", "sfr", "jpy",
    "cny", "rmb", "inr", "rs", "aud", "cad", "nzd", "sek", "nok", "dkk", "kr", "pln", "czk", "huf",
    "ron", "bgn", "try", "rub", "uah", "brl", "mxn", "ars", "zar", "ils", "krw", "sgd", "hkd",
    "twd", "thb", "idr", "myr", "php", "vnd", "dm",
];

/// Whether `c` is the sign of a currency.
///
/// ```
/// use urisieve::syntax::identifier::is_currency_sign;
/// assert!(is_currency_sign('€') && is_currency_sign('$') && !is_currency_sign('#'));
/// ```
pub const fn is_currency_sign(c: char) -> bool {
    matches!(c, '$' | '¢' | '£' | '¥' | '\u{20A0}'..='\u{20CF}')
}

/// The archives of arXiv that were part of its identifiers until 2007.
///
/// ```
/// assert!(urisieve::syntax::identifier::ARCHIVES.contains(&"hep-th"));
/// ```
pub const ARCHIVES: &[&str] = &[
    "acc-phys", "adap-org", "alg-geom", "ao-sci", "astro-ph", "atom-ph", "bayes-an", "chao-dyn",
    "chem-ph", "cmp-lg", "comp-gas", "cond-mat", "cs", "dg-ga", "funct-an", "gr-qc", "hep-ex",
    "hep-lat", "hep-ph", "hep-th", "math", "math-ph", "mtrl-th", "nlin", "nucl-ex", "nucl-th",
    "patt-sol", "physics", "plasm-ph", "q-alg", "q-bio", "quant-ph", "solv-int", "supr-con",
];

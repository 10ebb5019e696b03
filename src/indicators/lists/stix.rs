//! Patterns of STIX (rule I6): the values of URLs, names and addresses that a pattern asks
//! for, if any one of them is enough.

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternToken {
    /// A bracket, a parenthesis or a comma.
    Mark,
    /// A path or a word: `url:value`, `OR`, `IN`.
    Word(String),
    /// A comparison: `=`, `!=`, `<`.
    Operator(String),
    Text(String),
}

/// A value that a pattern asks for, with the type of its object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatternValue {
    pub kind: StixObject,
    pub text: String,
}

/// The type of an object that has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StixObject {
    Url,
    Name,
    Address,
}

/// Words that ask for more than one of the values, or for the opposite.
const JOINING: [&str; 7] = [
    "AND",
    "FOLLOWEDBY",
    "NOT",
    "WITHIN",
    "REPEATS",
    "START",
    "STOP",
];

/// Returns the values of a pattern, and the number of comparisons that are skipped. `None`
/// for a pattern that one value does not meet, or that is not one.
pub(super) fn values(pattern: &str) -> Option<(Vec<PatternValue>, u64)> {
    let tokens = tokens(pattern)?;
    let is_joining = |token: &PatternToken| match token {
        PatternToken::Word(word) => JOINING
            .iter()
            .any(|joining| word.eq_ignore_ascii_case(joining)),
        _ => false,
    };
    if tokens.iter().any(is_joining) {
        return None;
    }
    let (mut values, mut skipped) = (Vec::new(), 0);
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let PatternToken::Word(path) = token else {
            continue;
        };
        if path.eq_ignore_ascii_case("OR") {
            continue;
        }
        let kind = match path.as_str() {
            "url:value" => Some(StixObject::Url),
            "domain-name:value" => Some(StixObject::Name),
            "ipv4-addr:value" | "ipv6-addr:value" => Some(StixObject::Address),
            _ => None,
        };
        let is_known = match tokens.next()? {
            PatternToken::Operator(operator) => operator == "=" || operator == "==",
            PatternToken::Word(word) => {
                let is = |name: &str| word.eq_ignore_ascii_case(name);
                is("IN") || is("ISSUBSET") && kind == Some(StixObject::Address)
            }
            PatternToken::Mark | PatternToken::Text(_) => return None,
        };
        let mut has_text = false;
        while let Some(value) =
            tokens.next_if(|token| matches!(token, PatternToken::Mark | PatternToken::Text(_)))
        {
            let PatternToken::Text(text) = value else {
                continue;
            };
            has_text = true;
            match kind.filter(|_| is_known) {
                Some(kind) => values.push(PatternValue { kind, text }),
                None => skipped += 1,
            }
        }
        if !has_text {
            // A number, or a word such as true.
            skipped += 1;
            tokens
                .next_if(|token| matches!(token, PatternToken::Word(word) if !word.contains(':')));
        }
    }
    Some((values, skipped))
}

/// Splits a pattern; `None` where a string does not end.
fn tokens(pattern: &str) -> Option<Vec<PatternToken>> {
    let mut tokens = Vec::new();
    let mut chars = pattern.chars().peekable();
    while let Some(first) = chars.next() {
        match first {
            '[' | ']' | '(' | ')' | ',' => tokens.push(PatternToken::Mark),
            '\'' => tokens.push(PatternToken::Text(string(&mut chars)?)),
            '=' | '!' | '<' | '>' => {
                let mut operator = String::from(first);
                operator.extend(chars.next_if_eq(&'='));
                operator.extend(chars.next_if(|&c| first == '<' && c == '>'));
                tokens.push(PatternToken::Operator(operator));
            }
            blank if blank.is_whitespace() => {}
            _ => {
                let mut word = String::from(first);
                while let Some(next) =
                    chars.next_if(|c| !c.is_whitespace() && !"=!<>()],".contains(*c))
                {
                    word.push(next);
                    // Names of dictionaries may be quoted: file:hashes.'SHA-256'.
                    if next == '\'' {
                        word.push_str(&string(&mut chars)?);
                    }
                    // A list of a path: x:values[*].
                    if next == '[' {
                        word.extend(chars.by_ref().take_while(|c| *c != ']'));
                    }
                }
                tokens.push(PatternToken::Word(word));
            }
        }
    }
    Some(tokens)
}

/// Reads a string to its quote. A backslash keeps the character behind it.
fn string(chars: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '\'' => return Some(text),
            '\\' => text.push(chars.next()?),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_patterns() {
        let found = |pattern: &str| {
            let (values, skipped) = values(pattern)?;
            let values: Vec<_> = values.into_iter().map(|value| value.text).collect();
            Some((values.join(" "), skipped))
        };
        let some = |values: &str, skipped| Some((values.to_owned(), skipped));
        for (pattern, wanted) in [
            ("[url:value = 'http://a/']", some("http://a/", 0)),
            ("[domain-name:value IN ('a', 'b')]", some("a b", 0)),
            (
                "[ipv4-addr:value ISSUBSET '192.0.2.0/24']",
                some("192.0.2.0/24", 0),
            ),
            (
                "[domain-name:value='a' OR url:value = 'b\\'c\\\\'] OR [ipv6-addr:value = '::1']",
                some("a b'c\\ ::1", 0),
            ),
            (
                "[file:hashes.'SHA-256' = 'x' OR domain-name:value = 'a']",
                some("a", 1),
            ),
            ("[file:size > 5 OR domain-name:value = 'a']", some("a", 1)),
            ("[domain-name:value LIKE 'a%']", some("", 1)),
            ("[domain-name:value != 'a']", some("", 1)),
            ("[domain-name:value = 'a' AND file:size > 5]", None),
            ("[url:value = 'a'] FOLLOWEDBY [url:value = 'b']", None),
            ("[url:value = 'a'] REPEATS 2 TIMES", None),
            ("[domain-name:value NOT = 'a']", None),
            ("[url:value = 'a", None),
            ("[x:y[*].z = 'a' OR url:value = 'b']", some("b", 1)),
            ("url:value", None),
            ("", some("", 0)),
        ] {
            assert_eq!(found(pattern), wanted, "{pattern}");
        }
    }
}

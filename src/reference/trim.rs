//! Punctuation at the end of a bare URI (B3).

use super::unit::reference;

/// Returns the number of bytes of `text` that are kept. `before` is the byte directly
/// before the URI, `after` the byte after its run. A hyphen is removed from a `telephone`
/// number.
pub fn trimmed_len(text: &[u8], before: Option<u8>, after: Option<u8>, telephone: bool) -> usize {
    let mut text = text;
    if after == Some(b'>') {
        // The end of a comment in markup.
        text = text.strip_suffix(b"--").unwrap_or(text);
    }
    while let [head @ .., last] = text {
        text = match last {
            b';' => kept_reference(text).unwrap_or(head),
            b'.' | b',' | b':' | b'!' | b'?' | b'\'' | b'"' | b'*' => head,
            // An open parenthesis that is last is never closed.
            b'(' => head,
            b'_' | b'~' if before == Some(*last) => head,
            b'&' if head.last() == Some(&b'&') => &head[..head.len() - 1],
            b'-' if telephone => head,
            _ => break,
        };
    }
    text.len()
}

/// B2: returns the start of the `[…]` that ends the path or the fragment of `text`;
/// `authority_end` is where the path begins.
pub fn label_start(text: &[u8], authority_end: usize) -> Option<usize> {
    if text.last() != Some(&b']') {
        return None;
    }
    let mut open = 0;
    let mut at = text.len();
    loop {
        at = at.checked_sub(1).filter(|&at| at >= authority_end)?;
        open += i32::from(text[at] == b']') - i32::from(text[at] == b'[');
        if open == 0 {
            break;
        }
    }
    let before = &text[authority_end..at];
    if before.is_empty() || before.ends_with(b"@") {
        return None; // the host of `sip:`
    }
    if before.contains(&b'#') || !before.contains(&b'?') {
        return Some(at);
    }
    // In a query: at the end of a value.
    let mut value = None;
    for (at, byte) in before.iter().enumerate() {
        match byte {
            b'?' | b'&' | b';' => value = None,
            b'=' if value.is_none() => value = Some(at + 1),
            _ => {}
        }
    }
    (value.is_some() && before.last() != Some(&b'=')).then_some(at)
}

/// B4: returns the text before the character reference at the end of `text`.
pub fn kept_reference(text: &[u8]) -> Option<&[u8]> {
    let least = text.len().saturating_sub(32);
    let at = (least..text.len()).find(|&at| {
        named(&text[at..]) || reference(text, at).is_some_and(|(_, end)| end == text.len())
    })?;
    Some(&text[..at])
}

/// Whether `text` is a reference by one of the names of HTML 4, with its `&` possibly
/// spelled `&amp;`.
fn named(text: &[u8]) -> bool {
    let body = text.strip_prefix(b"&").and_then(|t| t.strip_suffix(b";"));
    let body = body.unwrap_or_default();
    let mut body = body;
    while let Some(rest) = body.strip_prefix(b"amp;") {
        body = rest;
    }
    NAMES
        .split_ascii_whitespace()
        .any(|name| name.as_bytes() == body)
}

/// The names of character references of HTML 4.
const NAMES: &str = "
    Aacute aacute Acirc acirc acute AElig aelig Agrave agrave alefsym Alpha alpha amp and ang
    apos Aring aring asymp Atilde atilde Auml auml bdquo Beta beta brvbar bull cap Ccedil
    ccedil cedil cent Chi chi circ clubs cong copy crarr cup curren Dagger dagger dArr darr
    deg Delta delta diams divide Eacute eacute Ecirc ecirc Egrave egrave empty emsp ensp
    Epsilon epsilon equiv Eta eta ETH eth Euml euml euro exist fnof forall frac12 frac14
    frac34 frasl Gamma gamma ge gt hArr harr hearts hellip Iacute iacute Icirc icirc iexcl
    Igrave igrave image infin int Iota iota iquest isin Iuml iuml Kappa kappa Lambda lambda
    lang laquo lArr larr lceil ldquo le lfloor lowast loz lrm lsaquo lsquo lt macr mdash micro
    middot minus Mu mu nabla nbsp ndash ne ni not notin nsub Ntilde ntilde Nu nu Oacute oacute
    Ocirc ocirc OElig oelig Ograve ograve oline Omega omega Omicron omicron oplus or ordf ordm
    Oslash oslash Otilde otilde otimes Ouml ouml para part permil perp Phi phi Pi pi piv
    plusmn pound Prime prime prod prop Psi psi quot radic rang raquo rArr rarr rceil rdquo
    real reg rfloor Rho rho rlm rsaquo rsquo sbquo Scaron scaron sdot sect shy Sigma sigma
    sigmaf sim spades sub sube sum sup sup1 sup2 sup3 supe szlig Tau tau there4 Theta theta
    thetasym thinsp THORN thorn tilde times trade Uacute uacute uArr uarr Ucirc ucirc Ugrave
    ugrave uml upsih Upsilon upsilon Uuml uuml weierp Xi xi Yacute yacute yen Yuml yuml Zeta
    zeta zwj zwnj
";

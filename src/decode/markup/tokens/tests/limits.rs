//! Tags and texts that are too long for one token.

use super::*;

/// A tag that is too long: its first attributes, and a text up to its `>`.
#[test]
fn long_tags_are_cut() {
    let long = "x".repeat(100);
    let rest = format!("residue:b='{long}>'c>");
    check(
        small_html,
        &format!("<a href=\"d\"b='{long}>'c>e"),
        &format!("<a href=\"d\" cut>|{rest}|e"),
    );
    check(
        small_xml,
        &format!("<a href=\"d\"b='{long}>'c>e"),
        &format!("<a href=\"d\" cut>|{rest}|e"),
    );
    let rest = format!("residue:{long}/>", long = &long[..1]);
    check(
        small_html,
        &format!("<{long}/><b>"),
        &format!("<{} cut>|{rest}|<b>", &long[1..]),
    );
    // The end of the tag and the text after it are those of the Standard.
    let text = format!("<script a='{long}' src=b></script>");
    let rest = format!("residue:a='{long}' src=b>");
    check(small_html, &text, &format!("<script cut>|{rest}|</script>"));
    let text = format!("</script a='{long}'>");
    check(small_html, &text, &format!("</script>|residue:a='{long}'>"));
    let text = format!("<a b='{long}>");
    check(small_html, &text, &format!("<a cut>|residue:b='{long}>"));
    check(
        small_html,
        &format!("<a {}>", " ".repeat(200)),
        &format!("<a cut>|residue:{}>", " ".repeat(201)),
    );
    // The attributes of the part that is read are not searched for in the residue.
    let names: String = ('a'..='z')
        .chain('0'..='9')
        .map(|name| format!(" {name}"))
        .collect();
    check(
        small_html,
        &format!("<a{names} b='{long}'>"),
        &format!("<a{names} cut>|residue:b='{long}'>"),
    );
    // The number of attributes that are kept is limited.
    let mut tokenizer = small_html();
    let many: String = (0..1000).map(|n| format!("{n}/")).collect();
    let (mut most, mut len) = (0, 0);
    read(
        &mut tokenizer,
        format!("<a {many}>").as_bytes(),
        10,
        |t, window, _| {
            most = most.max(t.attributes().len());
            len = len.max(window.len());
        },
    );
    assert!((30..50).contains(&most), "{most}");
    assert!(len <= SMALL.text + 10);
}

/// Long texts are returned in pieces that end before a reference, a mark or a
/// character.
#[test]
fn long_texts_come_in_pieces() {
    const KINDS: [&str; 7] = [
        "rcdata:", "raw:", "script:", "cdata:", "plain:", "doctype:", "!",
    ];
    let limit = SMALL.text;
    let pieces = |new: &dyn Fn() -> HtmlTokenizer, text: &str| {
        let tokens = tokens(new(), text.as_bytes(), usize::MAX);
        for piece in [1, 10, limit, limit + 1] {
            assert_eq!(self::tokens(new(), text.as_bytes(), piece), tokens);
        }
        tokens
    };
    for before in limit - 20..limit + 20 {
        for (text, end) in [
            ("|&amp;é&#x00000000041;", ""),
            ("<title>|&eacute;", "</title>"),
            ("<!--|--b", "-->"),
            ("<!--|--b", "--!>"),
            ("<!-|", ">"),
            ("<!doctype|", ">"),
            ("<script><!--<script></script>-->|</scripts>b", "</script>"),
            ("<script><!--<script>-->|", "</script>"),
            ("<style>|</styl>€", "</style>"),
            ("<svg><![CDATA[|]]", "]]>"),
            ("<plaintext>|😀", ""),
        ] {
            let short = format!("{text}{end}").replace('|', "");
            let whole = tokens(HtmlTokenizer::new(), short.as_bytes(), 9);
            let (mark, inside) = text.split_once('|').unwrap();
            let fill = "y".repeat(before);
            let tokens = pieces(&small_html, &format!("{mark}{fill}{inside}{end}"));
            let mut united: Vec<String> = Vec::new();
            for token in tokens {
                let Some(piece) = token.strip_prefix('…') else {
                    united.push(token);
                    continue;
                };
                let mut kinds = KINDS.iter();
                let piece = kinds.find_map(|kind| piece.strip_prefix(kind));
                let last = united.last_mut().unwrap();
                // No character or reference is divided.
                let open = last.rfind('&').filter(|&at| !last[at..].contains(';'));
                assert_eq!(open, None, "{last}");
                last.push_str(piece.unwrap_or_else(|| &token['…'.len_utf8()..]));
            }
            let united: Vec<String> = united
                .iter()
                .map(|token| token.replace(&fill, ""))
                .collect();
            assert_eq!(united, whole, "{text}{end} with {before}");
        }
    }
    let (xs, kept) = ("é".repeat(limit), |text: &str| text.matches("é").count());
    let tokens = pieces(&small_html, &format!("a{xs}"));
    assert_eq!(tokens.iter().map(|token| kept(token)).sum::<usize>(), limit);
    // An instruction and a declaration of XML.
    let ys = "y".repeat(limit);
    let (first, rest) = ys.split_at(limit - 9);
    let expected = format!("?php:{first}|residue:{rest}?>|<a>");
    check(small_xml, &format!("<?php {ys}?><a>"), &expected);
    let text = format!("<!DOCTYPE a [<!ENTITY b '> {ys}");
    let rest = format!(" {ys}");
    let tokens = self::tokens(small_xml(), text.as_bytes(), 5);
    assert_eq!(
        tokens[..2],
        [
            "doctype: a [<!ENTITY b '".to_owned(),
            rest[..limit - 3].to_owned()
        ]
    );
}

/// The marks of a text that continues a long one are also those of the bytes that were searched
/// with that one.
#[test]
fn marks_of_long_texts() {
    for text in ["&amp;", "a:b", "\u{e9}", "a&b:c;"] {
        for len in SMALL.text - 60..SMALL.text + 20 {
            let text = format!("{}{text}c<b>{text}</b>{text}", "x".repeat(len));
            for piece in [1, 7, 64, 1000] {
                let texts = tokens(small_html(), text.as_bytes(), piece);
                assert!(texts.len() > 3);
            }
        }
    }
}

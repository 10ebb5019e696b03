//! Reads messages of a chat, one a line, from a file or standard input, and prints each as
//! HTML, with its links.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use urisieve::item::IdentifierKind;
use urisieve::{Finder, Match};

/// Appends `text` to `html` with its special characters escaped.
fn escape(text: &str, html: &mut String) {
    for char in text.chars() {
        match char {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '"' => html.push_str("&quot;"),
            _ => html.push(char),
        }
    }
}

fn main() -> io::Result<()> {
    let input: Box<dyn BufRead> = match std::env::args_os().nth(1) {
        Some(path) => Box::new(io::BufReader::new(std::fs::File::open(path)?)),
        None => Box::new(io::stdin().lock()),
    };
    // Every scheme counts before `//`: a page must choose those that it links to.
    let finder = Finder::builder()
        .schemes(["http", "https", "mailto"])
        .abbreviated(true)
        .bare(IdentifierKind::Email)
        .build();
    let mut out = io::stdout().lock();
    let mut html = String::new();
    for message in input.lines() {
        let message = message?;
        html.clear();
        for span in finder.spans(&message) {
            let piece = &message[span.range()];
            let uri = span.found().and_then(|found| found.uri_str());
            if let Some(uri) = uri {
                html.push_str("<a href=\"");
                // An address of mail is found as it is.
                let is_mail = |found: &Match| found.marks().identifier.is_some();
                if span.found().is_some_and(is_mail) {
                    html.push_str("mailto:");
                }
                escape(uri, &mut html);
                html.push_str("\">");
            }
            escape(piece, &mut html);
            if uri.is_some() {
                html.push_str("</a>");
            }
        }
        let _ = writeln!(html);
        out.write_all(html.as_bytes())?;
    }
    Ok(())
}

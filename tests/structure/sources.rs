//! Reads the source files of the crate as tokens: without comments and without items
//! that are marked as test: `#[cfg(test)]`, `#[cfg(all(test, …))]`. It has no types and
//! expands no macros.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub struct Source {
    /// The folder below the root, or the file there.
    pub module: String,
    /// Below the root.
    pub path: PathBuf,
    pub text: String,
    /// `text` without comments and tests.
    pub code: String,
}

/// Every file below `src`, in order of the paths.
pub fn files() -> Vec<Source> {
    files_below("src")
}

/// Every file of the Python package, whose paths are below its `src`.
pub fn files_of_python() -> Vec<Source> {
    files_below("python/src")
}

fn files_below(root: &str) -> Vec<Source> {
    fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, files);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let mut tests: Vec<PathBuf> = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let relative = path.strip_prefix(&root).unwrap().to_owned();
        let module = relative.iter().next().unwrap().to_str().unwrap().to_owned();
        let split = split(&text);
        let folder = folder(&relative);
        tests.extend(split.test_modules.iter().map(|name| folder.join(name)));
        files.push(Source {
            module,
            path: relative,
            text,
            code: split.code,
        });
    }
    for file in &mut files {
        if tests
            .iter()
            .any(|test| folder(&file.path).starts_with(test))
        {
            file.code.clear();
        }
    }
    files
}

/// The folder of the modules that the file at `path` declares.
pub fn folder(path: &Path) -> PathBuf {
    let name = path.file_stem().unwrap();
    if ["mod", "lib", "main"].iter().any(|root| name == *root) {
        path.parent().unwrap().to_owned()
    } else {
        path.with_extension("")
    }
}

pub struct Split {
    pub code: String,
    /// The `x` of each `#[cfg(test)] mod x;`.
    pub test_modules: Vec<String>,
}

/// Leaves out comments and each item or statement that is marked as test.
pub fn split(text: &str) -> Split {
    const MARKS: [&[&str]; 2] = [
        &["#", "[", "cfg", "(", "test", ")"],
        &["#", "[", "cfg", "(", "all", "(", "test", ","],
    ];
    let (tokens, mut left_out) = read(text);
    let mut test_modules = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let words = || tokens[at..].iter().map(|token| token.text);
        let begins = |mark: &&[&str]| words().take(mark.len()).eq(mark.iter().copied());
        if !MARKS.iter().any(begins) {
            at += 1;
            continue;
        }
        let end = end_of_item(&tokens, at);
        let item: Vec<&str> = tokens[at..end].iter().map(|token| token.text).collect();
        if let [.., "mod", name, ";"] = item[..] {
            test_modules.push(name.to_owned());
        }
        left_out.push(tokens[at].start..tokens[end - 1].end());
        at = end;
    }
    left_out.sort_by_key(|range| range.start);
    let mut code = String::new();
    let mut from = 0;
    for range in left_out {
        if from <= range.start {
            code.push_str(&text[from..range.start]);
        }
        from = from.max(range.end);
    }
    code.push_str(&text[from..]);
    Split { code, test_modules }
}

/// The token after the item or statement that begins, with its attributes, at `at`.
fn end_of_item(tokens: &[Token<'_>], mut at: usize) -> usize {
    while tokens[at].text == "#" {
        at = after_group(tokens, at + 1);
    }
    let is_use = tokens[at..]
        .iter()
        .take_while(|token| !["{", ";"].contains(&token.text))
        .any(|token| token.text == "use");
    while at < tokens.len() {
        match tokens[at].text {
            ";" => return at + 1,
            "{" if !is_use => return after_group(tokens, at),
            "{" | "(" | "[" => at = after_group(tokens, at),
            ")" | "]" | "}" => break,
            _ => at += 1,
        }
    }
    panic!("#[cfg(test)] before what is neither an item nor a statement");
}

/// The token after the brackets that open at `at`.
fn after_group(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0;
    for (number, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return number + 1;
        }
    }
    panic!("a bracket is open at the end of the file");
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// `::`, or one character.
    Sign,
    /// A string, a character, a lifetime or a number.
    Literal,
}

#[derive(Clone, Copy)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    start: usize,
}

impl Token<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

pub fn tokens(code: &str) -> Vec<Token<'_>> {
    read(code).0
}

/// The tokens of `text`, and where its comments are.
fn read(text: &str) -> (Vec<Token<'_>>, Vec<Range<usize>>) {
    let (mut tokens, mut comments) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let (kind, len) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") || rest.starts_with("/*") {
            let len = comment(rest);
            comments.push(at..at + len);
            at += len;
            continue;
        } else if let Some(len) = string(rest) {
            (Kind::Literal, len)
        } else if first == '\'' {
            (Kind::Literal, quote(rest))
        } else if first.is_ascii_digit() {
            (Kind::Literal, word)
        } else if is_word(first) {
            (Kind::Word, word)
        } else if rest.starts_with("::") {
            (Kind::Sign, 2)
        } else {
            (Kind::Sign, first.len_utf8())
        };
        tokens.push(Token {
            kind,
            text: &rest[..len],
            start: at,
        });
        at += len;
    }
    (tokens, comments)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn comment(rest: &str) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of the string that begins here, raw or not.
fn string(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""];
    let (marks, raw) = prefix.iter().find_map(|prefix| {
        let after = rest.strip_prefix(prefix)?;
        let marks = after.len() - after.trim_start_matches('#').len();
        let raw = prefix.ends_with('r');
        let opens = after[marks..].starts_with('"') && (raw || marks == 0);
        opens.then_some((prefix.len() + marks, raw.then_some(marks)))
    })?;
    let body = marks + 1;
    if let Some(marks) = raw {
        let close = format!("\"{}", "#".repeat(marks));
        return Some(body + rest[body..].find(&close)? + close.len());
    }
    let mut escaped = false;
    let end = rest[body..].find(|c| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    });
    Some(body + end? + 1)
}

/// The length of the character or the lifetime that begins here.
fn quote(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    let (_, first) = chars.next().unwrap();
    let (second, next) = chars.next().unwrap();
    if first == '\\' {
        // The escaped character may be a quote itself.
        let from = second + next.len_utf8();
        from + rest[from..].find('\'').unwrap() + 1
    } else if next == '\'' {
        second + 1
    } else {
        let name = rest[1..].find(|c: char| !is_word(c));
        1 + name.unwrap_or(rest.len() - 1)
    }
}

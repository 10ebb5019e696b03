//! What was probably meant: a command that was mistyped, or an option that another
//! command has.

use super::args::Args;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::path::Path;

/// The names of the commands.
pub(super) fn commands() -> Vec<String> {
    let command = <Args as CommandFactory>::command();
    let names = command.get_subcommands();
    names.map(|name| name.get_name().to_owned()).collect()
}

/// The command that `word` is close to, when it names no file.
pub(super) fn command(word: &Path) -> Option<String> {
    let typed = word.to_str()?.to_lowercase();
    let is_word = typed.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_word || word.symlink_metadata().is_ok() {
        return None;
    }
    let most = if typed.len() < 5 { 1 } else { 2 };
    let names = commands().into_iter();
    let near = names.map(|name| (distance(typed.as_bytes(), name.as_bytes()), name));
    near.filter(|&(distance, _)| distance <= most)
        .min()
        .map(|(_, name)| name)
}

/// The tip for arguments that `error` refuses, when it is better than the one it has.
pub(super) fn tip(error: &clap::Error, typed: &[OsString]) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let names = commands();
    let words = typed.iter().skip(1).map(Path::new);
    let mut words = words.filter(|word| !word.as_os_str().as_encoded_bytes().starts_with(b"-"));
    let is_command = |word: &Path| names.iter().any(|name| word.as_os_str() == name.as_str());
    match typed.get(1) {
        Some(first) if is_command(Path::new(first)) => {}
        _ => {
            if let Some(name) = words.find_map(command) {
                return Some(format!("did you mean the command '{name}'?"));
            }
        }
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if error.get(ContextKind::SuggestedArg).is_some() {
        return None;
    }
    let long = option.strip_prefix("--")?;
    let command = <Args as CommandFactory>::command();
    let having = command.get_subcommands().filter(|command| {
        let mut options = command.get_arguments();
        options.any(|option| option.get_long() == Some(long))
    });
    let having: Vec<&str> = having.map(clap::Command::get_name).collect();
    match having.is_empty() {
        true => None,
        false => Some(format!("'{option}' is an option of {}", having.join(", "))),
    }
}

/// How many letters are to be changed, added, left out, or exchanged with the next one.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, wanted) in [
            ("", "", 0),
            ("dedup", "dedup", 0),
            ("dedpu", "dedup", 1),
            ("dedupe", "dedup", 1),
            ("normalise", "normalize", 1),
            ("format", "formats", 1),
            ("abc", "", 3),
        ] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), wanted, "{a} {b}");
        }
    }

    #[test]
    fn only_what_is_close_and_no_file() {
        for (word, wanted) in [
            ("dedpu", Some("dedup")),
            ("Explian", Some("explain")),
            ("hepl", Some("help")),
            ("dedup.txt", None),
            ("./dedup", None),
            ("src", None),
            ("access", None),
        ] {
            assert_eq!(command(Path::new(word)).as_deref(), wanted, "{word}");
        }
    }
}

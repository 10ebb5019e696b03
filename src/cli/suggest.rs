//! Suggestions: a command that was mistyped, or an option that another command has.

use crate::cli::args::Args;
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

/// Returns the command that `word` resembles, unless `word` names a file.
pub(super) fn command(word: &Path) -> Option<String> {
    let typed = word.to_str()?.to_lowercase();
    let is_word = typed.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_word || word.symlink_metadata().is_ok() {
        return None;
    }
    let most = if typed.len() < 5 { 1 } else { 2 };
    let names = commands().into_iter();
    let near = names.map(|name| (strsim::osa_distance(&typed, &name), name));
    near.filter(|&(distance, _)| distance <= most)
        .min()
        .map(|(_, name)| name)
}

/// Returns a tip for rejected arguments, when there is a better one than clap's.
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
    let mut command = <Args as CommandFactory>::command();
    // Their flags are defined only then.
    command.build();
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

#[cfg(test)]
mod tests {
    use super::*;

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

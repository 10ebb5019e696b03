//! The help of the program: `--help` has the commands in groups, `-h` fits a screen of 24
//! lines by 80. The help of a command is clap's.

use crate::cli::args::Args;
use clap::builder::StyledStr;
use clap::{Command, CommandFactory};
use std::fmt::Write;
use std::io;

/// The groups of commands: each begins with this command, in the order of their definition, and
/// has this title.
const GROUPS: [(&str, &str); 4] = [
    ("extract", "Search"),
    ("normalize", "Lists"),
    ("catalog", "Catalogues"),
    ("explain", "Explanations"),
];

/// The options that fit a screen.
const SHOWN: [&str; 10] = [
    "all", "count", "json", "output", "threads", "level", "scheme", "host", "help", "version",
];

/// Prints a help or a version; that of the program in its own layout.
///
/// # Errors
/// Standard output cannot be written.
pub(super) fn print(asked: &clap::Error) -> io::Result<()> {
    let text = asked.render().to_string();
    let mut program = <Args as CommandFactory>::command();
    let is = |help: StyledStr| help.to_string() == text;
    let (flag, program) = if is(program.render_help()) {
        ("-h", short(program))
    } else if is(program.render_long_help()) {
        ("--help", long(program))
    } else {
        return asked.print();
    };
    match program.try_get_matches_from(["urisieve", flag]) {
        Err(help) => help.print(),
        Ok(_) => Ok(()),
    }
}

/// The commands of each group.
fn groups(program: &Command) -> Vec<(&'static str, Vec<&Command>)> {
    let mut groups: Vec<(&str, Vec<&Command>)> = Vec::new();
    for command in program.get_subcommands().filter(|one| !one.is_hide_set()) {
        let begins = GROUPS
            .iter()
            .find(|(first, _)| *first == command.get_name());
        if let Some((_, title)) = begins {
            groups.push((title, Vec::new()));
        }
        if let Some((_, commands)) = groups.last_mut() {
            commands.push(command);
        }
    }
    groups
}

/// The lines above the commands: the purpose of the program, and how to call it.
const ABOVE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n";

/// The program with the help of `-h`.
fn short(program: Command) -> Command {
    let header = *program.get_styles().get_header();
    let mut commands = String::new();
    for (title, group) in groups(&program) {
        let names: Vec<&str> = group.iter().map(|command| command.get_name()).collect();
        let title = format!("{title}:");
        let _ = writeln!(
            commands,
            "{header}{title}{header:#}{:1$} {2}",
            "",
            13_usize.saturating_sub(title.len()),
            names.join(", ")
        );
    }
    program
        .mut_args(|arg| {
            let is_shown = SHOWN.contains(&arg.get_id().as_str());
            arg.hide_short_help(!is_shown)
        })
        .help_template(format!(
            "{ABOVE}{commands}\n{header}Options:{header:#}\n{{options}}{{after-help}}"
        ))
}

/// The program with the help of `--help`.
fn long(program: Command) -> Command {
    let styles = program.get_styles();
    let (header, literal) = (*styles.get_header(), *styles.get_literal());
    let mut commands = String::new();
    for (title, group) in groups(&program) {
        let _ = writeln!(commands, "{header}{title}:{header:#}");
        for command in group {
            let name = command.get_name();
            let about = command
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            let _ = writeln!(
                commands,
                "  {literal}{name}{literal:#}{:1$} {about}",
                "",
                10_usize.saturating_sub(name.len())
            );
        }
        commands.push('\n');
    }
    program
        .mut_subcommands(|command| command.hide(true))
        .help_template(format!("{ABOVE}{commands}{{all-args}}{{after-help}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Command {
        <Args as CommandFactory>::command().term_width(80)
    }

    #[test]
    fn the_short_help_fits_a_screen() {
        let help = short(program()).render_help().to_string();
        assert!(help.lines().count() <= 24, "{help}");
        assert!(
            help.lines().all(|line| line.chars().count() <= 80),
            "{help}"
        );
        for id in SHOWN {
            assert!(help.contains(&format!("--{id}")), "{id}");
        }
    }

    #[test]
    fn every_command_is_in_a_group_and_every_group_has_commands() {
        let program = program();
        let groups = groups(&program);
        let titles: Vec<&str> = groups.iter().map(|(title, _)| *title).collect();
        assert_eq!(titles, GROUPS.map(|(_, title)| title));
        let help = long(self::program()).render_long_help().to_string();
        for command in program.get_subcommands().filter(|one| !one.is_hide_set()) {
            let line = format!("\n  {} ", command.get_name());
            assert_eq!(help.matches(&line).count(), 1, "{line}");
        }
        assert!(help.contains("\nExit codes: "));
    }
}

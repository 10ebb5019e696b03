//! The manual page and the completions of shells, made from the flags.

use super::args::{Args, Generate};
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::{self, Write};

/// Prints what was asked for.
///
/// # Errors
/// Those of standard output.
pub(super) fn print(what: Generate) -> io::Result<()> {
    let mut command = <Args as CommandFactory>::command();
    let mut out = Vec::new();
    match what {
        Generate::Man => {
            // A flag that the short help leaves out would stand there without a word.
            let command = command.mut_args(|arg| arg.hide_short_help(false));
            clap_mangen::Man::new(command).render(&mut out)?;
        }
        Generate::CompleteBash => complete(Shell::Bash, &mut command, &mut out),
        Generate::CompleteZsh => complete(Shell::Zsh, &mut command, &mut out),
        Generate::CompleteFish => complete(Shell::Fish, &mut command, &mut out),
        Generate::CompletePowershell => complete(Shell::PowerShell, &mut command, &mut out),
    }
    io::stdout().write_all(&out)
}

fn complete(shell: Shell, command: &mut clap::Command, out: &mut Vec<u8>) {
    clap_complete::generate(shell, command, "urisieve", out);
}

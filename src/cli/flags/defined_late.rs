//! The flags of a command, defined only when the command is run or its help is printed: most
//! runs need those of one command, and defining all of them takes as long as the rest of the
//! start.

use clap::builder::Resettable;
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// The arguments of a command that are defined when they are needed.
#[derive(Debug)]
pub(in crate::cli) struct DefinedLate<T>(pub T);

impl<T: Args> Args for DefinedLate<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(defined::<T>)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

/// Defines the arguments. What the line of the command says of it in the list of commands goes
/// before what its arguments say.
fn defined<T: Args>(command: Command) -> Command {
    let (about, long) = (command.get_about(), command.get_long_about());
    let (about, long) = (about.cloned(), long.cloned());
    let after = command.get_after_long_help().cloned();
    let command = T::augment_args(command);
    let command = match about {
        Some(about) => command
            .about(about)
            .long_about(long.map_or(Resettable::Reset, Resettable::Value)),
        None => command,
    };
    match after {
        Some(after) => command.after_long_help(after),
        None => command,
    }
}

impl<T: FromArgMatches> FromArgMatches for DefinedLate<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<DefinedLate<T>, Error> {
        T::from_arg_matches(matches).map(DefinedLate)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<DefinedLate<T>, Error> {
        T::from_arg_matches_mut(matches).map(DefinedLate)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }

    fn update_from_arg_matches_mut(&mut self, matches: &mut ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches_mut(matches)
    }
}

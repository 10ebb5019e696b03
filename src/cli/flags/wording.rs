//! The wording of shared flags: the definition of the flag has the text of
//! most commands.

use clap::Arg;
use clap::builder::{Resettable, StyledStr};

/// Shows a flag in the short help of a command that has few flags.
pub(in crate::cli) fn shown(arg: Arg) -> Arg {
    arg.hide_short_help(false)
}

/// Replaces the text of a flag; `more` is added in the long help, if there is any.
pub(in crate::cli) fn worded(arg: Arg, text: &'static str, more: &'static str) -> Arg {
    let long = match more {
        "" => Resettable::Reset,
        more => Resettable::Value(format!("{text}\n\n{more}").into()),
    };
    arg.help(text).long_help(long)
}

/// Puts what only this command says of a flag before the rest of the long help.
pub(in crate::cli) fn worded_first(arg: Arg, first: &'static str) -> Arg {
    let text = |text: Option<&StyledStr>| text.map(ToString::to_string);
    let (short, long) = (text(arg.get_help()), text(arg.get_long_help()));
    let short = short.unwrap_or_default();
    let long = long.unwrap_or_default();
    let rest = long.strip_prefix(&*short).unwrap_or(&long).trim_start();
    arg.long_help(format!("{short}\n\n{first} {rest}"))
}

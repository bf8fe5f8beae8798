//! What is wrong with arguments, said from what clap has found out, and how the program ends then.

use std::error::Error;
use std::fs;
use std::num::{IntErrorKind, ParseIntError};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use sokudo_words::{Text, text};

use crate::{exit, invocation};

/// A whole number within bounds.
pub fn whole_number(
    bounds: std::ops::RangeInclusive<u32>,
) -> impl Fn(&str) -> Result<u32, Text> + Clone {
    move |text: &str| {
        let number = text.parse().ok().filter(|number| bounds.contains(number));
        let (least, most) = (bounds.start(), bounds.end());
        number.ok_or_else(|| text!("use a whole number from {least} to {most}"))
    }
}

/// Help and version are printed; a wrong argument becomes one line and code 2.
pub fn end_with(error: &clap::Error) -> u8 {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let to_error = error.use_stderr();
        let text = error.render().to_string();
        // A reader that has seen enough, such as `head`, is no failure.
        let _ = match to_error {
            // clap finds out whether the process's terminal is to have colours.
            _ if invocation::current().is_of_process() => error.print(),
            true => invocation::write_error(text.as_bytes()),
            false => invocation::write_output(text.as_bytes()),
        };
        return if to_error { 2 } else { 0 };
    }
    exit::fault(mistake(error));
    2
}

/// What is wrong, and what may have been meant.
pub fn mistake(error: &clap::Error) -> Text {
    let mut parts = vec![what(error)];
    parts.extend(alike(error));
    if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested)
        && parts.len() == 1
    {
        parts.extend(tips.iter().map(|tip| way_out(&tip.to_string())));
    }
    Text::list(parts, "; ")
}

fn what(error: &clap::Error) -> Text {
    let argument = names(error, ContextKind::InvalidArg);
    let value = names(error, ContextKind::InvalidValue);
    let command = names(error, ContextKind::InvalidSubcommand);
    match error.kind() {
        ErrorKind::InvalidUtf8 => {
            text!(
                "an argument is not UTF-8; sokudo accepts that only for the path to measure. Make a link to that file (ln -s), and name the link"
            )
        }
        ErrorKind::ArgumentConflict => match names(error, ContextKind::PriorArg) {
            other if other == argument => {
                text!("the argument '{argument}' cannot be used multiple times")
            }
            other if command.is_empty() => {
                text!("the argument '{argument}' cannot be used with '{other}'")
            }
            other => text!("the command '{command}' cannot be used with '{other}'"),
        },
        ErrorKind::NoEquals => {
            text!("equal sign is needed when assigning values to '{argument}'")
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            text!("a value is required for '{argument}' but none was supplied")
        }
        ErrorKind::InvalidValue => {
            let known = names(error, ContextKind::ValidValue);
            text!("invalid value '{value}' for '{argument}': use one of {known}")
        }
        ErrorKind::ValueValidation => match error.source() {
            Some(cause) => {
                let cause = of_number(cause).unwrap_or_else(|| text!("{cause}"));
                text!("invalid value '{value}' for '{argument}': {cause}")
            }
            None => text!("invalid value '{value}' for '{argument}'"),
        },
        ErrorKind::InvalidSubcommand => text!("there is no command '{command}'"),
        ErrorKind::MissingRequiredArgument => text!("required arguments are missing: {argument}"),
        ErrorKind::MissingSubcommand => {
            let known = names(error, ContextKind::ValidSubcommand);
            text!("'{command}' needs a command after it: use one of {known}")
        }
        ErrorKind::TooManyValues => {
            text!("unexpected value '{value}' for '{argument}' found; no more were expected")
        }
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            text!("'{argument}' needs more values")
        }
        ErrorKind::UnknownArgument => text!("unexpected argument '{argument}' found"),
        // Whatever else there is has no names in it.
        kind => Text::name(kind.to_string()),
    }
}

/// What was to be a whole number and is none.
fn of_number(cause: &(dyn Error + 'static)) -> Option<Text> {
    let cause = cause.downcast_ref::<ParseIntError>()?;
    Some(match cause.kind() {
        IntErrorKind::PosOverflow => text!("the number is too large"),
        _ => text!("use a whole number, such as 1000"),
    })
}

/// What other tools and other commands call it, and what it is called here.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("note", "edit"),
    ("tag", "edit"),
    ("label", "edit"),
    ("--bs", "sokudo mark --row RND4K"),
    ("--estimate", "--dry-run"),
    ("--interval", "--pause"),
    ("--json", "--format json"),
    ("--plot-theme", "--theme"),
    ("--time-max", "--max-time"),
    ("--trim", "sokudo quick --trim"),
];

/// What is called nearly so.
fn alike(error: &clap::Error) -> Option<Text> {
    let wrong = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let wrong = wrong.map(|kind| names(error, kind));
    if let Some((_, name)) = OTHER_NAMES
        .iter()
        .find(|(other, _)| wrong.iter().any(|it| it == other))
    {
        return Some(text!("use {name}"));
    }
    if let [_, command] = &wrong
        && command.strip_suffix([':', '\\']).is_some()
    {
        return Some(text!(
            "Linux has no drive letters: name a directory, or a disk by its path, such as /dev/sdb (sokudo info lists them)"
        ));
    }
    if let [_, disk] = &wrong
        && fs::metadata(Path::new("/dev").join(disk))
            .is_ok_and(|it| it.file_type().is_block_device())
    {
        return Some(text!("for the disk of that name: sokudo checkup {disk}"));
    }
    let alike = |kind| Some(names(error, kind)).filter(|names| !names.is_empty());
    if let Some(names) = alike(ContextKind::SuggestedSubcommand) {
        return Some(text!("a similar command exists: {names}"));
    }
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    if let [_, run] = &wrong
        && !run.is_empty()
        && usage.is_some_and(|it| it.contains("sokudo baseline"))
    {
        return Some(text!("to compare with a run: sokudo baseline set {run}"));
    }
    if let Some(name) = alike(ContextKind::SuggestedArg) {
        return Some(text!("a similar argument exists: {name}"));
    }
    let name = alike(ContextKind::SuggestedValue)?;
    Some(text!("a similar value exists: {name}"))
}

/// What clap proposes: the names in it stand in quotes, in this order.
fn way_out(tip: &str) -> Text {
    let names: Vec<&str> = tip.split('\'').skip(1).step_by(2).collect();
    match names[..] {
        [name] => text!("'{name}' exists"),
        [name, "--"] => text!("'{name}' is a command; to use it, remove the '--' before it"),
        [value, line] => text!("to pass '{value}' as a value, use '{line}'"),
        _ => Text::name(tip),
    }
}

/// The names that clap keeps of something, one behind the other; empty where it keeps none.
fn names(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(name)) => name.clone(),
        Some(ContextValue::Strings(names)) => names.join(", "),
        _ => String::new(),
    }
}

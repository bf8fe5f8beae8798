//! The forms of the page. Which methods and options it offers is said here, and what no form has
//! reaches no command line: nothing that destroys, overwrites or names where results go. What an
//! option is, the command line says.

use std::any::TypeId;

use clap::{Arg, ArgAction};
use sokudo_model::{Bytes, Nanos};
use sokudo_page::{MethodForm, OptionForm, OptionKind, TargetForm};
use sokudo_terminal::definition::{self, spoken};
use sokudo_words::Language;

/// A method, its label, its command, and its options in the order of the form. `=` parts an option
/// from the values that are offered, `|` one of them from the next.
type Offered = (
    &'static str,
    &'static str,
    TargetForm,
    &'static [&'static str],
);

/// Those that a method has of them stand behind its own.
const OF_EVERY_METHOD: [&str; 6] = [
    "precision",
    "max-time",
    "spread-over",
    "seed",
    "pages",
    "label",
];

/// Disks of files alone. Values that carry options for programs, and methods of one's own, are for
/// the command line: they could reach whatever root can.
const MATRIX: &[&str] = &[
    "loop=2x1GiB|1x1GiB|2x4GiB|4x1GiB|4x4GiB",
    "fs=ext2|ext3|ext4|xfs|btrfs|jfs|zfs|f2fs",
    "raid=none|0|1|5|10",
    "mount=defaults|noatime",
    "ageing=fresh|30%|60%",
    "method=mark --size=256MiB --runs=3|mark --size=256MiB --runs=3 --profile=nvme|quick --size=256MiB",
    "blocks",
    "max-time",
    "seed",
];

#[rustfmt::skip]
const OFFERED: [Offered; 13] = [
    ("mark", "Mark", TargetForm::Needed, &[
        "profile=default|nvme|flash|peak|real|demo|classic|durable", "size", "runs", "row", "mix",
        "read-only", "write-only", "time", "data", "schedule", "interval", "engine", "polled", "depth",
        "threads", "direct", "exact-clock", "rate", "poisson",
    ]),
    ("scan", "Surface", TargetForm::Needed, &[
        "full", "gnome", "hdtune=fast|faster|medium|normal|accurate", "points", "sample",
        "short-stroke", "from", "to", "shuffle", "access-count", "access-size", "random", "extra",
        "size", "write", "block", "depth", "runs", "engine", "direct",
    ]),
    ("sweep", "Sweep", TargetForm::Needed, &[
        "minitool", "from", "to", "sizes", "length", "depths", "threads", "random", "read-only",
        "write-only", "data", "verify", "direct", "write-through", "time", "runs", "cool-down",
    ]),
    ("quick", "Quick", TargetForm::Needed, &[
        "test=cached|buffered|direct|write", "size", "bytes", "data", "runs", "pause", "trim", "time",
    ]),
    ("load", "Load", TargetForm::Needed, &[
        "row", "limit", "beside", "size", "linear", "time", "runs",
    ]),
    ("steady", "Steady", TargetForm::Needed, &[
        "test", "enterprise", "sizes", "mixes", "size", "active-range", "purge", "precondition",
        "round-time", "rounds-max", "time-max", "engine", "direct",
    ]),
    ("explain", "Explain", TargetForm::Needed, &[
        "only=zones|rotation|seek|read-cache|write-cache|shingles|map|parity|fast-cells|capacity",
        "full", "size", "engine", "direct",
    ]),
    ("assess", "Assess", TargetForm::Needed, &["size", "time", "runs"]),
    ("fit", "Fit", TargetForm::Needed, &["what", "time", "runs"]),
    ("peak", "Peak", TargetForm::Needed, &["row", "size", "max-threads", "max-depth", "time", "runs"]),
    ("check", "Check", TargetForm::Optional, &["method", "min-difference", "wait-idle", "anyway"]),
    ("matrix", "File systems", TargetForm::Folder, MATRIX),
    ("job", "fio job", TargetForm::Job, &["runs", "section", "lenient", "readonly"]),
];

/// What a disk is asked for unasked: a word of the command line that cannot be left out.
const ASKED_FOR: &str = "etcd";

/// All methods, in the order in which the page offers them, in a language.
pub(crate) fn methods(language: Language) -> Vec<MethodForm> {
    let cli = definition::made();
    let say = spoken::exactly(language);
    let forms = OFFERED.into_iter().map(|(name, label, target, offered)| {
        let command = match target {
            TargetForm::Job => "run",
            _ => name,
        };
        let known = cli.find_subcommand(command);
        let known = known.expect("the command line has all methods");
        let own = offered.iter().map(|it| option(known, it, &say));
        let own = own.map(|it| it.expect("its command has every option"));
        let of_every_method = OF_EVERY_METHOD.iter().filter(|_| name != "matrix");
        let of_every_method = of_every_method.filter_map(|it| option(known, it, &say));
        let about = known.get_about().map(ToString::to_string);
        MethodForm {
            name,
            command,
            label: language.word(label).to_owned(),
            about: say(&about.unwrap_or_default()),
            target,
            options: own.chain(of_every_method).collect(),
        }
    });
    forms.collect()
}

/// An option as its command describes it; `None` where it has none of that name.
fn option(
    command: &clap::Command,
    offered: &str,
    say: &impl Fn(&str) -> String,
) -> Option<OptionForm> {
    let (name, values) = offered.split_once('=').unwrap_or((offered, ""));
    let is_it = |it: &&Arg| it.get_long().unwrap_or(it.get_id().as_str()) == name;
    let argument = command.get_arguments().find(is_it)?;
    let help = argument.get_help().map(ToString::to_string);
    let help = help.unwrap_or_default();
    let known = argument.get_possible_values();
    let choices: Vec<String> = match values {
        _ if !argument.get_action().takes_values() => Vec::new(),
        "" => known.iter().map(|it| it.get_name().to_owned()).collect(),
        values => values.split('|').map(str::to_owned).collect(),
    };
    let kind = kind(argument, !choices.is_empty());
    let position = argument.is_positional();
    // The command chooses no disks and no method unasked.
    let is_own_default = command.get_name() == "matrix" && kind == OptionKind::Choice;
    let default = match position {
        true => ASKED_FOR.to_owned(),
        false if is_own_default => choices[0].clone(),
        false => unasked(argument, &help),
    };
    Some(OptionForm {
        name: name.to_owned(),
        kind,
        default,
        label: label(&help, say),
        choices,
        position,
        is_own_default,
    })
}

fn kind(argument: &Arg, has_choices: bool) -> OptionKind {
    let is = |id: TypeId| argument.get_value_parser().type_id() == id;
    let names = argument.get_value_names().unwrap_or_default();
    match argument.get_action() {
        ArgAction::Append => OptionKind::Repeated,
        action if !action.takes_values() => OptionKind::Flag,
        _ if has_choices => OptionKind::Choice,
        _ if is(TypeId::of::<Bytes>()) => OptionKind::Size,
        _ if is(TypeId::of::<Nanos>()) => OptionKind::Time,
        // A share is read as a number of thousandths.
        _ if names.iter().any(|name| name.contains('%')) => OptionKind::Text,
        _ if is(TypeId::of::<u32>()) || is(TypeId::of::<u64>()) => OptionKind::Number,
        _ => OptionKind::Text,
    }
}

/// What holds where nothing is given: as the option has it, or as its help says.
fn unasked(argument: &Arg, help: &str) -> String {
    if let Some(value) = argument.get_default_values().first() {
        return value.to_string_lossy().into_owned();
    }
    let told = help.split_once("[default: ").map_or("", |(_, told)| told);
    let told = told.split([',', ']', ';']).next();
    told.unwrap_or_default().to_owned()
}

/// What help says first; behind what another option must be given for.
fn label(help: &str, say: &impl Fn(&str) -> String) -> String {
    const ENDS: [char; 9] = [',', ':', '：', ';', '；', '(', '（', '[', '。'];
    let said = say(help);
    let mut clauses = said.split(ENDS).map(str::trim);
    let clause = clauses.nth(usize::from(help.starts_with("With --")));
    let clause = clause.and_then(|it| it.split(" such as").next());
    clause.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;

//! The forms of the page. Which options it offers each method says, and what no form has reaches no
//! command line: nothing that destroys, overwrites or names where results go. What an option is, the
//! command line says.

use std::any::TypeId;

use clap::{Arg, ArgAction};
use sokudo_analysis::Means;
use sokudo_methods::declared::PageForm;
use sokudo_methods::{commands, matrix};
use sokudo_model::{Bytes, Nanos};
use sokudo_page::{MethodForm, MethodList, OptionForm, OptionKind, TargetForm};
use sokudo_terminal::definition::{self, groups, spoken};
use sokudo_words::Language;

/// Of a command that is no method.
const CHECK: PageForm = PageForm {
    rank: 11,
    target: TargetForm::Optional,
    options: "method, min-difference, wait-idle, anyway",
};

/// Those that a method has of them stand behind its own.
const OF_EVERY_METHOD: [&str; 6] = [
    "precision",
    "max-time",
    "spread-over",
    "seed",
    "pages",
    "label",
];

/// What a disk is asked for unasked: a word of the command line that cannot be left out.
const QUESTION: &str = "etcd";

/// All methods, and what kept runs call theirs, in a language.
pub(crate) fn list(language: Language) -> MethodList {
    MethodList {
        forms: methods(language),
        names: commands::kinds().map(|kind| kind.name).collect(),
        remedies: Means::ALL.map(|it| (it.code(), it.name())).into(),
    }
}

/// All methods, in the order in which the page offers them, in a language.
pub(crate) fn methods(language: Language) -> Vec<MethodForm> {
    let cli = definition::made();
    let say = spoken::exactly(language);
    let others = [("check", CHECK), ("matrix", matrix::FORM)];
    let others = others.map(|(command, form)| (command.to_owned(), form));
    let mut forms: Vec<_> = commands::forms().chain(others).collect();
    forms.sort_by_key(|(command, form)| (groups::of(command), form.rank));
    let forms = forms.into_iter().map(|(command, form)| {
        let name = match form.target {
            TargetForm::Job => "job".to_owned(),
            _ => command.clone(),
        };
        let group = groups::of(&command).map_or("", |(_, title)| title);
        let known = cli.find_subcommand(&command);
        let known = known.expect("the command line has all methods");
        let own = form.options.split(", ").map(|it| option(known, it, &say));
        let own = own.map(|it| it.expect("its command has every option"));
        let of_every_method = OF_EVERY_METHOD.iter().filter(|_| name != "matrix");
        let of_every_method = of_every_method.filter_map(|it| option(known, it, &say));
        let options = own.chain(of_every_method).collect();
        let about = known.get_about().map(ToString::to_string);
        MethodForm {
            name,
            command,
            group: language.word(group).to_owned(),
            about: say(&about.unwrap_or_default()),
            target: form.target,
            options,
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
        true => QUESTION.to_owned(),
        false if is_own_default => choices[0].clone(),
        false => default_value(argument, &help),
    };
    Some(OptionForm {
        name: name.to_owned(),
        kind,
        default,
        label: spoken::label(&help, say),
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
fn default_value(argument: &Arg, help: &str) -> String {
    if let Some(value) = argument.get_default_values().first() {
        return value.to_string_lossy().into_owned();
    }
    let default_text = help.split_once("[default: ").map_or("", |(_, rest)| rest);
    let default_text = default_text.split([',', ']', ';']).next();
    default_text.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;

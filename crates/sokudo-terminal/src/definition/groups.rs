//! The help of the program itself: its commands in groups, on one screen.

use clap::Command;
use clap::builder::Styles;

use super::spoken::{Speaker, wrapped};

/// Groups and their commands in the order of help. Of the last two only the names are listed.
pub const GROUPS: [(&str, &[&str]); 6] = [
    ("Is it OK?", &["checkup", "fit", "burn-in", "slow"]),
    (
        "Measure",
        &[
            "mark", "quick", "scan", "explain", "fill", "sweep", "load", "peak", "steady",
            "bonnie", "run",
        ],
    ),
    (
        "Compare",
        &[
            "compare", "baseline", "check", "trend", "matrix", "together",
        ],
    ),
    ("Look", &["page", "info", "list", "show", "import"]),
    ("As other tools", &["fio", "diskspd", "hdparm"]),
    (
        "More",
        &["prepare", "edit", "delete", "clean", "completions", "man"],
    ),
];
const NAMES_ONLY: [&str; 2] = ["As other tools", "More"];
/// Columns before what a command does: two, the longest name, two.
const INDENT: usize = 12;

/// The heading under which help has a command, and its index among the others; `None` of one in no group.
pub fn of(name: &str) -> Option<(usize, &'static str)> {
    let mut groups = GROUPS.iter().enumerate();
    groups.find_map(|(index, (title, names))| names.contains(&name).then_some((index, *title)))
}

/// The command with its groups in the place of one flat list.
pub fn grouped(command: Command, width: usize, speaker: &mut impl Speaker) -> Command {
    let header = Styles::default().get_header().to_owned();
    let groups = GROUPS.iter().map(|(title, names)| {
        let below = match NAMES_ONLY.contains(title) {
            true => format!("  {}\n", names.join("  ")),
            false => below(&command, names, width, speaker),
        };
        format!("{header}{}{header:#}\n{below}", speaker.say(title))
    });
    let groups = groups.collect::<Vec<_>>().join("\n");
    let [usage, options] = ["Usage", "Options"].map(|title| speaker.say(title));
    let help = speaker.say("sokudo help COMMAND explains a command, with examples.");
    command.help_template(format!(
        "{{about-with-newline}}\n{header}{usage}:{header:#} {{usage}}\n\n{groups}\n\
         {header}{options}:{header:#}\n{{options}}\n\n{help}\n"
    ))
}

/// The commands of a group.
fn below(command: &Command, names: &[&str], width: usize, speaker: &mut impl Speaker) -> String {
    let commands = names.iter().filter_map(|it| command.find_subcommand(it));
    let lines = commands.map(|it| {
        let about = it.get_about().map(ToString::to_string).unwrap_or_default();
        let about = speaker.say(&about).replace('\n', " ");
        let about = wrapped(&about, width.saturating_sub(INDENT).max(INDENT));
        let about = about.replace('\n', &format!("\n{:INDENT$}", ""));
        format!(
            "  {:<columns$}{about}\n",
            it.get_name(),
            columns = INDENT - 2
        )
    });
    lines.collect()
}

/// The command with all below it in the order of help.
pub fn ordered(command: Command) -> Command {
    let names = || GROUPS.iter().flat_map(|(_, names)| *names);
    command.mut_subcommands(|it| match names().position(|name| *name == it.get_name()) {
        Some(at) => it.display_order(at),
        None => it,
    })
}

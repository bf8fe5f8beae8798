//! The help of the program itself: its commands in groups, on one screen.

use clap::Command;
use clap::builder::Styles;

use unicode_width::UnicodeWidthStr;

use super::spoken::{Speaker, wrapped};

/// Groups and their commands in the order of help.
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
/// What the one screen of help describes; of all others it has the names.
const DESCRIBED: [&str; 9] = [
    "checkup", "burn-in", "mark", "quick", "scan", "compare", "matrix", "page", "info",
];
/// What the one screen says of options.
const OPTIONS: &str = "--lang CODE  --help  --version";

/// The heading under which help has a command, and its index among the others; `None` of one in no group.
pub fn of(name: &str) -> Option<(usize, &'static str)> {
    let mut groups = GROUPS.iter().enumerate();
    groups.find_map(|(index, (title, names))| names.contains(&name).then_some((index, *title)))
}

/// The command with its groups in the place of one flat list: each command described, or what fits
/// on a screen of 24 lines.
pub fn grouped(command: Command, width: usize, is_all: bool, speaker: &mut Speaker<'_>) -> Command {
    let header = Styles::default().get_header().to_owned();
    let is_described = |name: &&&str| is_all || DESCRIBED.contains(*name);
    let mut groups = String::new();
    let names = GROUPS.iter().flat_map(|(_, names)| *names);
    let longest = names.filter(is_described).map(|name| name.len()).max();
    // Two, the longest name, two.
    let indent = longest.unwrap_or_default() + 4;
    let [usage, options] = ["Usage", "Options"].map(&mut *speaker);
    let titled = GROUPS.map(|(title, names)| (speaker(title), names));
    let widest = titled.iter().map(|(title, _)| title.width()).max();
    // What stands behind a title begins in one column.
    let gap = |title: &str| {
        let columns = (widest.unwrap_or_default() + 2).saturating_sub(title.width());
        " ".repeat(columns.max(2))
    };
    for (title, names) in &titled {
        let (described, others): (Vec<&str>, Vec<&str>) =
            names.iter().partition(|name| is_described(name));
        let others = match (others.is_empty(), described.is_empty()) {
            (true, _) => String::new(),
            (_, true) => others.join(", "),
            _ => format!("{} {}", speaker("also:"), others.join(", ")),
        };
        let gap = match others.is_empty() {
            true => String::new(),
            false => gap(title),
        };
        groups += &format!("{header}{title}{header:#}{gap}{others}\n");
        groups += &below(&command, &described, [indent, width], speaker);
        groups += if is_all { "\n" } else { "" };
    }
    let without = speaker("Without a command it lists the disks and asks which to measure.");
    let (options, help) = match is_all {
        true => (
            format!("{header}{options}:{header:#}\n{{options}}"),
            "sokudo help COMMAND explains a command, with examples.",
        ),
        false => (
            format!("{header}{options}{header:#}{}{OPTIONS}", gap(&options)),
            "sokudo help COMMAND explains one, with examples; sokudo help --all lists all.",
        ),
    };
    let help = speaker(help);
    command.help_template(format!(
        "{{about-with-newline}}\n{header}{usage}:{header:#} {{usage}}\n{without}\n\n{groups}\
         {options}\n\n{help}\n"
    ))
}

/// The commands of a group, each behind so many columns and as wide in all.
fn below(
    command: &Command,
    names: &[&str],
    [indent, width]: [usize; 2],
    speaker: &mut Speaker<'_>,
) -> String {
    let commands = names.iter().filter_map(|it| command.find_subcommand(it));
    let lines = commands.map(|it| {
        let about = it.get_about().map(ToString::to_string).unwrap_or_default();
        let about = speaker(&about).replace('\n', " ");
        let about = wrapped(&about, width.saturating_sub(indent).max(indent));
        let about = about.replace('\n', &format!("\n{:indent$}", ""));
        let columns = indent - 2;
        format!("  {:<columns$}{about}\n", it.get_name())
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

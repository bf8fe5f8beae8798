//! The help of the program itself: its commands in groups, on one screen.

use clap::Command;
use clap::builder::Styles;

use super::spoken::{Speaker, wrapped};

/// Groups in the order of help, by the hundreds of a command's `display_order`; methods that have
/// none measure. Of the last two only the names are listed.
const GROUPS: [(&[usize], &str); 6] = [
    (&[1], "Is it OK?"),
    (&[0, 9], "Measure"),
    (&[2], "Compare"),
    (&[3], "Look"),
    (&[4], "As other tools"),
    (&[5], "More"),
];
const NAMES_ONLY: [usize; 2] = [4, 5];
/// Columns before what a command does: two, the longest name, two.
const INDENT: usize = 12;

/// The heading under which help has a command, and its index among the others; `None` of one in no group.
pub fn of(command: &Command) -> Option<(usize, &'static str)> {
    let hundred = command.get_display_order() / 100;
    let mut groups = GROUPS.iter().enumerate();
    groups.find_map(|(index, (hundreds, title))| {
        hundreds.contains(&hundred).then_some((index, *title))
    })
}

/// The command with its groups in the place of one flat list.
pub fn grouped(command: Command, width: usize, speaker: &mut impl Speaker) -> Command {
    let header = Styles::default().get_header().to_owned();
    let groups = GROUPS.iter().map(|(hundreds, title)| {
        let title = speaker.say(title);
        let below = below(&command, hundreds, width, speaker);
        format!("{header}{title}{header:#}\n{below}")
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
fn below(
    command: &Command,
    hundreds: &[usize],
    width: usize,
    speaker: &mut impl Speaker,
) -> String {
    let of_group = |it: &&Command| hundreds.contains(&(it.get_display_order() / 100));
    let mut commands: Vec<&Command> = command.get_subcommands().filter(of_group).collect();
    commands.retain(|it| !it.is_hide_set() && it.get_name() != "help");
    commands.sort_by_key(|it| it.get_display_order());
    if hundreds.iter().any(|it| NAMES_ONLY.contains(it)) {
        let names: Vec<&str> = commands.iter().map(|it| it.get_name()).collect();
        return format!("  {}\n", names.join("  "));
    }
    let lines = commands.into_iter().map(|it| {
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

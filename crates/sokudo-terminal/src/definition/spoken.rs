//! The command line's own texts in the language of the reader: everything that help, manual
//! pages and completions show, but for names that are typed (options, values, commands)
//! or stand for what is typed (`<FILE>`, `[OPTIONS]`).

use clap::builder::{StyledStr, Styles};
use clap::{Arg, Command};
use sokudo_report::phrases::phrases;
use sokudo_words::{Language, Text};
use unicode_width::UnicodeWidthStr;

/// Columns by which long help is indented below its option.
const INDENT: usize = 10;
/// Lines are no longer than this, as clap has it for English.
const WIDTH_MAX: usize = 100;
/// Examples and remarks below the options are that wide in English too.
const REMARKS_WIDTH_MAX: usize = 90;

/// Finds a text in another language.
pub type Speaker<'a> = dyn FnMut(&str) -> String + 'a;

/// Help is looked up paragraph by paragraph, each whole.
pub fn exactly(language: Language) -> impl Fn(&str) -> String {
    move |text| Text::of_parts(text, |_| None).in_language(language)
}

/// What an option is called on the page: what its help says first; behind what another option must be given for.
pub fn label(help: &str, say: &impl Fn(&str) -> String) -> String {
    const ENDS: [char; 9] = [',', ':', '：', ';', '；', '(', '（', '[', '。'];
    let translated = say(help);
    let mut clauses = translated.split(ENDS).map(str::trim);
    let clause = clauses.nth(usize::from(help.starts_with("With --")));
    let clause = clause.and_then(|it| it.split(" such as").next());
    clause.unwrap_or_default().to_owned()
}

/// Where texts are to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpDestination {
    /// On a terminal so wide; lines are broken here, because clap breaks them at spaces
    /// only, which Japanese has none of. All commands are described, or those that fit on a screen.
    Terminal { width: usize, is_all: bool },
    /// In a manual page, which is broken into lines where it is shown.
    Manual,
}

/// The command and all below it, with every text said by `speaker`.
pub fn spoken(mut command: Command, page: HelpDestination, speaker: &mut Speaker<'_>) -> Command {
    // clap's own options and their texts are there only then.
    command.build();
    command_spoken(command, page, speaker)
}

fn command_spoken(command: Command, page: HelpDestination, speaker: &mut Speaker<'_>) -> Command {
    let width = |most: usize| match page {
        HelpDestination::Terminal { width, .. } => Some(width.min(most)),
        HelpDestination::Manual => None,
    };
    let about = text(command.get_about());
    let long_about = text(command.get_long_about());
    let after_help = text(command.get_after_help());
    let header = Styles::default().get_header().to_owned();
    let usage = speaker("Usage");
    let mut command = command
        .help_template(format!(
            "{{before-help}}{{about-with-newline}}\n{header}{usage}:{header:#} {{usage}}\n\n{{all-args}}{{after-help}}"
        ))
        .subcommand_help_heading(speaker("Commands"));
    if let Some(about) = about {
        command = command.about(prose(&about, width(WIDTH_MAX), speaker));
    }
    if let Some(about) = long_about {
        command = command.long_about(prose(&about, width(WIDTH_MAX), speaker));
    }
    if let Some(remarks) = after_help {
        command = command.after_help(prose(&remarks, width(REMARKS_WIDTH_MAX), speaker));
    }
    command
        .mut_args(|argument| argument_spoken(argument, page, speaker))
        .mut_subcommands(|below| command_spoken(below, page, speaker))
}

fn text(styled: Option<&StyledStr>) -> Option<String> {
    styled.map(ToString::to_string)
}

fn argument_spoken(argument: Arg, page: HelpDestination, speaker: &mut Speaker<'_>) -> Arg {
    let width = match page {
        HelpDestination::Terminal { width, .. } => {
            Some(width.min(WIDTH_MAX).saturating_sub(INDENT))
        }
        HelpDestination::Manual => None,
    };
    let heading = argument.get_help_heading().map_or_else(
        || {
            if argument.is_positional() {
                "Arguments"
            } else {
                "Options"
            }
            .to_owned()
        },
        ToOwned::to_owned,
    );
    let heading = speaker(&heading);
    let help = text(argument.get_help()).unwrap_or_default();
    let long_help = text(argument.get_long_help()).unwrap_or_else(|| help.clone());
    let default = default(&argument, speaker);
    let values = values(&argument, speaker);
    let short = [
        Some(speaker(&help)),
        default.clone(),
        values.clone().map(|it| it.short),
    ];
    let long = [
        Some(prose(&long_help, width, speaker)),
        default,
        values.map(|it| it.long),
    ];
    // Under a heading clap sorts them by their names.
    let order = argument.get_index().filter(|_| argument.is_positional());
    let argument = match order {
        Some(index) => argument.display_order(index),
        None => argument,
    };
    argument
        .help_heading(heading)
        .hide_default_value(true)
        .hide_possible_values(true)
        .help(short.into_iter().flatten().collect::<Vec<_>>().join(" "))
        .long_help(long.into_iter().flatten().collect::<Vec<_>>().join("\n\n"))
}

/// What holds where the argument is left out, as clap tells it.
fn default(argument: &Arg, speaker: &mut Speaker<'_>) -> Option<String> {
    if !argument.get_action().takes_values() || argument.is_hide_default_value_set() {
        return None;
    }
    let values = argument.get_default_values().iter();
    let values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
    (!values.is_empty()).then(|| framed("[default: {}]", &values.join(" "), speaker))
}

/// A text around values, which stay as they are typed.
fn framed(frame: &str, values: &str, speaker: &mut Speaker<'_>) -> String {
    speaker(frame).replace("{}", values)
}

/// The values that an argument may have.
#[derive(Clone, Debug)]
struct ValueHelp {
    short: String,
    long: String,
}

fn values(argument: &Arg, speaker: &mut Speaker<'_>) -> Option<ValueHelp> {
    if !argument.get_action().takes_values() || argument.is_hide_possible_values_set() {
        return None;
    }
    let values = argument.get_possible_values();
    let shown: Vec<_> = values.iter().filter(|value| !value.is_hide_set()).collect();
    if shown.is_empty() {
        return None;
    }
    let names: Vec<&str> = shown.iter().map(|value| value.get_name()).collect();
    let short = framed("[possible values: {}]", &names.join(", "), speaker);
    if shown.iter().all(|value| value.get_help().is_none()) {
        let long = short.clone();
        return Some(ValueHelp { short, long });
    }
    let mut long = format!("{}:", speaker("Possible values"));
    let columns = names.iter().map(|name| name.len()).max().unwrap_or(0) + 1;
    for value in shown {
        let help = text(value.get_help()).map_or_else(String::new, |help| speaker(&help));
        let name = format!("{}:", value.get_name());
        long.push_str(format!("\n- {name:<columns$} {help}").trim_end());
    }
    Some(ValueHelp { short, long })
}

/// Paragraphs, and blocks of examples whose remarks stand behind their commands.
pub fn prose(text: &str, width: Option<usize>, speaker: &mut Speaker<'_>) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| {
        if paragraph.lines().any(is_example) {
            let lines = paragraph.lines().map(|line| example(line, speaker));
            return lines.collect::<Vec<_>>().join("\n");
        }
        let whole = paragraph
            .lines()
            .map(str::trim)
            .collect::<Vec<_>>()
            .join(" ");
        let translated = speaker(whole.trim());
        width.map_or(translated.clone(), |width| wrapped(&translated, width))
    });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

fn is_example(line: &str) -> bool {
    line.starts_with("  ")
}

/// A line of examples: what is typed stays, what is said about it behind a gap does not.
fn example(line: &str, speaker: &mut Speaker<'_>) -> String {
    let (typed, remark) = match line.trim_start().rfind("  ") {
        _ if !is_example(line) => ("", line),
        None if line.starts_with(REMARK_ALONE) && !line.trim_start().starts_with('\'') => {
            line.split_at(line.len() - line.trim_start().len())
        }
        None => (line, ""),
        Some(gap) => line.split_at(line.len() - line.trim_start().len() + gap + 2),
    };
    if remark.is_empty() {
        return line.to_owned();
    }
    format!("{typed}{}", speaker(remark))
}

/// A remark whose command takes up all of the line above it is indented at least so far;
/// what is indented so and begins with a quote is the rest of the command.
const REMARK_ALONE: &str = "          ";

/// The text in lines of this width at most, which end at a space or between Japanese phrases.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut used = 0;
    for phrase in phrases(text, width) {
        if used > 0 && used + phrase.trim_end().width() > width {
            lines.truncate(lines.trim_end().len());
            lines.push('\n');
            used = 0;
        }
        lines.push_str(phrase);
        used += phrase.width();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shout(text: &str) -> String {
        text.to_uppercase()
    }

    #[test]
    fn of_an_example_only_the_remark_is_said() {
        let text = "Examples:\n  sokudo mark .     here\n  sokudo mark a b\n                    a remark alone";
        assert_eq!(
            prose(text, None, &mut shout),
            "EXAMPLES:\n  sokudo mark .     HERE\n  sokudo mark a b\n                    A REMARK ALONE"
        );
    }

    #[test]
    fn a_paragraph_is_said_whole() {
        assert_eq!(
            prose("one\ntwo\n\nthree", None, &mut shout),
            "ONE TWO\n\nTHREE"
        );
    }

    #[test]
    fn lines_are_broken_between_phrases_but_not_before_a_full_stop() {
        assert_eq!(wrapped("ディスクを測る。", 12), "ディスクを\n測る。");
        assert_eq!(wrapped("速さを測る。", 11), "速さを\n測る。");
        assert_eq!(wrapped("（--size）を測る", 12), "（--size）を\n測る");
    }

    #[test]
    fn every_line_of_japanese_fits() {
        let text =
            "テストファイルの大きさは 16MiB 以上、すべての行のブロックの倍数とする。".repeat(5);
        for width in 20..60 {
            assert!(
                wrapped(&text, width)
                    .lines()
                    .all(|line| line.width() <= width)
            );
        }
    }
}

//! Arguments of the commands about runs that are kept: list, edit, delete.

use clap::{ArgGroup, Args};
use sokudo_terminal::arguments::printing::{ListFormat, label};
use sokudo_terminal::arguments::store::Keeping;
use sokudo_words::{Text, text};

use crate::arguments::which::RunFilterArguments;

/// What `list --help` ends with.
pub const LIST_EXAMPLES: &str = "\
Examples:
  sokudo list                               the newest 50 runs
  sokudo list Samsung --since 1y            of one device, by a part of its name
  sokudo list /mnt/data --method mark       of the disk that is mounted there now
  sokudo list --tag idle --verdict verified
  sokudo list --format json | jq '.runs[] | [.id, .rows[0].bytes_per_s]'

The JSON is sokudo.list/1, whose schema is in docs/sokudo.list-1.schema.json.";

/// What `edit --help` ends with.
pub const EDIT_EXAMPLES: &str = "\
Examples:
  sokudo edit last --tag idle               sokudo list --tag idle finds it
  sokudo edit 12 --tag raid=5 --tag fs=xfs  two keys with their values, for matrices
  sokudo edit 12 13 --untag idle --label xfs --note 'after the update'
  sokudo compare all --pivot row:tag:raid   a column for each value of raid=
  sokudo compare tag:idle --pivot tag:raid+tag:fs:row

A tag KEY=VALUE puts its run into the row or column VALUE of a matrix by tag:KEY. Runs that
have no tag with that key stand under a dash.";

/// A longer one belongs into a file of its own.
const NOTE_CHARACTERS_MAX: usize = 10_000;
/// A longer one is a note.
const TAG_CHARACTERS_MAX: usize = 64;

/// Arguments of `sokudo list`, as given.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Device: part of its name or serial number, or what it is called now
    #[arg(value_name = "DEVICE")]
    pub device: Option<String>,

    #[command(flatten)]
    pub which: RunFilterArguments,

    /// Show at most N runs, 0 for all
    #[arg(
        long,
        value_name = "N",
        default_value_t = 50,
        help_heading = "Which runs"
    )]
    pub limit: u64,

    /// Leave out the newest N runs
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        help_heading = "Which runs"
    )]
    pub skip: u64,

    #[command(flatten)]
    pub format: ListFormat,

    #[command(flatten)]
    pub keeping: Keeping,
}

/// Arguments of `sokudo edit`, as given.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).multiple(true).args(["note", "add", "remove", "label"]))]
pub struct EditArguments {
    /// Runs: their numbers, labels, or last
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<String>,

    /// Note, in place of an older one; '' removes it
    #[arg(long, value_name = "TEXT", value_parser = note)]
    pub note: Option<String>,

    /// Add this tag (repeatable)
    #[arg(long = "tag", value_name = "TAG", value_parser = tag)]
    pub add: Vec<String>,

    /// Remove this tag (repeatable)
    #[arg(long = "untag", value_name = "TAG")]
    pub remove: Vec<String>,

    /// Name of the run, as --label of commands that measure
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub label: Option<String>,

    #[command(flatten)]
    pub keeping: Keeping,
}

/// What somebody has to say of a run.
pub fn note(text: &str) -> Result<String, Text> {
    let text = text.trim();
    if text.chars().count() > NOTE_CHARACTERS_MAX {
        return Err(text!(
            "the note has more than {NOTE_CHARACTERS_MAX} characters; keep the text in a file, and note its name"
        ));
    }
    Ok(text.to_owned())
}

/// A word or a few, by which runs are found.
pub fn tag(text: &str) -> Result<String, Text> {
    let text = text.trim();
    let is_plain = !text.chars().any(|sign| sign.is_control() || sign == ',');
    if text.is_empty() || !is_plain || text.chars().count() > TAG_CHARACTERS_MAX {
        return Err(text!(
            "a tag has 1 to {TAG_CHARACTERS_MAX} characters without commas and line breaks; \
             --note keeps longer texts"
        ));
    }
    Ok(text.to_owned())
}

/// Arguments of `sokudo delete`, as given.
#[derive(Debug, Args)]
pub struct DeleteArguments {
    /// Runs: their numbers, labels, or last
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<String>,

    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,

    #[command(flatten)]
    pub keeping: Keeping,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_have_an_end() {
        assert_eq!(note(" as it was \n"), Ok("as it was".to_owned()));
        assert!(note(&"x".repeat(NOTE_CHARACTERS_MAX)).is_ok());
        assert!(note(&"x".repeat(NOTE_CHARACTERS_MAX + 1)).is_err());
    }

    #[test]
    fn tags_are_short_and_of_one_line() {
        assert_eq!(tag(" before update "), Ok("before update".to_owned()));
        assert_eq!(tag("<script>"), Ok("<script>".to_owned()));
        for text in ["", "  ", "a,b", "a\nb", "\u{1b}[31m", &"x".repeat(65)] {
            assert!(tag(text).is_err(), "{text:?}");
        }
    }
}

//! Doors for users of other tools: by the first argument, or by the name that sokudo
//! is started under. Their arguments are taken as they are, for each tool has rules of
//! its own for them.

use std::ffi::OsString;
use std::path::Path;

use sokudo_terminal::definition;
use sokudo_terminal::exit::Exit;
use sokudo_words::text;

use crate::commands::show;
use crate::frontends::{diskspd, fio};

/// A tool that sokudo stands in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrontEnd {
    Fio,
    Diskspd,
}

impl FrontEnd {
    const ALL: [Self; 2] = [Self::Fio, Self::Diskspd];

    const fn name(self) -> &'static str {
        match self {
            Self::Fio => "fio",
            Self::Diskspd => "diskspd",
        }
    }

    /// Does what the tool would do with these arguments.
    pub(crate) fn enter(self, arguments: Vec<OsString>) -> Result<(), Exit> {
        let arguments = arguments
            .into_iter()
            .map(OsString::into_string)
            .collect::<Result<Vec<String>, OsString>>()
            .map_err(|word| {
                let word = format!("{word:?}");
                Exit::failed(text!(
                    "the argument {word} is not UTF-8; make a link to that file (ln -s), and name the link"
                ))
            })?;
        match self {
            // fio ends with 1 whatever could not start.
            Self::Fio => fio::run(&arguments).map_err(Exit::without_refusal),
            Self::Diskspd => diskspd::run(&arguments),
        }
        .map_err(Exit::without_usage)
    }
}

/// The door that is meant, if one is, with the arguments behind it: `sokudo fio …`.
pub(crate) fn of(
    arguments: impl IntoIterator<Item = OsString>,
) -> Option<(FrontEnd, Vec<OsString>)> {
    let mut arguments = arguments.into_iter().skip(1);
    let first = arguments.next()?;
    let door = FrontEnd::ALL
        .into_iter()
        .find(|door| first == door.name())?;
    Some((door, arguments.collect()))
}

/// The arguments of a program whose name ends in that of a tool, a link most likely, as those of
/// the command of that name.
pub(crate) fn as_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let tools = FrontEnd::ALL.map(FrontEnd::name).into_iter();
    let program = arguments.first().map(Path::new).and_then(Path::file_name);
    let name = program.and_then(|name| name.to_str()).unwrap_or_default();
    if let Some(tool) = tools.chain(["hdparm"]).find(|tool| name.ends_with(tool)) {
        arguments.insert(1, tool.into());
        // Usage names the program before its command, not the link twice.
        arguments[0] = "sokudo".into();
    }
    arguments
}

/// `sokudo TARGET …` as `sokudo mark TARGET … --card`: for a first word that is no command, and is
/// a path or the name of a device of ours. Without `--card` where somebody says how much is told.
pub(crate) fn of_target(arguments: Vec<OsString>) -> Vec<OsString> {
    // --lang CODE may stand before it.
    let at = match arguments.get(1).and_then(|word| word.to_str()) {
        Some("--lang") => 3,
        Some(word) if word.starts_with("--lang=") => 2,
        _ => 1,
    };
    let Some(first) = arguments.get(at) else {
        return arguments;
    };
    let text = first.to_string_lossy();
    let is_ours = text == "null:" || text.starts_with("sim:");
    let is_path = || text.contains('/') || Path::new(first).exists();
    // Asked last: to know all commands takes milliseconds.
    let is_command = || show::OLDER_NAMES.contains(&&*text) || definition::is_command_name(&text);
    if text.starts_with('-') || !(is_ours || is_path()) || is_command() {
        return arguments;
    }
    let mut words = arguments;
    words.insert(at, "mark".into());
    if !words.iter().any(|word| word == "--card" || word == "--why") {
        words.push("--card".into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(words: &[&str]) -> Option<(FrontEnd, Vec<OsString>)> {
        of(as_command(words.iter().map(OsString::from).collect()))
    }

    #[test]
    fn a_link_named_hdparm_is_the_command_of_that_name() {
        let of = |words: &[&str]| as_command(words.iter().map(OsString::from).collect());
        assert_eq!(
            of(&["/sbin/hdparm", "-t", "/dev/sda"]),
            ["sokudo", "hdparm", "-t", "/dev/sda"]
        );
        assert_eq!(of(&["sokudo", "mark"]), ["sokudo", "mark"]);
    }

    #[test]
    fn the_first_argument_or_the_programs_name_opens_a_door() {
        let arguments = vec![OsString::from("--rw=read")];
        let through = Some((FrontEnd::Fio, arguments));
        assert_eq!(door(&["/usr/bin/sokudo", "fio", "--rw=read"]), through);
        assert_eq!(door(&["/usr/local/bin/fio", "--rw=read"]), through);
        assert_eq!(door(&["sokudo-fio", "--rw=read"]), through);
    }

    #[test]
    fn everything_else_opens_none() {
        assert_eq!(door(&["sokudo", "mark", "fio"]), None);
        assert_eq!(door(&["sokudo"]), None);
        assert_eq!(door(&[]), None);
    }
}

//! Bare `sokudo` in a terminal: the disks of the machine, and which of them is to be measured.

use std::ffi::OsString;
use std::io;
use std::ops::Range;
use std::path::Path;

use console::{Key, Term};
use rustix::fs::Access;
use sokudo_device::System;
use sokudo_methods::commands;
use sokudo_model::BlockDeviceKind;
use sokudo_model::disk::{Content, Disk};
use sokudo_report::info;
use sokudo_terminal::definition;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{escape, interrupt, invocation, language, output};
use sokudo_words::{Text, text};

/// What can be measured, and what it is.
struct TargetChoice {
    target: String,
    what: Text,
}

/// What bare `sokudo` prints.
pub(crate) const SHORT_HELP: &str = "\
sokudo measures how fast a disk really is, and says how far each number can be trusted.

  sokudo checkup .           is the disk under this directory OK? in about a minute
  sokudo mark .              how fast is it? a table, in a minute
  sokudo mark /dev/sdb       measure a device (reads only)
  sokudo mark sim:hdd        try it on a simulated disk
  sokudo help mark           every option, with examples

";

/// Asks what to measure and measures it once, then longer where that is wanted; where nobody can be
/// asked, how each disk is measured.
pub(crate) fn run() -> Result<(), Exit> {
    let is_interactive = invocation::is_input_terminal() && invocation::is_output_terminal();
    if !is_interactive {
        output::print(&definition::page(SHORT_HELP))?;
    }
    let (folded, disks): (Vec<Disk>, _) = sokudo_device::disks(&System::host())
        .into_iter()
        .partition(is_folded);
    let document = crate::commands::info::document(disks);
    output::print_coloured(&info::render_lines(&document, &output::terminal_style()))?;
    let disks = document.disks.iter().map(|it| &it.disk);
    let mut choices: Vec<TargetChoice> = choices(disks);
    for disk in &folded {
        let model = info::model(disk);
        for content in &disk.contents {
            add_mounted(content, &model, &mut choices);
        }
    }
    if !folded.is_empty() {
        let names = folded.iter().map(|disk| disk.name.as_str());
        let names: Vec<&str> = names.take(FOLDED_NAMED).collect();
        let more = folded.len() - names.len();
        let names = names.join(" ");
        output::say(&match more {
            0 => text!("Not listed, but measured when named: {names}"),
            more => text!("Not listed, but measured when named: {names} and {more} more"),
        })?;
    }
    if !is_interactive {
        output::say(&text!("Each is measured by its name: sokudo mark NAME"))?;
        return output::print(&lines(&choices, None, &(0..choices.len())));
    }
    let Some((target, key)) = prompt(&choices)? else {
        return Ok(());
    };
    if key == Key::Char('c') {
        return carry_out(&["checkup", target]);
    }
    carry_out(&["mark", target, "--card", "--quick"])?;
    output::say(&text!(
        "Type c (is it OK?) or m (measure longer), then Enter; Enter alone leaves"
    ))?;
    let leaving = interrupt::leave_before_anything()?;
    let line = invocation::read_line().map_err(unread)?;
    drop(leaving);
    match line.trim() {
        "c" => carry_out(&["checkup", target]),
        "m" => carry_out(&["mark", target, "--card"]),
        _ => Ok(()),
    }
}

/// Carries out a command with its target.
fn carry_out(command: &[&str]) -> Result<(), Exit> {
    let words = std::iter::once("sokudo").chain(command.iter().copied());
    let words: Vec<String> = words.map(str::to_owned).collect();
    invocation::current().carry_out(words.iter().map(OsString::from).collect());
    let given = definition::read_later(&words[1..]);
    match given.and_then(|given| commands::given(&given)) {
        Ok(Some(command)) => commands::of(command).run(),
        _ => Err(Exit::usage(text!(
            "{} cannot be measured; name a directory or a device",
            command[1]
        ))),
    }
}

/// Devices that are named of those that are no choice.
const FOLDED_NAMED: usize = 6;

/// Whether it is seldom what somebody wants to measure; it can be named all the same.
fn is_folded(disk: &Disk) -> bool {
    let kinds = [BlockDeviceKind::Loop, BlockDeviceKind::Memory];
    kinds.contains(&disk.kind) || disk.read_only == Some(true)
}

/// This directory, those that disks are mounted on, and the disks themselves.
fn choices<'a>(disks: impl Iterator<Item = &'a Disk>) -> Vec<TargetChoice> {
    let mut choices = vec![TargetChoice {
        target: ".".into(),
        what: text!("this directory, with a test file of its own"),
    }];
    let mut devices = Vec::new();
    for disk in disks.filter(|disk| disk.size_bytes.is_some_and(|size| size.0 > 0)) {
        let model = info::model(disk);
        for content in &disk.contents {
            add_mounted(content, &model, &mut choices);
        }
        devices.push(TargetChoice {
            target: disk.path.clone(),
            what: match is_allowed(&disk.path, Access::READ_OK) {
                true => text!("{model}, the whole disk: it is only read"),
                false => text!("{model}, the whole disk: as root only"),
            },
        });
    }
    choices.extend(devices);
    choices
}

/// Each file system once, where a test file may be made in it.
fn add_mounted(content: &Content, model: &Text, choices: &mut Vec<TargetChoice>) {
    let mounts = content.mounted_on.iter();
    let is_directory = |mount_point: &&String| Path::new(mount_point).is_dir();
    let mount_point = mounts
        .filter(is_directory)
        .find(|mount_point| is_allowed(mount_point, Access::WRITE_OK));
    if let Some(mount_point) = mount_point
        && choices.iter().all(|choice| choice.target != *mount_point)
    {
        choices.push(TargetChoice {
            target: mount_point.clone(),
            what: text!(
                "{model}, {}, with a test file of its own",
                content.what.clone()
            ),
        });
    }
    for content in &content.contents {
        add_mounted(content, model, choices);
    }
}

fn is_allowed(path: &str, access: Access) -> bool {
    rustix::fs::access(path, access).is_ok()
}

/// What is chosen, and by which key; `None` where somebody leaves.
fn prompt(choices: &[TargetChoice]) -> Result<Option<(&str, Key)>, Exit> {
    let terminal = Term::stdout();
    let question =
        text!("Measure which? Arrow keys or a number, then Enter, or c (is it OK?); q leaves");
    output::say(&question)?;
    let (mut chosen, mut typed) = (0, 0);
    loop {
        let shown = window(choices.len(), chosen, usize::from(terminal.size().0));
        output::print(&lines(choices, Some(chosen), &shown))?;
        let key = terminal.read_key().map_err(unread)?;
        typed = match key {
            Key::Char(sign @ '0'..='9') => number(typed, sign, choices.len()),
            _ => 0,
        };
        match key {
            Key::Enter | Key::Char('c') => {
                return Ok(choices.get(chosen).map(|it| (it.target.as_str(), key)));
            }
            Key::Char('q') | Key::Escape => return Ok(None),
            Key::ArrowDown | Key::Char('j') => chosen = (chosen + 1) % choices.len(),
            Key::ArrowUp | Key::Char('k') => chosen = (chosen + choices.len() - 1) % choices.len(),
            _ if typed > 0 => chosen = typed - 1,
            _ => {}
        }
        terminal.clear_last_lines(shown.len()).map_err(unread)?;
    }
}

fn unread(error: io::Error) -> Exit {
    match error.kind() {
        // Ctrl-C, where the signal that follows it is ignored.
        io::ErrorKind::Interrupted => Exit::Interrupted,
        _ => Exit::failed(text!("the terminal cannot be read: {error}")),
    }
}

/// The number that is typed so far with one more digit; the digit alone where there are not as many
/// choices.
fn number(typed: usize, sign: char, choices: usize) -> usize {
    let digit = sign.to_digit(10).map_or(0, |digit| digit as usize);
    let longer = typed * 10 + digit;
    [longer, digit]
        .into_iter()
        .find(|number| (1..=choices).contains(number))
        .unwrap_or(0)
}

/// Those around the chosen one that a terminal of so many rows has room for, below the question and
/// above the cursor.
fn window(choices: usize, chosen: usize, rows: usize) -> Range<usize> {
    let room = rows.saturating_sub(2).max(1).min(choices);
    let start = chosen.saturating_sub(room / 2).min(choices - room);
    start..start + room
}

/// A line for each that is shown, none longer than the terminal is wide.
fn lines(choices: &[TargetChoice], chosen: Option<usize>, shown: &Range<usize>) -> String {
    let style = output::terminal_style();
    let targets = choices.iter().map(|choice| choice.target.chars().count());
    let width = targets.max().unwrap_or(0);
    let line = |(index, choice): (usize, &TargetChoice)| {
        let mark = if Some(index) == chosen { '>' } else { ' ' };
        let what = choice.what.in_language(language::current());
        let line = format!("{mark} {:>2}  {:<width$}  {what}", index + 1, choice.target);
        let line = escape::lines(&line).into_owned();
        style.cut(&line) + "\n"
    };
    let all = choices.iter().enumerate();
    all.skip(shown.start).take(shown.len()).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::Bytes;

    #[test]
    fn a_typed_number_is_a_choice_or_begins_anew() {
        assert_eq!(number(0, '3', 5), 3);
        assert_eq!(number(1, '2', 15), 12);
        assert_eq!(number(1, '2', 5), 2);
        assert_eq!(number(0, '0', 5), 0);
        assert_eq!(number(0, '9', 5), 0);
    }

    #[test]
    fn a_long_list_is_shown_around_the_chosen_line() {
        assert_eq!(window(5, 4, 24), 0..5);
        assert_eq!(window(38, 0, 24), 0..22);
        assert_eq!(window(38, 20, 24), 9..31);
        assert_eq!(window(38, 37, 24), 16..38);
        assert_eq!(window(3, 1, 0), 1..2);
    }

    #[test]
    fn loops_memory_and_what_is_read_only_are_no_choice() {
        let disk = |kind, read_only| Disk {
            kind,
            read_only,
            ..Disk::unknown("x")
        };
        assert!(!is_folded(&disk(BlockDeviceKind::Disk, Some(false))));
        assert!(is_folded(&disk(BlockDeviceKind::Loop, None)));
        assert!(is_folded(&disk(BlockDeviceKind::Disk, Some(true))));
    }

    #[test]
    fn what_is_mounted_comes_before_whole_disks_and_empty_drives_are_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let mounted_on = vec![
            "/nowhere/at/all".into(),
            directory.path().to_str().unwrap().into(),
        ];
        let mounted = Content {
            mounted_on,
            ..Content::new(text!("ext4"))
        };
        let partition = Content {
            contents: vec![mounted],
            ..Content::new(text!("partition"))
        };
        let disk = Disk {
            path: "/dev/sda".into(),
            model: Some("Fast".into()),
            size_bytes: Some(Bytes::gib(1)),
            contents: vec![partition],
            ..Disk::unknown("sda")
        };
        let empty = Disk {
            size_bytes: Some(Bytes(0)),
            ..Disk::unknown("sr0")
        };
        let choices = choices([&disk, &empty].into_iter());
        let targets: Vec<&str> = choices.iter().map(|it| it.target.as_str()).collect();
        assert_eq!(
            targets,
            [".", directory.path().to_str().unwrap(), "/dev/sda"]
        );
        let description = choices[1].what.english();
        assert_eq!(description, "Fast, ext4, with a test file of its own");
    }
}

//! A plan as command lines for fio, one per stage.

use sokudo_model::Plan;

use super::invocation::Section;
use super::job_file::read_sections;
use super::method::{Place, render};
use crate::host::{Found, Host, NoHost};

/// The job file that is read back has no name.
const NAME: &str = "-";

/// Command lines that run `plan` on `place` with fio, one after the other: what
/// [`render`] prints as a job file, for a shell.
pub fn command_lines(plan: &Plan, place: &Place) -> Vec<String> {
    let text = Text(render(plan, place));
    let sections = read_sections(NAME, 0, &[], &text, &mut Vec::new()).unwrap_or_default();
    let (globals, jobs): (Vec<_>, Vec<_>) = sections.iter().partition(|s| s.is_global);
    let mut common = "fio".to_owned();
    if place.is_read_only() {
        common += " --readonly";
    }
    globals.iter().for_each(|section| common += &words(section));
    let mut lines: Vec<String> = Vec::new();
    for job in jobs {
        let mut options = job.options.iter();
        let waits = options.any(|assignment| assignment.option().name == "stonewall");
        let words = format!(" {}{}", quoted(&format!("--name={}", job.name)), words(job));
        match lines.last_mut() {
            Some(line) if !waits => *line += &words,
            _ => lines.push(format!("{common}{words}")),
        }
    }
    lines
}

fn words(section: &Section) -> String {
    let mut text = String::new();
    for assignment in &section.options {
        let name = assignment.option().name;
        if name == "stonewall" {
            continue;
        }
        let word = match &assignment.value {
            Some(value) => format!("--{name}={}", value.trim()),
            None => format!("--{name}"),
        };
        text.push(' ');
        text += &quoted(&word);
    }
    text
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+%@".contains(c);
    if word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A text for the reader, where there is nothing else.
struct Text(String);

impl Host for Text {
    fn read_text(&self, _path: &str) -> Result<String, String> {
        Ok(self.0.clone())
    }
    fn variable(&self, name: &str) -> Option<String> {
        NoHost.variable(name)
    }
    fn found(&self, path: &str) -> Option<Found> {
        NoHost.found(path)
    }
    fn processors(&self) -> u32 {
        NoHost.processors()
    }
    fn page_bytes(&self) -> u64 {
        NoHost.page_bytes()
    }
    fn memory_bytes(&self) -> u64 {
        NoHost.memory_bytes()
    }
    fn seed(&self) -> u64 {
        NoHost.seed()
    }
}

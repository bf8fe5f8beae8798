//! `sokudo mark --as fio|diskspd`: a method as the command lines of another tool.

use sokudo_dialect::diskspd::{self, LinePlace};
use sokudo_dialect::fio::{self, Place};
use sokudo_model::{Bytes, Plan};

use crate::command_line::quoted;

/// What the file of diskspd's lines is called in a directory.
const DISKSPD_FILE: &str = "sokudo-diskspd-test-file";

/// One line of fio's per job.
pub(crate) fn fio_lines(plan: &Plan, place: &Place) -> String {
    lines_of(&fio::render(plan, place))
}

/// One line of diskspd's per row, on the file or device at `path`, or on a file in it
/// that is made with `create` bytes.
pub(crate) fn diskspd_lines(plan: &Plan, path: &str, create: Option<Bytes>) -> String {
    let place = LinePlace {
        path: match create {
            Some(_) => format!("{}/{DISKSPD_FILE}", path.trim_end_matches('/')),
            None => path.to_owned(),
        },
        create,
    };
    let mut text = String::new();
    for line in diskspd::command_lines(plan, &place) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// A job file of ours as command lines. Comments, among them what only sokudo
/// understands, have no place there, and lines run one after the other by themselves.
fn lines_of(job_file: &str) -> String {
    let mut text = String::new();
    let mut global: Vec<String> = Vec::new();
    let mut job: Option<Vec<String>> = None;
    let mut is_global = false;
    let entries = job_file.lines().map(str::trim);
    for entry in entries.filter(|entry| !entry.is_empty() && !entry.starts_with([';', '#'])) {
        if let Some(name) = entry
            .strip_prefix('[')
            .and_then(|entry| entry.strip_suffix(']'))
        {
            add_line(&mut text, job.take());
            is_global = name == "global";
            if !is_global {
                let mut words = vec![quoted(&format!("--name={name}"))];
                words.extend(global.iter().cloned());
                job = Some(words);
            }
        } else if is_global {
            global.push(quoted(&format!("--{entry}")));
        } else if entry != "stonewall"
            && let Some(words) = &mut job
        {
            words.push(quoted(&format!("--{entry}")));
        }
    }
    add_line(&mut text, job);
    text
}

fn add_line(text: &mut String, job: Option<Vec<String>>) {
    if let Some(words) = job {
        text.push_str("fio ");
        text.push_str(&words.join(" "));
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_a_line_with_what_holds_for_all() {
        let file = "; a comment\n[global]\nsize=1g\nfilename=a b\n\n[one]\nrw=read\n\n[two]\n\
                    stonewall\n; sokudo: name=Two\nrw=write\n";
        assert_eq!(
            lines_of(file),
            "fio --name=one --size=1g '--filename=a b' --rw=read\n\
             fio --name=two --size=1g '--filename=a b' --rw=write\n"
        );
        assert_eq!(lines_of(""), "");
    }
}

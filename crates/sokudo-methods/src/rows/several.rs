//! The same tests of several disks: each disk alone, by turns, then all at the same time.

use std::collections::BTreeSet;

use sokudo_model::sharing::row_name;
use sokudo_model::{FileUse, Files, Stage, Workload, narrow};

/// Names up to this many characters stand in a column beside figures.
const LABEL_CHARACTERS_MAX: usize = 16;

/// A letter stands for each disk whose name is longer; more disks have numbers.
const LETTERS: u32 = 26;

/// The tests of one disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskTests {
    /// What the disk is called in the names of rows.
    pub label: String,
    /// The same tests in the same order for each disk; what part of it is used may differ.
    pub workloads: Vec<Workload>,
}

/// Stages that make each test on each disk alone, then on all at once. Rows of all at once are
/// called after how many others there are: `SEQ1M Q8T1 @sdb` and `SEQ1M Q8T1 @sdb+2`.
pub fn stages(disks: &[DiskTests]) -> Vec<Stage> {
    let tests = disks.first().map_or(0, |disk| disk.workloads.len());
    let others = disks.len().saturating_sub(1);
    let mut stages = Vec::new();
    for test in 0..tests {
        let on_each = |others| {
            let on_one = move |(target, disk): (usize, &DiskTests)| {
                on_disk(disk.workloads[test].clone(), target, &disk.label, others)
            };
            disks.iter().enumerate().map(on_one)
        };
        stages.extend(on_each(0).map(Stage::alone));
        stages.push(Stage {
            workloads: on_each(others).collect(),
        });
    }
    stages
}

/// The workload of one disk of several.
pub(crate) fn on_disk(workload: Workload, target: usize, label: &str, others: usize) -> Workload {
    on_targets(workload, label, others, |_| narrow(target))
}

/// The same where each of its targets has another number among all.
pub(crate) fn on_targets(
    workload: Workload,
    label: &str,
    others: usize,
    index: impl Fn(u32) -> u32,
) -> Workload {
    let mut uses = workload.files.uses;
    if uses.is_empty() {
        let whole = FileUse {
            target: 0,
            span: None,
        };
        uses.push(whole);
    }
    for part in &mut uses {
        part.target = index(part.target);
        part.span = part.span.or(workload.span);
    }
    Workload {
        name: row_name(&workload.name, label, others),
        files: Files {
            uses,
            ..workload.files
        },
        ..workload
    }
}

/// What disks are called beside figures: the last word of their paths, or a letter each where these
/// are long or alike.
pub fn labels(names: &[&str]) -> Vec<String> {
    let last = |name: &&str| {
        name.trim_end_matches('/')
            .rsplit('/')
            .next()
            .map(str::to_owned)
    };
    let words: Option<Vec<String>> = names.iter().map(last).collect();
    let words = words.unwrap_or_default();
    let is_plain = |word: &String| {
        let mut characters = word.chars();
        let is_short = (1..=LABEL_CHARACTERS_MAX).contains(&word.chars().count());
        is_short && characters.all(|it| it.is_alphanumeric() || "-_.:".contains(it))
    };
    let unlike: BTreeSet<&String> = words.iter().collect();
    if unlike.len() == names.len() && words.iter().all(is_plain) {
        return words;
    }
    (0..narrow(names.len())).map(letter).collect()
}

fn letter(number: u32) -> String {
    let letter = char::from_u32(u32::from('A') + number).filter(|_| number < LETTERS);
    letter.map_or_else(|| format!("D{}", number + 1), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::Bytes;

    #[test]
    fn each_test_is_made_alone_by_turns_and_then_on_all_at_once() {
        let tests = ["a", "b"].map(|name| Workload::new(name, Bytes(4096)));
        let disk = |label: &str| DiskTests {
            label: label.to_owned(),
            workloads: tests.to_vec(),
        };
        let stages = stages(&[disk("sdb"), disk("sdc")]);
        let names = stages.iter().map(|stage| {
            let names = stage.workloads.iter().map(|it| it.name.as_str());
            names.collect::<Vec<_>>().join(" & ")
        });
        assert_eq!(
            names.collect::<Vec<_>>(),
            [
                "a @sdb",
                "a @sdc",
                "a @sdb+1 & a @sdc+1",
                "b @sdb",
                "b @sdc",
                "b @sdb+1 & b @sdc+1",
            ]
        );
        assert_eq!(stages[1].workloads[0].targets(), [1]);
    }

    #[test]
    fn disks_are_called_by_their_last_word_or_by_letters() {
        assert_eq!(labels(&["/dev/sdb", "/mnt/x/"]), ["sdb", "x"]);
        assert_eq!(labels(&["/a/x", "/b/x"]), ["A", "B"]);
        assert_eq!(labels(&["sim:ssd?seed=1", "sim:hdd"]), ["A", "B"]);
        assert_eq!(labels(&["sim:ssd", "sim:hdd"]), ["sim:ssd", "sim:hdd"]);
        assert_eq!(labels(&["/", "/mnt"]), ["A", "B"]);
    }
}

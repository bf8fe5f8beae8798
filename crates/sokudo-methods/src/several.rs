//! Several disks in one command: what is named, what one command cannot do with several, and how
//! long it takes.

pub(crate) mod picture;
pub(crate) mod rules;
pub(crate) mod table;

use sokudo_measure::{Named, OtherTarget, duration};
use sokudo_model::{DiskAnswer, Plan, Schedule};
use sokudo_terminal::exit::Exit;
use sokudo_words::{Text, text};

use crate::declared::Declared;

pub(crate) const DECLARED: Declared = Declared {
    views: &[&table::VIEW],
    showings: &[table::showing],
    pictures: &[picture::RATES],
    rules: &[&rules::RULES],
    ..Declared::NONE
};

/// What is measured beside the first target.
pub fn recognise(others: &[String]) -> Result<Vec<OtherTarget>, Exit> {
    let of_one = |name: &String| {
        Ok(OtherTarget {
            named: Named::recognise(name)?,
            name: name.clone(),
        })
    };
    others.iter().map(of_one).collect()
}

/// Refuses to print the method of several disks as another tool's.
pub fn check_printing(others: &[String], prints: bool) -> Result<(), Exit> {
    match others {
        [other, ..] if prints => Err(Exit::usage(text!(
            "--print-job and --as are for one target, and {other} is another; leave it out"
        ))),
        _ => Ok(()),
    }
}

/// Refuses several disks where a command needs one.
pub fn check_one(others: &[String], what: &'static str) -> Result<(), Exit> {
    match others {
        [] => Ok(()),
        [other, ..] => Err(Exit::usage(text!(
            "{} is for one disk, and {other} is another; leave it out",
            Text::from(what)
        ))),
    }
}

/// What disks come to that each have an answer, by the exit code; `None` is one that could not be
/// judged.
pub(crate) fn verdict(answers: &[Option<DiskAnswer>]) -> Result<(), Exit> {
    if answers.contains(&Some(DiskAnswer::NotOk)) {
        return Err(Exit::FailedAsReported);
    }
    match answers.iter().all(Option::is_some) {
        true => Ok(()),
        false => Err(Exit::not_trusted(text!(
            "not every disk could be judged; the first line of the result says why"
        ))),
    }
}

/// How long several disks take; `None` of one.
pub fn time_note(plan: &Plan, schedule: &Schedule, disks: usize) -> Option<Text> {
    if disks < 2 {
        return None;
    }
    let time = sokudo_report::duration(duration(plan, schedule, &[]));
    Some(match schedule.enough {
        Some(_) => text!(
            "{disks} targets, alternately each alone, then all together: at most {time}, less where trials agree"
        ),
        None => text!("{disks} targets, alternately each alone, then all together: {time}"),
    })
}

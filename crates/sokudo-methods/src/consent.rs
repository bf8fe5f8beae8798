//! The words for what may not be written, and the way out; and the question before much is
//! written. Whether it may is the rule of
//! [`may_write`]; which words a command adds are ways out that only it has.

pub mod of_jobs;

use sokudo_measure::{Jobs, Measurement, Named, Permission, Unwritten, may_write};
use sokudo_model::{Bytes, Order, Plan, TargetKind, Workload};
use sokudo_report::wording::row;
use sokudo_report::{decimal_size, duration};
use sokudo_terminal::arguments::printing::Asking;
use sokudo_terminal::event_stream::{self, Estimate};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{interrupt, invocation, output};
use sokudo_words::{Text, text};

use crate::arguments::SharedArguments;

/// More rows than these are counted.
const ROWS_NAMED_MAX: usize = 16;

/// Why a target is only read with this permission, and how to change that; `None` where it
/// may be written.
pub fn refusal(target: &str, kind: TargetKind, permission: &Permission) -> Option<Text> {
    let why = match may_write(kind, permission).err()? {
        Unwritten::Device => text!(
            "{target}: sokudo only reads block devices, because writing would destroy their data; measure writes in a directory on it, or name it with --destroy"
        ),
        Unwritten::File => text!(
            "{target}: sokudo only reads existing files; use --overwrite to destroy its contents, or name its directory to measure with a file of sokudo's own"
        ),
    };
    Some(why)
}

/// Refuses leave to overwrite what is no existing file.
pub fn check_overwrite(target: &str, kind: TargetKind, overwrite: bool) -> Result<(), Exit> {
    match kind {
        TargetKind::File => Ok(()),
        _ if !overwrite => Ok(()),
        TargetKind::BlockDevice => Err(Exit::refused(text!(
            "{target} is a block device, and --overwrite is for regular files; use --destroy instead"
        ))),
        _ => Err(Exit::usage(text!(
            "{target} is not an existing file; leave --overwrite out"
        ))),
    }
}

/// Refuses what may not be written where all that is done writes.
pub fn check_written(target: &str, kind: TargetKind, shared: &SharedArguments) -> Result<(), Exit> {
    check_overwrite(target, kind, shared.overwrite)?;
    match refusal(target, kind, &shared.permission()) {
        Some(_) if kind == TargetKind::BlockDevice && event_stream::is_for_page() => {
            Err(Exit::refused(text!(
                "all that is on {target} would be lost: the page writes a disk only if it was started with --allow-destroy and its serial number, and the same is typed here"
            )))
        }
        Some(why) => Err(Exit::refused(why)),
        None => Ok(()),
    }
}

/// Refuses what cannot be measured, and asks what is asked for the rest: of much that is written
/// unless `lines` are what a command always asks, none of them where it asks nothing.
pub fn ask(
    measurement: &Measurement<'_>,
    lines: Option<Vec<Text>>,
    asking: Asking,
) -> Result<(), Exit> {
    measurement.check_devices()?;
    measurement.check_directory()?;
    let much = || much(&names_of(measurement), &Estimate::of(measurement));
    let lines = lines.unwrap_or_else(|| much().into_iter().collect());
    confirm(&lines, asking)
}

/// What is lost of each device that is overwritten, and what all of that takes; nothing where none
/// is.
pub fn lost(measurement: &Measurement<'_>) -> Vec<Text> {
    let stages = measurement.plan.stages.iter();
    let workloads = stages.flat_map(|stage| &stage.workloads);
    let writers = workloads.filter(|it| it.operations.changes_data());
    let of_device = |(index, (name, named)): (usize, (&str, &Named))| {
        let is_device = named.kind() == TargetKind::BlockDevice;
        let is_its = |it: &&Workload| is_device && it.targets().contains(&index);
        let order = writers.clone().find(is_its)?.order;
        let size = Text::name(decimal_size(named.size().unwrap_or_default(), 3));
        let device = identified(name, named);
        Some(match order {
            Order::Sequential { .. } => text!("all of {device}, {size}, is overwritten and lost"),
            Order::Random { .. } => text!(
                "data in many positions all over {device}, {size}, are overwritten: treat all that is on it as lost"
            ),
        })
    };
    let targets = measurement.targets().enumerate();
    let mut lines: Vec<Text> = targets.filter_map(of_device).collect();
    if !lines.is_empty() {
        lines.push(cost_of(measurement));
    }
    lines
}

/// A device as it was named, with what its label says.
pub(crate) fn identified(name: &str, named: &Named) -> Text {
    let is_device = named.kind() == TargetKind::BlockDevice;
    let info = named.info().filter(|_| is_device);
    let device = info.and_then(|info| info.devices.first());
    let model = device.and_then(|it| it.model.clone());
    let serial = device.and_then(|it| it.serial.clone());
    match (model, serial) {
        (Some(model), Some(serial)) => text!("{name} ({model}, serial {serial})"),
        (None, Some(serial)) => text!("{name} (serial {serial})"),
        (Some(model), None) => Text::name(format!("{name} ({model})")),
        (None, None) => Text::name(name),
    }
}

/// The same as [`ask`] for jobs.
pub fn ask_jobs(jobs: &Jobs<'_>, asking: Asking) -> Result<(), Exit> {
    confirm(much_of_jobs(jobs).as_slice(), asking)
}

/// Where the front end is another tool's, scripts call it as they call that: only who sits there is asked.
pub fn ask_at_door(jobs: &Jobs<'_>) -> Result<(), Exit> {
    let (yes, quiet) = (!invocation::is_somebody_there(), true);
    ask_jobs(jobs, Asking { quiet, yes })
}

/// What of jobs is told where they write much, or take long.
pub fn much_of_jobs(jobs: &Jobs<'_>) -> Option<Text> {
    much(&targets_of(jobs), &Estimate::of_jobs(jobs))
}

/// What jobs write, and how long they take.
pub fn cost_of_jobs(jobs: &Jobs<'_>) -> Text {
    cost(&targets_of(jobs), &Estimate::of_jobs(jobs))
}

/// Those that are written, or all where none is.
fn targets_of(jobs: &Jobs<'_>) -> String {
    let (written, read): (Vec<_>, Vec<_>) = jobs
        .targets
        .iter()
        .partition(|it| it.written || it.is_made());
    let shown = if written.is_empty() { read } else { written };
    let names: Vec<_> = shown
        .iter()
        .map(|it| it.path.display().to_string())
        .collect();
    names.join(", ")
}

/// What is told where much is written to a target, or it takes long, and so is asked for first.
pub fn much(target: &str, estimate: &Estimate) -> Option<Text> {
    (estimate.is_much() && !event_stream::is_plan()).then(|| cost(target, estimate))
}

/// What a plan does: its method, and its rows.
pub fn what(plan: &Plan) -> Text {
    let workloads = || plan.stages.iter().flat_map(|stage| &stage.workloads);
    let rows = workloads().map(|it| match it.operations.direction() {
        "" => row(&it.name),
        direction => row(&format!("{} {direction}", it.name)),
    });
    match workloads().count() {
        ..=ROWS_NAMED_MAX => text!("{}: {}", plan.method.to_string(), Text::list(rows, ", ")),
        count => text!("{}: {count} rows", plan.method.to_string()),
    }
}

/// What a measurement writes to all of its targets, and how long it takes.
pub fn cost_of(measurement: &Measurement<'_>) -> Text {
    cost(&names_of(measurement), &Estimate::of(measurement))
}

fn names_of(measurement: &Measurement<'_>) -> String {
    let names: Vec<&str> = measurement.targets().map(|(name, _)| name).collect();
    names.join(", ")
}

/// What is written to a target, and how long it takes.
fn cost(target: &str, estimate: &Estimate) -> Text {
    let time = duration(estimate.time);
    let bytes = estimate.writes_bytes.map(Bytes);
    let size = bytes.map(|bytes| Text::name(decimal_size(bytes, 3)));
    match size {
        _ if !estimate.writes_anything() => {
            text!("{target}: it takes about {time}, and nothing is written")
        }
        Some(size) if estimate.writes_seconds == 0.0 => {
            text!("{target}: up to {size} will be written, in about {time}")
        }
        Some(size) if estimate.writes_many_bytes() => {
            text!("{target}: {size} or more will be written")
        }
        _ if estimate.writes_seconds == 0.0 => text!(
            "{target}: it takes about {time}, and what the writes take besides, which is not known"
        ),
        _ => text!(
            "{target}: for {seconds:.0} s of about {time}, the disk will be written at full speed",
            seconds = estimate.writes_seconds
        ),
    }
}

/// Nobody can be asked.
pub fn without_consent(line: &Text) -> Exit {
    Exit::usage(text!(
        "{}; there is no terminal to ask on: use --yes",
        line.clone()
    ))
}

/// Tells what will be written, if anything is told, and asks whether it may be; with `--yes` it is told alone.
pub fn confirm(lines: &[Text], asking: Asking) -> Result<(), Exit> {
    let Some(first) = lines.first() else {
        return Ok(());
    };
    if asking.yes || event_stream::is_plan() {
        if !asking.quiet {
            lines.iter().for_each(exit::note);
        }
        return Ok(());
    }
    if !invocation::is_somebody_there() {
        return Err(without_consent(first));
    }
    lines.iter().for_each(exit::note);
    let leaving = interrupt::leave_before_anything()?;
    let is_wanted = output::ask(&text!("Begin? [y/N]"));
    drop(leaving);
    match is_wanted? {
        true => Ok(()),
        false => Err(Exit::failed(text!("nothing was written"))),
    }
}

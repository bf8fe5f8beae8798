//! The words for what may not be written, and the way out. Whether it may is the rule of
//! [`may_write`]; which words a command adds are ways out that only it has.

use sokudo_measure::{Measurement, Permission, Unwritten, may_write};
use sokudo_model::{Method, TargetKind};
use sokudo_report::{decimal_size, duration};
use sokudo_words::{Text, text};

use crate::cli::Asking;
use crate::exit::{self, Exit};
use crate::telling::{self, Estimate};
use crate::{interrupt, invocation, output};

/// Why a target is only read with this permission, and how to change that; `None` where it
/// may be written.
pub(crate) fn refusal(target: &str, kind: TargetKind, permission: &Permission) -> Option<Text> {
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
pub(crate) fn check_overwrite(target: &str, kind: TargetKind, overwrite: bool) -> Result<(), Exit> {
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

/// What is told where much is written, or for long, and so is asked for first. Who fills a disk or
/// burns it in has asked already.
pub(crate) fn much(measurement: &Measurement<'_>) -> Option<Text> {
    let mut targets = measurement.targets();
    let is_virtual =
        targets.all(|(_, named)| matches!(named.kind(), TargetKind::Simulated | TargetKind::Null));
    let has_asked = matches!(measurement.plan.method, Method::Fill | Method::BurnIn);
    let estimate = Estimate::of(measurement);
    if is_virtual || has_asked || telling::is_plan() || !estimate.is_much() {
        return None;
    }
    let (target, time) = (measurement.target, duration(estimate.time));
    let many = estimate.many_bytes();
    let many = many.map(|bytes| Text::name(decimal_size(bytes, 3)));
    Some(match many {
        Some(size) if estimate.is_long() => {
            text!("{target}: up to {size} will be written, in about {time}")
        }
        Some(size) => text!("{target}: {size} or more will be written"),
        None => text!("{target}: for about {time} as much will be written as it takes"),
    })
}

/// Nobody can be asked.
pub(crate) fn unasked(line: &Text) -> Exit {
    Exit::usage(text!(
        "{}; there is no terminal to ask on whether it may be written: use --yes",
        line.clone()
    ))
}

/// Tells what will be written, and asks whether it may be; with `--yes` it is told alone.
pub(crate) fn confirm(lines: &[Text], asking: Asking) -> Result<(), Exit> {
    if asking.yes {
        if !asking.quiet {
            lines.iter().for_each(exit::note);
        }
        return Ok(());
    }
    if !invocation::is_input_terminal() || !invocation::is_output_terminal() {
        return Err(unasked(&lines[0]));
    }
    for line in lines {
        output::say(line)?;
    }
    let leaving = interrupt::leave_before_anything()?;
    let is_wanted = output::ask(&text!("Write it? [y/N]"));
    drop(leaving);
    match is_wanted? {
        true => Ok(()),
        false => Err(Exit::failed(text!("nothing was written"))),
    }
}

//! The words for what may not be written, and the way out. Whether it may is the rule of
//! [`may_write`]; which words a command adds are ways out that only it has.

use sokudo_measure::{Permission, Unwritten, may_write};
use sokudo_model::TargetKind;
use sokudo_words::{Text, text};

use crate::exit::{self, Exit};
use crate::invocation;
use crate::output;

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

/// Tells what will be written, and asks whether it may be; with `yes` it is told alone.
pub(crate) fn confirm(lines: &[Text], yes: bool, quiet: bool) -> Result<(), Exit> {
    if yes {
        if !quiet {
            lines.iter().for_each(exit::note);
        }
        return Ok(());
    }
    if !invocation::is_input_terminal() || !invocation::is_output_terminal() {
        return Err(Exit::usage(text!(
            "{}; there is no terminal to ask on whether it may be written: use --yes, or --estimate to see what it takes",
            lines[0].clone()
        )));
    }
    for line in lines {
        output::say(line)?;
    }
    match output::ask(&text!("Write it? [y/N]"))? {
        true => Ok(()),
        false => Err(Exit::failed(text!("nothing was written"))),
    }
}

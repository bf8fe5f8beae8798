//! The words for what may not be written, and the way out. Whether it may is the rule of
//! [`may_write`]; which words a command adds are ways out that only it has.

use anyhow::anyhow;
use sokudo_measure::{Permission, Unwritten, may_write};
use sokudo_model::TargetKind;

use crate::exit::Exit;

/// Why a target is only read with this permission, and how to change that; `None` where it
/// may be written.
pub(crate) fn refusal(target: &str, kind: TargetKind, permission: &Permission) -> Option<String> {
    let why = match may_write(kind, permission).err()? {
        Unwritten::Device => {
            "block devices are only read, because writing would destroy what they hold; \
             measure writes in a directory of a file system on it, or name it with --destroy"
        }
        Unwritten::File => {
            "an existing file is only read, as it is; use --overwrite to destroy its contents, \
             or name its directory to measure on a file of sokudo's own"
        }
    };
    Some(format!("{target}: {why}"))
}

/// Refuses leave to overwrite what is no existing file.
pub(crate) fn check_overwrite(target: &str, kind: TargetKind, overwrite: bool) -> Result<(), Exit> {
    match kind {
        TargetKind::File => Ok(()),
        _ if !overwrite => Ok(()),
        TargetKind::BlockDevice => Err(Exit::Refused(anyhow!(
            "{target} is a block device, and --overwrite is for regular files only"
        ))),
        _ => Err(Exit::usage(anyhow!(
            "{target} is no existing file, so there is nothing to --overwrite; leave it out"
        ))),
    }
}

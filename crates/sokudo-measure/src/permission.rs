//! What may be written, and the one rule for it.
//!
//! What a command asks for is checked by this rule before anything is opened. That nothing
//! else is ever opened for writing is seen to by the permits of `sokudo-engine`.

use sokudo_engine::{Consent, Front};
use sokudo_model::TargetKind;

/// What of the things that exist the user allows to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Nothing: they are only read.
    ReadOnly,
    /// This file, whose contents are lost.
    OverwriteFile,
    /// This file or device, but only with what was read at the same place.
    WriteBack,
    /// The block devices that the user names.
    Destroy(Consent),
}

impl Permission {
    /// What this allows: an existing file to be overwritten, devices to be destroyed, and
    /// also what they hold.
    pub fn new(overwrite: bool, destroy: &[String], destroy_contents: bool) -> Self {
        if overwrite {
            Self::OverwriteFile
        } else if destroy.is_empty() {
            Self::ReadOnly
        } else {
            let named = destroy.iter().cloned();
            Self::Destroy(Consent::new(Front::Own, named, destroy_contents))
        }
    }
}

/// Why a target is not written without the user's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// It is a block device, and none was named.
    Device,
    /// It is an existing file, and may not be overwritten.
    File,
}

/// Whether a target of this kind may be written: a file of our own in a directory, a
/// simulated device and none at all always; an existing file or a block device only with
/// the user's word for it.
///
/// # Errors
/// What is missing of that word.
pub fn may_write(kind: TargetKind, permission: &Permission) -> Result<(), Unwritten> {
    use Permission::{Destroy, OverwriteFile, WriteBack};
    match (kind, permission) {
        (TargetKind::Directory | TargetKind::Simulated | TargetKind::Null, _)
        | (TargetKind::BlockDevice, Destroy(_) | WriteBack)
        | (TargetKind::File, OverwriteFile | WriteBack) => Ok(()),
        (TargetKind::BlockDevice, _) => Err(Unwritten::Device),
        (TargetKind::File | TargetKind::Imported, _) => Err(Unwritten::File),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_exists_is_written_only_by_a_word_that_is_about_it() {
        let named = Permission::new(false, &["/dev/sdx".to_owned()], false);
        let all = [
            Permission::ReadOnly,
            Permission::OverwriteFile,
            Permission::WriteBack,
            named,
        ];
        let allowed = |kind| all.each_ref().map(|it| may_write(kind, it).is_ok());
        assert_eq!(allowed(TargetKind::BlockDevice), [false, false, true, true]);
        assert_eq!(allowed(TargetKind::File), [false, true, true, false]);
        for kind in [
            TargetKind::Directory,
            TargetKind::Simulated,
            TargetKind::Null,
        ] {
            assert_eq!(allowed(kind), [true; 4]);
        }
    }
}

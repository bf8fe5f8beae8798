//! Arrays of Linux software RAID under a target (`Documentation/admin-guide/md.rst` of the
//! kernel names the files).

use std::path::Path;

use sokudo_model::{ArrayState, BlockDeviceKind, Bytes, TargetInfo};

use crate::block;
use crate::system::{self, System};

/// The state of every array under the target.
pub(super) fn arrays(system: &System, target: &TargetInfo) -> Vec<ArrayState> {
    target
        .devices
        .iter()
        .filter(|device| device.kind == BlockDeviceKind::Raid)
        .filter_map(|device| {
            let directory = block::directory_of_number(system, &device.number)?;
            Some(array(&device.name, &directory.join("md")))
        })
        .collect()
}

fn array(name: &str, md: &Path) -> ArrayState {
    let number = |file: &str| system::number(md.join(file));
    ArrayState {
        name: name.to_owned(),
        level: system::text(md.join("level")),
        chunk_bytes: number("chunk_size").filter(|size| *size > 0).map(Bytes),
        // While an array is reshaped it says both numbers: `5 (4)`.
        members: system::text(md.join("raid_disks"))
            .and_then(|text| text.split_whitespace().next()?.parse().ok()),
        missing: number("degraded"),
        action: system::text(md.join("sync_action"))
            .filter(|action| !matches!(action.as_str(), "idle" | "frozen")),
    }
}

/// The state after a run, with what was only so before it: a rebuild that ended meanwhile.
pub(super) fn together(mut after: Vec<ArrayState>, before: &[ArrayState]) -> Vec<ArrayState> {
    for array in &mut after {
        if let Some(before) = before.iter().find(|before| before.name == array.name) {
            array.missing = array.missing.max(before.missing);
            if array.action.is_none() {
                array.action.clone_from(&before.action);
            }
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_read_from_its_files() {
        let directory = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("level", "raid5\n"),
            ("chunk_size", "524288\n"),
            ("raid_disks", "5 (4)\n"),
            ("degraded", "1\n"),
            ("sync_action", "recover\n"),
        ] {
            std::fs::write(directory.path().join(file), text).unwrap();
        }
        let seen = array("md0", directory.path());
        assert_eq!(seen.chunk_bytes, Some(Bytes::kib(512)));
        assert_eq!(seen.members, Some(5));
        assert_eq!(seen.missing, Some(1));
        assert_eq!(seen.action.as_deref(), Some("recover"));
        std::fs::write(directory.path().join("sync_action"), "idle\n").unwrap();
        std::fs::write(directory.path().join("degraded"), "0\n").unwrap();
        let later = array("md0", directory.path());
        assert_eq!(later.action, None);
        // What was so before the run counts for the run.
        let both = together(vec![later], std::slice::from_ref(&seen));
        assert_eq!(both, [seen]);
    }

    #[test]
    fn of_an_array_that_says_nothing_nothing_is_known() {
        let directory = tempfile::tempdir().unwrap();
        let seen = array("md0", directory.path());
        assert_eq!(
            seen,
            ArrayState {
                name: "md0".into(),
                ..ArrayState::default()
            }
        );
    }
}

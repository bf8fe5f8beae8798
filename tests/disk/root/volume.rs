//! Volumes on loop devices, as root: made, mounted, dissolved, and gone whatever happens.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use sokudo_model::{Bytes, FileSystemKind, RaidBy, RaidLevel, RaidPlan, VolumeOptions, VolumePlan};
use sokudo_volume::{
    Action, Journal, Volume, VolumeDisk, VolumeError, VolumeNames, loop_disks, missing, steps,
};

use crate::sokudo::{WAIT_MAX, is_root, skip};

const MIB: u64 = 1 << 20;

/// Btrfs on four disks, and XFS, take no less.
const DISK_BYTES: Bytes = Bytes(400 * MIB);

/// Waits until this is so: programs that other tests start hold, for a moment, all that is open
/// here.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < WAIT_MAX, "not so: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Arrays and pools have their names from it, which all of a machine share.
fn id() -> String {
    std::process::id().to_string()
}

struct Setting {
    directory: tempfile::TempDir,
    disks: Vec<VolumeDisk>,
    journal: Journal,
}

impl Setting {
    /// Some disks. None, said loudly, where there can be none.
    fn new(count: usize) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        if !is_root() {
            skip("loop devices need root");
            return None;
        }
        let disks = loop_disks(directory.path(), count, DISK_BYTES).unwrap();
        let journal = Journal::open_in(&directory.path().join("journals"), &id()).unwrap();
        Some(Self {
            directory,
            disks,
            journal,
        })
    }

    fn place(&self) -> VolumeNames {
        let mount_point = self.directory.path().join("mounted here");
        VolumeNames::new(&id(), 1, mount_point).unwrap()
    }

    fn make(&mut self, plan: &VolumePlan) -> Result<Volume, VolumeError> {
        let place = self.place();
        let journal = &mut self.journal;
        Volume::make(plan, &self.disks, place, journal, &mut |_| (), &|| false)
    }

    /// Asserts that nothing is mounted and no disk holds anything.
    fn assert_gone(&self) {
        let place = self.place();
        assert!(!place.mount_point.exists(), "{place:?}");
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        for disk in &self.disks {
            let path = disk.path().to_str().unwrap();
            assert!(
                !mounts
                    .lines()
                    .any(|line| line.starts_with(&format!("{path} ")))
            );
            assert_eq!(signatures(disk.path()), "", "{path}");
        }
    }
}

fn signatures(device: &Path) -> String {
    let output = Command::new("wipefs")
        .arg("--noheadings")
        .arg(device)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn plan(kind: FileSystemKind, level: RaidLevel, disks: usize) -> VolumePlan {
    let by = match level {
        RaidLevel::None => RaidBy::Md,
        _ => RaidBy::FileSystem,
    };
    VolumePlan {
        raid: RaidPlan { level, disks, by },
        file_system: kind,
        options: VolumeOptions::default(),
        scheduler: None,
        ageing: None,
    }
}

#[test]
fn every_file_system_is_made_mounted_and_dissolved() {
    let Some(mut setting) = Setting::new(4) else {
        return;
    };
    use FileSystemKind::{Btrfs, Ext2, Ext3, Ext4, Xfs};
    let plans = [
        (Ext2, RaidLevel::None, 1),
        (Ext3, RaidLevel::None, 1),
        (Ext4, RaidLevel::None, 1),
        (Xfs, RaidLevel::None, 1),
        (Btrfs, RaidLevel::None, 1),
        (Btrfs, RaidLevel::Raid0, 2),
        (Btrfs, RaidLevel::Raid1, 3),
        (Btrfs, RaidLevel::Raid10, 4),
    ];
    for (kind, level, disks) in plans {
        let mut plan = plan(kind, level, disks);
        plan.scheduler = Some("none".to_owned());
        plan.options.mount = vec!["noatime".to_owned()];
        let volume = setting.make(&plan).unwrap();
        let at = volume.mount_point().to_owned();
        fs::write(at.join("file"), "contents").unwrap();
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let escaped = at.to_str().unwrap().replace(' ', "\\040");
        let line = mounts.lines().find(|line| line.contains(&escaped)).unwrap();
        let kind = kind.word();
        assert!(
            line.contains(&format!(" {kind} rw,nosuid,nodev,noatime")),
            "{line}"
        );
        assert_eq!(
            volume.notes().len(),
            usize::from(disks == 3),
            "{:?}",
            volume.notes()
        );
        volume.dissolve(&mut |_| ()).unwrap();
        setting.assert_gone();
    }
}

/// What many machines have not: Linux software RAID, ZFS, JFS, F2FS.
#[test]
fn arrays_pools_and_rare_file_systems_are_made_and_dissolved_where_there_are_any() {
    let Some(mut setting) = Setting::new(4) else {
        return;
    };
    use FileSystemKind::{Ext4, F2fs, Jfs, Xfs, Zfs};
    use RaidBy::{FileSystem, Md};
    let plans = [
        (Jfs, RaidLevel::None, 1, Md),
        (F2fs, RaidLevel::None, 1, Md),
        (Ext4, RaidLevel::Raid0, 2, Md),
        (Xfs, RaidLevel::Raid1, 2, Md),
        (Ext4, RaidLevel::Raid5, 3, Md),
        (Ext4, RaidLevel::Raid6, 4, Md),
        (Xfs, RaidLevel::Raid10, 4, Md),
        (Zfs, RaidLevel::None, 1, FileSystem),
        (Zfs, RaidLevel::Raid1, 2, FileSystem),
        (Zfs, RaidLevel::Raid5, 3, FileSystem),
        (Zfs, RaidLevel::Raid10, 4, FileSystem),
        (Zfs, RaidLevel::Raid1, 2, Md),
    ];
    for (kind, level, disks, by) in plans {
        for initial_sync in [false, true] {
            let mut plan = plan(kind, level, disks);
            plan.raid.by = by;
            plan.options.initial_sync = initial_sync;
            let place = setting.place();
            let paths: Vec<&Path> = setting.disks.iter().map(VolumeDisk::path).collect();
            let missing = missing(&steps(&plan, &paths, &place));
            if !missing.is_empty() {
                skip(&format!("{kind:?} on {level:?} by {by:?}: {missing:?}"));
                continue;
            }
            let volume = setting.make(&plan).unwrap();
            fs::write(volume.mount_point().join("file"), "contents").unwrap();
            eprintln!("{kind:?} on {level:?} by {by:?}: {:?}", volume.notes());
            volume.dissolve(&mut |_| ()).unwrap();
            setting.assert_gone();
        }
    }
}

#[test]
fn what_is_dropped_is_dissolved() {
    let Some(mut setting) = Setting::new(1) else {
        return;
    };
    let volume = setting
        .make(&plan(FileSystemKind::Ext4, RaidLevel::None, 1))
        .unwrap();
    drop(volume);
    setting.assert_gone();
    drop(setting.journal);
    assert_eq!(
        fs::read_dir(setting.directory.path().join("journals"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn a_mkfs_that_fails_leaves_nothing() {
    let Some(mut setting) = Setting::new(1) else {
        return;
    };
    let mut plan = plan(FileSystemKind::Xfs, RaidLevel::None, 1);
    plan.options.mkfs = vec!["-b".to_owned(), "size=3".to_owned()];
    let error = setting.make(&plan).unwrap_err();
    let VolumeError::Failed {
        command,
        excerpt: said,
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert!(command.starts_with("mkfs.xfs -q -L sokudo"), "{command}");
    assert!(said.contains("size"), "{said}");
    setting.assert_gone();
}

#[test]
fn a_mount_that_fails_leaves_nothing() {
    let Some(mut setting) = Setting::new(1) else {
        return;
    };
    let mut plan = plan(FileSystemKind::Ext4, RaidLevel::None, 1);
    plan.options.mount = vec!["nosuchoption".to_owned()];
    let error = setting.make(&plan).unwrap_err().to_string();
    assert!(error.contains("nosuchoption"), "{error}");
    setting.assert_gone();
}

#[test]
fn a_cancelled_making_leaves_nothing() {
    let Some(mut setting) = Setting::new(1) else {
        return;
    };
    let plan = plan(FileSystemKind::Ext4, RaidLevel::None, 1);
    let looks = std::cell::Cell::new(0);
    let place = setting.place();
    let mut told = Vec::new();
    let is_cancelled = || {
        looks.set(looks.get() + 1);
        looks.get() > 3
    };
    let made = Volume::make(
        &plan,
        &setting.disks,
        place,
        &mut setting.journal,
        &mut |action| told.push(action.to_string()),
        &is_cancelled,
    );
    assert!(
        matches!(made, Err(VolumeError::Cancelled { .. })),
        "{made:?}"
    );
    assert!(!told.is_empty());
    setting.assert_gone();
}

#[test]
fn a_disk_in_use_is_not_touched() {
    let Some(mut setting) = Setting::new(1) else {
        return;
    };
    let plan = plan(FileSystemKind::Ext4, RaidLevel::None, 1);
    let volume = setting.make(&plan).unwrap();
    fs::write(volume.mount_point().join("file"), "contents").unwrap();
    let error = setting.make(&plan).unwrap_err();
    assert!(matches!(error, VolumeError::InUse(_)), "{error}");
    let contents = fs::read_to_string(volume.mount_point().join("file")).unwrap();
    assert_eq!(contents, "contents");
    volume.dissolve(&mut |_| ()).unwrap();
    setting.assert_gone();
}

#[test]
fn a_mount_point_that_holds_something_is_not_hidden() {
    let Some(mut setting) = Setting::new(1) else {
        return;
    };
    let at = setting.place().mount_point;
    fs::create_dir(&at).unwrap();
    fs::write(at.join("mine"), "").unwrap();
    let error = setting
        .make(&plan(FileSystemKind::Ext4, RaidLevel::None, 1))
        .unwrap_err();
    assert!(matches!(error, VolumeError::NotEmpty(_)), "{error}");
    assert!(at.join("mine").exists());
    fs::remove_dir_all(&at).unwrap();
    setting.assert_gone();
}

/// Between the look at the mount point and the mount, always and not by chance.
#[test]
fn what_somebody_mounts_meanwhile_stays_mounted() {
    let Some(mut setting) = Setting::new(1) else {
        return;
    };
    let plan = plan(FileSystemKind::Ext4, RaidLevel::None, 1);
    let (place, at) = (setting.place(), setting.place().mount_point);
    let mut told = |action: &Action| {
        if matches!(action, Action::Mount { .. }) {
            let tmpfs = ["-t", "tmpfs", "none"];
            let mounted = Command::new("mount").args(tmpfs).arg(&at).status();
            assert!(mounted.unwrap().success());
            fs::write(at.join("mine"), "").unwrap();
        }
    };
    let journal = &mut setting.journal;
    let made = Volume::make(&plan, &setting.disks, place, journal, &mut told, &|| false);
    let error = made.unwrap_err().to_string();
    assert!(error.contains("mounted"), "{error}");
    let stays = at.join("mine").exists();
    // Programs that other tests start may still hold what was open in it.
    let unmounted = Command::new("umount").arg("--lazy").arg(&at).status();
    assert!(stays && unmounted.unwrap().success(), "{error}");
    fs::remove_dir(&at).unwrap();
    setting.assert_gone();
}

#[test]
fn what_stays_mounted_is_said_and_the_rest_of_it_stays_known() {
    let Some(mut setting) = Setting::new(1) else {
        return;
    };
    let volume = setting
        .make(&plan(FileSystemKind::Ext4, RaidLevel::None, 1))
        .unwrap();
    let at = volume.mount_point().to_owned();
    let open = fs::File::create(at.join("held open")).unwrap();
    let error = volume.dissolve(&mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("umount"), "{error}");
    drop(setting.journal);
    assert_eq!(
        fs::read_dir(setting.directory.path().join("journals"))
            .unwrap()
            .count(),
        1
    );
    drop(open);
    wait_until("it is unmounted", || {
        let unmounted = Command::new("umount").arg(&at).status();
        unmounted.unwrap().success()
    });
}

#[test]
fn a_hostile_option_is_refused_before_anything_is_touched() {
    let Some(mut setting) = Setting::new(1) else {
        return;
    };
    let mut plan = plan(FileSystemKind::Ext4, RaidLevel::None, 1);
    plan.options.mkfs = vec!["/dev/loop0".to_owned()];
    let mut told = Vec::new();
    let place = setting.place();
    let made = Volume::make(
        &plan,
        &setting.disks,
        place,
        &mut setting.journal,
        &mut |action: &Action| told.push(action.clone()),
        &|| false,
    );
    assert!(matches!(made, Err(VolumeError::Option { .. })), "{made:?}");
    assert_eq!(told, []);
}

#[test]
fn a_folder_without_room_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let error = loop_disks(directory.path(), 4, Bytes(1 << 60)).unwrap_err();
    assert!(matches!(error, VolumeError::NoRoom { .. }), "{error}");
}

#[test]
fn loop_disks_are_gone_with_their_holders() {
    let Some(setting) = Setting::new(2) else {
        return;
    };
    let backing = |disk: &VolumeDisk| -> PathBuf {
        let name = disk.path().file_name().unwrap();
        Path::new("/sys/block").join(name).join("loop/backing_file")
    };
    let paths: Vec<PathBuf> = setting.disks.iter().map(backing).collect();
    let files: Vec<String> = paths
        .iter()
        .map(|it| fs::read_to_string(it).unwrap())
        .collect();
    drop(setting.disks);
    for (path, file) in paths.iter().zip(files) {
        // Another test may have the device by now.
        wait_until("it has another file, or none", || {
            fs::read_to_string(path).ok().as_ref() != Some(&file)
        });
    }
    assert_eq!(fs::read_dir(setting.directory.path()).unwrap().count(), 1);
}

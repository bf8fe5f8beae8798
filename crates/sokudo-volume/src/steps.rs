//! A plan as steps, in their order, before anything is touched.

use std::path::Path;

use sokudo_model::{FileSystemKind, RaidBy, RaidLevel, VolumePlan};

use crate::action::{Action, Step};
use crate::names::VolumeNames;
use crate::{arrays, file_systems, pools};

/// Every step that makes the volume of the first of these disks. Nothing is asked or touched.
pub fn steps(plan: &VolumePlan, disks: &[&Path], names: &VolumeNames) -> Vec<Step> {
    let disks = &disks[..disks.len().min(plan.raid.disks)];
    let mut steps: Vec<Step> = disks.iter().flat_map(|disk| on_disk(plan, disk)).collect();
    let array = names.array();
    let devices = match is_array(plan) {
        true => &[array.as_path()][..],
        false => disks,
    };
    if is_array(plan) {
        steps.extend(arrays::steps(plan, disks, names));
    }
    let mount_point = names.mount_point.clone();
    steps.push(Step {
        action: Action::MakeDirectory(mount_point.clone()),
        undo: vec![Action::RemoveDirectory(mount_point)],
    });
    steps.extend(match plan.file_system {
        FileSystemKind::Zfs => pools::steps(plan, devices, names),
        _ => file_systems::steps(plan, devices, names),
    });
    steps
}

/// Whether Linux software RAID is below the file system.
pub(crate) fn is_array(plan: &VolumePlan) -> bool {
    plan.raid.by == RaidBy::Md && plan.raid.level != RaidLevel::None
}

/// What is done to each disk: it is empty at the beginning and at the end.
fn on_disk(plan: &VolumePlan, disk: &Path) -> Vec<Step> {
    let disk = disk.to_owned();
    let wipe = Step {
        action: Action::Wipe(disk.clone()),
        undo: vec![Action::Wipe(disk.clone())],
    };
    let discard = Step {
        action: Action::Discard(disk.clone()),
        undo: Vec::new(),
    };
    let scheduler = plan.scheduler.clone().map(|name| Step {
        undo: vec![Action::SchedulerBack(disk.clone())],
        action: Action::Scheduler { disk, name },
    });
    [wipe, discard].into_iter().chain(scheduler).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use sokudo_model::{RaidPlan, VolumeOptions};

    use super::*;
    use crate::names::Uuid;

    fn plan(level: RaidLevel, disks: usize, by: RaidBy, kind: FileSystemKind) -> VolumePlan {
        VolumePlan {
            raid: RaidPlan { level, disks, by },
            file_system: kind,
            options: VolumeOptions::default(),
            scheduler: None,
            ageing: None,
        }
    }

    fn names() -> VolumeNames {
        VolumeNames {
            mount_point: PathBuf::from("/run/sokudo/1"),
            name: "sokudo-1a2b3c4d-1".to_owned(),
            uuid: Uuid::from_bytes([0x11; 16]),
            array_uuid: Uuid::from_bytes([0x22; 16]),
        }
    }

    fn lines(plan: &VolumePlan) -> Vec<String> {
        let disks = [
            "/dev/sdb",
            "/dev/sdc",
            "/dev/nvme0n1",
            "/dev/sde",
            "/dev/sdf",
        ]
        .map(Path::new);
        let steps = steps(plan, &disks, &names());
        let done = steps.iter().map(|step| step.action.to_string());
        let undone = steps.iter().rev().flat_map(|step| step.undo.iter().rev());
        let undone = undone.map(|action| format!("undo: {action}"));
        done.chain(undone).collect()
    }

    #[test]
    fn a_disk_alone_is_emptied_filled_and_emptied_again() {
        let mut plan = plan(RaidLevel::None, 1, RaidBy::Md, FileSystemKind::Xfs);
        plan.options.mount = vec!["noatime".to_owned()];
        plan.scheduler = Some("none".to_owned());
        assert_eq!(
            lines(&plan),
            [
                "wipefs --all /dev/sdb",
                "blkdiscard /dev/sdb",
                "echo none > /sys/block/sdb/queue/scheduler",
                "mkdir -p /run/sokudo/1",
                "mkfs.xfs -q -L sokudo -m uuid=11111111-1111-1111-1111-111111111111 /dev/sdb",
                "mount -t xfs -o nodev,nosuid,noatime /dev/sdb /run/sokudo/1",
                "undo: umount /run/sokudo/1",
                "undo: rmdir /run/sokudo/1",
                "undo: echo \"$BEFORE\" > /sys/block/sdb/queue/scheduler",
                "undo: wipefs --all /dev/sdb",
            ]
        );
    }

    #[test]
    fn an_array_is_made_under_our_own_name_and_stopped_before_its_disks_are_emptied() {
        let mut plan = plan(RaidLevel::Raid5, 3, RaidBy::Md, FileSystemKind::Ext3);
        plan.options.mdadm = vec!["--chunk=64".to_owned()];
        let lines = lines(&plan);
        assert_eq!(
            lines[6..],
            [
                "mdadm --create /dev/md/sokudo-1a2b3c4d-1 --run --metadata=1.2 --level=5 \
                 --raid-devices=3 --uuid=22222222:22222222:22222222:22222222 \
                 --name=sokudo-1a2b3c4d-1 --homehost=any --assume-clean --chunk=64 \
                 /dev/sdb /dev/sdc /dev/nvme0n1",
                "wipefs --all /dev/md/sokudo-1a2b3c4d-1",
                "mkdir -p /run/sokudo/1",
                "mkfs.ext3 -q -L sokudo -U 11111111-1111-1111-1111-111111111111 \
                 -E lazy_itable_init=0,lazy_journal_init=0 /dev/md/sokudo-1a2b3c4d-1",
                "mount -t ext3 -o nodev,nosuid /dev/md/sokudo-1a2b3c4d-1 /run/sokudo/1",
                "undo: umount /run/sokudo/1",
                "undo: rmdir /run/sokudo/1",
                "undo: wipefs --all /dev/md/sokudo-1a2b3c4d-1",
                "undo: mdadm --stop /dev/md/sokudo-1a2b3c4d-1",
                "undo: wipefs --all /dev/nvme0n1",
                "undo: wipefs --all /dev/sdc",
                "undo: wipefs --all /dev/sdb",
            ]
        );
        plan.options.initial_sync = true;
        let lines = self::lines(&plan);
        assert!(!lines[6].contains("--assume-clean"), "{lines:#?}");
        assert_eq!(lines[8], "mdadm --wait /dev/md/sokudo-1a2b3c4d-1");
        plan.raid.level = RaidLevel::Raid0;
        let lines = self::lines(&plan);
        assert!(lines[6].contains("--level=0"), "{lines:#?}");
        assert!(
            lines.iter().all(|line| !line.contains("--wait")),
            "{lines:#?}"
        );
    }

    #[test]
    fn pools_have_our_name_and_no_cache_file_and_lose_their_labels() {
        let mut plan = plan(
            RaidLevel::Raid10,
            4,
            RaidBy::FileSystem,
            FileSystemKind::Zfs,
        );
        plan.options.mount = vec!["compression=off".to_owned()];
        plan.options.zpool = vec!["-o".to_owned(), "ashift=12".to_owned()];
        let lines = lines(&plan);
        assert_eq!(
            lines[8..],
            [
                "mkdir -p /run/sokudo/1",
                "zpool create -o cachefile=none -O devices=off -O setuid=off \
                 -O mountpoint=/run/sokudo/1 -O compression=off -o ashift=12 sokudo-1a2b3c4d-1 \
                 mirror /dev/sdb /dev/sdc mirror /dev/nvme0n1 /dev/sde",
                "undo: zpool destroy -f sokudo-1a2b3c4d-1",
                "undo: zpool labelclear -f /dev/sde1",
                "undo: zpool labelclear -f /dev/nvme0n1p1",
                "undo: zpool labelclear -f /dev/sdc1",
                "undo: zpool labelclear -f /dev/sdb1",
                "undo: rmdir /run/sokudo/1",
                "undo: wipefs --all /dev/sde",
                "undo: wipefs --all /dev/nvme0n1",
                "undo: wipefs --all /dev/sdc",
                "undo: wipefs --all /dev/sdb",
            ]
        );
    }

    #[test]
    fn each_level_of_a_pool_is_what_zfs_calls_it() {
        let layout = |level: RaidLevel, disks| {
            let plan = plan(level, disks, RaidBy::FileSystem, FileSystemKind::Zfs);
            let lines = lines(&plan);
            let create = lines.iter().find(|line| line.starts_with("zpool create"));
            create
                .unwrap()
                .split("sokudo-1a2b3c4d-1 ")
                .nth(1)
                .unwrap()
                .to_owned()
        };
        assert_eq!(layout(RaidLevel::None, 1), "/dev/sdb");
        assert_eq!(layout(RaidLevel::Raid0, 2), "/dev/sdb /dev/sdc");
        assert_eq!(layout(RaidLevel::Raid1, 2), "mirror /dev/sdb /dev/sdc");
        assert_eq!(
            layout(RaidLevel::Raid5, 3),
            "raidz1 /dev/sdb /dev/sdc /dev/nvme0n1"
        );
        assert!(layout(RaidLevel::Raid6, 4).starts_with("raidz2 "));
    }

    #[test]
    fn zfs_on_an_array_has_one_device() {
        let plan = plan(RaidLevel::Raid1, 2, RaidBy::Md, FileSystemKind::Zfs);
        let lines = lines(&plan);
        let create = lines.iter().find(|line| line.starts_with("zpool create"));
        assert!(
            create
                .unwrap()
                .ends_with(" sokudo-1a2b3c4d-1 /dev/md/sokudo-1a2b3c4d-1"),
            "{lines:#?}"
        );
    }

    #[test]
    fn all_devices_of_a_btrfs_are_named_where_it_is_mounted() {
        let plan = plan(
            RaidLevel::Raid1,
            3,
            RaidBy::FileSystem,
            FileSystemKind::Btrfs,
        );
        let lines = lines(&plan);
        let mount = lines.iter().find(|line| line.starts_with("mount"));
        assert_eq!(
            mount.unwrap(),
            "mount -t btrfs -o nodev,nosuid,device=/dev/sdc,device=/dev/nvme0n1 /dev/sdb /run/sokudo/1"
        );
    }
}

//! `sokudo prepare` makes one file system of one disk, and takes back only that.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::loop_device::LoopDevice;
use crate::sokudo::{WAIT_MAX, has, skip, sokudo};

const DISK_BYTES: u64 = 128 << 20;

/// A disk that can have partitions. None, said loudly, where there can be none.
fn disk() -> Option<LoopDevice> {
    if !has("sfdisk") {
        skip("sfdisk is not installed");
        return None;
    }
    LoopDevice::with_partitions(DISK_BYTES)
}

fn wipefs(path: &str) -> String {
    let output = Command::new("wipefs")
        .args(["--noheadings", path])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn is_mounted(at: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    mounts.contains(at.to_str().unwrap())
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_disk_is_prepared_and_emptied_again() {
        let Some(disk) = disk() else {
            return;
        };
        let path = disk.path.to_str().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().join("new");
        let prepare = format!("prepare {path} --fs ext4 --mount {}", at.display());
        sokudo(&format!("{prepare} --dry-run")).ok().prints(&[
            "wipefs --all",
            "sfdisk --quiet",
            "mkfs.ext4 -q",
            &format!("mount -t ext4 -o nodev,nosuid {path}p1"),
        ]);
        sokudo(&prepare).refused(3, &[path, "--destroy"]);
        assert_eq!(wipefs(path), "", "nothing was touched");
        sokudo(&format!("{prepare} --destroy {path} --owner 4321:1234"))
            .ok()
            .prints(&["mkfs.ext4", "chown 4321:1234", "--undo --destroy"]);
        assert!(is_mounted(&at));
        let metadata = at.metadata().unwrap();
        assert_eq!((metadata.uid(), metadata.gid()), (4321, 1234));
        fs::write(at.join("file"), "contents").unwrap();
        // What is mounted is prepared by no consent.
        sokudo(&format!("{prepare}2 --destroy {path} --destroy-contents")).refused(3, &["mounted"]);
        sokudo(&format!("prepare {path} --undo")).refused(3, &["--destroy"]);
        assert!(is_mounted(&at));
        sokudo(&format!("prepare {path} --undo --destroy {path}"))
            .ok()
            .prints(&["umount --all-targets", "wipefs", "is empty"]);
        assert!(!is_mounted(&at));
        assert_eq!(wipefs(path), "");
        assert!(!Path::new(&format!("{path}p1")).exists());
    }

    #[test]
    fn a_disk_that_holds_anything_is_prepared_only_with_the_second_word() {
        let Some(disk) = disk() else {
            return;
        };
        let path = disk.path.to_str().unwrap();
        let made = Command::new("mkfs.ext4")
            .args(["-q", path])
            .status()
            .unwrap();
        assert!(made.success());
        let before = wipefs(path);
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().display();
        let prepare = format!("prepare {path} --fs xfs --mount {at} --destroy {path}");
        sokudo(&prepare).refused(3, &["ext4", "--destroy-contents"]);
        sokudo(&format!("prepare {path} --undo --destroy {path}"))
            .refused(3, &["not as sokudo prepare makes it"]);
        assert_eq!(wipefs(path), before);
    }

    /// The seconds that making it takes are enough to exchange a name in one's own folder.
    #[test]
    fn nothing_is_mounted_below_a_folder_of_another_user() {
        let Some(disk) = disk() else {
            return;
        };
        let path = disk.path.to_str().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let his = directory.path().join("his");
        fs::create_dir(&his).unwrap();
        std::os::unix::fs::chown(&his, Some(65_534), Some(65_534)).unwrap();
        std::os::unix::fs::symlink("/etc", his.join("link")).unwrap();
        std::os::unix::fs::lchown(his.join("link"), Some(65_534), None).unwrap();
        for (name, word) in [
            ("a/sbin", "is not safe to mount on"),
            ("link/sbin", "another user"),
        ] {
            let at = his.join(name);
            let prepare = format!("prepare {path} --fs ext4 --mount {}", at.display());
            let owner = "--owner 65534:65534";
            sokudo(&format!("{prepare} --destroy {path} {owner}")).tells(&[word]);
            assert!(!at.exists());
        }
        assert_eq!(wipefs(path), "", "nothing was touched");
    }

    #[test]
    fn what_came_onto_a_prepared_disk_since_needs_the_second_word() {
        let Some(disk) = disk() else {
            return;
        };
        let path = disk.path.to_str().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().join("new");
        let prepare = format!("prepare {path} --fs ext4 --mount {}", at.display());
        sokudo(&format!("{prepare} --destroy {path}")).ok();
        let partition = format!("{path}p1");
        let runs = |program: &str, arguments: &[&str]| {
            let status = Command::new(program).args(arguments).status();
            status.unwrap().success()
        };
        // Programs that other tests start hold, for a moment, what is open here.
        let give_up = Instant::now() + WAIT_MAX;
        while !runs("umount", &[at.to_str().unwrap()]) {
            assert!(Instant::now() < give_up, "it stays mounted");
            thread::park_timeout(Duration::from_millis(10));
        }
        assert!(runs("mkfs.ext4", &["-q", "-F", &partition]));
        let before = wipefs(&partition);
        let undo = format!("prepare {path} --undo --destroy {path}");
        sokudo(&undo).refused(3, &["no longer holds just", "--destroy-contents"]);
        assert_eq!(wipefs(&partition), before);
        sokudo(&format!("{undo} --destroy-contents")).ok();
        assert_eq!(wipefs(path), "");
    }

    #[test]
    fn what_fails_halfway_is_taken_back() {
        let Some(disk) = disk() else {
            return;
        };
        let path = disk.path.to_str().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().join("new");
        let label = "a-label-that-is-far-too-long-for-any-ext4-or-xfs";
        let prepare = format!(
            "prepare {path} --fs xfs --mount {} --destroy {path}",
            at.display()
        );
        sokudo(&format!("{prepare} --label {label}"))
            .ends(1)
            .tells(&["mkfs.xfs", label]);
        assert_eq!(wipefs(path), "");
        assert!(!at.exists());
        assert!(!Path::new(&format!("{path}p1")).exists());
        sokudo(&format!("{prepare} --mkfs /dev/loop0")).refused(3, &["/dev/loop0"]);
        assert_eq!(wipefs(path), "");
    }

    #[test]
    fn a_full_directory_is_not_hidden_by_a_mount() {
        let Some(disk) = disk() else {
            return;
        };
        let path = disk.path.to_str().unwrap();
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("mine"), "").unwrap();
        let at = directory.path().display();
        sokudo(&format!(
            "prepare {path} --fs ext4 --mount {at} --destroy {path}"
        ))
        .ends(2)
        .tells(&["not empty"]);
        assert!(!is_mounted(directory.path()));
        assert_eq!(wipefs(path), "");
    }
}

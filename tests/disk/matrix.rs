//! `sokudo matrix` on disks made of files: nothing is left, whatever ends it, and nothing else is
//! touched.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};
use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::nobody::Nobody;
use crate::signals::{interrupt, pid};
use crate::sokudo::{
    WAIT_MAX, directory_on_disk, end, has, holds, is_root, skip, sokudo, split, start, wait,
};
use crate::store_file::Store;

/// One short row.
const METHOD: &str = "--method 'mark --row RND4K,Q8,read --time 50ms --runs 1 --size 16MiB'";

/// Where volumes are mounted.
const MOUNTED_BELOW: &str = "/run/sokudo";

/// Whether loop devices and these file systems can be made here.
fn can(file_systems: &[&str]) -> bool {
    let program = |name: &&str| has(&format!("mkfs.{name}"));
    let can = is_root() && has("losetup") && file_systems.iter().all(program);
    if !can {
        skip("a matrix needs root, losetup and mkfs");
    }
    can
}

fn on_files(directory: &Path, disks: &str, more: &str) -> Vec<String> {
    let directory = directory.display();
    let method = if more.contains("--method") {
        ""
    } else {
        METHOD
    };
    split(&format!(
        "matrix --loop {disks} --in {directory} {method} {more}"
    ))
}

/// Neither mounts nor loop devices nor files nor folders of a matrix in this directory.
fn assert_nothing_is_left(directory: &Path) {
    let mounts = fs::read_to_string("/proc/mounts").unwrap();
    assert!(!mounts.contains(MOUNTED_BELOW), "{mounts}");
    let started = Instant::now();
    // The kernel lets go of what a killed process held in its own time.
    while loops_on(directory).contains("sokudo") || !loops_on(directory).is_empty() {
        assert!(started.elapsed() < WAIT_MAX, "{}", loops_on(directory));
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(fs::read_dir(directory).unwrap().count(), 0);
}

/// Loop devices over files of this directory.
fn loops_on(directory: &Path) -> String {
    let all = Command::new("losetup").arg("--all").output().unwrap();
    let all = String::from_utf8(all.stdout).unwrap();
    let directory = directory.to_str().unwrap();
    let here = all.lines().filter(|line| line.contains(directory));
    here.collect::<Vec<_>>().join("\n")
}

/// The tags of all kept runs that begin with a word, sorted.
fn tags(store: &Store, begin: &str) -> Vec<String> {
    let runs = store.list("");
    let tags = runs.iter().flat_map(|run| run["tags"].as_array().unwrap());
    let tags = tags.map(|tag| tag.as_str().unwrap().to_owned());
    let mut tags: Vec<String> = tags.filter(|tag| tag.starts_with(begin)).collect();
    tags.sort();
    tags
}

/// Waits until something of a matrix is mounted in the mount namespace of its own: where.
fn wait_for_mount(child: &Child) -> PathBuf {
    let path = format!("/proc/{}/mounts", child.id());
    let started = Instant::now();
    loop {
        let mounts = fs::read_to_string(&path).unwrap_or_default();
        let mut points = mounts.lines().filter_map(|line| line.split(' ').nth(1));
        if let Some(point) = points.find(|point| point.starts_with(MOUNTED_BELOW)) {
            return PathBuf::from(point);
        }
        assert!(started.elapsed() < WAIT_MAX, "nothing is mounted");
        thread::sleep(Duration::from_millis(5));
    }
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn every_cell_is_measured_in_every_block_and_kept_with_its_values() {
        if !can(&["ext4", "xfs"]) {
            return;
        }
        let (store, directory) = (Store::new(), directory_on_disk());
        let arguments = on_files(
            directory.path(),
            "1x320MiB",
            "--fs ext4,xfs --mount defaults --mount noatime --format json",
        );
        let document = end(store.program().args(arguments)).json();
        assert_eq!(document["schema"], "sokudo.matrix/1");
        assert_eq!(tags(&store, "fs=ext4").len(), 6);
        assert_eq!(tags(&store, "mount=noatime").len(), 6);
        assert_eq!(
            tags(&store, "block="),
            ["1", "1", "1", "1", "2", "2", "2", "2", "3", "3", "3", "3"]
                .map(|it| format!("block={it}"))
        );
        let runs = store.list("");
        for run in &runs {
            let shown: Value =
                serde_json::from_str(&store.ok(&format!("show {} --format json", run["id"])))
                    .unwrap();
            let kind = shown["target"]["file_system"]["kind"].as_str().unwrap();
            let options = shown["target"]["file_system"]["mount_options"].to_string();
            let tags = run["tags"].to_string();
            assert!(tags.contains(&format!("fs={kind}")), "{tags} {kind}");
            assert_eq!(tags.contains("mount=noatime"), options.contains("noatime"));
        }
        let id = document["id"].as_str().unwrap();
        let report = store.ok(&format!("report --tag matrix={id} --format json"));
        let report: Value = serde_json::from_str(&report).unwrap();
        // The same as was printed when it was measured.
        for part in ["rows", "effects", "sentences"] {
            assert_eq!(report["matrices"][0][part], document[part]);
        }
        let page = store.ok(&format!("report --tag matrix={id} --format html"));
        holds(
            &page,
            &[&format!("Matrix {id}"), "Rates of all combinations"],
        );
        assert_nothing_is_left(directory.path());
    }

    #[test]
    fn interrupted_it_leaves_nothing_and_goes_on_later() {
        if !can(&["ext4"]) {
            return;
        }
        let (store, directory) = (Store::new(), directory_on_disk());
        let arguments = on_files(
            directory.path(),
            "1x320MiB",
            "--fs ext4 --method 'mark --row RND4K,read --time 500ms --runs 2 --size 16MiB'",
        );
        for signal in [Signal::INT, Signal::TERM] {
            let child = start(store.program().args(&arguments));
            wait_for_mount(&child);
            let ended = interrupt(child, signal);
            holds(&ended.told, &["interrupted"]);
            assert_nothing_is_left(directory.path());
        }
        // The next one is ended in its second block.
        let child = start(store.program().args(&arguments));
        let started = Instant::now();
        while tags(&store, "block=").is_empty() {
            assert!(started.elapsed() < WAIT_MAX, "nothing is kept");
            thread::sleep(Duration::from_millis(20));
        }
        interrupt(child, Signal::INT);
        let before = tags(&store, "block=");
        assert_ne!(before.len(), 3, "it was interrupted before its end");
        let id = tags(&store, "matrix=")[0]["matrix=".len()..].to_owned();
        store.ok(&format!("matrix --resume {id}"));
        assert_eq!(tags(&store, "block="), ["block=1", "block=2", "block=3"]);
        // What is complete is shown, and measured no more.
        store.ok(&format!("matrix --resume {id}"));
        assert_eq!(tags(&store, "block=").len(), 3);
        assert_nothing_is_left(directory.path());
    }

    #[test]
    fn who_does_not_wait_for_it_to_be_dissolved_is_told_who_does_it() {
        if !can(&["ext4"]) {
            return;
        }
        let (store, directory) = (Store::new(), directory_on_disk());
        let arguments = on_files(directory.path(), "1x320MiB", "--fs ext4");
        let child = start(store.program().args(&arguments));
        let mount_point = wait_for_mount(&child);
        // Two of the same kind could be taken for one.
        kill_process(pid(&child), Signal::INT).unwrap();
        let ended = interrupt(child, Signal::TERM);
        if mount_point.exists() {
            holds(&ended.told, &["still there", "sudo sokudo clean"]);
        }
        sokudo(&format!("clean --yes {}", directory.path().display())).ok();
        assert!(!mount_point.exists());
        assert_nothing_is_left(directory.path());
    }

    #[test]
    fn killed_it_leaves_neither_mounts_nor_loop_devices() {
        if !can(&["ext4"]) {
            return;
        }
        let (store, directory) = (Store::new(), directory_on_disk());
        let arguments = on_files(directory.path(), "2x320MiB", "--fs ext4");
        let child = start(store.program().args(&arguments));
        wait_for_mount(&child);
        kill_process(pid(&child), Signal::KILL).unwrap();
        assert_eq!(wait(child).code(), None);
        assert_nothing_is_left(directory.path());
    }

    #[test]
    fn a_cell_that_fails_is_told_and_the_others_go_on() {
        if !can(&["ext4"]) {
            return;
        }
        let (store, directory) = (Store::new(), directory_on_disk());
        let arguments = on_files(
            directory.path(),
            "1x320MiB",
            "--fs ext4 --fs 'ext4 name=odd mkfs=--nonsense' --fs 'ext4 name=mounted mount=nonsense'",
        );
        let ended = end(store.program().args(&arguments)).ends(1);
        holds(&ended.printed, &["odd", "mkfs.ext4", "nonsense", "mounted"]);
        assert_eq!(tags(&store, "fs="), ["fs=ext4", "fs=ext4", "fs=ext4"]);
        assert_nothing_is_left(directory.path());
    }

    #[test]
    fn btrfs_puts_disks_together_itself() {
        if !can(&["btrfs"]) {
            return;
        }
        let (store, directory) = (Store::new(), directory_on_disk());
        let arguments = on_files(
            directory.path(),
            "4x320MiB",
            "--fs btrfs --raid none,0,1,10",
        );
        end(store.program().args(&arguments)).ok();
        for run in store.list("--tag raid=10") {
            let shown: Value =
                serde_json::from_str(&store.ok(&format!("show {} --format json", run["id"])))
                    .unwrap();
            let devices = shown["target"]["devices"].as_array().unwrap();
            let loops = devices.iter().filter(|it| it["kind"] == "loop").count();
            assert_eq!(loops, 4, "{devices:?}");
        }
        assert_nothing_is_left(directory.path());
    }

    #[test]
    fn nothing_is_done_to_a_disk_without_leave() {
        let Some(device) = LoopDevice::with_ext4(320 << 20, true) else {
            return;
        };
        let before = fs::read(device.image()).unwrap();
        let node = device.path.to_str().unwrap();
        let planned = sokudo(&format!("matrix --disk {node} {METHOD}")).ends(3);
        holds(&planned.printed, &["mkfs.ext4", "will be destroyed", node]);
        holds(&planned.told, &["nothing was done", "--destroy"]);
        let other = format!("matrix --disk {node} --destroy /dev/null {METHOD}");
        holds(sokudo(&other).ends(3).told, &["--destroy"]);
        // It holds a file system, which is a second question.
        let named = format!("matrix --disk {node} --destroy {node} {METHOD}");
        holds(sokudo(&named).ends(3).told, &["--destroy-contents"]);
        assert!(
            fs::read(device.image()).unwrap() == before,
            "it was written"
        );
        let dry = format!("{named} --destroy-contents --dry-run");
        holds(sokudo(&dry).ok().printed, &["mkfs.ext4"]);
        assert!(
            fs::read(device.image()).unwrap() == before,
            "it was written"
        );
        let whole = format!("{named} --destroy-contents --no-store");
        sokudo(&whole).ok();
        let after = fs::read(device.image()).unwrap();
        assert!(after != before, "it was not written");
    }

    #[test]
    fn only_root_makes_volumes() {
        let Some(nobody) = Nobody::new() else { return };
        let script = format!("\"$SOKUDO\" matrix --loop 1x320MiB --in . {METHOD}");
        end(&mut nobody.shell(&script)).refused(3, &["sudo"]);
    }
}

//! A process that is killed while a volume is being made, or is mounted, leaves no mount and no
//! loop device, and what it leaves on a disk is found by its journal. It has no harness: a
//! mount namespace of one's own is made before any thread is started.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and says what it skips"
)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use sokudo_model::{Bytes, FileSystemKind, RaidBy, RaidLevel, RaidPlan, VolumeOptions, VolumePlan};
use sokudo_volume::{
    Journal, Volume, VolumeDisk, VolumePlace, dissolve_left_behind_in, loop_disks,
    own_mount_namespace,
};

/// Makes this program the one that is killed.
const CHILD: &str = "--is-killed";
const ID: &str = "killed";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, directory, device] = &arguments[..]
        && word == CHILD
    {
        make_and_wait(Path::new(directory), Path::new(device));
        return;
    }
    // `cargo test -- --list` and the like ask for nothing that is here.
    if arguments.iter().any(|word| word == "--list") {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: loop devices need root");
        return;
    }
    a_kill_leaves_nothing_mounted_and_what_is_left_is_found("mkfs.ext4");
    a_kill_leaves_nothing_mounted_and_what_is_left_is_found("mounted");
}

/// Kills a child when it says `word`, and looks at what is left.
fn a_kill_leaves_nothing_mounted_and_what_is_left_is_found(word: &str) {
    let directory = tempfile::tempdir().unwrap();
    // One disk of our own, which outlives the child.
    let disks = loop_disks(directory.path(), 1, Bytes(64 << 20)).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(CHILD)
        .args([directory.path(), disks[0].path()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let backing = wait_for(&mut child, word);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until(
        || !backing.iter().any(|it| is_attached(it)),
        "its loop device is gone",
    );
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(
        !mounts.contains(directory.path().to_str().unwrap()),
        "{mounts}"
    );
    let journals = directory.path().join("journals");
    assert_eq!(fs::read_dir(&journals).unwrap().count(), 1);
    let mut done = Vec::new();
    let errors = dissolve_left_behind_in(&journals, &mut |it| done.push(it.to_string()));
    assert!(errors.is_empty(), "{errors:?}");
    let disk = disks[0].path().to_str().unwrap();
    if word == "mounted" {
        assert_eq!(done, [format!("wipefs --all {disk}")]);
    }
    assert_eq!(fs::read_dir(&journals).unwrap().count(), 0);
    let signatures = Command::new("wipefs").arg(disk).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&signatures.stdout), "");
}

/// Reads what the child says until it says `word`; which loop device it has made itself.
fn wait_for(child: &mut Child, word: &str) -> Vec<PathBuf> {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut own = Vec::new();
    for line in &mut lines {
        let line = line.unwrap();
        if let Some(path) = line.strip_prefix("own ") {
            own.push(PathBuf::from(path));
        }
        if line.starts_with(word) {
            return own;
        }
    }
    panic!("the child never said {word}");
}

fn is_attached(device: &Path) -> bool {
    let name = device.file_name().unwrap();
    let file = Path::new("/sys/block").join(name).join("loop/backing_file");
    fs::read_to_string(file).is_ok_and(|text| text.contains(ID))
}

fn wait_until(is_so: impl Fn() -> bool, what: &str) {
    for _ in 0..200 {
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("not so: {what}");
}

/// The child: it mounts a file system on a disk that it was given, says so, and waits.
fn make_and_wait(directory: &Path, device: &Path) {
    own_mount_namespace().unwrap();
    let own = directory.join(ID);
    fs::create_dir_all(&own).unwrap();
    let of_own = loop_disks(&own, 1, Bytes(64 << 20)).unwrap();
    say(&format!("own {}", of_own[0].path().display()));
    let given = File::open(device).unwrap();
    assert!(given.metadata().unwrap().file_type().is_block_device());
    let given = VolumeDisk::new(given, device.to_owned()).unwrap();
    let mut journal = Journal::open_in(&directory.join("journals"), ID).unwrap();
    let mount_point = own.join("mounted here");
    let place = VolumePlace::new(ID, 1, mount_point).unwrap();
    let raid = RaidPlan {
        level: RaidLevel::None,
        disks: 1,
        by: RaidBy::Md,
    };
    let plan = VolumePlan {
        raid,
        file_system: FileSystemKind::Ext4,
        options: VolumeOptions::default(),
        scheduler: None,
        ageing: None,
    };
    let mut told = |action: &sokudo_volume::Action| say(&action.to_string());
    let made = Volume::make(&plan, &[given], place, &mut journal, &mut told, &|| false);
    let volume = made.unwrap();
    fs::write(volume.mount_point().join("file"), "contents").unwrap();
    say("mounted");
    loop {
        thread::sleep(Duration::from_secs(1));
    }
}

fn say(line: &str) {
    let mut output = std::io::stdout();
    writeln!(output, "{line}").unwrap();
    output.flush().unwrap();
}

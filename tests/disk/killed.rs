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
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use sokudo_model::{Bytes, FileSystemKind, RaidBy, RaidLevel, RaidPlan, VolumeOptions, VolumePlan};
use sokudo_volume::{
    Journal, Volume, VolumeDisk, VolumeNames, dissolve_left_behind_in, loop_disks, missing,
    own_mount_namespace, steps,
};

/// Makes this program the one that is killed.
const CHILD: &str = "--is-killed";

/// The folder of the child's own disk.
const OWN: &str = "own";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, directory, devices @ ..] = &arguments[..]
        && word == CHILD
    {
        make_and_wait(Path::new(directory), devices);
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
    a_kill_leaves_nothing_mounted_and_what_is_left_is_found("mkfs.ext4", 1);
    a_kill_leaves_nothing_mounted_and_what_is_left_is_found("mounted", 1);
    let place = VolumeNames::new("none", 1, PathBuf::from("/mnt")).unwrap();
    let missing = missing(&steps(&plan(2), &[Path::new("a"), Path::new("b")], &place));
    if missing.is_empty() {
        a_kill_leaves_nothing_mounted_and_what_is_left_is_found("mounted", 2);
    } else {
        eprintln!("SKIPPED: a killed array: {missing:?}");
    }
}

/// Kills a child when it says `word`, and looks at what is left. Of two disks it makes an array.
fn a_kill_leaves_nothing_mounted_and_what_is_left_is_found(word: &str, count: usize) {
    let directory = tempfile::tempdir().unwrap();
    // Disks of our own, which outlive the child.
    let disks = loop_disks(directory.path(), count, Bytes(64 << 20)).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(CHILD)
        .arg(directory.path())
        .args(disks.iter().map(VolumeDisk::path))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let backing = wait_for(&mut child, word);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until(
        || !backing.iter().any(|it| is_attached(it, directory.path())),
        "its loop device is gone",
    );
    // A program that writes to a disk ends once its write has.
    wait_until(
        || disks.iter().all(|disk| is_free(disk.path())),
        "nobody holds its disks",
    );
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(
        !mounts.contains(directory.path().to_str().unwrap()),
        "{mounts}"
    );
    let journals = directory.path().join("journals");
    // A program that it was just starting ends as well, and holds the journal until then.
    wait_until(
        || {
            fs::read_dir(&journals)
                .unwrap()
                .all(|it| is_unlocked(&it.unwrap().path()))
        },
        "nobody holds its journal",
    );
    assert_eq!(fs::read_dir(&journals).unwrap().count(), 1);
    let mut done = Vec::new();
    let errors = dissolve_left_behind_in(&journals, &mut |it| done.push(it.to_string()));
    assert!(errors.is_empty(), "{errors:?}");
    let paths = disks.iter().map(|disk| disk.path().to_str().unwrap());
    let mut wipes: Vec<String> = paths
        .clone()
        .map(|it| format!("wipefs --all {it}"))
        .collect();
    assert!(!directory.path().join(OWN).join("mounted here").exists());
    done.retain(|it| !it.starts_with("rmdir "));
    if count == 2 {
        // The file system stands on the array, which is found first.
        assert!(done[0].starts_with("wipefs --all /dev/md"), "{done:?}");
        assert!(done[1].starts_with("mdadm --stop /dev/md"), "{done:?}");
        done.drain(..2);
    }
    if word == "mounted" {
        wipes.sort();
        done.sort();
        assert_eq!(done, wipes);
    }
    assert_eq!(fs::read_dir(&journals).unwrap().count(), 0);
    for path in paths {
        let signatures = Command::new("wipefs").arg(path).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&signatures.stdout), "");
    }
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

/// Whether it still shows a file of this directory: by now another may show one of its own.
fn is_attached(device: &Path, directory: &Path) -> bool {
    let name = device.file_name().unwrap();
    let file = Path::new("/sys/block").join(name).join("loop/backing_file");
    fs::read_to_string(file).is_ok_and(|text| Path::new(text.trim_end()).starts_with(directory))
}

fn is_free(device: &Path) -> bool {
    let exclusive = rustix::fs::OFlags::EXCL.bits().cast_signed();
    let mut options = File::options();
    options.read(true).custom_flags(exclusive);
    options.open(device).is_ok()
}

fn is_unlocked(file: &Path) -> bool {
    File::open(file).unwrap().try_lock().is_ok()
}

fn wait_until(is_so: impl Fn() -> bool, what: &str) {
    for _ in 0..1_200 {
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("not so: {what}");
}

/// ext4 on one disk, or on a mirror of several.
fn plan(disks: usize) -> VolumePlan {
    let level = match disks {
        1 => RaidLevel::None,
        _ => RaidLevel::Raid1,
    };
    let by = RaidBy::Md;
    VolumePlan {
        raid: RaidPlan { level, disks, by },
        file_system: FileSystemKind::Ext4,
        options: VolumeOptions::default(),
        scheduler: None,
        ageing: None,
    }
}

/// The child: it mounts a file system on disks that it was given, says so, and waits.
fn make_and_wait(directory: &Path, devices: &[String]) {
    own_mount_namespace().unwrap();
    let own = directory.join(OWN);
    fs::create_dir_all(&own).unwrap();
    let of_own = loop_disks(&own, 1, Bytes(64 << 20)).unwrap();
    say(&format!("own {}", of_own[0].path().display()));
    let given = devices.iter().map(|device| {
        let handle = File::open(device).unwrap();
        VolumeDisk::new(handle, PathBuf::from(device)).unwrap()
    });
    let given: Vec<VolumeDisk> = given.collect();
    // Arrays have their names from it, which all of a machine share.
    let id = std::process::id().to_string();
    let mut journal = Journal::open_in(&directory.join("journals"), &id).unwrap();
    let mount_point = own.join("mounted here");
    let place = VolumeNames::new(&id, 1, mount_point).unwrap();
    let plan = plan(given.len());
    let mut told = |action: &sokudo_volume::Action| say(&action.to_string());
    let made = Volume::make(&plan, &given, place, &mut journal, &mut told, &|| false);
    let volume = made.unwrap();
    fs::write(volume.mount_point().join("file"), "contents").unwrap();
    say("mounted");
    // Until it is killed, or who would kill it was.
    std::io::stdin().lines().for_each(drop);
}

fn say(line: &str) {
    let mut output = std::io::stdout();
    writeln!(output, "{line}").unwrap();
    output.flush().unwrap();
}

//! Who else uses a file or device, whatever names say: on real loop devices, in another
//! mount namespace, and by processes that hold things open.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use sokudo_device::{System, occupants, users};
use tempfile::TempPath;

use crate::loop_device::{LoopDevice, quietly};
use crate::sokudo::{apart, is_root, skip};
use crate::written::write;

const BYTES: u64 = 4 << 20;

/// What opens `$1` for reading and writing, and holds it until its input ends.
const HOLD: &str = "exec 3<>\"$1\"; echo ready; read -r _";
const HOLD_TO_READ: &str = "exec 3<\"$1\"; echo ready; read -r _";

/// Attaches `file` of the directory `$2` where it lies in `$3` for nobody else.
const ATTACH_ELSEWHERE: &str = "flock /dev/loop-control unshare --mount sh -c \
    'mount --bind \"$1\" \"$2\" && losetup --show --find \"$2/file\"' sh \"$2\" \"$3\"";

/// What maps it, closes it, and holds the mapping.
const MAP: &str = "import mmap, os, sys
f = os.open(sys.argv[1], os.O_RDWR)
m = mmap.mmap(f, 4096)
os.close(f)
print('ready', flush=True)
sys.stdin.read()";

#[test]
fn a_process_that_may_write_is_named_and_one_that_reads_is_not() {
    let file = image();
    assert_eq!(users_of(&file), [""; 0]);
    let reader = Held::by("sh", &["-c", HOLD_TO_READ, "sh"], &file).unwrap();
    assert_eq!(users_of(&file), [""; 0]);
    drop(reader);
    let holder = Held::by("sh", &["-c", HOLD, "sh"], &file).unwrap();
    assert_eq!(users_of(&file), [holder.has_open("it")]);
    drop(holder);
    assert_eq!(users_of(&file), [""; 0]);
}

#[test]
fn a_mapping_counts_also_when_the_file_is_closed() {
    let file = image();
    let Some(holder) = Held::by("python3", &["-c", MAP], &file) else {
        return;
    };
    let told = users_of(&file);
    if is_root() {
        assert_eq!(told, [holder.has_open("it")]);
    }
    // Who may not follow the mappings sees at least that there is somebody.
    assert_eq!(told.len(), 1, "{told:?}");
}

/// In a process of its own: what another test starts holds, until it has become its program, what is
/// open here.
#[test]
fn what_this_process_has_open_itself_is_no_other_use() {
    if !apart("device::users::what_this_process_has_open_itself_is_no_other_use") {
        return;
    }
    let file = image();
    let _own = File::options().append(true).open(&file).unwrap();
    let users = users(&File::open(&file).unwrap());
    assert_eq!(users.occupants, []);
    // The kernel tells that it is open for writing; that nobody else has it open, only who
    // may look at all processes knows.
    let sees_all = users
        .blind_spots
        .iter()
        .all(|it| it.english().contains("overlayfs"));
    assert_eq!(sees_all, is_root(), "{users:?}");
}

/// A file, and a device that shows it. None, said loudly, where there can be none.
fn device() -> (TempPath, Option<LoopDevice>) {
    let file = image();
    let device = LoopDevice::on(&file, &[]);
    (file, device)
}

/// A file that nobody has open.
fn image() -> TempPath {
    let make = |path: &Path| {
        write(path, vec![0; BYTES as usize]);
        Ok(())
    };
    tempfile::Builder::new()
        .make(make)
        .unwrap()
        .into_temp_path()
}

/// Who uses the file.
fn users_of(path: &Path) -> Vec<String> {
    let mut users = users(&File::open(path).unwrap());
    // Tests in a container have their files there; and only root may ask loop devices of others.
    users.blind_spots.retain(|it| {
        let said = it.english();
        let is_of_others = said.contains("loop device") && !is_root();
        !said.contains("overlayfs") && !is_of_others
    });
    assert_eq!(users.blind_spots, [""; 0], "the kernel counts its writers");
    sorted(users.occupants.iter().map(ToString::to_string).collect())
}

/// Who uses the device, apart from what it holds.
fn uses_of(path: &Path) -> Vec<String> {
    let found = occupants(&System::host(), path).unwrap().occupants;
    let uses = found.iter().filter(|occupant| !occupant.is_content());
    sorted(uses.map(ToString::to_string).collect())
}

fn sorted(mut told: Vec<String>) -> Vec<String> {
    told.sort();
    told
}

fn shows(device: &LoopDevice, what: &str) -> String {
    let name = device.name();
    format!("the loop device {name} is backed by {what} (losetup -d /dev/{name} ends that)")
}

/// A process that holds something until it is dropped.
struct Held {
    process: Child,
    program: &'static str,
}

impl Held {
    fn by(program: &'static str, arguments: &[&str], path: &Path) -> Option<Self> {
        let process = Command::new(program)
            .args(arguments)
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut process) = process else {
            skip(&format!("{program} cannot be run here"));
            return None;
        };
        let mut line = String::new();
        let told = process.stdout.take().unwrap();
        BufReader::new(told).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Some(Self { process, program })
    }

    fn has_open(&self, what: &str) -> String {
        let (pid, program) = (self.process.id(), self.program);
        format!("process {pid} ({program}) has {what} open for writing")
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_device_that_a_process_has_open_is_used_by_it() {
        let (_file, Some(device)) = device() else {
            return;
        };
        assert_eq!(uses_of(&device.path), [""; 0]);
        let reader = Held::by("sh", &["-c", HOLD_TO_READ, "sh"], &device.path).unwrap();
        assert_eq!(uses_of(&device.path), [""; 0]);
        drop(reader);
        let holder = Held::by("sh", &["-c", HOLD, "sh"], &device.path).unwrap();
        assert_eq!(uses_of(&device.path), [holder.has_open(device.name())]);
        drop(holder);
        let Some(holder) = Held::by("python3", &["-c", MAP], &device.path) else {
            return;
        };
        assert_eq!(uses_of(&device.path), [holder.has_open(device.name())]);
    }

    #[test]
    fn who_writes_the_file_behind_a_loop_device_uses_the_device() {
        let (file, Some(device)) = device() else {
            return;
        };
        let holder = Held::by("sh", &["-c", HOLD, "sh"], &file).unwrap();
        let behind = format!("the file behind {}", device.name());
        assert_eq!(uses_of(&device.path), [holder.has_open(&behind)]);
    }

    #[test]
    fn a_second_loop_device_on_the_same_bytes_is_a_use() {
        let (file, Some(first)) = device() else {
            return;
        };
        let second = LoopDevice::on(&file, &[]).unwrap();
        for (device, other) in [(&first, &second), (&second, &first)] {
            let behind = format!("the file behind {}", device.name());
            assert_eq!(uses_of(&device.path), [shows(other, &behind)]);
        }
        assert_eq!(
            users_of(&file),
            sorted(vec![shows(&first, "it"), shows(&second, "it")])
        );
    }

    #[test]
    fn loop_devices_on_different_parts_of_a_file_do_not_use_each_other() {
        let file = image();
        let half = (BYTES / 2).to_string();
        let Some(first) = LoopDevice::on(&file, &["--sizelimit", &half]) else {
            return;
        };
        let second = LoopDevice::on(&file, &["--offset", &half]).unwrap();
        assert_eq!(uses_of(&first.path), [""; 0]);
        assert_eq!(uses_of(&second.path), [""; 0]);
    }

    #[test]
    fn a_loop_device_is_known_by_what_it_shows_and_not_by_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        write(&file, vec![0; BYTES as usize]);
        for name in ["a\n", " (deleted)", "b"] {
            let link = directory.path().join(name);
            fs::hard_link(&file, &link).unwrap();
            let Some(device) = LoopDevice::on(&link, &[]) else {
                return;
            };
            assert_eq!(users_of(&file), [shows(&device, "it")], "{name:?}");
            fs::remove_file(&link).unwrap();
            assert_eq!(users_of(&file), [shows(&device, "it")], "{name:?} deleted");
        }
        assert_eq!(users_of(&file), [""; 0]);
    }

    #[test]
    fn a_loop_device_of_another_mount_namespace_is_seen() {
        let (directory, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = directory.path().join("file");
        write(&file, vec![0; BYTES as usize]);
        let [from, to] = [&directory, &elsewhere].map(|it| it.path().to_str().unwrap());
        let Some(device) = LoopDevice::by(ATTACH_ELSEWHERE, &[from, to]) else {
            return;
        };
        assert!(!elsewhere.path().join("file").exists());
        assert_eq!(users_of(&file), [shows(&device, "it")]);
    }

    #[test]
    fn a_device_below_a_loop_device_is_in_use_as_the_loop_device_is() {
        let (_file, Some(below)) = device() else {
            return;
        };
        // A node that nobody would look for.
        let directory = tempfile::tempdir().unwrap();
        let node = directory.path().join("node");
        let number = below.path.metadata().unwrap().rdev();
        let [major, minor] =
            [rustix::fs::major(number), rustix::fs::minor(number)].map(|it| it.to_string());
        let mut mknod = Command::new("mknod");
        quietly(mknod.arg(&node).args(["b", &major, &minor]));
        let above = LoopDevice::on(&node, &[]).unwrap();
        assert_eq!(uses_of(&below.path), [shows(&above, below.name())]);
        assert_eq!(uses_of(&node), [shows(&above, below.name())]);
        assert_eq!(uses_of(&above.path), [""; 0]);
        let holder = Held::by("sh", &["-c", HOLD, "sh"], &below.path).unwrap();
        assert_eq!(uses_of(&above.path), [holder.has_open(below.name())]);
        drop(holder);
        let top = LoopDevice::on(&above.path, &[]).unwrap();
        assert_eq!(uses_of(&top.path), [""; 0]);
        if !below.made_by(&["mkfs.ext4", "-q"]) {
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let script = "mount \"$1\" \"$2\" && echo ready && read -r _";
        let below_path = below.path.to_str().unwrap();
        let arguments = ["--mount", "sh", "-c", script, "sh", below_path];
        let mounted = Held::by("unshare", &arguments, place.path());
        // Nothing of it is seen in our table of mounts, but the kernel knows.
        let told = uses_of(&top.path);
        drop(mounted);
        let claimed = format!(
            "{} is used by a file system or a program that has claimed it",
            below.name()
        );
        assert!(told.contains(&claimed), "{told:?}");
    }
}

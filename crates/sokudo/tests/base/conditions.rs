//! What the system does around a run is told with its cause: limits of control groups,
//! other processes, queues that cut I/Os. Where nothing is so, nothing is said.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::signals::wait_for_io;
use crate::sokudo::{codes, end, measured, results, shell, skip, sokudo};

/// Codes that only what the system does around a run can bring.
const CONDITIONS: [&str; 9] = [
    "throttled-by-cgroup",
    "throttled-by-heat",
    "split-io",
    "sub-block-writes",
    "array-degraded",
    "link-below-maximum",
    "slow-usb",
    "write-cache-off",
    "partition-misaligned",
];

/// Size of the loop devices.
const SIZE: u64 = 64 << 20;

/// A loop device whose every block is written. None, said loudly, where there can be none.
fn written_device() -> Option<LoopDevice> {
    let device = LoopDevice::new(SIZE, true)?;
    fs::write(device.image(), vec![0x5a; 64 << 20]).unwrap();
    File::open(device.image()).unwrap().sync_all().unwrap();
    Some(device)
}

/// The finding with this code of the first result.
fn found<'a>(run: &'a Value, code: &str) -> &'a Value {
    let result = &results(run)[0];
    let findings = result["findings"].as_array().unwrap();
    findings
        .iter()
        .find(|finding| finding["code"] == code)
        .unwrap_or_else(|| panic!("no {code}: {findings:?}"))
}

fn text<'a>(finding: &'a Value, part: &str) -> &'a str {
    finding[part].as_str().unwrap()
}

/// A file below a device's `queue` in sysfs, with another value until it is dropped: the
/// next image that the loop device shows would inherit it.
struct QueueSetting {
    file: PathBuf,
    before: String,
}

impl QueueSetting {
    fn new(device: &LoopDevice, file: &str, value: &str) -> Self {
        let name = device.path.file_name().unwrap().to_str().unwrap();
        let file = PathBuf::from(format!("/sys/block/{name}/queue/{file}"));
        let before = fs::read_to_string(&file).unwrap();
        fs::write(&file, value).unwrap();
        Self { file, before }
    }
}

impl Drop for QueueSetting {
    fn drop(&mut self) {
        let _ = fs::write(&self.file, &self.before);
    }
}

/// A control group of our own that can limit I/O, removed when dropped.
struct Group {
    directory: PathBuf,
    is_version_2: bool,
}

impl Group {
    /// None, said loudly, where there can be none.
    fn new() -> Option<Self> {
        let name = format!("sokudo-test-{}", std::process::id());
        let version_1 = Path::new("/sys/fs/cgroup/blkio");
        let version_2 = Path::new("/sys/fs/cgroup");
        let delegated = fs::read_to_string(version_2.join("cgroup.subtree_control"));
        let is_version_2 =
            delegated.is_ok_and(|list| list.split_whitespace().any(|name| name == "io"));
        let parent = if is_version_2 { version_2 } else { version_1 };
        let is_there = is_version_2 || parent.join("blkio.throttle.read_bps_device").exists();
        let directory = parent.join(name);
        if !is_there || fs::create_dir(&directory).is_err() {
            skip("no control group of ours can limit I/O here");
            return None;
        }
        Some(Self {
            directory,
            is_version_2,
        })
    }

    /// Lets so many bytes per second be read from the device.
    fn limit_reads(&self, device: &Path, bytes_per_s: u64) {
        let number = device.metadata().unwrap().rdev();
        let number = format!(
            "{}:{}",
            rustix::fs::major(number),
            rustix::fs::minor(number)
        );
        let (file, line) = if self.is_version_2 {
            ("io.max", format!("{number} rbps={bytes_per_s}"))
        } else {
            (
                "blkio.throttle.read_bps_device",
                format!("{number} {bytes_per_s}"),
            )
        };
        fs::write(self.directory.join(file), line).unwrap();
    }

    /// `sokudo mark DEVICE ARGUMENTS` as a member of the group.
    fn measured(&self, device: &Path, arguments: &str) -> Value {
        let mut command = shell(&format!(
            "echo $$ > {}/cgroup.procs && exec \"$SOKUDO\" mark {} {arguments} --format json --quiet",
            self.directory.display(),
            device.display()
        ));
        end(&mut command).json()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.directory);
    }
}

/// Reads a device past the page cache until it is dropped.
struct Reader(Child);

impl Reader {
    /// A process of its own: what the children of this one have moved is added to it whenever one
    /// of them ends.
    fn new(device: &Path) -> Self {
        let child = Command::new(crate::sokudo::path())
            .args([
                "mark",
                "--row",
                "SEQ256K,Q1,read",
                "--runs",
                "1",
                "--time",
                "10min",
            ])
            .arg(device)
            .env("SOKUDO_STORE", "none")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Who begins while it is looked at others is not known to have read anything.
        wait_for_io(&child, "read_bytes", 4 << 20);
        Self(child)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A run during which nobody else used the disk below, among whose requests those of the
/// row cannot be told. None, said loudly, where somebody always did.
fn measured_alone(device: &Path, arguments: &str) -> Option<Value> {
    let alone = (0..5).find_map(|_| {
        let run = measured(device, arguments);
        let result = &results(&run)[0];
        let is_more = result["device_ratio"]
            .as_f64()
            .is_some_and(|ratio| ratio > 1.02);
        (!is_more && !codes(result).contains(&"foreign-io")).then_some(run)
    });
    if alone.is_none() {
        skip("somebody else uses the disk below");
    }
    alone
}

#[test]
fn a_simulated_device_has_no_circumstances() {
    let run = sokudo("mark sim:hdd --row RND4K,Q1 --runs 1 --format json --quiet").json();
    assert!(run.get("circumstances").is_none());
    assert_eq!(codes(&run), ["simulated"]);
}

/// How many drives the target stands on.
fn leaves(run: &Value) -> usize {
    let devices = run["target"]["devices"].as_array().unwrap();
    let is_drive = |device: &&Value| device["is_leaf"] == true && device["kind"] != "loop";
    devices.iter().filter(is_drive).count()
}

//! What the system does around a run is told with its cause: limits of control groups,
//! other processes, queues that cut I/Os. Where nothing is so, nothing is said.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::control_group::ControlGroup;
use crate::keeper::Kept;
use crate::loop_device::LoopDevice;
use crate::signals::wait_for_io;
use crate::sokudo::{codes, directory_on_disk, end, measured, results, shell, skip, sokudo};

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

/// A file below a device's `queue` in sysfs with another value, for as long as what is returned: the
/// next image that the loop device shows would inherit it.
fn queue_setting(device: &LoopDevice, file: &str, value: &str) -> Kept {
    let file = format!("/sys/block/{}/queue/{file}", device.name());
    let set = "cat \"$1\" && echo \"$2\" >\"$1\"";
    Kept::new(set, "echo \"$made\" >\"$1\"", [&*file, value]).unwrap()
}

/// Lets so many bytes per second be read from the device.
fn limit_reads(group: &ControlGroup, device: &Path, bytes_per_s: u64) {
    let number = device.metadata().unwrap().rdev();
    let [major, minor] = [rustix::fs::major(number), rustix::fs::minor(number)];
    let is_set = match group.is_version_2 {
        true => group.set("io.max", &format!("{major}:{minor} rbps={bytes_per_s}")),
        false => group.set(
            "blkio.throttle.read_bps_device",
            &format!("{major}:{minor} {bytes_per_s}"),
        ),
    };
    assert!(is_set);
}

/// `sokudo mark DEVICE ARGUMENTS` as a member of the group.
fn measured_in(group: &ControlGroup, device: &Path, arguments: &str) -> Value {
    let mut command = shell(&format!(
        "{} && exec \"$SOKUDO\" mark {} {arguments} --format json --quiet",
        group.enter(),
        device.display()
    ));
    end(&mut command).json()
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

/// A run during which nobody else used the disk below, among whose requests those of the row could
/// not be told. None, said loudly, where somebody did.
fn measured_alone(device: &Path, arguments: &str) -> Option<Value> {
    let run = measured(device, arguments);
    let result = &results(&run)[0];
    let ratio = result["device_ratio"].as_f64();
    if ratio.is_some_and(|ratio| ratio > 1.02) || codes(result).contains(&"foreign-io") {
        skip("somebody else uses the disk below");
        return None;
    }
    Some(run)
}

#[test]
fn of_a_disk_that_is_used_as_it_is_nothing_is_said() {
    let directory = directory_on_disk();
    let rows = "--row SEQ1M,Q8 --row RND4K,Q1 --time 100ms";
    let run = measured(directory.path(), rows);
    let all = codes(&run)
        .into_iter()
        .chain(results(&run).iter().flat_map(codes));
    let told: Vec<&str> = all.filter(|code| CONDITIONS.contains(code)).collect();
    assert_eq!(told, [""; 0]);
    let circumstances = &run["circumstances"];
    assert!(circumstances["arrays"].as_array().unwrap().is_empty());
    if Path::new("/proc/pressure/io").exists() {
        let elapsed = circumstances["pressure"]["elapsed"].as_u64().unwrap();
        assert!(elapsed > 200_000_000, "{circumstances}");
        assert!(circumstances["pressure"]["io"].is_u64(), "{circumstances}");
    }
}

/// How many drives the target stands on.
fn leaves(run: &Value) -> usize {
    let devices = run["target"]["devices"].as_array().unwrap();
    let is_drive = |device: &&Value| device["is_leaf"] == true && device["kind"] != "loop";
    devices.iter().filter(is_drive).count()
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_limit_of_a_control_group_is_told_only_where_it_held_the_row_back() {
        let Some(device) = written_device() else {
            return;
        };
        let Some(group) = ControlGroup::new("io") else {
            return;
        };
        // What is due is never all done, however long somebody holds the disk up.
        let rows = "--row SEQ64K,Q64,read --runs 1 --time 3s";
        limit_reads(&group, &device.path, 8_000_000);
        let run = measured_in(&group, &device.path, rows);
        let finding = found(&run, "throttled-by-cgroup");
        assert!(text(finding, "symptom").contains("8.0 MB/s"), "{finding}");
        assert!(
            text(finding, "cause").contains(group.directory()),
            "{finding}"
        );
        assert_eq!(results(&run)[0]["verdict"], "UNVERIFIED");
        let limits = run["circumstances"]["io_limits"].as_array().unwrap();
        assert_eq!(limits[0]["read_bytes_per_s"], 8_000_000);

        limit_reads(&group, &device.path, 1_000_000_000_000);
        let run = measured_in(&group, &device.path, rows);
        let codes = codes(&results(&run)[0]);
        assert!(!codes.contains(&"throttled-by-cgroup"), "{codes:?}");
    }

    #[test]
    fn who_reads_the_same_device_meanwhile_is_named_also_in_jobs_of_other_tools() {
        let Some(device) = written_device() else {
            return;
        };
        let directory = tempfile::tempdir().unwrap();
        let job = directory.path().join("job.fio");
        let lines = "[x]\nrw=randread\nbs=4k\ndirect=1\ntime_based\nruntime=2s\nfilename=";
        fs::write(&job, format!("{lines}{}\n", device.path.display())).unwrap();
        let reader = Reader::new(&device.path);
        let runs = [
            measured(&device.path, "--row RND4K,Q1,read --time 2s"),
            sokudo(&format!("run {} --format json --quiet", job.display())).json(),
        ];
        let pid = reader.0.id();
        drop(reader);
        let reader = pid;
        for run in runs {
            let finding = found(&run, "foreign-io");
            let users = results(&run)[0]["foreign_users"].as_array().unwrap();
            // Tests beside this one may read more, and then theirs is the name that is told.
            let others = users.iter().filter(|user| user["kernel"] == false);
            let most = others.max_by_key(|user| user["read_bytes"].as_u64());
            let most = format!("(process {}) read ", most.unwrap()["pid"]);
            assert!(text(finding, "cause").contains(&most), "{finding}");
            let own = users.iter().find(|user| user["pid"] == reader);
            assert!(own.unwrap()["read_bytes"].as_u64().unwrap() > 0);
            assert_eq!(results(&run)[0]["verdict"], "UNVERIFIED");
            let drives = run["circumstances"]["drives"].as_array().map(Vec::len);
            assert_eq!(drives, Some(leaves(&run)));
        }
    }

    #[test]
    fn a_queue_that_takes_less_than_a_block_is_told_with_its_setting() {
        let Some(device) = written_device() else {
            return;
        };
        // A block of more pages than the queue takes pieces is cut where there is no huge page
        // for it.
        let rows = "--row SEQ256K,Q1,read --time 200ms";
        let Some(run) = measured_alone(&device.path, rows) else {
            return;
        };
        let clean = codes(&results(&run)[0]);
        assert!(!clean.contains(&"split-io"), "{clean:?}");

        let _cut = queue_setting(&device, "max_sectors_kb", "64");
        let Some(run) = measured_alone(&device.path, rows) else {
            return;
        };
        let finding = found(&run, "split-io");
        assert!(
            text(finding, "cause").contains("max_sectors_kb"),
            "{finding}"
        );
        assert!(text(finding, "remedy").contains("echo 256 >"), "{finding}");
    }

    #[test]
    fn a_small_read_ahead_is_told_of_buffered_reads_in_order() {
        let Some(device) = written_device() else {
            return;
        };
        let rows = "--direct off --row SEQ4K,Q1,read --time 100ms";
        let _held_back = queue_setting(&device, "read_ahead_kb", "16");
        let Some(run) = measured_alone(&device.path, rows) else {
            return;
        };
        let result = &results(&run)[0];
        // A pass takes less than the trial on a fast disk: then reads are repeats, which says
        // nothing of the read-ahead.
        if codes(result).contains(&"not-from-device") {
            return skip("this disk is read whole in 100 ms");
        }
        let finding = found(&run, "split-io");
        assert!(text(finding, "cause").contains("16 KiB ahead"), "{finding}");
    }

    #[test]
    fn writes_smaller_than_the_physical_block_are_told() {
        let Some(device) = written_device() else {
            return;
        };
        let destroy = format!("--destroy {}", device.path.display());
        let row = |row: &'static str| {
            measured(&device.path, &format!("{destroy} --row {row} --time 100ms"))
        };
        let run = row("RND512B,Q1,write");
        let devices = run["target"]["devices"].as_array().unwrap();
        let physical = devices
            .iter()
            .filter(|device| device["is_leaf"] == true)
            .filter_map(|device| device["physical_block_bytes"].as_u64());
        if physical.max().is_none_or(|bytes| bytes < 4096) {
            return skip("the disk below the loop device has physical blocks of 512 bytes");
        }
        let told = codes(&results(&run)[0]);
        // Where the file system reads the rest itself, that is what is told.
        assert!(
            told.contains(&"sub-block-writes") || told.contains(&"read-modify-write"),
            "{told:?}"
        );
        let run = row("RND4K,Q1,write");
        let told = codes(&results(&run)[0]);
        assert!(!told.contains(&"sub-block-writes"), "{told:?}");
    }
}

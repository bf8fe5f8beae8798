//! Disks worn in: what is found of simulated disks and of files that do what is known, that nothing
//! is written without consent, and that what was interrupted goes on.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::{Signal, kill_process};
use serde_json::Value;

use crate::faulty_file::{Beyond, FalseEnd, Faults, FaultyFile};
use crate::loop_device::LoopDevice;
use crate::signals::{pid, wait_for_io};
use crate::sokudo::{Ended, WAIT_MAX, directory_on_disk, end, program, sokudo, split, start, wait};
use crate::written::write;

const MIB: u64 = 1 << 20;

/// `sokudo burn-in ARGUMENTS`.
fn burn_in(arguments: &str) -> Ended {
    sokudo(&format!("burn-in --quiet {arguments}"))
}

/// The document of a burn-in that ends so.
fn found(arguments: &str, code: i32) -> Value {
    let ended = burn_in(&format!("{arguments} --format json")).ends(code);
    serde_json::from_str(&ended.printed).unwrap()
}

fn disks(run: &Value) -> &[Value] {
    run["burn_in"]["disks"].as_array().unwrap()
}

fn answer(disk: &Value) -> Option<&str> {
    disk["assessment"]["answer"].as_str()
}

/// The point of this code.
fn point<'a>(disk: &'a Value, code: &str) -> &'a Value {
    let points = disk["assessment"]["points"].as_array().unwrap();
    let found = points.iter().find(|point| point["code"] == code);
    found.unwrap_or_else(|| panic!("no {code}: {disk}"))
}

/// All bytes of a disk were written and read back, in so many passes, and every block was checked.
fn is_whole(disk: &Value, size: u64, passes: u64) {
    for work in ["written", "read_back"] {
        assert_eq!(disk[work]["bytes"], size * passes, "{disk}");
        assert_eq!(disk[work]["planned_bytes"], size * passes, "{disk}");
    }
    assert_eq!(disk["blocks"], size.div_ceil(MIB) * passes, "{disk}");
    assert_eq!(disk["unchecked_blocks"], Value::Null, "{disk}");
    assert_eq!(disk["is_whole"], true, "{disk}");
}

fn two_devices() -> Option<[LoopDevice; 2]> {
    let of = || LoopDevice::new(16 * MIB, true);
    Some([of()?, of()?])
}

/// `sokudo ARGUMENTS` with a store in this directory.
fn keeping(directory: &Path, arguments: &str) -> Command {
    let mut command = program();
    command.current_dir(directory);
    command.env("SOKUDO_STORE", directory.join("store"));
    command.args(split(arguments));
    command
}

/// A file that stands still on the way, and the rest of a burn-in that was ended by `end` there.
fn resumed(ended: impl FnOnce(std::process::Child, &FaultyFile)) {
    let faults = Faults {
        hangs: true,
        hangs_at: 20 * MIB..48 * MIB,
        ..Faults::default()
    };
    let Some(file) = FaultyFile::new(48 << 20, faults) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let path = file.path();
    let arguments = format!("burn-in {} --overwrite --yes --quiet", path.display());
    let child = start(&mut keeping(
        directory.path(),
        &format!("{arguments} --engine psync"),
    ));
    assert!(file.wait_until_it_hangs(WAIT_MAX));
    ended(child, &file);
    file.change(|faults| faults.bytes_per_s = None);
    let left = end(&mut keeping(directory.path(), "show last --format json")).json();
    assert_eq!(left["interrupted"], true, "{left}");
    assert_ne!(answer(&disks(&left)[0]), Some("ok"), "{left}");
    let before = disks(&left)[0]["written"]["bytes"].as_u64().unwrap();
    assert!(before < 48 * MIB, "{left}");
    let resume = format!("{arguments} --resume --format json");
    let whole = end(&mut keeping(directory.path(), &resume)).json();
    let disk = &disks(&whole)[0];
    is_whole(disk, 48 * MIB, 1);
    assert_eq!(answer(disk), Some("ok"), "{disk}");
    assert_eq!(disk["wrong_blocks"], 0, "{disk}");
    assert_eq!(whole["parts"].as_array().unwrap().len(), 2, "{whole}");
    end(&mut keeping(directory.path(), &resume)).refused(2, &["--resume"]);
}

/// Kills it once so many bytes were written, of 160 MiB in four passes: while blocks are written
/// over, read back, or between the two.
#[test]
fn disks_that_are_well_are_not_accused_after_a_kill() {
    let directory = directory_on_disk();
    let sizes = [24 * MIB, 16 * MIB];
    let paths = ["one", "other"].map(|name| directory.path().join(name));
    for (path, size) in paths.iter().zip(sizes) {
        write(path, vec![7; size as usize]);
    }
    let [one, other] = paths.each_ref().map(|path| path.display());
    let arguments = format!("burn-in {one} {other} --overwrite --yes --quiet");
    for written in [44, 55, 63, 79, 82, 90, 119, 121, 140] {
        let mut command = keeping(
            directory.path(),
            &format!("{arguments} --passes 4 --engine psync"),
        );
        let mut child = start(command.env("SOKUDO_KEEP_HASTE", "1000000"));
        wait_for_io(&child, "wchar", written * MIB);
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = keeping(
            directory.path(),
            &format!("{arguments} --resume --format json"),
        );
        let ended = end(&mut rest);
        let run: Value = serde_json::from_str(&ended.printed).unwrap();
        for (disk, size) in disks(&run).iter().zip(sizes) {
            is_whole(disk, size, 4);
            assert_eq!(disk["wrong_blocks"], 0, "{written}: {disk}");
        }
    }
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_file_on_a_disk_that_folds_loses_or_refuses_is_not_ok() {
        let folds = |length| Beyond::Folds { at: 0, length };
        for beyond in [folds(24 * MIB), Beyond::Forgets(0), Beyond::Fails] {
            let faults = Faults {
                ends: Some(FalseEnd {
                    real: 24 * MIB,
                    beyond,
                }),
                ..Faults::default()
            };
            let Some(file) = FaultyFile::new(64 << 20, faults) else {
                return;
            };
            let run = found(&format!("{} --overwrite --yes", file.path().display()), 1);
            let disk = &disks(&run)[0];
            assert_eq!(answer(disk), Some("not_ok"), "{disk}");
            let failed = disk["unwritable"]["bytes"].as_u64().unwrap();
            let wrong = disk["wrong_blocks"].as_u64().unwrap();
            assert!(failed == 40 * MIB || wrong == 40 || wrong == 24, "{disk}");
        }
    }

    #[test]
    fn nothing_is_written_without_consent_for_every_disk() {
        let directory = directory_on_disk();
        let file = directory.path().join("data");
        write(&file, vec![7; 4 << 20]);
        let file = file.display();
        for dry in ["", " --dry-run"] {
            burn_in(&format!("{file}{dry}")).refused(3, &["--overwrite"]);
        }
        burn_in(&format!("{file} --overwrite")).refused(2, &["will be written", "--yes"]);
        let estimate = burn_in(&format!("{file} --overwrite --dry-run --passes 3")).ok();
        estimate.prints(&["3 times", "everything on it is lost"]);
        assert!(
            fs::read(directory.path().join("data"))
                .unwrap()
                .iter()
                .all(|byte| *byte == 7)
        );
        burn_in(&format!("{}", directory.path().display()))
            .refused(2, &["is a directory", "sokudo fill"]);
        burn_in("null:").refused(2, &["holds nothing"]);
        let small = directory.path().join("small");
        fs::write(&small, [0; 4096]).unwrap();
        burn_in(&format!("{} --overwrite --yes", small.display()))
            .refused(2, &["less than a block"]);
        let Some([one, other]) = two_devices() else {
            return;
        };
        let (first, second) = (one.path.display(), other.path.display());
        burn_in(&format!("{first} {second} --destroy {first} --yes"))
            .refused(3, &[&format!("{second}")]);
        for device in [&one, &other] {
            let held = fs::read(device.image()).unwrap();
            assert!(held.iter().all(|byte| *byte == 0));
        }
        let run = found(
            &format!("{first} {second} --destroy {first} --destroy {second} --yes"),
            0,
        );
        disks(&run)
            .iter()
            .for_each(|disk| is_whole(disk, 16 * MIB, 1));
        // What is below them is somebody else's, and is not asked to test itself.
        assert_eq!(run["burn_in"]["self_tests"], Value::Array(Vec::new()));
        burn_in(&format!("{first} {first} --destroy {first} --yes")).refused(2, &["are the same"]);
    }

    #[test]
    fn what_a_cache_holds_proves_nothing_of_a_disk() {
        let Some(device) = LoopDevice::new(16 * MIB, false) else {
            return;
        };
        let device = device.path.display();
        let run = found(&format!("{device} --destroy {device} --yes --passes 2"), 4);
        let disk = &disks(&run)[0];
        is_whole(disk, 16 * MIB, 2);
        assert_eq!(answer(disk), None, "{disk}");
        assert_eq!(point(disk, "burn-in-reads")["answer"], Value::Null);
    }

    #[test]
    fn what_was_interrupted_goes_on_where_it_was_left() {
        resumed(|child, file| {
            kill_process(pid(&child), Signal::INT).unwrap();
            // What it was writing comes through, and not all of the rest before it has heard.
            file.change(|faults| {
                faults.hangs = false;
                faults.bytes_per_s = Some(256 << 10);
            });
            wait(child).ends(130);
        });
    }
}

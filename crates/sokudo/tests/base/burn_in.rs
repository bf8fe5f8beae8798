//! Disks worn in: what is found of simulated disks and of files that do what is known, that nothing
//! is written without consent, and that what was interrupted goes on.

use serde_json::Value;

use crate::sokudo::{Ended, results, sokudo};

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

#[test]
fn good_disks_of_any_size_are_ok_and_all_of_them_was_looked_at() {
    let two = "sim:ssd?size=1GiB 'sim:hdd?size=2GiB' --passes 2";
    let run = found(two, 0);
    assert_eq!(run["plan"]["method"], "burn-in");
    for (disk, size) in disks(&run).iter().zip([1024 * MIB, 2048 * MIB]) {
        is_whole(disk, size, 2);
        assert_eq!(answer(disk), Some("ok"), "{disk}");
        assert_eq!(disk["wrong_blocks"], 0);
    }
    let names = results(&run).iter();
    let names: Vec<&str> = names.map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(
        names[..4],
        [
            "WRITE 1 @A+1",
            "WRITE 1 @B+1",
            "READ BACK 1 @A+1",
            "READ BACK 1 @B+1"
        ]
    );
    // The smallest there is, one that is no whole number of MiB, and a fast one.
    for (spec, size) in [
        ("sim:const?size=1GiB", 1024 * MIB),
        ("sim:const?size=1074270208", 1_074_270_208),
        ("sim:const?latency=1us&rate=10GB/s&size=4GiB", 4096 * MIB),
    ] {
        let run = found(spec, 0);
        is_whole(&disks(&run)[0], size, 1);
    }
}

#[test]
fn what_is_wrong_with_a_disk_is_found_and_the_others_are_ok() {
    let bad = [
        (
            "sim:fake-capacity?size=2GiB&real=1GiB",
            "it is a fake that holds 1 GiB of the 2 GiB it claims: 1024 of 2048 blocks",
        ),
        (
            "sim:const?size=1GiB&rot_at=100MiB",
            "1 of 1024 blocks did not hold",
        ),
        (
            "sim:const?size=1GiB&fail_at=100MiB:EIO",
            "512 B could not be read",
        ),
    ];
    for (spec, words) in bad {
        let run = found(&format!("'{spec}' 'sim:const?size=1GiB&serial=2'"), 1);
        let [disk, other] = disks(&run) else {
            panic!("{run}")
        };
        assert_eq!(answer(disk), Some("not_ok"), "{spec}: {disk}");
        let point = point(disk, "burn-in-reads");
        assert_eq!(point["answer"], "not_ok", "{spec}: {disk}");
        let found = point["found"].to_string();
        assert!(found.contains(words), "{spec}: {found}");
        // Of a size that is known nobody has to find out.
        let remedy = point["remedy"].to_string();
        assert!(!remedy.contains("find out"), "{spec}: {remedy}");
        assert_eq!(answer(other), Some("ok"), "{spec}: {other}");
    }
    let slow = found("'sim:const?size=1GiB&slow_at=100MiB:900ms'", 0);
    assert_eq!(answer(&disks(&slow)[0]), Some("ok_but"), "{slow}");
    assert_eq!(disks(&slow)[0]["slow_places"], 1, "{slow}");
    assert_eq!(point(&disks(&slow)[0], "burn-in-slow")["answer"], "ok_but");
}

#[test]
fn rotten_blocks_are_told_by_number_and_place() {
    let run = found("'sim:const?size=1GiB&jitter=0s&rot_at=33MiB+2MiB'", 1);
    let disk = &disks(&run)[0];
    assert_eq!(
        (&disk["blocks"], &disk["wrong_blocks"]),
        (&1024.into(), &2.into())
    );
    assert_eq!(disk["first_wrong"]["offset_bytes"], 33 * MIB);
}

#[test]
fn what_went_before_is_gone_on_with_by_the_same_command() {
    let command = "burn-in sim:ssd?size=1GiB --yes --resume --direct on --passes 2 --no-store";
    sokudo(command).refused(2, &["no store is given"]);
}

#[test]
fn who_asks_anew_of_what_goes_on_is_told_that_it_goes_on_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let burn_in = |arguments: &str| {
        let disk = "sim:ssd?size=1GiB --yes";
        let arguments = arguments.replace("STORE", &format!("--store {}", store.display()));
        sokudo(&format!("burn-in {disk} {arguments}"))
    };
    let note = "are those of the run that is resumed";
    let stop = "--passes 2 --stop-when 'rate>1MB/s for 100ms' STORE";
    let begun = burn_in(stop);
    assert!(!begun.told.contains(note), "{begun:?}");
    let rest = burn_in("--passes 3 --resume STORE --format json").ok();
    assert!(rest.told.contains(note), "{rest:?}");
    let run = rest.json();
    is_whole(&disks(&run)[0], 1 << 30, 2);
    assert_eq!(run["parts"].as_array().unwrap().len(), 2);
}

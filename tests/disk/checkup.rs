//! Whether a disk is well and as fast as it should be: on simulated devices that are, that are not
//! and of which nothing is known, and on a real directory.

use std::io::Write;

use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::sokudo::{Ended, directory_in_memory, directory_on_disk, sokudo_on};

/// `sokudo checkup TARGET ARGUMENTS`.
fn checkup(target: &str, arguments: &str) -> Ended {
    sokudo_on("checkup --quiet --no-store", target, arguments)
}

/// A directory is read and written with a file of its own, which is gone afterwards; who may read
/// the device below gets both beside each other.
#[test]
fn a_directory_is_held_against_the_device_below_where_that_may_be_read() {
    let directory = directory_on_disk();
    let path = directory.path().to_str().unwrap();
    let ended = checkup(path, "--size 32MiB --time 100ms --runs 2 --format json");
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    assert_eq!(run["plan"]["method"], "checkup");
    let points = run["disk_assessment"]["points"].as_array();
    let points = points.unwrap_or_else(|| panic!("{}", run["target"]));
    for point in points {
        for field in ["code", "found", "expected", "source", "date"] {
            assert!(
                point[field].as_str().is_some_and(|it| !it.is_empty()),
                "{point}"
            );
        }
    }
    let results = run["figures"].as_array().unwrap();
    let rows = results.iter().map(|row| row["name"].as_str().unwrap());
    let rows: Vec<&str> = rows.collect();
    assert!(
        rows.contains(&"SEQ1M Q8T1") && rows.contains(&"RND4K Q1T1"),
        "{rows:?}"
    );
    assert_eq!(std::fs::read_dir(path).unwrap().count(), 0);
}

/// Two devices in memory, which stand on no common disk: what one of them is named for is done to
/// neither, and without a name both are only read.
#[test]
fn of_several_devices_all_are_named_or_none_is_written() {
    let directory = directory_in_memory();
    let images = ["one", "other"].map(|name| directory.path().join(name));
    let contents = vec![0x5a; 16 << 20];
    for image in &images {
        std::fs::write(image, &contents).unwrap();
    }
    let are_whole = || {
        images
            .each_ref()
            .map(|image| std::fs::read(image).unwrap() == contents)
            == [true; 2]
    };
    let devices = images
        .each_ref()
        .map(|image| LoopDevice::over(image, false));
    let [Some(one), Some(other)] = devices else {
        return;
    };
    let [one, other] = [&one, &other].map(|device| device.path.to_str().unwrap());
    let short = format!("{other} --time 50ms --runs 1");
    let refused = checkup(one, &format!("{short} --destroy {one}")).ends(3);
    assert!(
        refused
            .told
            .contains(&format!("name it: --destroy {other}")),
        "{refused:?}"
    );
    assert!(are_whole());
    let read = checkup(one, &format!("{short} --format json"));
    let run: Value = serde_json::from_str(&read.printed).unwrap();
    assert_eq!(
        run["assessed_disks"].as_array().map(Vec::len),
        Some(2),
        "{run}"
    );
    assert!(are_whole());
    let named = format!("{short} --destroy {one} --destroy {other}");
    let both = format!("{named} --destroy-contents");
    let unasked = checkup(one, &both).ends(2);
    for words in [
        &*format!("data in many positions all over {one}, "),
        "use --yes",
    ] {
        assert!(unasked.told.contains(words), "{unasked:?}");
    }
    let dry = checkup(one, &format!("{both} --full --dry-run")).ok();
    dry.prints(&[
        &*format!("all of {one}, "),
        &*format!("all of {other}, "),
        &*format!("{one}, {other}: up to "),
    ]);
    assert!(are_whole());
    // What holds something is refused before anybody is asked.
    let image = std::fs::File::options().write(true).open(&images[1]);
    image.unwrap().write_all(b"LUKS\xba\xbe\0\x01").unwrap();
    let held = checkup(one, &named).ends(3);
    assert!(held.told.contains("--destroy-contents"), "{held:?}");
    let written = checkup(one, &format!("{both} --yes"));
    let genuine = written.printed.matches("look genuine").count();
    assert_eq!(genuine, 2, "{written:?}");
}

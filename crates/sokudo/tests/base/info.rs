//! `sokudo info`: what it shows, and the names by which devices are found.

use crate::sokudo::{Ended, sokudo};

fn info(arguments: &str) -> Ended {
    sokudo(&format!("info {arguments}"))
}

#[test]
fn every_disk_of_this_machine_is_listed() {
    let printed = info("--format json").json();
    assert_eq!(printed["schema"], "sokudo.info/1");
    let listed: Vec<&str> = printed["disks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|disk| disk["name"].as_str().unwrap())
        .collect();
    let names = std::fs::read_dir("/sys/block").unwrap();
    for name in names.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        let is_disk = ["sd", "vd", "nvme"]
            .iter()
            .any(|kind| name.starts_with(kind));
        // Hidden paths of an NVMe disk have no number.
        let has_number = std::path::Path::new("/sys/block")
            .join(&name)
            .join("dev")
            .exists();
        if is_disk && has_number {
            assert!(listed.contains(&name.as_str()), "{name} of {listed:?}");
        }
    }
    info("").ok();
}

#[test]
fn raw_answers_are_not_masked() {
    info("vda --raw --mask-serial").refused(2, &["--raw"]);
}

#[test]
fn a_name_that_fits_nothing_is_a_wrong_argument() {
    info("no-such-disk-0815").refused(2, &["no-such-disk-0815", "no disk has the name"]);
    info("/dev/no-such-disk").refused(2, &["/dev/no-such-disk does not exist"]);
    info("/dev/null").refused(2, &["character device"]);
    info("''").refused(2, &["does not exist"]);
    info("\u{1b}[2J").refused(2, &["no disk"]);
}

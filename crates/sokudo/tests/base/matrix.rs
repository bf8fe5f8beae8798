//! `sokudo matrix` before anything is made: what is refused, and what is planned.

use std::fs;

use crate::sokudo::{holds, sokudo};
use crate::store_file::Store;

#[test]
fn what_makes_no_sense_is_refused_with_the_way_out() {
    for (arguments, code, words) in [
        ("", 2, &["--disk", "--loop"][..]),
        ("--loop 2x2GiB", 2, &["--in"]),
        ("--in .", 2, &["--loop"]),
        ("--loop 1x1MiB --in .", 2, &["4x8GiB"]),
        (
            "--loop 2x2GiB --in . --raid 5",
            2,
            &["RAID 5 needs 3 disks"],
        ),
        ("--loop 2x2GiB --in . --fs ntfs", 2, &["use ext2"]),
        (
            "--loop 1x2GiB --in . --method 'info'",
            2,
            &["cannot be repeated"],
        ),
        (
            "--loop 1x2GiB --in . --method 'mark --nonsense'",
            2,
            &["--nonsense"],
        ),
        ("--loop 1x1GiB --in .", 2, &["disks of 1 GiB", "--method"]),
        (
            "--loop 1x2GiB --in . --method 'mark /tmp'",
            2,
            &["cannot be repeated"],
        ),
        (
            "--loop 1x2GiB --in . --method 'mark -o x'",
            2,
            &["--output"],
        ),
        ("--disk /dev/null", 1, &["/dev/null"]),
        ("--loop 1x2GiB --in . --blocks 2", 2, &["--blocks"]),
        ("--loop 1x2GiB --in . -o x.html", 2, &["--tag matrix=ID"]),
        ("--disk no-such-disk-here", 2, &["no-such-disk-here"]),
        ("no-such-file.toml", 2, &["--example"]),
        ("--resume 12345678", 2, &["12345678"]),
    ] {
        let store = Store::new();
        store.refuses(&format!("matrix {arguments}"), code, words);
    }
}

#[test]
fn the_example_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.toml");
    let example = sokudo("matrix --example").ok().printed;
    fs::write(&file, example).unwrap();
    let file = file.display();
    let planned = sokudo(&format!(
        "matrix {file} --loop 3x2GiB --in /var/tmp --dry-run"
    ));
    holds(
        planned.ok().printed,
        &["40 cells", "reflink=0", "noatime", "sokudo mark"],
    );
}

#[test]
fn hours_of_writing_are_asked_for_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().display();
    let method = "mark --row RND4K,Q1,write --size 16MiB --time 1000s --runs 3";
    let ended = sokudo(&format!(
        "matrix --loop 2x320MiB --in {place} --fs ext4,xfs --blocks 3 --method '{method}' --no-store"
    ));
    ended.refused(2, &["the disk will be written at full speed", "use --yes"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

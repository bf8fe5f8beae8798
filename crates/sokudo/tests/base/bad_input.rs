//! What sokudo is asked for and cannot do: one line that names the thing and the
//! way out, and nothing left behind.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::sokudo::{end, mark, program, sokudo};

/// Arguments that make no sense, and words of the line that says so.
const USAGE: [(&str, &[&str]); 22] = [
    ("--profile fast", &["\"fast\"", "choose one of default"]),
    ("--row FOO", &["FOO", "write it like SEQ1M,Q8,T1"]),
    ("--row ''", &["write it like SEQ1M,Q8,T1"]),
    ("--row RND5000", &["RND5000", "multiple of 512 B"]),
    ("--row RND4K,Q0", &["RND4K,Q0", "from 1 to"]),
    ("--row RND4K,T0", &["RND4K,T0", "from 1 to 256"]),
    ("--row RND4K,Q1,Q2", &["Q2", "leave one out"]),
    ("--row RND4K,mix170", &["170", "not 100 %"]),
    ("--mix R70/W40", &["R70/W40", "not 100 %"]),
    ("--size 0", &["--size", "at least 16 MiB"]),
    ("--size 1MiB", &["--size", "at least 16 MiB"]),
    ("--size 17000001", &["17000001", "use 16777216"]),
    ("--size big", &["\"big\"", "such as 4KiB"]),
    ("--size 99999999999999999999", &["below 16 EiB"]),
    ("--time 0s", &["--time", "such as 1s"]),
    ("--runs 0", &["--runs", "1 to 10000"]),
    ("--threads 257", &["--threads", "1 to 256"]),
    ("--depth 0", &["--depth", "1 to 32767"]),
    (
        "--engine fast",
        &[
            "fast",
            "use one of auto, fastest, io_uring, io_uring_cmd, libaio, psync",
        ],
    ),
    ("--read-only --write-only", &["--read-only", "--write-only"]),
    ("--overwrite", &["leave --overwrite out"]),
    ("--frobnicate", &["--frobnicate"]),
];

/// Another size that has no room either is no way out.
#[test]
fn a_size_without_room_is_said_before_its_multiples() {
    let directory = tempfile::tempdir().unwrap();
    let ended = mark(directory.path(), "--size 1000000000000000000");
    ended.ends(1).tells(&["free", "a test file of"]);
}

#[test]
fn senseless_arguments_are_refused_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    for (arguments, words) in USAGE {
        mark(directory.path(), arguments).refused(2, words);
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_size_that_no_device_can_hold_is_refused_before_anything_is_made() {
    let directory = tempfile::tempdir().unwrap();
    let too_large = ["free", "use a smaller test file (--size)"];
    // Nobody is asked about what is impossible.
    for size in ["--size 1024TiB", "--size 1024TiB --yes --quiet"] {
        mark(directory.path(), size).refused(1, &too_large);
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn simulated_devices_name_what_they_know() {
    for (target, words) in [
        ("sim:foo", ["\"foo\"", "const, hdd, smr, ssd"]),
        ("sim:hdd?foo=1", ["\"foo\"", "rpm"]),
        ("sim:hdd?size=banana", ["banana", "such as 64MiB"]),
        ("sim:hdd?size=0", ["size=0", "from 1 GiB"]),
        ("null:fast", ["null:", "leave them out"]),
        ("", ["target", ". for this one"]),
    ] {
        mark(target, "").refused(2, &words);
    }
}

#[test]
fn places_that_are_not_there_are_named_with_what_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("file"), "text").unwrap();
    symlink("nowhere", path("dangling")).unwrap();
    mark(path("missing"), "").refused(2, &["missing", "does not exist", "nearest directory"]);
    mark(path("file/below"), "").refused(2, &["file/below", "not a directory"]);
    mark(path("dangling"), "").refused(2, &["dangling", "nowhere", "name another place"]);
    end(program().arg("mark").arg(path("file")))
        .refused(2, &["4 B", "SEQ1M Q8T1", "use a smaller block"]);
    File::create(path("empty")).unwrap();
    mark(path("empty"), "").refused(2, &["empty", "nothing to read", "name a file"]);
    fs::write(path("small"), vec![1; 1 << 20]).unwrap();
    mark(path("small"), "").refused(2, &["--size is 16 MiB", "only 1 MiB", "use less"]);
}

#[test]
fn things_that_are_no_storage_are_refused_and_none_hangs() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    mark(&fifo, "").refused(2, &["FIFO", "name a directory"]);
    for device in ["/dev/null", "/dev/zero"] {
        mark(device, "").refused(2, &[device, "character device", "name a directory"]);
    }
}

#[test]
fn a_link_to_a_directory_is_followed() {
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("link");
    let behind = directory.path().join("behind");
    fs::create_dir(&behind).unwrap();
    symlink(&behind, &link).unwrap();
    mark(&link, "--row RND4K")
        .ok()
        .prints(&["behind (directory)"]);
    assert_eq!(fs::read_dir(behind).unwrap().count(), 0);
}

#[test]
fn a_kind_of_input_that_is_unknown_is_named_by_every_command() {
    for (arguments, words) in [
        ("mrak", &["mrak", "mark"][..]),
        ("mark . extra", &["extra"]),
        ("man foo", &["foo", "--help"]),
        ("completions foo", &["foo", "bash"]),
    ] {
        sokudo(arguments).refused(2, words);
    }
    sokudo("clean /no/such/place").refused(1, &["/no/such/place"]);
    let disks = fs::read_dir("/sys/class/block").into_iter().flatten();
    let names = disks.map(|it| it.unwrap().file_name().into_string().unwrap());
    let mut named = names.filter(|it| Path::new("/dev").join(it).exists());
    if let Some(disk) = named.next() {
        sokudo(&disk).refused(2, &[&format!("sokudo checkup {disk}")]);
    }
}

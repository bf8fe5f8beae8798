//! Nothing of the user's is ever lost.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::SystemTime;

use crate::sokudo::{codes, end, mark, measured, program, sokudo, split};
use crate::store_file::Store;

/// Every way to ask for writes.
const WRITES: [&str; 5] = [
    "--write-only",
    "--row RND4K,write",
    "--row SEQ1M,Q8,T2,mix70",
    "--mix",
    "--profile demo --mix R1/W99",
];

#[test]
fn writes_on_an_existing_file_are_refused_without_consent() {
    let directory = tempfile::tempdir().unwrap();
    let file = file_of_16_mib(directory.path());
    let link = directory.path().join("link");
    symlink(&file, &link).unwrap();
    let before = state(&file);
    for target in [&file, &link] {
        for arguments in WRITES {
            mark(target, arguments).refused(3, &["only reads", "--overwrite"]);
        }
    }
    assert_eq!(state(&file), before);
}

#[test]
fn a_user_file_with_the_name_of_a_test_file_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sokudo-test-file-notes.txt");
    fs::write(&file, "mine").unwrap();
    let run = measured(directory.path(), "--row RND4K");
    assert!(!codes(&run).contains(&"no-io"));
    let cleaned = sokudo(&format!("clean {}", directory.path().display()));
    cleaned.prints(&["nothing was left behind"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn a_path_that_is_not_utf_8_is_measured_and_kept_and_where_it_cannot_a_link_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join(OsStr::from_bytes(b"a\xffb"));
    fs::create_dir(&place).unwrap();
    symlink(&place, folder.path().join("link")).unwrap();
    let store = Store::new();
    let short = "--row RND4K,write --size 16MiB --time 20ms --runs 1 -q";
    for (within, named) in [
        (folder.path(), place.as_path()),
        (&place, Path::new(".")),
        (folder.path(), Path::new("link")),
    ] {
        let mut command = store.program();
        command.current_dir(within).arg("mark").arg(named);
        end(command.args(split(short))).ok();
    }
    assert_eq!(store.list("").len(), 3);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
    let mut job = OsString::from("--filename=");
    job.push(place.join("file"));
    let ended = end(program().args(["fio", "--name=a", "--rw=read"]).arg(job));
    ended.refused(1, &["a\\xFFb", "is not UTF-8", "make a link"]);
}

fn file_of_16_mib(directory: &Path) -> std::path::PathBuf {
    let file = directory.join("precious");
    let contents = b"precious words\n\n".repeat(1 << 20);
    fs::write(&file, contents).unwrap();
    file
}

fn state(file: &Path) -> (Vec<u8>, SystemTime) {
    let modified = fs::metadata(file).unwrap().modified().unwrap();
    (fs::read(file).unwrap(), modified)
}

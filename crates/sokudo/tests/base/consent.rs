//! No sequence of flags leads to a write-capable open of a device without a matching
//! `--destroy`; with `--write-back` it changes nothing.
//!
//! What is opened is watched by the kernel (inotify): each close of a node that was open
//! for writing is told, however it was opened and whether or not anything was written.

use crate::sokudo::sokudo;

#[test]
fn a_destroy_that_allows_nothing_is_a_slip_and_told() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path().to_str().unwrap();
    for arguments in [
        &*format!("mark {here} --destroy WD-1"),
        &*format!("scan {here} --write --destroy WD-1"),
        "scan sim:hdd --write --destroy WD-1",
    ] {
        sokudo(arguments).refused(2, &["no block device", "--destroy"]);
    }
    sokudo(&format!("scan {here} --destroy WD-1")).refused(2, &["--write"]);
    sokudo(&format!("scan {here} --destroy-contents")).refused(2, &["--destroy"]);
}

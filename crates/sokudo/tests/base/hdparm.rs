//! hdparm's two timings, in its words.

use crate::sokudo::sokudo;

#[test]
fn what_is_no_device_or_not_asked_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, vec![1; 4 << 20]).unwrap();
    sokudo(&format!("hdparm -t {}", file.display()))
        .ends(1)
        .tells(&["is not a block device"]);
    sokudo("hdparm /dev/null").refused(2, &["-t", "-T"]);
}

#[test]
fn a_device_that_is_not_there_ends_as_with_hdparm() {
    for switch in ["-t", "-I"] {
        let ended = sokudo(&format!("hdparm {switch} /dev/nope")).ends(2);
        let ended = ended.tells(&["/dev/nope: No such file or directory"]);
        assert_eq!(ended.printed, "", "{switch}");
    }
}

#[test]
fn what_changes_a_disk_is_refused_by_name() {
    for switch in ["-W0", "-tW1", "--security-erase", "-y", "--write-sector"] {
        let ended = sokudo(&format!("hdparm {switch} /dev/null"));
        ended.refused(3, &[switch, "use hdparm itself"]);
    }
}

#[test]
fn a_switch_that_only_reads_is_answered_with_a_way_out() {
    for switch in ["-q", "-V", "-v", "-g", "-C", "-a", "-A", "-B", "-tC"] {
        let ended = sokudo(&format!("hdparm {switch} /dev/null"));
        ended.refused(2, &[switch, "use hdparm itself", "sokudo info"]);
    }
}

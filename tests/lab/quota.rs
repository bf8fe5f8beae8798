//! A directory that may hold less than its file system has free.

use crate::guest::{Guest, Undo};

/// What the directory may hold, in a file system that has four times as much.
const QUOTA: &str = "48m";

/// A file system whose directory `in` may hold QUOTA; it counts for the project 7.
fn limited<'a>(guest: &'a Guest, kind: &str, at: &str) -> Undo<'a> {
    let node = guest.disk("raid-1");
    let mut undo = Undo::new(guest);
    guest.must("modprobe", &["-a", "quota_v2", kind]);
    let make: &[&str] = match kind {
        "ext4" => &[
            "-q",
            "-F",
            "-O",
            "project,quota",
            "-E",
            "quotatype=prjquota",
        ],
        // Smaller ones are for tests, says mkfs.xfs.
        _ => &["-q", "-f", "--unsupported"],
    };
    guest.must(&format!("mkfs.{kind}"), &[make, &[&node]].concat());
    guest.must("mount", &["-o", "prjquota", &node, at]);
    undo.by(&["umount", at]);
    let inside = format!("{at}/in");
    std::fs::create_dir(&inside).unwrap();
    for command in [
        format!("project -s -p {inside} 7"),
        format!("limit -p bhard={QUOTA} 7"),
    ] {
        guest.must("xfs_quota", &["-f", "-x", "-c", &command, at]);
    }
    undo
}

/// Both file systems tell the quota as free space of such a directory, so that a file that
/// does not fit is refused before anything is written, and one that fits is measured.
fn assert_is_free_space(guest: &Guest, kind: &str) {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    let _undo = limited(guest, kind, at);
    let inside = format!("{at}/in");
    let mark = |size| {
        let what = ["mark", &inside, "--row", "RND4K,Q1,read", "--size", size];
        let how = ["--runs", "1", "--time", "200ms", "--quiet"];
        guest.end(&[&what[..], &how].concat())
    };
    let ended = mark("64MiB");
    assert_ne!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.told.trim_end().lines().count(), 1, "{ended:?}");
    for words in [
        "free, but a test file of 64 MiB needs",
        "use a smaller test file",
    ] {
        assert!(ended.told.contains(words), "{kind}: {ended:?}");
    }
    let ended = mark("16MiB");
    assert_eq!(ended.code, Some(0), "{kind}: {ended:?}");
}

#[test]
fn a_project_quota_of_ext4_is_the_free_space_of_its_directory() {
    let Some(guest) = Guest::enter(&["raid-1"]) else {
        return;
    };
    assert_is_free_space(&guest, "ext4");
}

#[test]
fn a_project_quota_of_xfs_is_the_free_space_of_its_directory() {
    let Some(guest) = Guest::enter(&["raid-1"]) else {
        return;
    };
    assert_is_free_space(&guest, "xfs");
}

/// The quota of a user is not told as free space. The file that does not fit ends with what
/// the kernel says, in one line, and the way out.
#[test]
fn a_quota_of_the_user_is_named_where_the_file_does_not_fit() {
    let Some(guest) = Guest::enter(&["raid-1"]) else {
        return;
    };
    let node = guest.disk("raid-1");
    let mut undo = Undo::new(&guest);
    guest.must("modprobe", &["-a", "quota_v2", "ext4"]);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    let make = ["-q", "-F", "-O", "quota", "-E", "quotatype=usrquota"];
    guest.must("mkfs.ext4", &[&make[..], &[&node]].concat());
    guest.must("mount", &["-o", "usrquota", &node, at]);
    undo.by(&["umount", at]);
    let limit = format!("limit -u bhard={QUOTA} 65534");
    guest.must("xfs_quota", &["-f", "-x", "-c", &limit, at]);
    guest.must("chmod", &["0777", at]);
    let sokudo = std::env::var("SOKUDO_LAB").unwrap();
    let script = format!(
        "exec setpriv --reuid=65534 --regid=65534 --clear-groups {sokudo} mark {at} --row RND4K,Q1,read --size 64MiB --runs 1 --time 200ms --quiet 2>&1"
    );
    let told = guest.told("bash", &["-c", &script]);
    assert_eq!(told.trim_end().lines().count(), 1, "{told}");
    assert!(told.contains("quota exceeded"), "{told}");
    assert!(
        told.contains("make room, or use a smaller test file"),
        "{told}"
    );
}

/// btrfs tells nothing of a subvolume's limit. A write first moves a part of its bytes; that
/// the limit was the reason is what comes behind it.
#[test]
fn the_limit_of_a_subvolume_is_named_where_the_file_does_not_fit() {
    let Some(guest) = Guest::enter(&["raid-1"]) else {
        return;
    };
    let node = guest.disk("raid-1");
    let mut undo = Undo::new(&guest);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    guest.must("mkfs.btrfs", &["-q", "-f", &node]);
    guest.must("modprobe", &["btrfs"]);
    guest.must("mount", &[&node, at]);
    undo.by(&["umount", at]);
    let inside = format!("{at}/in");
    guest.must("btrfs", &["quota", "enable", at]);
    guest.must("btrfs", &["subvolume", "create", &inside]);
    guest.must("btrfs", &["qgroup", "limit", QUOTA, &inside]);
    let what = ["mark", &inside, "--row", "RND4K,Q1,read", "--size", "64MiB"];
    let ended = guest.end(&[&what[..], &["--runs", "1", "--quiet"]].concat());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.told.trim_end().lines().count(), 1, "{ended:?}");
    for words in ["quota exceeded", "make room, or use a smaller test file"] {
        assert!(ended.told.contains(words), "{ended:?}");
    }
}

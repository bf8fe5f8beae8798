//! A fast disk that caches for a slow one: both are found, and it is said that the figure is
//! that of both.
//!
//! Which of them answered is missed: the counters of both are added up, so that reads of the
//! cache are VERIFIED. `missed` says so of these cases in `bench/lies`.

use std::fs;

use serde_json::Value;

use crate::guest::{Guest, Undo, codes, leaves, names};
use crate::turns::MAPPED;

/// A part that the cache holds.
const PART: &str = "8MiB";

/// One row in the part that the cache holds.
fn row(guest: &Guest, node: &str, row: &str, more: &[&str]) -> Value {
    let mark = ["mark", node, "--row", row, "--size", PART, "--runs", "1"];
    let how = ["--time", "500ms", "--format", "json", "--quiet"];
    guest.json(&[&mark[..], more, &how].concat())
}

/// What the kernel has counted of a disk, in sectors.
fn sectors_read(node: &str) -> u64 {
    let name = node.trim_start_matches("/dev/");
    let counters = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    let sectors = counters.split_whitespace().nth(2).unwrap();
    sectors.parse().unwrap()
}

fn blind_spots(run: &Value) -> String {
    run["target"]["blind_spots"].to_string()
}

/// Brings the part into the cache.
fn fill(guest: &Guest, node: &str) {
    for end in [
        format!("if=/dev/zero of={node} oflag=direct"),
        format!("if={node} of=/dev/null iflag=direct"),
    ] {
        let copy = format!("dd {end} bs=64k count=128 status=none");
        guest.must("bash", &["-c", &copy]);
    }
}

/// Reads of the part come from the cache, and the row says that both disks are below it.
fn assert_answered_by_cache(guest: &Guest, node: &str, cache: &str, others: &[&str]) -> Value {
    let slow = others[0];
    let before = [cache, slow].map(sectors_read);
    let run = row(guest, node, "RND4K,Q4,read", &[]);
    let [cached, missed] = [cache, slow].map(sectors_read);
    let (cached, missed) = (cached - before[0], missed - before[1]);
    assert!(
        cached > missed,
        "{cached} sectors of {cache}, {missed} of {slow}"
    );
    assert_eq!(leaves(&run), names(&[&[cache], others].concat()));
    let unseen = blind_spots(&run);
    assert!(unseen.contains("which rotates"), "{unseen}");
    for code in ["not-from-device", "dataset-in-cache"] {
        assert!(!codes(&run["figures"][0]).contains(&code), "{run}");
    }
    run
}

#[test]
fn a_bcache_is_followed_to_both_of_its_disks_and_said_to_be_one() {
    let Some(guest) = Guest::enter(&["nvme-a", "slow-count"]) else {
        return;
    };
    let [cache, slow] = ["nvme-a", "slow-count"].map(|name| guest.disk(name));
    let (node, files) = ("/dev/bcache0", "/sys/block/bcache0/bcache");
    guest.must("modprobe", &["bcache"]);
    let mut undo = Undo::new(&guest);
    undo.by(&["wipefs", "--all", "--quiet", &cache, &slow]);
    let stop = format!(
        "echo 1 > {files}/stop; echo 1 > /sys/fs/bcache/*-*/stop; for i in $(seq 100); do [ -e {files} -o -e /sys/fs/bcache/*-* ] || break; sleep 0.1; done"
    );
    undo.by(&["bash", "-c", &stop]);
    guest.must("make-bcache", &["--wipe-bcache", "-C", &cache, "-B", &slow]);
    for disk in [&cache, &slow] {
        // It may have been registered by the other's coming.
        let _ = fs::write("/sys/fs/bcache/register", disk);
    }
    guest.wait_until("the bcache", || {
        fs::read_to_string(format!("{files}/state")).is_ok_and(|state| state.trim() == "clean")
    });
    // Reads and writes in order pass a bcache by, and all do where the cache is slow, as on a
    // busy host.
    fs::write(format!("{files}/sequential_cutoff"), "0").unwrap();
    let busy = "for file in /sys/fs/bcache/*-*/congested_*_threshold_us; do echo 0 > $file; done";
    guest.must("bash", &["-c", busy]);
    let destroy = ["--destroy", node, "--destroy-contents"];
    for mode in ["writethrough", "writeback"] {
        fs::write(format!("{files}/cache_mode"), mode).unwrap();
        fill(&guest, node);
        let run = assert_answered_by_cache(&guest, node, &cache, &[&slow]);
        let unseen = blind_spots(&run);
        let [cache, slow] = [&cache, &slow].map(|node| node.trim_start_matches("/dev/"));
        let said = format!("bcache0 is a bcache: {cache} answers for {slow}");
        assert!(unseen.contains(&said), "{unseen}");

        let run = row(&guest, node, "RND4K,Q4,write", &destroy);
        assert_eq!(leaves(&run), names(&[cache, slow]));
        assert!(!codes(&run["figures"][0]).contains(&"foreign-io"), "{run}");
        // What is written through is on both; what is written back is on one yet.
        let dirty = fs::read_to_string(format!("{files}/dirty_data")).unwrap();
        assert_eq!(dirty.trim() != "0.0k", mode == "writeback", "{dirty}");
    }
}

#[test]
fn a_cache_of_device_mapper_is_followed_to_all_its_disks() {
    let Some(guest) = Guest::enter(&["nvme-a", "slow-count", "raid-2", MAPPED]) else {
        return;
    };
    let [cache, slow, records] = ["nvme-a", "slow-count", "raid-2"].map(|name| guest.disk(name));
    for module in ["dm-cache", "dm-cache-smq"] {
        guest.must("modprobe", &[module]);
    }
    let clear = format!("head -c 8M /dev/zero | dd of={records} bs=1M oflag=direct status=none");
    guest.must("bash", &["-c", &clear]);
    let mut undo = Undo::new(&guest);
    // All of it fits the cache: 32 MiB in blocks of 64 KiB.
    let table = format!("0 65536 cache {records} {cache} {slow} 128 1 writeback smq 0");
    undo.map("lab", &table);
    let node = "/dev/mapper/lab";
    let all = format!("dd if=/dev/zero of={node} bs=1M count=32 oflag=direct status=none");
    guest.must("bash", &["-c", &all]);
    // While blocks move into the cache, the devices move more than is asked for; once they
    // have, nothing is seen of it.
    guest.wait_until("the cache", || {
        row(&guest, node, "RND4K,Q4,read", &[]);
        let told = guest.told("dmsetup", &["status", "lab"]);
        let used = told.split_whitespace().nth(6).unwrap_or_default();
        used.split_once('/')
            .is_some_and(|(used, _)| used.parse::<u32>().is_ok_and(|used| used >= 128))
    });
    assert_answered_by_cache(&guest, node, &cache, &[&slow, &records]);
}

//! Devices of device-mapper that do more than pass on what is asked of them: they are slow,
//! they fail, they copy, and they have no disk at all.

use serde_json::Value;

use crate::guest::{Guest, Undo, assert_is_proven, codes, leaves, names, part, partition};
use crate::turns::MAPPED;

/// Sectors of the device: 128 MiB.
const SECTORS: u64 = 262_144;
const NODE: &str = "/dev/mapper/lab";

/// One row of `sokudo mark`, whose exit code is not looked at.
fn row(guest: &Guest, target: &str, row: &str, more: &[&str]) -> Value {
    let mark = ["mark", target, "--row", row, "--runs", "1"];
    let how = ["--time", "500ms", "--format", "json", "--quiet"];
    let run = guest.end(&[&mark[..], more, &how].concat()).parsed();
    run["figures"][0]
        .as_object()
        .unwrap_or_else(|| panic!("{run}"));
    run
}

#[test]
fn a_delay_is_in_the_latency_and_nothing_is_held_against_the_disk() {
    let Some(guest) = Guest::enter(&["raid-1", MAPPED]) else {
        return;
    };
    guest.must("modprobe", &["dm-delay"]);
    let disk = guest.disk("raid-1");
    let mut undo = Undo::new(&guest);
    undo.map("lab", &format!("0 {SECTORS} delay {disk} 0 50"));
    let run = row(&guest, NODE, "RND4K,Q4,read", &[]);
    let result = &run["figures"][0];
    // Single ones are delayed by less, where a busy host has kept ticks back.
    let mean = result["latency_ns"]["mean"].as_f64().unwrap();
    assert!(mean >= 25e6, "{result}");
    assert_is_proven(result);
    assert_eq!(leaves(&run), names(&[disk]));
}

#[test]
fn sectors_that_fail_are_named_and_the_device_is_not_called_slow() {
    let Some(guest) = Guest::enter(&["raid-1", MAPPED]) else {
        return;
    };
    let disk = guest.disk("raid-1");
    let mut undo = Undo::new(&guest);
    let rest = SECTORS - 131_136;
    let table =
        format!("0 131072 linear {disk} 0\n131072 64 error\n131136 {rest} linear {disk} 131136");
    undo.map("lab", &table);
    let run = row(&guest, NODE, "SEQ1M,Q4,read", &[]);
    let result = &run["figures"][0];
    let symptom = part(result, "io-errors", "symptom");
    assert!(symptom.contains("EIO (input/output error)"), "{symptom}");
    assert!(
        symptom.contains("within 1 MiB from offset 67108864"),
        "{symptom}"
    );
    for slow in ["stalls", "not-steady", "foreign-io", "unsteady"] {
        assert!(!codes(result).contains(&slow), "{result}");
    }
    let ended = guest.scan(NODE, &[]).end();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let defects = &ended.parsed()["figures"][0]["defects"];
    assert_eq!(defects[0]["offset"], 131_072 * 512, "{defects}");
    assert_eq!(defects[0]["length"], 64 * 512, "{defects}");
    assert_eq!(defects.as_array().map(Vec::len), Some(1), "{defects}");
}

/// Good for two seconds and broken for one, again and again.
#[test]
fn a_device_that_fails_now_and_then_ends_its_row_with_the_error() {
    let Some(guest) = Guest::enter(&["raid-1", MAPPED]) else {
        return;
    };
    guest.must("modprobe", &["dm-flakey"]);
    let disk = guest.disk("raid-1");
    let mut undo = Undo::new(&guest);
    let table = format!("0 {SECTORS} flakey {disk} 0 2 1");
    undo.map("lab", &table);
    let mark = ["mark", NODE, "--row", "SEQ64K,Q1,read", "--runs", "5"];
    let how = ["--time", "1s", "--format", "json", "--quiet"];
    let ended = guest.end(&[&mark[..], &how].concat());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let run = ended.parsed();
    let symptom = part(&run["figures"][0], "io-errors", "symptom");
    assert!(symptom.contains("EIO (input/output error)"), "{symptom}");
}

/// Nothing is below it: it answers every read with zeros and forgets what is written.
#[test]
fn a_device_without_any_disk_is_taken_for_memory() {
    let Some(guest) = Guest::enter(&[MAPPED]) else {
        return;
    };
    guest.must("modprobe", &["dm-zero"]);
    let mut undo = Undo::new(&guest);
    undo.map("lab", &format!("0 {SECTORS} zero"));
    let run = row(&guest, NODE, "RND4K,Q4,read", &[]);
    let result = &run["figures"][0];
    assert_eq!(result["verdict"], "INVALID", "{result}");
    assert!(codes(result).contains(&"memory-device") || codes(&run).contains(&"memory-device"));
}

/// What a snapshot needs is read from the origin and written to a disk that is not below it.
/// The reads are seen. That a snapshot did it is not known, so that somebody else is blamed.
#[test]
fn writes_to_the_origin_of_a_snapshot_are_doubted() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    guest.must("modprobe", &["dm-snapshot"]);
    let [origin, exceptions] = ["raid-1", "raid-2"].map(|name| guest.disk(name));
    let mut undo = Undo::new(&guest);
    guest.must("wipefs", &["--all", &exceptions]);
    undo.map("real", &format!("0 {SECTORS} linear {origin} 0"));
    let table = format!("0 {SECTORS} snapshot-origin /dev/mapper/real");
    undo.map("lab", &table);
    let table = format!("0 {SECTORS} snapshot /dev/mapper/real {exceptions} N 256");
    guest.must("dmsetup", &["suspend", "lab"]);
    undo.map("snap", &table);
    guest.must("dmsetup", &["resume", "lab"]);
    let destroy = ["--destroy", NODE, "--destroy-contents"];
    let run = row(&guest, NODE, "RND4K,Q1,write", &destroy);
    assert_eq!(leaves(&run), names(&[origin]));
    let result = &run["figures"][0];
    assert_eq!(result["verdict"], "UNVERIFIED", "{result}");
    let symptom = part(result, "foreign-io", "symptom");
    assert!(
        symptom.contains("read nothing, but the devices read"),
        "{symptom}"
    );
    // The guest's other processes are idle, and root may look at all of them.
    let cause = part(result, "foreign-io", "cause");
    assert!(cause.contains("kernel"), "{cause}");
    assert!(!cause.contains("may not"), "{cause}");
}

/// Blocks of 4 KiB make a pool copy 64 KiB of what a snapshot shares.
#[test]
fn what_a_shared_block_of_a_thin_volume_costs_is_told() {
    let Some(guest) = Guest::enter(&["raid-1", "raid-2", MAPPED]) else {
        return;
    };
    guest.must("modprobe", &["dm-thin-pool"]);
    let [data, records] = ["raid-1", "raid-2"].map(|name| guest.disk(name));
    let mut undo = Undo::new(&guest);
    let clear = format!("head -c 1M /dev/zero | dd of={records} bs=1M oflag=direct status=none");
    guest.must("bash", &["-c", &clear]);
    let table = format!("0 {SECTORS} thin-pool {records} {data} 128 0 1 skip_block_zeroing");
    undo.map("pool", &table);
    guest.must("dmsetup", &["message", "pool", "0", "create_thin 0"]);
    // A volume of 32 MiB.
    undo.map("lab", "0 65536 thin /dev/mapper/pool 0");
    let unwritten = row(&guest, NODE, "RND4K,Q4,read", &[]);
    let cause = part(&unwritten["figures"][0], "not-from-device", "cause");
    assert!(
        cause.contains("of which parts were never written"),
        "{cause}"
    );

    let fill = format!("dd if=/dev/zero of={NODE} bs=1M count=32 oflag=direct status=none");
    guest.must("bash", &["-c", &fill]);
    guest.must("dmsetup", &["suspend", "lab"]);
    guest.must("dmsetup", &["message", "pool", "0", "create_snap 1 0"]);
    guest.must("dmsetup", &["resume", "lab"]);
    let destroy = ["--destroy", NODE, "--destroy-contents"];
    // One at a time, so that it is measured from the first: before a deeper queue had settled,
    // a fast host had copied most of what is shared.
    let run = row(&guest, NODE, "RND4K,Q1,write", &destroy);
    let result = &run["figures"][0];
    assert!(result["device_ratio"].as_f64() > Some(1.5), "{result}");
    part(result, "write-amplification", "symptom");
    part(result, "read-modify-write", "symptom");
}

/// A volume of an LVM on a partition from sector 63 on: each block of 4 KiB lies across two of
/// the disk. That a volume begins across by itself is missed, though the kernel knows it
/// (`alignment_offset`): nobody makes one by accident.
#[test]
fn a_volume_on_a_misaligned_partition_is_told_of_it() {
    let Some(guest) = Guest::enter(&["scsi-a", MAPPED]) else {
        return;
    };
    // Its physical blocks have 4 KiB, its logical ones 512 bytes.
    let disk = guest.disk("scsi-a");
    let mut undo = Undo::new(&guest);
    let clear = format!("head -c 4096 /dev/zero > {disk}; blockdev --rereadpt {disk}");
    undo.by(&["sh", "-c", &clear]);
    for (first_sector, offset, is_reported) in [(63, 0, true), (2048, 0, false), (2048, 63, false)]
    {
        partition(&guest, &disk, first_sector, 200_000);
        let mut undo = Undo::new(&guest);
        let table = format!("0 131072 linear {disk}1 {offset}");
        undo.map("lab", &table);
        let told = |value: &Value| codes(value).contains(&"partition-misaligned");
        let run = row(&guest, NODE, "RND4K,Q1,read", &[]);
        assert_eq!(told(&run), is_reported, "{run}");
        if is_reported {
            let shown = guest.json(&["info", NODE, "--format", "json"]);
            assert!(told(&shown["disks"][0]), "{shown}");
        }
    }
}

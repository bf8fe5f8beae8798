//! `sokudo matrix` on disks that are as slow as hard disks, so that arrays have their shape.

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::guest::Guest;
use crate::turns::ARRAYS;
use crate::write_cache::is_on_scsi;

/// One row, shorter than the disks are slow. Trying which engine is the fastest takes longer than the row.
const METHOD: &str =
    "mark --row SEQ1M,Q8,write --size 24MiB --time 400ms --runs 1 --engine io_uring";

/// Disks that nobody pulls out.
const DISKS: [&str; 4] = ["matrix-1", "matrix-2", "matrix-3", "matrix-4"];

fn matrix<'a>(disks: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    matrix_of(METHOD, disks, more)
}

fn matrix_of<'a>(method: &'a str, disks: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["matrix", "--yes", "--method", method, "--format", "json"];
    for name in disks {
        arguments.extend(["--disk", *name, "--destroy", *name]);
    }
    arguments.extend(more);
    arguments
}

/// What each cell came to in the one row, and its bytes at the disks per byte of the row.
fn figures(document: &Value) -> Vec<Option<(f64, f64)>> {
    let cells = document["rows"][0]["cells"].as_array().unwrap();
    let figure = |cell: &Value| {
        let rate = cell["per_second"].as_f64()?;
        Some((rate, cell["bytes_at_disks_per_byte"].as_f64()?))
    };
    cells.iter().map(figure).collect()
}

/// Neither arrays nor mounts of a matrix.
fn assert_nothing_is_left(guest: &Guest) {
    let left = guest.told("cat", &["/proc/mdstat", "/proc/mounts"]);
    assert!(!left.contains("active"), "{left}");
    assert!(!left.contains("/run/sokudo"), "{left}");
}

#[test]
fn an_array_is_known_by_what_its_disks_are_written() {
    let Some(guest) = Guest::enter(&["matrix-1", "matrix-2", "matrix-3", ARRAYS]) else {
        return;
    };
    let document = guest.json(&matrix(&DISKS[..3], &["--raid", "none,0,5"]));
    let figures = figures(&document);
    // How much faster it is depends on how much of a processor the guest gets.
    let [alone, stripes, parity] = [0, 1, 2].map(|cell| figures[cell].unwrap());
    assert!((0.95..1.3).contains(&alone.1), "{figures:?}");
    // Two blocks of data have one of parity.
    assert!((0.95..1.3).contains(&stripes.1), "{figures:?}");
    assert!((1.35..2.6).contains(&parity.1), "{figures:?}");
    assert_nothing_is_left(&guest);
}

#[test]
fn a_disk_that_goes_ends_its_cells_and_no_others() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    let gone = guest.disk("matrix-gone");
    let arguments = matrix(&["matrix-4", "matrix-gone"], &["--raid", "none,1"]);
    let mut running = guest.start(&arguments);
    running.wait_until("the disk is written", || {
        let name = gone.trim_start_matches("/dev/");
        let counters = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap_or_default();
        let sectors = counters.split_whitespace().nth(6);
        sectors.is_some_and(|it| it.parse::<u64>().unwrap() > 10_000)
    });
    guest.unplug("matrix-gone");
    let ended = running.end();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let document = ended.parsed();
    let cells = &document["cells"];
    assert_eq!(cells[0]["blocks"], 3, "{cells}");
    assert!(
        !cells[1]["failures"].as_array().unwrap().is_empty(),
        "{cells}"
    );
    assert_nothing_is_left(&guest);
}

#[test]
fn schedulers_and_write_caches_are_put_back_after_a_kill() {
    let Some(guest) = Guest::enter(&["scsi-a", ARRAYS]) else {
        return;
    };
    guest.told("modprobe", &["mq-deadline"]);
    let node = guest.disk("scsi-a");
    let name = node.trim_start_matches("/dev/");
    let schedulers = || fs::read_to_string(format!("/sys/block/{name}/queue/scheduler")).unwrap();
    let before = schedulers();
    assert!(is_on_scsi(&guest, &node), "it has no write cache");
    let other = match before.contains("[none]") {
        true => "mq-deadline",
        false => "none",
    };
    let axes = ["--scheduler", other, "--write-cache", "off"];
    let mut running = guest.start(&matrix(&["scsi-a"], &axes));
    running.wait_until("both are changed", || {
        schedulers().contains(&format!("[{other}]")) && !is_on_scsi(&guest, &node)
    });
    running.signal(Signal::KILL);
    running.end();
    guest.wait_until("the write cache is on again", || is_on_scsi(&guest, &node));
    guest.end(&["clean", "--yes"]);
    assert_eq!(schedulers(), before);
    assert_nothing_is_left(&guest);
}

/// Where a test finds again what it had kept before the machine was started again: the store
/// and the journal of what is to be dissolved.
fn mount_what_is_kept(guest: &Guest) -> String {
    let kept = "/tmp/kept";
    let journal = "/var/lib/sokudo";
    if !guest.is_second_start() {
        guest.must("mkfs.ext4", &["-q", &guest.disk("kept")]);
    }
    for folder in [kept, journal] {
        fs::create_dir_all(folder).unwrap();
    }
    guest.must("mount", &[&guest.disk("kept"), kept]);
    let below = format!("{kept}/journal");
    fs::create_dir_all(&below).unwrap();
    guest.must("mount", &["--bind", &below, journal]);
    format!("{kept}/store.db")
}

fn runs_kept(guest: &Guest, store: &str) -> Vec<Value> {
    let ended = guest.end(&["list", "--limit", "0", "--format", "json", "--store", store]);
    let list = ended.code == Some(0);
    let list = list.then(|| ended.parsed()["runs"].as_array().cloned());
    list.flatten().unwrap_or_default()
}

#[test]
fn goes_on_after_a_restart() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    let store = mount_what_is_kept(&guest);
    let disks = ["matrix-1", "matrix-2"];
    if !guest.is_second_start() {
        let axes = ["--raid", "none,1", "--store", &store];
        let mut running = guest.start(&matrix(&disks, &axes));
        running.wait_until("a cell is kept and an array is there", || {
            let arrays = fs::read_to_string("/proc/mdstat").unwrap_or_default();
            arrays.contains("active") && !runs_kept(&guest, &store).is_empty()
        });
        guest.must("sync", &[]);
        // It runs on until the machine goes.
        return;
    }
    let before = runs_kept(&guest, &store);
    let tags = before[0]["tags"].as_array().unwrap();
    let mut ids = tags
        .iter()
        .filter_map(|tag| tag.as_str()?.strip_prefix("matrix="));
    let id = ids.next().unwrap();
    // Another test pulled it out in the middle of a mirror, and now it is there again.
    guest.must("wipefs", &["--all", &guest.disk("matrix-gone")]);
    // As a system does while it starts.
    guest.told("modprobe", &["raid1"]);
    guest.told("mdadm", &["--assemble", "--scan"]);
    assert!(guest.told("cat", &["/proc/mdstat"]).contains("active"));
    guest.end(&["clean", "--yes"]);
    assert_nothing_is_left(&guest);
    let mut arguments = vec!["matrix", "--yes", "--resume", id, "--destroy-contents"];
    arguments.extend(["--store", &store, "--format", "json"]);
    for name in disks {
        arguments.extend(["--destroy", name]);
    }
    let document = guest.json(&arguments);
    for cell in document["cells"].as_array().unwrap() {
        assert_eq!(cell["blocks"], 3, "{cell}");
    }
    let after = runs_kept(&guest, &store);
    assert_eq!(after.len(), 6, "none is measured twice");
    let ids = |runs: &[Value]| -> Vec<i64> {
        runs.iter().map(|run| run["id"].as_i64().unwrap()).collect()
    };
    assert!(ids(&before).iter().all(|id| ids(&after).contains(id)));
    assert_nothing_is_left(&guest);
}

/// Whether the guest has ZFS, which is then made ready.
fn has_zfs(guest: &Guest) -> bool {
    guest.told("modprobe", &["zfs"]);
    if !fs::exists("/sys/module/zfs").unwrap() {
        eprintln!("SKIPPED: ZFS, which only the guest of lab/run --zfs has");
        return false;
    }
    // It waits for names that udev gives.
    guest.must("/usr/lib/systemd/systemd-udevd", &["--daemon"]);
    guest.must("udevadm", &["trigger"]);
    guest.must("udevadm", &["settle"]);
    true
}

#[test]
fn whole_zfs_is_judged_by_its_members() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    if !has_zfs(&guest) {
        return;
    }
    // ZFS 2.3.2 dies of direct writes of a ring's registered buffers: the ring must know.
    let direct = "/sys/module/zfs/parameters/zfs_dio_enabled";
    assert_eq!(fs::read_to_string(direct).unwrap().trim(), "1");
    let axes = ["--fs", "zfs", "--raid", "none,1@2,5@3"];
    let document = guest.json(&matrix(&DISKS[..3], &axes));
    fs::write(guest.file("zfs.json"), document.to_string()).unwrap();
    let figures = figures(&document);
    let [alone, mirror, parity] = [0, 1, 2].map(|cell| figures[cell].unwrap());
    assert!((0.8..1.5).contains(&alone.1), "{figures:?}");
    assert!((1.8..2.8).contains(&mirror.1), "{figures:?}");
    assert!((1.3..2.2).contains(&parity.1), "{figures:?}");
    for cell in document["rows"][0]["cells"].as_array().unwrap() {
        assert_eq!(cell["verdict"], "VERIFIED", "{cell}");
    }
    assert_nothing_is_left(&guest);
    assert_eq!(guest.told("zpool", &["list", "-H"]), "");
}

/// The rows of the articles whose shape the table is to have.
const TABLE_METHOD: &str = "mark --row SEQ1M,Q8 --row SEQ1M,Q1 --row RND4K,Q32 --row RND4K,Q1 \
                            --size 24MiB --time 400ms --runs 1 --engine io_uring";
const TABLE_RAID: [&str; 5] = ["none", "0@2", "0@3", "1@2", "5@3"];
const TABLE_FILE_SYSTEMS: [&str; 6] = ["ext3", "ext4", "xfs", "btrfs", "jfs", "zfs"];

/// RAID 5 of three hard disks against one of them, with ext3: fio, 2011, direct, sequential 1 MiB
/// and random 4 KiB of one and of 32 jobs (KiB/s). Each with our row of the same kind.
const PUBLISHED_RAID_5: [(&str, f64, f64); 6] = [
    ("SEQ1M Q1T1 read", 163_978.0, 128_587.0),
    ("SEQ1M Q1T1 write", 30_364.0, 74_761.0),
    ("RND4K Q1T1 read", 1211.0, 802.0),
    ("RND4K Q1T1 write", 591.0, 987.0),
    ("RND4K Q32T1 read", 2812.0, 1148.0),
    ("RND4K Q32T1 write", 936.0, 1157.0),
];

/// What a matrix of levels and file systems has come to.
struct MeasuredTable(Value);

impl MeasuredTable {
    /// Bytes per second in a row of a cell, both by name; `None` where it was not measured.
    fn rate(&self, row: &str, raid: &str, file_system: &str) -> Option<f64> {
        let index = |names: &Value, name: &str| {
            let names = names.as_array().unwrap();
            let found = names.iter().position(|it| it == name);
            found.unwrap_or_else(|| panic!("no {name} in {names:?}"))
        };
        let axes = &self.0["axes"];
        let values = [
            index(&axes[0]["values"], raid),
            index(&axes[1]["values"], file_system),
        ];
        let cells = self.0["cells"].as_array().unwrap();
        let cell = cells
            .iter()
            .position(|it| it["values"][0] == values[0] && it["values"][1] == values[1])?;
        let rows = self.0["rows"].as_array().unwrap();
        let row = rows.iter().find(|it| it["name"] == row).unwrap();
        row["cells"][cell]["per_second"].as_f64()
    }

    /// How many times as fast as one disk.
    fn against_one(&self, row: &str, raid: &str, file_system: &str) -> Option<f64> {
        Some(self.rate(row, raid, file_system)? / self.rate(row, "none", file_system)?)
    }

    /// A table of levels by file systems of each row, MB/s; `—` where nothing can be trusted.
    fn by_row(&self) -> String {
        let rows = self.0["rows"].as_array().unwrap();
        let table = |row: &Value| {
            let name = row["name"].as_str().unwrap();
            let head = format!("| {name}, MB/s | {} |", TABLE_FILE_SYSTEMS.join(" | "));
            let rule = format!("|---{}|", "|---:".repeat(TABLE_FILE_SYSTEMS.len()));
            let lines = TABLE_RAID.map(|raid| {
                let figures = TABLE_FILE_SYSTEMS.map(|file_system| {
                    let rate = self.rate(name, raid, file_system);
                    rate.map_or("—".to_owned(), |rate| format!("{:.2}", rate / 1e6))
                });
                format!("| {raid} | {} |", figures.join(" | "))
            });
            [head, rule].into_iter().chain(lines).collect::<Vec<_>>()
        };
        let tables = rows.iter().map(|row| table(row).join("\n") + "\n");
        tables.collect::<Vec<_>>().join("\n")
    }

    /// RAID 5 against one disk of every file system, beside what was published.
    fn beside_published(&self) -> String {
        let mut lines = vec![
            format!(
                "| RAID 5 of 3 ÷ one disk | published, ext3 | {} |",
                TABLE_FILE_SYSTEMS.join(" | ")
            ),
            format!("|---|---{}|", "|---".repeat(TABLE_FILE_SYSTEMS.len())),
        ];
        for (row, array, alone) in PUBLISHED_RAID_5 {
            let measured = TABLE_FILE_SYSTEMS.map(|file_system| {
                let ratio = self.against_one(row, "5@3", file_system);
                ratio.map_or("—".to_owned(), |ratio| format!("{ratio:.2}"))
            });
            let published = array / alone;
            lines.push(format!(
                "| {row} | {published:.2} | {} |",
                measured.join(" | ")
            ));
        }
        lines.join("\n") + "\n"
    }
}

#[test]
fn whole_rest_of_arrays_and_file_systems() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    guest.must("modprobe", &["f2fs"]);
    let axes = ["--raid", "none,10", "--fs", "ext4,f2fs,btrfs"];
    let figures = figures(&guest.json(&matrix(&DISKS, &axes)));
    for file_system in 0..3 {
        let [alone, ten] = [file_system, 3 + file_system].map(|cell| figures[cell].unwrap());
        // Stripes of two mirrors: every byte twice, and twice as fast as a disk where mdadm makes
        // them; one process writes to Btrfs as fast as to one of them.
        assert!((1.7..2.6).contains(&(ten.1 / alone.1)), "{figures:?}");
        let speed = ten.0 / alone.0;
        let is_of_btrfs = file_system == 2;
        assert!((1.3..2.4).contains(&speed) || is_of_btrfs, "{figures:?}");
    }
    assert_nothing_is_left(&guest);
}

#[test]
fn whole_table_of_arrays_and_file_systems() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    guest.must("modprobe", &["jfs"]);
    has_zfs(&guest);
    let store = "/tmp/whole.db";
    let (raid, file_systems) = (TABLE_RAID.join(","), TABLE_FILE_SYSTEMS.join(","));
    let axes = ["--raid", &raid, "--fs", &file_systems, "--store", store];
    let mut running = guest.start(&matrix_of(TABLE_METHOD, &DISKS, &axes));
    while running.runs() {
        thread::sleep(Duration::from_secs(60));
        eprintln!("{} runs are kept", runs_kept(&guest, store).len());
    }
    let document = running.end().parsed();
    // For people: the table, its picture, and what was published beside it.
    let id = document["id"].as_str().unwrap().to_owned();
    fs::write(guest.file("table.json"), document.to_string()).unwrap();
    for (format, name) in [("markdown", "table.md"), ("table", "table.txt")] {
        let picture = guest.file("table.png");
        let shown = [
            "matrix", "--resume", &id, "--store", store, "--format", format,
        ];
        guest.end(
            &[
                &shown[..],
                &["--output", &guest.file(name), "--plot", &picture],
            ]
            .concat(),
        );
    }
    let table = MeasuredTable(document);
    let beside = table.beside_published();
    eprintln!("{beside}");
    fs::write(guest.file("published.md"), beside).unwrap();
    fs::write(guest.file("rows.md"), table.by_row()).unwrap();
    assert_nothing_is_left(&guest);
    // Stripes of arrays of mdadm are written as fast as they are many; copies, and parity, cost.
    for file_system in ["ext3", "ext4", "xfs", "jfs"] {
        let of = |raid| table.against_one("SEQ1M Q8T1 write", raid, file_system);
        let [_, two, three, mirror, parity] = TABLE_RAID.map(|raid| of(raid).unwrap());
        let said = format!("{file_system}: {:?}", TABLE_RAID.map(of));
        assert!(two > 1.4 && three > two, "{said}");
        assert!(mirror < 1.3 && parity < three, "{said}");
    }
    // All are read so, those that Btrfs and ZFS make, too.
    for file_system in TABLE_FILE_SYSTEMS {
        let of = |raid| table.against_one("SEQ1M Q8T1 read", raid, file_system);
        let (Some(two), Some(three)) = (of("0@2"), of("0@3")) else {
            assert_eq!(file_system, "zfs", "only ZFS may be missing");
            continue;
        };
        assert!(two > 1.4 && three > two, "{file_system}: {two} {three}");
    }
}

//! `sokudo matrix` on disks that are as slow as hard disks, so that arrays have their shape.

use std::fs;

use serde_json::Value;

use crate::guest::Guest;

/// One row, shorter than the disks are slow.
const METHOD: &str = "mark --row SEQ1M,Q8,write --size 24MiB --time 400ms --runs 1";

/// Disks that nobody pulls out.
const DISKS: [&str; 4] = ["matrix-1", "matrix-2", "matrix-3", "matrix-4"];

fn matrix<'a>(disks: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["matrix", "--method", METHOD, "--format", "json"];
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
fn an_array_of_stripes_is_faster_than_a_disk() {
    let Some(guest) = Guest::enter() else { return };
    let document = guest.json(&matrix(&DISKS[..3], &["--raid", "none,0,5"]));
    let figures = figures(&document);
    let [alone, stripes, parity] = [0, 1, 2].map(|cell| figures[cell].unwrap());
    assert!(stripes.0 > 2.0 * alone.0, "{figures:?}");
    assert!(
        parity.0 > 1.3 * alone.0 && parity.0 < 0.9 * stripes.0,
        "{figures:?}"
    );
    // Two blocks of data have one of parity.
    assert!((0.95..1.3).contains(&stripes.1), "{figures:?}");
    assert!((1.35..2.6).contains(&parity.1), "{figures:?}");
    assert_nothing_is_left(&guest);
}

#[test]
fn a_disk_that_goes_ends_its_cells_and_no_others() {
    let Some(guest) = Guest::enter() else { return };
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
fn whole_table_of_arrays_and_file_systems() {
    let Some(guest) = Guest::enter() else { return };
    guest.told("modprobe", &["-a", "jfs", "f2fs"]);
    let raid = ["--raid", "none,0@2,0@3,1@2,5@3,10"];
    let file_systems = ["--fs", "ext3,ext4,xfs,btrfs,jfs,f2fs"];
    let document = guest.json(&matrix(&DISKS, &[raid, file_systems].concat()));
    let figures = figures(&document);
    for file_system in 0..6 {
        let of = |array: usize| figures[array * 6 + file_system].unwrap().0;
        let [alone, two, three, mirror, parity, _ten] = [0, 1, 2, 3, 4, 5].map(of);
        assert!(two > 1.4 * alone && three > two, "{figures:?}");
        assert!(mirror < 1.3 * alone && parity < three, "{figures:?}");
    }
    // For people: the table itself.
    eprintln!("{}", document["sentences"]);
    assert_nothing_is_left(&guest);
}

//! `sokudo matrix` on disks that are as slow as hard disks, so that arrays have their shape.

use serde_json::Value;

use crate::guest::Guest;

/// One row, shorter than the disks are slow.
const METHOD: &str = "mark --row SEQ1M,Q8,write --size 24MiB --time 400ms --runs 1";

fn matrix<'a>(disks: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["matrix", "--method", METHOD, "--format", "json"];
    for name in disks {
        arguments.extend(["--disk", *name, "--destroy", *name]);
    }
    arguments.extend(more);
    arguments
}

/// The figures of the one row, by the names of the cells.
fn figures(document: &Value) -> Vec<(String, Option<f64>)> {
    eprintln!("{document}");
    Vec::new()
}

#[test]
fn an_array_of_stripes_is_faster_than_a_disk() {
    let Some(guest) = Guest::enter() else { return };
    let disks = ["matrix-1", "matrix-2", "matrix-3"];
    let ended = guest.end(&matrix(&disks, &["--raid", "none,0,5"]));
    eprintln!("{ended:?}");
    panic!("look");
}

#[test]
fn a_disk_that_goes_ends_its_cells_and_no_others() {
    let Some(guest) = Guest::enter() else { return };
    let disks = ["matrix-4", "matrix-gone"];
    let arguments = matrix(&disks, &["--raid", "none,1"]);
    let gone = guest.disk("matrix-gone");
    let mut running = guest.start(&arguments);
    running.wait_until("the disk is used", || {
        let name = gone.trim_start_matches("/dev/");
        std::fs::read_to_string(format!("/sys/block/{name}/stat"))
            .ok()
            .and_then(|it| it.split_whitespace().nth(6)?.parse::<u64>().ok())
            .is_some_and(|sectors| sectors > 10_000)
    });
    guest.unplug("matrix-gone");
    let ended = running.end();
    eprintln!("{ended:?}");
    eprintln!("{}", guest.told("cat", &["/proc/mdstat", "/proc/mounts"]));
    panic!("look");
}

#[test]
fn whole_table_of_arrays_and_file_systems() {
    let Some(guest) = Guest::enter() else { return };
    guest.told("modprobe", &["-a", "jfs", "f2fs"]);
    let disks = ["matrix-1", "matrix-2", "matrix-3", "matrix-4"];
    let axes = [
        "--raid",
        "none,0@2,0@3,1@2,5@3,10",
        "--fs",
        "ext3,ext4,xfs,btrfs,jfs,f2fs",
    ];
    let ended = guest.end(&matrix(&disks, &axes));
    eprintln!("{ended:?}");
    panic!("look");
}

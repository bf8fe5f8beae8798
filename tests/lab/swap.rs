//! Memory is short, and the kernel swaps to the disk that is measured: another program has the
//! disk as much as one that reads it.

use std::fs;
use std::process::Command;

use rustix::process::Signal;
use serde_json::Value;

use crate::guest::{Guest, Running, Undo, part};

/// Half of the disk is swap, half is measured.
const HALF_SECTORS: u64 = 1 << 20;

#[test]
fn what_a_program_swaps_to_the_disk_is_that_programs_io() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    let disk = guest.disk("ata-hdd");
    let mut undo = Undo::new(&guest);
    for (name, first) in [("swap", 0), ("lab", HALF_SECTORS)] {
        let table = format!("0 {HALF_SECTORS} linear {disk} {first}");
        undo.map(name, &table);
    }
    guest.must("mkswap", &["/dev/mapper/swap"]);
    guest.must("swapon", &["/dev/mapper/swap"]);
    undo.by(&["swapoff", "/dev/mapper/swap"]);
    let at = "/tmp/memory-groups";
    fs::create_dir_all(at).unwrap();
    guest.must("mount", &["-t", "cgroup2", "none", at]);
    undo.by(&["umount", at]);
    fs::write(format!("{at}/cgroup.subtree_control"), "+memory").unwrap();
    let group = format!("{at}/eater");
    fs::create_dir(&group).unwrap();
    undo.by(&["rmdir", &group]);
    fs::write(format!("{group}/memory.max"), "32M").unwrap();
    // It goes through more memory than it may have, again and again.
    let eat = format!(
        "echo $$ > {group}/cgroup.procs; exec awk 'BEGIN {{ while (1) {{ for (i = 0; i < 1000000; i++) a[i] = i + r; r++ }} }}'"
    );
    let before = swapped_in();
    let mut eater = Running::new(Command::new("bash").args(["-c", &eat]));
    eater.wait_until("the swapping", || swapped_in() > before + 2_000);
    let mark = ["mark", "/dev/mapper/lab", "--row", "RND4K,Q1,read"];
    let how = ["--runs", "2", "--time", "3s", "--format", "json", "--quiet"];
    let ended = guest.end(&[&mark[..], &how].concat());
    assert!(eater.runs(), "it was killed: {}", guest.told("dmesg", &[]));
    eater.signal(Signal::KILL);
    eater.end();
    let run: Value = ended.json();
    let result = &run["figures"][0];
    assert_eq!(result["verdict"], "UNVERIFIED", "{result}");
    let cause = part(result, "foreign-io", "cause");
    assert!(cause.contains("awk (process "), "{cause}");
}

/// Pages, since the guest started.
fn swapped_in() -> u64 {
    let counts = fs::read_to_string("/proc/vmstat").unwrap();
    let count = counts.lines().find_map(|line| line.strip_prefix("pswpin "));
    count.unwrap().parse().unwrap()
}

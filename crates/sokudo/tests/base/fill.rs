//! A drive written from one end to the other: simulated, in a directory, and on devices only
//! with consent.

use std::path::Path;

use serde_json::Value;

use crate::run_json::view;
use crate::sokudo::{Ended, results, sokudo_on};

/// Fast cells, then direct writes, then folding.
const THREE: &str = "sim:ssd?size=16GiB&slc=4GiB&direct=400MB/s&room=6GiB&folding=100MB/s&fold=300MB/s&page=1MiB&channels=8&dies=1&program=4ms&bus=2GB/s&cache=64MiB";

/// `sokudo fill TARGET ARGUMENTS`.
fn fill(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("fill --quiet", target, arguments)
}

fn measured(target: impl AsRef<Path>, arguments: &str) -> Value {
    fill(target, &format!("{arguments} --format json")).json()
}

#[test]
fn levels_recovery_and_reads_are_found() {
    let run = measured(THREE, "--recovery 5s,20s");
    let fill = view(&run, "fill");
    assert_eq!(run["plan"]["method"], "fill");
    assert_eq!(fill["whole"]["to_bytes"], 16_u64 << 30);
    let first = usize::try_from(fill["first"].as_u64().unwrap()).unwrap();
    let levels = fill["levels"].as_array().unwrap();
    assert_eq!(levels.len(), first + 3, "{levels:?}");
    assert_eq!(fill["collapse"]["level"], first + 1);
    assert_eq!(fill["recovery"].as_array().unwrap().len(), 2);
    assert!(fill["read_latency_ns"]["count"].as_u64() > Some(500));
}

#[test]
fn platters_that_slow_down_towards_their_end_have_one_level_and_no_fast_cells() {
    let disk = "sim:hdd?size=4TB";
    let run = measured(disk, "--size 4TB");
    let fill_of = view(&run, "fill");
    assert_eq!(fill_of["levels"].as_array().unwrap().len(), 1, "{fill_of}");
    assert_eq!(fill_of["collapse"], Value::Null, "{fill_of}");
    let told = fill(disk, "--size 4TB").ok().printed;
    assert!(!told.contains("fast cells"), "{told}");
    assert!(
        told.contains("the end of the fast part was not reached"),
        "{told}"
    );
}

#[test]
fn nothing_comes_back_and_nothing_is_read_where_that_is_not_wanted() {
    let run = measured(THREE, "--recovery off --no-reads --size 1GiB");
    assert_eq!(results(&run).len(), 1);
    assert_eq!(view(&run, "fill")["recovery"].as_array().unwrap().len(), 0);
    assert_eq!(view(&run, "fill")["read_latency_ns"], Value::Null);
}

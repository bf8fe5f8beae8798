//! What the system does around a run is told with its cause: limits of control groups,
//! other processes, queues that cut I/Os. Where nothing is so, nothing is said.

use crate::sokudo::{codes, sokudo};

#[test]
fn a_simulated_device_has_no_circumstances() {
    let run = sokudo("mark sim:hdd --row RND4K,Q1 --runs 1 --format json --quiet").json();
    assert!(run.get("circumstances").is_none());
    assert_eq!(codes(&run), ["simulated"]);
}

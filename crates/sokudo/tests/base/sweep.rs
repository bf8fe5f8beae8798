//! Block sizes against depths and threads.

use std::path::Path;

use serde_json::Value;

use crate::sokudo::{Ended, codes, results, sokudo_on};

/// `sokudo sweep TARGET ARGUMENTS`.
fn sweep(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("sweep --quiet", target, arguments)
}

/// Its result.
fn swept(target: impl AsRef<Path>, arguments: &str) -> Value {
    sweep(target, &format!("{arguments} --format json")).json()
}

fn blocks(run: &Value) -> Vec<u64> {
    let block = |result: &Value| result["workload"]["blocks"][0]["bytes"].as_u64().unwrap();
    results(run).iter().map(block).collect()
}

#[test]
fn without_arguments_it_is_what_atto_does() {
    for arguments in ["", "--atto"] {
        let run = swept("sim:const", &format!("{arguments} --runs 1 --time 20ms"));
        let powers: Vec<u64> = (9..=26).map(|power| 1 << power).collect();
        assert_eq!(blocks(&run), [&powers[..], &powers[..]].concat());
        for result in results(&run) {
            assert_eq!(result["workload"]["depth"], 4);
            assert_eq!(result["workload"]["limits"]["bytes"], 256 << 20);
            assert_eq!(result["workload"]["order"]["kind"], "sequential");
        }
    }
    let run = swept("sim:const", "--minitool --runs 1 --time 20ms");
    let powers: Vec<u64> = (10..=21).map(|power| 1 << power).collect();
    assert_eq!(blocks(&run), [&powers[..], &powers[..]].concat());
    assert_eq!(results(&run)[0]["workload"]["depth"], 8);
}

#[test]
fn a_cell_ends_when_it_is_precise_enough() {
    let arguments = "--sizes 4K --random --read-only --runs 50";
    let run = swept("sim:ssd", arguments);
    let result = &results(&run)[0];
    // The simulated disk is steady: the fewest trials that give an interval are enough.
    assert_eq!(result["trials"].as_array().unwrap().len(), 6);
    assert_eq!(result["status"], "complete");
    assert_eq!(run["schedule"]["enough_half_width_permille"], 20);
    assert!(!codes(result).contains(&"precision-not-reached"));
    let all = swept(
        "sim:ssd",
        "--sizes 4K --random --read-only --runs 9 --precision 0",
    );
    assert_eq!(results(&all)[0]["trials"].as_array().unwrap().len(), 9);
}

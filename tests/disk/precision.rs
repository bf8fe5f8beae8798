//! How many trials a row gets, and what is said of how well it is known.

use serde_json::Value;

use crate::sokudo::{results, sokudo};

const RANDOM: &str = "--row RND4K,Q1 --read-only";

/// `measured` asks for one short trial; here the program's own number and time are wanted.
fn marked(target: &str, arguments: &str) -> Value {
    sokudo(&format!(
        "mark {target} --format json --quiet {RANDOM} {arguments}"
    ))
    .json()
}

fn trials(run: &Value) -> usize {
    results(run)[0]["trials"].as_array().unwrap().len()
}

#[test]
fn rounds_on_a_real_target_wait_for_their_time() {
    let run = marked("null:", "--spread-over 2s --runs 6 --time 10ms");
    assert_eq!(trials(&run), 6);
    sokudo(&format!(
        "mark null: {RANDOM} --spread-over 2s --runs 6 --time 10ms"
    ))
    .ok()
    .tells(&["6 rounds are spread over", "Ctrl-C ends with what there is"]);
}

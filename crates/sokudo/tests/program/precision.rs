//! How many trials a row gets, and what is said of how well it is known.

use serde_json::Value;

use crate::sokudo::{codes, measured, results, sokudo};

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
fn a_row_whose_trials_agree_is_done_after_six_without_a_word() {
    let run = marked("sim:const", "");
    assert_eq!(trials(&run), 6);
    assert_eq!(codes(&results(&run)[0]), [""; 0]);
    assert_eq!(run["schedule"]["enough_half_width_permille"], 20);
    assert_eq!(run["schedule"]["enough_time_max_ns"], 10_000_000_000_u64);
}

#[test]
fn a_row_that_does_not_come_so_near_ends_with_its_trials_or_its_time_and_says_so() {
    let few = marked("sim:hdd", "--precision 1% --runs 9");
    assert_eq!(trials(&few), 9);
    assert!(codes(&results(&few)[0]).contains(&"precision-not-reached"));
    let short = marked("sim:hdd", "--precision 1% --max-time 7s");
    assert_eq!(trials(&short), 7);
    assert!(codes(&results(&short)[0]).contains(&"precision-not-reached"));
}

#[test]
fn a_number_of_trials_alone_and_a_precision_of_0_are_made_as_asked() {
    for arguments in ["--runs 7", "--precision 0 --runs 7"] {
        let run = marked("sim:hdd", arguments);
        assert_eq!(trials(&run), 7, "{arguments:?}");
        assert!(!codes(&results(&run)[0]).contains(&"precision-not-reached"));
    }
    assert_eq!(trials(&marked("sim:hdd", "--precision 0")), 6);
}

#[test]
fn crystal_has_a_number_of_its_own() {
    let words = ["leave --precision or --schedule out"];
    sokudo("mark sim:const --schedule crystal --precision 2%").refused(2, &words);
}

#[test]
fn the_inside_of_a_trial_is_told() {
    let run = measured("sim:hdd", "--row RND4K,Q4,read --time 2s");
    let result = &results(&run)[0];
    let trial = &result["trials"][0];
    assert!(trial["lag_1"].is_f64() && trial["effective_samples"].as_f64() > Some(10.0));
    let [low, high] = ["low", "high"].map(|end| trial["interval_95"][end].as_f64().unwrap());
    let rate = result["bandwidth_bytes_per_s"]["median"].as_f64().unwrap();
    let is_near = 0.8 * rate < low && low < high && high < 1.25 * rate;
    assert!(is_near, "{trial}");
    let latency = &result["latency_ns"];
    let interval = &latency["intervals_95"]["p90"];
    assert!(interval[0].as_u64() <= latency["p90"].as_u64(), "{latency}");
    assert!(interval[1].as_u64() >= latency["p90"].as_u64(), "{latency}");
    assert!(latency["effective_count"].as_f64() <= latency["count"].as_f64());
}

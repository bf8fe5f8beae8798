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
fn a_quick_look_measures_each_row_once_for_a_second() {
    let run = marked("sim:hdd", "--quick");
    assert_eq!(trials(&run), 1);
    let limits = &results(&run)[0]["workload"]["limits"];
    assert_eq!(limits["time"], 1_000_000_000, "{limits}");
    sokudo("mark sim:hdd --quick --runs 6").refused(2, &["--runs"]);
}

#[test]
fn a_row_that_does_not_come_so_near_ends_with_its_trials_or_its_time_and_says_so() {
    for (arguments, made) in [
        ("--precision 5% --runs 7", 7),
        ("--precision 5% --time 1s --max-time 8s", 7),
        ("--time 1s --max-time 3s", 2),
    ] {
        let run = marked("sim:hdd", arguments);
        assert_eq!(trials(&run), made, "{arguments}");
        assert!(codes(&results(&run)[0]).contains(&"precision-not-reached"));
        assert_eq!(results(&run)[0]["status"], "complete");
    }
}

#[test]
fn a_row_that_more_trials_would_not_help_ends_after_six_and_says_so() {
    let run = marked("sim:hdd", "--precision 1%");
    assert_eq!(trials(&run), 6);
    let words = results(&run)[0]["findings"].to_string();
    assert!(words.contains("more trials would not help"), "{words}");
}

#[test]
fn eight_rows_end_within_a_minute_and_each_has_a_trial_however_short_the_time_is() {
    for (device, options, most_s) in [
        ("sim:ssd", "", 30.0),
        ("sim:hdd", "", 60.0),
        ("sim:ssd", "--max-time 2s", 12.0),
        ("sim:hdd", "--max-time 2s", 10.0),
    ] {
        let run = sokudo(&format!("mark {device} --format json --quiet {options}")).json();
        let trials = results(&run)
            .iter()
            .flat_map(|row| row["trials"].as_array().unwrap());
        assert!(trials.count() >= 8);
        let taken = run["spent"]["whole_ns"].as_u64().unwrap();
        assert!(taken as f64 / 1e9 < most_s, "{device} {options}: {taken}");
        assert!(results(&run).iter().all(|row| row["status"] == "complete"));
        if options.is_empty() {
            let has_interval =
                |row: &Value| row["bandwidth_bytes_per_s"]["interval_95"].is_object();
            assert!(results(&run).iter().all(has_interval), "{device}");
        }
    }
}

#[test]
fn a_first_trial_of_another_length_counts_if_it_has_enough_ios() {
    for (target, direction, milliseconds, is_left_out) in [
        (
            "sim:const?latency=1ms&jitter=900us",
            "read",
            [250, 650],
            false,
        ),
        (
            "sim:const?latency=10ms&jitter=9ms",
            "read",
            [650, 650],
            true,
        ),
        ("sim:const", "write", [250, 250], true),
    ] {
        let rows = format!("--row RND4K,Q1,{direction} --seed 1");
        let run = sokudo(&format!("mark {target} --format json --quiet {rows}")).json();
        let row = &results(&run)[0];
        let calibration = run["spent"]["calibration_ns"].as_u64().unwrap();
        assert_eq!(calibration > 0, is_left_out, "{target}: {row}");
        for (trial, milliseconds) in milliseconds.into_iter().enumerate() {
            let elapsed = row["trials"][trial]["elapsed_ns"].as_u64().unwrap();
            assert_eq!(elapsed / 50_000_000 * 50, milliseconds, "{target}: {row}");
        }
    }
}

/// Of a steady device that needs no time to settle nearly all of the time is measured.
#[test]
fn the_time_of_a_run_is_that_of_its_trials() {
    let run = sokudo("mark sim:const --format json --quiet --seed 1").json();
    let spent = |part: &str| run["spent"][part].as_u64().unwrap() as f64 / 1e9;
    let [whole, measured] = ["whole_ns", "measured_ns"].map(spent);
    assert!(whole <= 1.5 * measured && whole < 20.0, "{}", run["spent"]);
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
    let words = ["leave --precision, --spread-over or --schedule out"];
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

#[test]
fn rounds_that_are_spread_are_all_made_and_the_head_says_over_which_time() {
    let run = marked("sim:hdd", "--spread-over 10min --precision 0");
    assert_eq!(trials(&run), 12);
    assert_eq!(run["schedule"]["spread_over_ns"], 600_000_000_000u64);
    let row = &results(&run)[0];
    assert_eq!(row["fingerprint_parts"]["spread"], "10 min", "{row}");
    let plain = marked("sim:hdd", "");
    assert!(results(&plain)[0]["fingerprint_parts"]["spread"].is_null());
    assert!(plain["schedule"].get("spread_over_ns").is_none());
    let spread = "mark sim:hdd --row RND4K,Q1 --read-only --spread-over";
    sokudo(&format!("{spread} 10min --why")).ok().prints(&[
        "± 10 min",
        "interval over 10 min",
        "spread over 10 min",
    ]);
    sokudo("mark sim:hdd --row RND4K,Q1 --read-only --why")
        .ok()
        .prints(&["± run", "interval, this run only"]);
    // Nor does a pause between trials wait.
    sokudo("mark sim:hdd --row RND4K,Q1 --read-only --runs 2 --pause 10min").ok();
    sokudo(&format!("{spread} 10min --max-time 1min")).refused(2, &["makes all its rounds"]);
    sokudo(&format!("{spread} 10min --runs 5")).refused(2, &["at least --runs 6"]);
    sokudo("compare --live 'mark sim:hdd --spread-over 9s' 'mark sim:hdd'")
        .refused(2, &["leave --spread-over out"]);
}

#[test]
fn kept_runs_of_a_row_say_how_far_one_of_them_is_from_its_level() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db").display().to_string();
    let marked = |seed: u32, more: &str| {
        sokudo(&format!(
            "mark sim:hdd {RANDOM} --runs 6 --time 1s --seed {seed} --store {store} {more}"
        ))
        .ok()
    };
    let few = marked(1, "--format json").json();
    assert!(results(&few)[0].get("runs_differ").is_none(), "{few}");
    for seed in 2..7 {
        marked(seed, "");
    }
    let seventh = marked(7, "--format json").json();
    let differ = &results(&seventh)[0]["runs_differ"];
    assert_eq!(differ["runs"], 6, "{differ}");
    let [deviation, reach] = ["deviation", "reach_95"].map(|it| differ[it].as_f64().unwrap());
    assert!(
        0.001 < deviation && 2.0 * deviation < reach && reach < 0.2,
        "{differ}"
    );
    marked(8, "--why").prints(&["more kept runs of a row"]);
    // Of another device and another load nothing is known.
    let other = sokudo(&format!(
        "mark sim:hdd --row RND8K,Q1 --read-only --runs 6 --store {store} --format json"
    ));
    assert!(results(&other.json())[0].get("runs_differ").is_none());
    let compared = |arguments: &str| sokudo(&format!("compare --store {store} {arguments}")).ok();
    let document = compared("1 8 --format json").json();
    let change = &document["others"][0]["rows"][0]["compared"]["change"];
    let runs = change["runs_differ"]["runs"].as_u64().unwrap();
    assert!((5..=6).contains(&runs), "{change}");
    compared("1 8").prints(&["deviation,"]);
}

#[test]
fn rounds_on_a_real_target_wait_for_their_time() {
    let run = marked("null:", "--spread-over 300ms --runs 6 --time 10ms");
    assert_eq!(trials(&run), 6);
    sokudo(&format!(
        "mark null: {RANDOM} --spread-over 300ms --runs 6 --time 10ms"
    ))
    .ok()
    .tells(&[
        "6 rounds are spread over",
        "Ctrl-C stops and keeps what was measured",
    ]);
}

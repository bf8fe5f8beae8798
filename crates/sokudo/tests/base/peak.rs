//! How many threads and how deep a device must be driven.

use serde_json::Value;

use crate::run_json::view;
use crate::sokudo::{Ended, holds, results, sokudo_on};

/// `sokudo peak TARGET ARGUMENTS`.
fn peak(target: &str, arguments: &str) -> Ended {
    sokudo_on("peak --quiet", target, arguments)
}

fn loads(peak: &Value) -> Vec<(u64, u64)> {
    let steps = peak["steps"].as_array().unwrap();
    let number = |step: &Value, name: &str| step[name].as_u64().unwrap();
    let load = |step| (number(step, "threads"), number(step, "depth"));
    steps.iter().map(load).collect()
}

fn at<'a>(peak: &'a Value, place: &str) -> &'a Value {
    let place = usize::try_from(peak[place].as_u64().unwrap()).unwrap();
    &peak["steps"][place]
}

fn limit(run: &Value) -> &Value {
    let inferences = run["inferences"].as_array().unwrap();
    let is_limit = |it: &&Value| it["code"].as_str().unwrap().starts_with("limit-");
    inferences.iter().find(is_limit).unwrap()
}

/// Eight I/Os at once of 100 µs each: 80,000 per second, with eight in flight and no fewer.
const EIGHT_PLACES: &str = "sim:const?latency=100us&parallel=8&jitter=0s";

#[test]
fn the_knee_of_a_device_with_eight_places_is_where_all_are_taken() {
    let run = peak(EIGHT_PLACES, "--max-threads 4 --format json").json();
    assert_eq!(run["plan"]["method"], "peak");
    let found = view(&run, "peak");
    let tried = loads(found);
    assert_eq!(
        tried[..6],
        [(1, 1), (1, 2), (1, 4), (1, 8), (1, 16), (1, 32)]
    );
    assert!(
        tried[6..].iter().all(|(threads, _)| *threads > 1),
        "{tried:?}"
    );
    let knee = at(found, "knee");
    assert_eq!((&knee["threads"], &knee["depth"]), (&1.into(), &8.into()));
    let most = at(found, "best")["ios_per_s"].as_f64().unwrap();
    assert!((most / 80_000.0 - 1.0).abs() < 0.01, "{most}");
    assert_eq!(found["confirmed"], true);
    assert_eq!(found["limit"], "disk");
    assert_eq!(limit(&run)["confidence"], "high");
    // What was found was measured again; each is a row as any other.
    for (result, step) in results(&run).iter().zip(found["steps"].as_array().unwrap()) {
        let is_again = step == knee || step == at(found, "best");
        let trials = result["trials"].as_array().unwrap().len();
        assert_eq!(trials, if is_again { 6 } else { 1 }, "{step}");
        assert_eq!(
            (&result["verdict"], &result["status"]),
            (&"VERIFIED".into(), &"complete".into())
        );
    }
}

#[test]
fn a_rate_that_still_rises_at_the_bounds_is_said_to_and_names_what_bounds_it() {
    let run = peak(
        "sim:ssd",
        "--max-depth 4 --max-threads 1 --time 100ms --format json",
    )
    .json();
    assert_eq!(loads(view(&run, "peak")), [(1, 1), (1, 2), (1, 4)]);
    assert_eq!(view(&run, "peak")["limit"], "not-found");
    holds(limit(&run)["evidence"].as_str().unwrap(), &["--max-depth"]);
    let from = peak(
        "sim:ssd",
        "--row RND4K,Q16,T2 --max-depth 32 --time 100ms --format json",
    )
    .json();
    assert_eq!(loads(view(&from, "peak"))[..2], [(2, 16), (2, 32)]);
}

#[test]
fn the_knee_of_the_simulated_ssd_is_far_below_its_deepest_load() {
    let run = peak("sim:ssd", "--max-threads 2 --time 100ms --format json").json();
    let found = view(&run, "peak");
    assert_eq!(found["limit"], "disk");
    let depth = at(found, "knee")["depth"].as_u64().unwrap();
    assert!((64..=512).contains(&depth), "{found}");
}

#[test]
fn measuring_again_finds_the_queue_of_the_simulated_hard_disk() {
    let run = peak("sim:hdd", "--max-threads 2 --format json").json();
    assert_eq!(
        at(view(&run, "peak"), "knee")["depth"],
        32,
        "{}",
        view(&run, "peak")
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (arguments, words) in [
        ("--row RND4K,read,write", &["sokudo peak measures one"][..]),
        ("--max-threads 0", &["1 to 256"]),
        ("--runs 1", &["2 to 10000"]),
        ("--time 0s", &["--time is 0"]),
    ] {
        holds(&peak("sim:ssd", arguments).ends(2).told, words);
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, vec![1; 1 << 20]).unwrap();
    let refused = peak(file.to_str().unwrap(), "--row RND4K,write").ends(3);
    holds(&refused.told, &["--overwrite"]);
}

#[test]
fn without_a_device_the_processor_is_the_limit() {
    let run = peak(
        "null:",
        "--max-threads 1 --max-depth 4 --time 50ms --format json",
    )
    .json();
    let found = view(&run, "peak");
    let evidence = || limit(&run)["evidence"].as_str().unwrap();
    // At each depth a thread of null: computes all the time.
    match found["limit"].as_str() {
        Some("processor") => holds(evidence(), &["in user mode"]),
        // A larger batch costs less per I/O, so that the deepest may be the best.
        Some("not-found") => holds(evidence(), &["--max-depth"]),
        // Other tests took the processor while it was measured again.
        None => assert_eq!(run["inferences"], Value::Null, "{run}"),
        Some(other) => panic!("{other}: {run}"),
    }
    // How much of a processor it gets beside other tests is not ours to say.
    let busy = &at(found, "best")["processors_user"];
    assert!(busy.as_f64().unwrap() > 0.0, "{found}");
}

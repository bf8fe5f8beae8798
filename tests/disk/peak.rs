//! How many threads and how deep a device must be driven.

use serde_json::Value;

use crate::sokudo::{Ended, holds, sokudo_on};

/// `sokudo peak TARGET ARGUMENTS`.
fn peak(target: &str, arguments: &str) -> Ended {
    sokudo_on("peak --quiet", target, arguments)
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

#[test]
fn without_a_device_the_processor_is_the_limit() {
    let run = peak(
        "null:",
        "--max-threads 1 --max-depth 8 --time 100ms --format json",
    )
    .json();
    let found = &run["peak"];
    let inference = limit(&run);
    // At each depth a thread of null: computes all the time.
    match found["limit"].as_str().unwrap() {
        "processor" => holds(inference["evidence"].as_str().unwrap(), &["in user mode"]),
        // A larger batch costs less per I/O, so that the deepest may be the best.
        "not-found" => holds(inference["evidence"].as_str().unwrap(), &["--max-depth"]),
        other => panic!("{other}: {inference}"),
    }
    // How much of a processor it gets beside other tests is not ours to say.
    let busy = &at(found, "best")["processors_user"];
    assert!(busy.as_f64().unwrap() > 0.0, "{found}");
}

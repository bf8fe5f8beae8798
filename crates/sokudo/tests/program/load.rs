//! Fixed rates, and latency against load.

use serde_json::Value;

use crate::sokudo::{codes, mark, measured, results};

const STALL: &str = "sim:const?latency=100us&stall=5s:200ms";

fn at(result: &Value, latency: &str, figure: &str) -> f64 {
    result[latency][figure].as_f64().unwrap()
}

fn iops(result: &Value) -> f64 {
    result["iops"]["median"].as_f64().unwrap()
}

#[test]
fn a_rate_is_kept_within_one_percent_and_shared_out_over_threads() {
    let arguments = ["--row", "RND4K,Q4,T3,read", "--time", "10s"];
    for rate in ["3000iops", "12.288MB/s"] {
        let run = measured("sim:const", &[&arguments[..], &["--rate", rate]].concat());
        let achieved = iops(&results(&run)[0]);
        assert!((achieved / 3_000.0 - 1.0).abs() < 0.01, "{achieved}");
        assert_eq!(results(&run)[0]["verdict"], "VERIFIED");
    }
}

/// A stall of 200 ms in 10 s hits two of a hundred I/Os that were meant to start then. At
/// depth 1 only one of them waits in service: coordinated omission.
#[test]
fn a_stall_is_in_the_latency_from_the_intended_start_and_not_in_that_of_service() {
    let arguments = [
        "--row",
        "RND4K,Q1,read",
        "--rate",
        "1kiops",
        "--time",
        "10s",
    ];
    let run = measured(STALL, &arguments);
    let result = &results(&run)[0];
    assert!(at(result, "latency_ns", "p99") < 110e3, "{result}");
    let intended = at(result, "latency_from_intended_ns", "p99");
    assert!((80e6..=201e6).contains(&intended), "{intended}");
    let table = mark(STALL, &arguments).printed;
    assert!(
        table.contains("fixed rate of each row: 1,000 IOPS"),
        "{table}"
    );
    assert!(table.contains("intended"), "{table}");
}

#[test]
fn a_rate_that_cannot_be_kept_is_told_and_one_that_can_is_not() {
    let row = ["--row", "RND4K,Q1,read", "--time", "2s", "--rate"];
    let found = |rate| {
        let run = measured("sim:const?latency=1ms", &[&row[..], &[rate]].concat());
        let result = results(&run)[0].clone();
        let is_told = codes(&result).contains(&"rate-not-reached");
        (is_told, result["verdict"].as_str().unwrap().to_owned())
    };
    assert_eq!(found("900iops"), (false, "VERIFIED".to_owned()));
    assert_eq!(found("1200iops"), (true, "UNVERIFIED".to_owned()));
}

#[test]
fn rates_that_make_no_sense_are_refused() {
    let row = ["--row", "RND4K,Q4,T3,read"];
    for (arguments, words) in [
        (&["--rate", "10iops"][..], &["RND4K Q4T3", "3 threads"][..]),
        (&["--rate", "5000"], &["5000iops or 200MB/s"]),
        (&["--poisson"], &["--rate"]),
        (&["--rate", "9iops", "--print-job"], &["--print-job"]),
    ] {
        let ended = mark("sim:const", &[&row[..], arguments].concat());
        assert_eq!(ended.code(), Some(2), "{ended:?}");
        for word in words {
            assert!(ended.told.contains(word), "{word}: {ended:?}");
        }
    }
}

//! `--stop-when`, and fio's `rate_min`: what ends a run before its time, and what is left of it.

use serde_json::Value;

use crate::run_json::places;
use crate::sokudo::{codes, end, program, results, sokudo, split};

/// One request takes a millisecond, one after the other: 1,000 reads per second.
const SLOW: &str = "sim:const?latency=1ms&parallel=1";
const ROW: &str = "--row RND4K,Q1,T1,read --time 10s --runs 3";

#[test]
fn a_rule_ends_a_run_which_is_kept_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let mut command = program();
    command.args(["mark", SLOW, "--stop-when", "iops<2000 for 3s"]);
    let ended = end(command.args(split(ROW)).env("SOKUDO_STORE", &store)).ends(5);
    let said = &ended.printed;
    assert!(
        said.contains("ended by --stop-when iops<2000 for 3.00 s"),
        "{said}"
    );
    let kept = end(program()
        .args(["show", "last", "--format", "json"])
        .env("SOKUDO_STORE", &store));
    let run = kept.ok().json();
    let cause = &run["stopped_by"];
    let at = cause["at_ns"].as_u64().unwrap();
    assert!((3_000_000_000..6_500_000_000).contains(&at), "{cause}");
    assert!(
        (950..1_050).contains(&cause["value"].as_u64().unwrap()),
        "{cause}"
    );
    assert_eq!(
        (cause["row"].as_str(), cause["trial"].as_u64()),
        (Some("RND4K Q1T1"), Some(1))
    );
    let trials = results(&run)[0]["trials"].as_array().unwrap();
    assert_eq!(
        (trials.len(), &trials[0]["stopped"]),
        (1, &Value::from("ended"))
    );
    assert!(trials[0]["ios"].as_u64().unwrap() > 2_500, "{}", trials[0]);
}

#[test]
fn trials_of_a_simulated_device_and_fills_are_ended_too() {
    let fill = "fill sim:ssd?size=8GiB --yes --stop-when 'rate<100GB/s for 1s' -q";
    let rows = format!("mark {SLOW} {ROW} --stop-when 'iops<2000 for 15s' -q");
    for command in [fill.to_owned(), rows.replace("--runs 3", "--runs 9")] {
        let ended = sokudo(&command).ends(5);
        assert!(ended.printed.contains("ended by --stop-when"), "{ended:?}");
    }
}

#[test]
fn a_rule_that_does_not_come_true_ends_nothing() {
    let run = sokudo(&format!(
        "mark {SLOW} {ROW} --stop-when 'iops<900 for 2s' --stop-when 'rate>1GB/s' --format json -q"
    ));
    let run = run.ok().json();
    assert_eq!(run.get("stopped_by"), None);
    assert_eq!(results(&run)[0]["trials"].as_array().unwrap().len(), 3);
}

#[test]
fn what_is_no_rule_is_refused_with_the_way_out() {
    for (rule, words) in [
        ("speed<5", "rate<100MB/s for 10s"),
        ("rate<5", "rate<100MB/s for 10s"),
        ("temperature>70C", "reports its temperature"),
    ] {
        let mut command = program();
        end(command.args(["mark", SLOW, "--stop-when", rule])).refused(2, &[words]);
    }
}

fn stopped(arguments: &str) -> Value {
    let ended = sokudo(&format!("{arguments} --format json --quiet")).ends(5);
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    assert_eq!(run["interrupted"], false, "a rule is no interruption");
    assert!(
        codes(&run).contains(&"stopped-by-rule"),
        "{}",
        run["findings"]
    );
    run
}

#[test]
fn every_command_that_measures_over_time_has_it() {
    stopped(&format!(
        "load {SLOW} --row RND4K,Q1,T1 --time 5s --stop-when 'iops<2000 for 2s'"
    ));
    stopped("steady 'sim:ssd?size=64GB' --stop-when 'iops>10'");
    stopped("mark sim:hdd --row RND4K,Q1,T1,read --time 5s --stop-when 'iops<100 for 3s'");
    let sweep = stopped(&format!(
        "sweep {SLOW} --sizes 4K,8K --read-only --time 400ms --runs 9 --stop-when 'iops<2000 for 2s'"
    ));
    assert!(results(&sweep).len() == 2, "{sweep}");
    let scan = stopped(
        "scan 'sim:hdd?size=2TB' --full --access-count 0 --stop-when 'rate<100MB/s for 1min'",
    );
    let places = places(&scan, &results(&scan)[0]);
    let last = places.last().unwrap()["offset"].as_u64().unwrap();
    assert!(
        (1_000_000_000_000..1_970_000_000_000).contains(&last),
        "{last}"
    );
}

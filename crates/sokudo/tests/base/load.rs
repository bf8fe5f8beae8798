//! Fixed rates, and latency against load.

use serde_json::Value;
use std::path::Path;

use crate::run_json::view;
use crate::sokudo::{Ended, holds, mark, measured, program, results, sokudo_on};

fn at(result: &Value, latency: &str, figure: &str) -> f64 {
    result[latency][figure].as_f64().unwrap()
}

fn iops(result: &Value) -> f64 {
    result["iops"]["median"].as_f64().unwrap()
}

#[test]
fn a_rate_is_kept_within_one_percent_and_shared_out_over_threads() {
    let arguments = "--row RND4K,Q4,T3,read --time 10s";
    for rate in ["3000iops", "12.288MB/s"] {
        let run = measured("sim:const", &format!("{arguments} --rate {rate}"));
        let achieved = iops(&results(&run)[0]);
        assert!((achieved / 3_000.0 - 1.0).abs() < 0.01, "{achieved}");
        assert_eq!(results(&run)[0]["verdict"], "VERIFIED");
    }
}

#[test]
fn a_moment_in_which_nothing_is_due_is_part_of_the_rate() {
    // Three I/Os are due in 2.5 s, the last one after 2 s.
    let row = "--row RND4K,Q1,T1,read --rate 1iops";
    let arguments = format!("{row} --runs 1 --time 2500ms");
    let run = measured("sim:const?latency=100us", &arguments);
    let iops = results(&run)[0]["iops"]["median"].as_f64().unwrap();
    assert!((iops - 3.0 / 2.5).abs() < 1e-9, "{iops}");
}

#[test]
fn rates_that_make_no_sense_are_refused() {
    let row = "--row RND4K,Q4,T3,read";
    for (arguments, words) in [
        ("--rate 10iops", &["RND4K Q4T3", "3 threads"][..]),
        ("--rate 5000", &["5000iops or 200MB/s"]),
        ("--poisson", &["--rate"]),
        ("--rate 9iops --print-job", &["--print-job"]),
    ] {
        let ended = mark("sim:const", &format!("{row} {arguments}")).ends(2);
        holds(&ended.told, words);
    }
}

/// `sokudo load TARGET ARGUMENTS`.
fn load(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("load --quiet", target, arguments)
}

/// One server: every I/O takes 100 µs, one after the other.
const ONE_SERVER: &str = "sim:const?latency=100us&parallel=1";

/// Pollaczek and Khinchine: with random arrivals at load ρ and a constant service of
/// 1/μ the mean wait is ρ ÷ (2μ(1 − ρ)). What is below 50 % is told by enough arrivals
/// to be within 2 %; above, one period of waiting is long, and fewer are independent.
#[test]
fn latency_against_load_of_one_server_is_that_of_theory() {
    let run = load(ONE_SERVER, "--time 10s --format json").json();
    assert_eq!(run["plan"]["method"], "load");
    let curve = view(&run, "load");
    let most = curve["maximum_ios_per_s"].as_f64().unwrap();
    assert!((most / 10_000.0 - 1.0).abs() < 0.01, "{most}");
    let steps = curve["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 12);
    for step in steps {
        let share = step["share"].as_f64().unwrap();
        let result = &results(&run)[usize::try_from(step["result"].as_u64().unwrap()).unwrap()];
        let services = at(result, "latency_from_intended_ns", "mean") / 100e3;
        let theory = 1.0 + share / (2.0 * (1.0 - share));
        let tolerance = if share < 0.55 { 0.02 } else { 0.10 };
        if share < 0.85 {
            let error = services / theory - 1.0;
            assert!(error.abs() < tolerance, "{share}: {services} and {theory}");
        }
        assert_eq!(step["kept"], share < 1.01, "{step}");
    }
    // The largest power is at 2 − √2 of the most: between the steps at 50 and 70 %.
    let knee = &curve["knee"];
    let [low, high] = ["low_ios_per_s", "high_ios_per_s"].map(|end| knee[end].as_f64().unwrap());
    assert!(low < 5_858.0 && 5_858.0 < high, "{knee}");
    assert!(low >= 4_000.0 && high <= 8_000.0, "{knee}");
}

#[test]
fn the_highest_rate_that_keeps_a_latency_is_found_and_told_with_its_bounds() {
    let arguments = "--limit p99=1ms --time 2s";
    let run = load(ONE_SERVER, &format!("{arguments} --format json")).json();
    let limit = &view(&run, "load")["limit"];
    let rate = |name: &str| limit[name].as_f64().unwrap();
    let (low, kept, high) = (
        rate("low_ios_per_s"),
        rate("ios_per_s"),
        rate("high_ios_per_s"),
    );
    assert!(low <= kept && kept < high, "{limit}");
    // Found to 2 % of the most, which is finer than the steps.
    assert!((7_000.0..8_000.0).contains(&kept), "{limit}");
    assert!(view(&run, "load")["steps"].as_array().unwrap().len() > 12);
    let unreachable = load(ONE_SERVER, "--limit p99=50us").printed;
    assert!(unreachable.contains("exceeded already at"), "{unreachable}");
}

#[test]
fn a_load_writes_only_what_it_may() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), vec![7; 1 << 20]).unwrap();
    let write = "--row RND4K,Q4,write";
    load(file.path(), write).refused(3, &["--overwrite"]);
    assert_eq!(std::fs::read(file.path()).unwrap(), vec![7; 1 << 20]);
    load("sim:const", "--row RND4K,read,write").refused(2, &["names two directions"]);
    load("sim:const", "--time 0s").refused(2, &["--time"]);
    load("sim:const", "--limit p98=1ms").ends(2);
}

/// A figure of a row that was measured beside another workload: alone, beside, their ratio.
fn compared(figure: &Value) -> [f64; 3] {
    ["alone", "beside", "ratio"].map(|name| figure[name].as_f64().unwrap())
}

fn latency_beside<'a>(row: &'a Value, name: &str) -> &'a Value {
    let figures = row["latency_ns"].as_array().unwrap();
    figures.iter().find(|it| it["figure"] == name).unwrap()
}

fn codes(run: &Value, place: &Value) -> Vec<String> {
    let result = &results(run)[usize::try_from(place.as_u64().unwrap()).unwrap()];
    let findings = result["findings"].as_array().unwrap().iter();
    let codes = findings.map(|finding| finding["code"].as_str().unwrap().to_owned());
    codes.filter(|code| code.starts_with("beside-")).collect()
}

/// One server in order of arrival, n I/Os of a neighbour always in it: an arrival waits for those, for
/// what is left of the one in service, and for those of its own row (Little): S (n + ½) ÷ (1 − ρ).
#[test]
fn what_reads_wait_for_behind_a_neighbours_queue_is_that_of_theory() {
    let load = 0.2;
    for neighbours in [1, 8] {
        let arguments = format!("--beside RND4K,Q{neighbours},write --time 5s --format json");
        let run = load_beside(&arguments);
        assert_eq!(run["plan"]["method"], "load/beside");
        let beside = view(&run, "beside");
        let (row, neighbour) = (&beside["row"], &beside["neighbour"]);
        let [alone, beside, ratio] = compared(latency_beside(row, "mean"));
        let theory_alone = 100e3 * (1.0 + load / (2.0 * (1.0 - load)));
        let theory_beside = 100e3 * (f64::from(neighbours) + 0.5) / (1.0 - load);
        assert!((alone / theory_alone - 1.0).abs() < 0.02, "{alone}");
        assert!((beside / theory_beside - 1.0).abs() < 0.05, "{beside}");
        let error = ratio / (theory_beside / theory_alone) - 1.0;
        assert!(error.abs() < 0.05, "{ratio}");
        let interval = &latency_beside(row, "p99")["ratio_interval_95"];
        let [low, high] = [0, 1].map(|end| interval[end].as_f64().unwrap());
        assert!(low > 1.0 && low < high, "{interval}");
        // What the row does not use is the neighbour's.
        let [own, left, _] = compared(&neighbour["ios_per_s"]);
        assert!((own / 10_000.0 - 1.0).abs() < 0.01, "{own}");
        assert!((left / 8_000.0 - 1.0).abs() < 0.02, "{left}");
        assert_eq!(row["rate_kept_beside"], true);
        assert_eq!(codes(&run, &row["beside"]), ["beside-latency"]);
        assert_eq!(codes(&run, &neighbour["beside"]), ["beside-rate"]);
        assert_eq!(codes(&run, &row["alone"]), [""; 0]);
        let verdicts = results(&run).iter().map(|result| &result["verdict"]);
        assert!(verdicts.clone().all(|verdict| verdict == "VERIFIED"));
        // The same row beside another one is another measurement.
        let prints: std::collections::HashSet<_> =
            (results(&run).iter().map(|it| it["fingerprint"].as_str())).collect();
        assert_eq!(prints.len(), 5);
    }
}

fn load_beside(arguments: &str) -> Value {
    load(ONE_SERVER, arguments).json()
}

#[test]
fn a_row_that_a_neighbour_leaves_too_little_for_says_so_and_both_parts_are_told() {
    // Beside 32 I/Os in flight, one in flight has a 33rd.
    let run = load_beside("--row RND4K,Q1 --beside RND4K,Q32 --time 2s --format json");
    let row = &view(&run, "beside")["row"];
    assert_eq!(row["rate_kept_alone"], true);
    assert_eq!(row["rate_kept_beside"], false);
    let [_, left, _] = compared(&row["ios_per_s"]);
    assert!((left / (10_000.0 / 33.0) - 1.0).abs() < 0.02, "{left}");
    assert_eq!(
        codes(&run, &row["beside"]),
        ["beside-latency", "beside-rate"]
    );
}

#[test]
fn a_row_beside_another_tells_its_events_and_that_too_few_rounds_have_no_interval() {
    let directory = tempfile::tempdir().unwrap();
    let events = directory.path().join("events");
    let arguments = "--beside SEQ64K,Q4,write --time 200ms --runs 2";
    let few = load(
        ONE_SERVER,
        &format!("{arguments} --events {}", events.display()),
    )
    .ok();
    few.prints(&["fewer than 6"]);
    let events = std::fs::read_to_string(&events).unwrap();
    assert!(events.contains("+ SEQ64K"), "{events}");
}

#[test]
fn a_neighbour_writes_only_what_it_may_and_is_one_workload() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), vec![7; 1 << 20]).unwrap();
    load(file.path(), "--beside RND4K,write").refused(3, &["--overwrite"]);
    assert_eq!(std::fs::read(file.path()).unwrap(), vec![7; 1 << 20]);
    load(file.path(), "--beside SEQ1M").refused(2, &["half of 1 MiB", "--size"]);
    load("sim:const", "--beside RND4K,read,write").refused(2, &["names two directions"]);
    load("sim:const", "--beside RND4K --limit p99=1ms").refused(2, &["--limit"]);
    load("sim:const", "--beside RND4K --at 0%").refused(2, &["above 0%"]);
    load("sim:const", "--at 10%").refused(2, &["--beside"]);
}

#[test]
fn a_rule_ends_a_row_beside_another_and_what_was_measured_stays() {
    let rule = "iops>20k for 1s";
    let mut command = program();
    command.args([
        "load",
        "--quiet",
        "sim:const?latency=100us",
        "--beside",
        "RND4K,Q64",
    ]);
    command.args(["--format", "json", "--stop-when", rule]);
    let ended = crate::sokudo::wait(crate::sokudo::start(&mut command)).ends(5);
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    assert!(run["stopped_by"].is_object());
    assert!(!results(&run).is_empty());
}

#[test]
fn a_neighbour_that_costs_nothing_is_found_to_cost_nothing() {
    let arguments = "--beside SEQ1M,Q8,write";
    let device = "sim:const?latency=100us&jitter=50us";
    let run = load(device, &format!("{arguments} --format json")).json();
    for of in ["row", "neighbour"] {
        let row = &view(&run, "beside")[of];
        for figure in ["mean", "p50", "p99"] {
            let [_, _, ratio] = compared(latency_beside(row, figure));
            assert!((ratio - 1.0).abs() < 0.02, "{figure}: {ratio}");
        }
        assert_eq!(codes(&run, &row["beside"]), [""; 0]);
    }
    let printed = load("sim:const", &format!("{arguments} --time 100ms")).printed;
    let table = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    holds(&table, &["does not change beyond noise"]);
}

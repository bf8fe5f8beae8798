//! Fixed rates, and latency against load.

use serde_json::Value;
use std::path::Path;

use crate::sokudo::{Ended, holds, mark, measured, program, results, sokudo, sokudo_on};

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
    assert_eq!(run["method"], "load");
    let curve = &run["load"];
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
    let limit = &run["load"]["limit"];
    let rate = |name: &str| limit[name].as_f64().unwrap();
    let (low, kept, high) = (
        rate("low_ios_per_s"),
        rate("ios_per_s"),
        rate("high_ios_per_s"),
    );
    assert!(low <= kept && kept < high, "{limit}");
    // Found to 2 % of the most, which is finer than the steps.
    assert!((7_000.0..8_000.0).contains(&kept), "{limit}");
    assert!(run["load"]["steps"].as_array().unwrap().len() > 12);
    let table = load(ONE_SERVER, arguments).printed;
    let limit = "p99 ≤ 1.00 ms up to";
    holds(&table, &["overload", "knee", limit, "with 95 % confidence"]);
    let unreachable = load(ONE_SERVER, "--limit p99=50us").printed;
    assert!(unreachable.contains("exceeded already at"), "{unreachable}");
}

#[test]
fn a_load_is_drawn_and_written_in_every_format() {
    let directory = tempfile::tempdir().unwrap();
    let kept = directory.path().join("load.json");
    let (kept, picture) = (kept.to_str().unwrap(), directory.path().join("load.svg"));
    let short = "--time 100ms --runs 2";
    load(ONE_SERVER, &format!("{short} -f json -o {kept}")).ok();
    sokudo(&format!("plot {kept} {}", picture.display())).ok();
    let svg = std::fs::read_to_string(&picture).unwrap();
    assert!(svg.contains("latency against load") && svg.contains("p99 from intended start"));
    let csv = load(ONE_SERVER, &format!("{short} -f csv")).printed;
    assert_eq!(csv.lines().count(), 14, "{csv}");
    assert!(csv.starts_with("started_at") && csv.contains("rate_asked_ios_per_s"));
    let markdown = load(ONE_SERVER, &format!("{short} -f markdown")).printed;
    assert!(markdown.contains("- **knee**: ") && markdown.contains("| intended p99 |"));
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

#[test]
fn a_load_that_is_interrupted_keeps_what_it_has() {
    let directory = crate::sokudo::directory_on_disk();
    // How soon the maximum is known depends on the machine.
    let maximum = [1, 2, 3, 5, 8, 12, 18, 27, 40]
        .into_iter()
        .find_map(|seconds| {
            let mut command = program();
            command.arg("load").arg(directory.path());
            command.args(["--size", "16MiB", "--time", "200ms", "--format", "json"]);
            let child = crate::sokudo::start(&mut command);
            let id = rustix::process::Pid::from_child(&child);
            std::thread::sleep(std::time::Duration::from_secs(seconds));
            rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
            let ended = crate::sokudo::wait(child).ends(130);
            let left = std::fs::read_dir(directory.path()).unwrap().count();
            assert_eq!(left, 0);
            let run: Value = serde_json::from_str(&ended.printed).ok()?;
            assert_eq!(run["interrupted"], true);
            run["load"]["maximum_ios_per_s"].as_f64()
        });
    assert!(maximum.unwrap() > 0.0);
}

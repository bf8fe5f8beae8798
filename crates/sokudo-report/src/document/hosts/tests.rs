use serde_json::Value;
use sokudo_model::{PlanPart, Run};

use super::*;
use crate::RunDocument;
use crate::sample;

fn document() -> RunDocument {
    RunDocument::from_run(&sample::together_run())
}

#[test]
fn it_reads_back_to_the_same_and_one_of_a_newer_version_is_refused() {
    let document = document();
    let text = document.to_json();
    assert!(text.contains("\"sokudo.run/1\"") && text.contains("\"view\": \"together\""));
    let read = RunDocument::from_json(&text).unwrap();
    assert_eq!(read, document);
    assert_eq!(read.to_json(), text);
    let newer = text.replace("sokudo.run/1", "sokudo.run/2");
    let error = RunDocument::from_json(&newer).unwrap_err().to_string();
    assert!(error.contains("reads up to sokudo.run/1"), "{error}");
    // What one machine measured has nothing of it.
    let alone = RunDocument::from_run(&sample::run()).to_json();
    assert!(alone.contains("\"sokudo.run/1\"") && !alone.contains("together"));
}

/// What somebody computes who has nothing but the JSON: the rate of every trial of the results from
/// what the hosts moved in the window, and that from their series.
#[test]
fn the_headline_can_be_computed_again_from_the_json_alone() {
    for run in [sample::together_run(), sample::run_of_many(20)] {
        let text = RunDocument::from_run(&run).to_json();
        let value: Value = serde_json::from_str(&text).unwrap();
        let mut views = value["views"].as_array().unwrap().iter();
        let together = views.find(|it| it["view"] == "together").unwrap();
        let trials = together["trials"].as_array().unwrap();
        assert_eq!(trials.len(), 8);
        for trial in trials {
            let number = |field: &Value| field.as_f64().unwrap();
            let index = |field: &str| trial[field].as_u64().unwrap() as usize;
            let result = &value["figures"][index("result")];
            let measured = &value["rows"][index("result")]["trials"][index("trial") - 1];
            let window = [
                number(&trial["window_ns"][0]),
                number(&trial["window_ns"][1]),
            ];
            let hosts = trial["hosts"].as_array().unwrap();
            let moved: f64 = hosts.iter().map(|it| number(&it["bytes_in_window"])).sum();
            let rate = moved / ((window[1] - window[0]) / 1e9);
            let rates = &result["bandwidth_bytes_per_s"]["trials"];
            let trial_rate = number(&rates[index("trial") - 1]);
            assert!(
                (rate / trial_rate - 1.0).abs() < 1e-9,
                "{rate} {trial_rate}"
            );
            for host in hosts {
                let mut from = number(&host["began_ns"]);
                let mut sum = 0.0;
                let mut measured = measured["together"]["hosts"].as_array().unwrap().iter();
                let measured = measured.find(|it| it["host"] == host["host"]).unwrap();
                let columns = measured["outcome"]["series"].as_array().unwrap();
                let column = |number: usize| columns[number].as_array().unwrap();
                let mut block = 0.0;
                for (point, step) in column(0).iter().enumerate() {
                    let [blocks, ios, rest] = [1, 2, 3].map(|it| number(&column(it)[point]));
                    block += blocks;
                    let to = from + number(step);
                    let within = to.min(window[1]) - from.max(window[0]);
                    sum += (block * ios + rest) * (within / (to - from)).max(0.0);
                    from = to;
                }
                let host_bytes = number(&host["bytes_in_window"]);
                // Whole blocks of each of two processes, which did not begin at the same instant.
                assert!((sum / host_bytes - 1.0).abs() < 1e-3, "{sum} {host_bytes}");
            }
        }
    }
}

#[test]
fn hosts_are_told_by_what_they_did_in_the_window() {
    let document = document();
    let together = document.together().unwrap();
    assert_eq!(together.ranks, 6);
    let share = |host: usize| together.hosts[host].rows[0].share_of_median.unwrap();
    assert!((share(1) - 0.69).abs() < 0.01, "{}", share(1));
    let trials: Vec<u32> = together.hosts.iter().map(|it| it.rows[0].trials).collect();
    assert_eq!(trials, [4, 4, 2]);
    let verdicts: Vec<_> = together.hosts.iter().map(|it| it.verdict).collect();
    assert_eq!(verdicts[1], Some(Verdict::Unverified));
    // The window is that of all processes: from the last start to the first end.
    let trial = &together.trials[0];
    assert_eq!(trial.window_ns, Some([370_000, 10_000_020_000]));
    assert_eq!(
        (trial.skew_ns, trial.clock_uncertainty_ns),
        (350_000, 80_000)
    );
    assert_eq!(trial.hosts.len(), 3);
    assert_eq!(together.trials[2].hosts.len(), 2);
}

#[test]
fn eight_hosts_are_not_eight_threads() {
    let run = sample::run_of_many(8);
    let alone = Run {
        hosts: Vec::new(),
        ..run.clone()
    };
    let [together, alone] = [run, alone].map(|run| RunDocument::from_run(&run));
    let [ours, theirs] = [&together, &alone].map(|it| &it.results[0]);
    assert_ne!(ours.fingerprint, theirs.fingerprint);
    assert_eq!(ours.plan.differing(&theirs.plan), [PlanPart::Hosts]);
    assert_eq!(ours.fingerprint_parts["hosts"], "8");
    assert!(!theirs.fingerprint_parts.contains_key("hosts"));
    // A document that is read takes the same one.
    let read = RunDocument::from_json(&together.to_json()).unwrap();
    assert_eq!(read.fingerprint, together.fingerprint);
}

#[test]
fn a_comparison_says_where_the_numbers_of_hosts_differ() {
    use crate::comparison::OtherDocument;
    let [eight, nine] = [8, 9].map(|hosts| RunDocument::from_run(&sample::run_of_many(hosts)));
    let differing = OtherDocument::differences(&eight, &nine);
    let hosts = differing.iter().find(|it| it.name == "hosts").unwrap();
    let text_of = |text: &Option<sokudo_words::Text>| text.as_ref().map(ToString::to_string);
    assert_eq!(text_of(&hosts.reference).as_deref(), Some("8"));
    assert_eq!(text_of(&hosts.other).as_deref(), Some("9"));
}

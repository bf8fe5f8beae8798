//! The view as Prometheus reads it: what a dashboard shows while a run goes on.

use serde_json::Value;
use sokudo_words::exposition::{Labels, Metrics};

const DESCRIBED: &str = "\
sokudo_page_info Version of sokudo; 1.
sokudo_page_queue_length Runs that wait.
sokudo_live_state 1 for the state that the run of the page is in, 0 for the others.
sokudo_live_done_ratio Share of the expected time that is over, 0 to 1.
sokudo_live_left_seconds Time left.
sokudo_live_moved_bytes Bytes moved so far.
sokudo_live_bytes_per_second Rate since the look before.
sokudo_live_ios_per_second I/Os per second since the look before.
sokudo_live_temperature_celsius The hottest drive of the target.
sokudo_live_temperature_warning_celsius From where on that drive warns.
sokudo_live_findings Findings so far, by severity.";

const STATES: [&str; 6] = [
    "preparing",
    "running",
    "stopping",
    "ended",
    "failed",
    "interrupted",
];

/// States in which nothing goes on any more.
const OVER: [&str; 3] = ["ended", "failed", "interrupted"];

pub(super) fn text(view: &Value) -> String {
    let mut metrics = Metrics::default();
    let version = view["version"].as_str().unwrap_or_default();
    let version = Labels::default().with("version", version);
    metrics.add("sokudo_page_info", &version, Some(1.0));
    let queue = count(&view["queue"]);
    metrics.add("sokudo_page_queue_length", &Labels::default(), queue);
    if view["run"].is_object() {
        run(&mut metrics, &view["run"]);
    }
    metrics.text(DESCRIBED)
}

fn run(metrics: &mut Metrics, run: &Value) {
    let of = |key: &str| run[key].as_str().unwrap_or_default();
    let subject = Labels::default()
        .with("run", &run["run"].to_string())
        .with("method", of("method"))
        .with("target", of("target"));
    let state = of("state");
    let states = STATES.map(|known| (known, state == known));
    metrics.add_states("sokudo_live_state", &subject, "state", states);
    let mut add = |name, value| metrics.add(name, &subject, value);
    add("sokudo_live_done_ratio", run["done"].as_f64());
    add("sokudo_live_left_seconds", run["seconds_left"].as_f64());
    add("sokudo_live_moved_bytes", run["moved_bytes"].as_f64());
    if !OVER.contains(&state) {
        let rate = run["now"]["mb_per_second"].as_f64();
        add("sokudo_live_bytes_per_second", rate.map(|rate| rate * 1e6));
        add("sokudo_live_ios_per_second", run["now"]["iops"].as_f64());
    }
    let hottest = run["temperature"].as_array().and_then(|all| all.last());
    add("sokudo_live_temperature_celsius", hottest.and_then(celsius));
    let warning = run["temperature_warning"].as_f64();
    add("sokudo_live_temperature_warning_celsius", warning);
    let findings = run["findings"].as_array().into_iter().flatten();
    let severities = findings.filter_map(|it| it["severity"].as_str());
    metrics.add_findings("sokudo_live_findings", &subject, severities);
}

fn count(list: &Value) -> Option<f64> {
    list.as_array().map(|all| all.len() as f64)
}

/// Of an entry of the series.
fn celsius(entry: &Value) -> Option<f64> {
    entry.as_array()?.last()?.as_f64()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_goes_on_is_told_with_what_is_measured() {
        let view = json!({
            "version": "0.1.0",
            "queue": [1, 2],
            "run": {
                "run": 3, "method": "mark", "target": "/a \"b\"", "state": "running", "done": 0.25,
                "seconds_left": 12.5, "moved_bytes": 4096, "now": { "mb_per_second": 2.5, "iops": 610.0 },
                "temperature": [[0.0, 40.0], [10.0, 41.0]], "temperature_warning": 70.0,
                "findings": [{ "severity": "note" }],
            },
        });
        let text = text(&view);
        let subject = r#"run="3",method="mark",target="/a \"b\"""#;
        for line in [
            r#"sokudo_page_info{version="0.1.0"} 1"#.to_owned(),
            "sokudo_page_queue_length{} 2".to_owned(),
            format!(r#"sokudo_live_state{{{subject},state="running"}} 1"#),
            format!(r#"sokudo_live_state{{{subject},state="ended"}} 0"#),
            format!("sokudo_live_done_ratio{{{subject}}} 0.25"),
            format!("sokudo_live_bytes_per_second{{{subject}}} 2500000"),
            format!("sokudo_live_temperature_celsius{{{subject}}} 41"),
            format!(r#"sokudo_live_findings{{{subject},severity="note"}} 1"#),
        ] {
            assert!(text.lines().any(|it| it == line), "{line} in {text}");
        }
    }

    #[test]
    fn of_a_run_that_is_over_no_rate_is_told() {
        let run = json!({ "run": 3, "state": "ended", "now": { "mb_per_second": 2.5 } });
        let text = text(&json!({ "version": "", "queue": [], "run": run }));
        assert!(!text.contains("bytes_per_second"), "{text}");
        assert!(!super::text(&json!({ "run": null })).contains("sokudo_live_"));
    }
}

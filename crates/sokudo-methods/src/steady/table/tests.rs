//! A procedure, and what is said of it.

use sokudo_report::sample::{self, kept};

use super::*;

#[test]
fn figures_are_means_of_the_window_and_not_of_all_rounds() {
    let document = sample::document("steady");
    let steady = document.views.get::<SteadyDocument>().unwrap();
    assert!(steady.is_steady);
    let rounds = steady.phases.last().unwrap();
    let [from, to] = rounds.window.unwrap();
    assert_eq!(to - from, 4);
    let written = rounds.figures.last().unwrap();
    let result = &document.results[usize::try_from(written.result).unwrap()];
    let of_rounds = &result.iops.as_ref().unwrap().trials;
    let window = &of_rounds[from as usize - 1..to as usize];
    let mean = window.iter().sum::<f64>() / 5.0;
    assert!((written.iops_mean.unwrap() / mean - 1.0).abs() < 1e-9);
    let block = result.workload.blocks.single().unwrap().0;
    let bandwidth = written.bytes_per_s_mean.unwrap();
    assert!((bandwidth / (mean * block as f64) - 1.0).abs() < 1e-9);
    assert_eq!(steady.phases[0].window, None);
}

#[test]
fn a_drive_that_was_measured_for_less_than_a_window_is_not_called_steady() {
    let mut run = kept("steady");
    for row in &mut run.rows {
        row.trials.truncate(3);
    }
    let document = RunDocument::from_run(&run);
    let steady = document.views.get::<SteadyDocument>().unwrap();
    assert_eq!(steady.label, "device-preconditioned (NOT STEADY)");
    assert_eq!(steady.phases.last().unwrap().window, None);
    let text = sokudo_report::text::render(&document, &sample::style(100));
    assert!(
        text.contains("ended after 3 rounds, but a window needs five"),
        "{text}"
    );
}

#[test]
fn many_rounds_are_shown_at_both_ends() {
    let mut run = kept("wsat");
    let trials = &mut run.rows[0].trials;
    let last = trials.last().unwrap().clone();
    trials.resize(40, last);
    let text = sokudo_report::text::render(&RunDocument::from_run(&run), &sample::style(80));
    assert!(text.contains("..."), "{text}");
    // The first and the last five, and before these the window.
    let first_word = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let rounds = text.lines().filter_map(first_word);
    let rounds = rounds.filter_map(|word| word.trim_matches(['[', ']']).parse().ok());
    let rounds: Vec<u32> = rounds.filter(|round| *round <= 40).collect();
    let shown: Vec<u32> = (1..=5).chain(31..=40).collect();
    assert_eq!(rounds, shown, "{text}");
}

#[test]
fn an_estimate_tells_time_bytes_and_what_they_rest_on() {
    let procedure = &mut kept("steady").schedule.steady.unwrap();
    procedure.estimate.time_min = Nanos::from_secs(20_400);
    procedure.estimate.time_max = Nanos::from_secs(84_240);
    procedure.estimate.written_bytes_min = Bytes::gib(150);
    let lines: Vec<String> = estimate_lines(procedure)
        .iter()
        .map(Text::english)
        .collect();
    let lines = lines.join("\n");
    for words in ["5 h 40 min to 23 h 24 min", "161 GB to ", "1500 MB/s"] {
        assert!(lines.contains(words), "{words} is missing in\n{lines}");
    }
}

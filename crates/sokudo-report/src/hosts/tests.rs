use unicode_width::UnicodeWidthStr;

use super::*;
use crate::sample::{self, style};
use crate::text;

fn rendered(run: &sokudo_model::Run, width: usize) -> String {
    text::render(&RunDocument::from_run(run), &style(width))
}

/// The sentence about the hosts and their table.
fn part_of_hosts(run: &sokudo_model::Run, width: usize) -> String {
    let text = rendered(run, width);
    assert!(text.lines().all(|line| line.width() <= width), "{text}");
    let from = text.find(" hosts, ").unwrap();
    let from = text[..from].rfind('\n').map_or(0, |it| it + 1);
    let to = text.find("\nWARNING").unwrap_or(text.len());
    text[from..to].to_owned()
}

#[test]
fn of_many_hosts_the_slowest_and_the_fastest_are_shown() {
    let run = sample::run_of_many(40);
    insta::assert_snapshot!(part_of_hosts(&run, 80));
    let document = RunDocument::from_run(&run);
    let hosts = HostFigures::of(&document).unwrap();
    assert_eq!(hosts.lines().len(), 40);
    let (shown, left_out) = hosts.shown();
    assert_eq!((shown.len(), left_out), (10, 30));
    assert!(shown[0].is_straggler && !shown[1].is_straggler);
}

#[test]
fn what_one_machine_measured_says_nothing_of_hosts() {
    assert!(HostFigures::of(&RunDocument::from_run(&sample::run())).is_none());
    // Nor does a run that ended before its first trial.
    let mut run = sample::together_run();
    run.rows.iter_mut().for_each(|row| row.trials.clear());
    let document = RunDocument::from_run(&run);
    assert!(document.together().is_some() && HostFigures::of(&document).is_none());
    assert!(!rendered(&run, 80).contains(" hosts, "));
}

#[test]
fn hosts_that_never_ran_at_the_same_time_are_told() {
    let mut run = sample::together_run();
    for trial in run.rows.iter_mut().flat_map(|row| &mut row.trials) {
        let together = trial.together.as_mut().unwrap();
        together.to = together.from;
    }
    let document = RunDocument::from_run(&run);
    let hosts = HostFigures::of(&document).unwrap();
    assert_eq!(
        hosts.sentence().english(),
        "3 hosts, 6 threads, never all at the same time (start within 350 µs; clocks ± 80.0 µs)"
    );
    assert!(
        hosts
            .lines()
            .iter()
            .all(|line| line.row.bytes_per_s.is_none())
    );
    let _ = rendered(&run, 80);
}

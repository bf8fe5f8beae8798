//! Pictures of hosts: where their rates are cut, and how much is drawn of thousands.

use sokudo_model::{Bytes, Nanos};

use super::*;
use crate::sample;

/// The first trial of its first row.
fn trial(run: &sokudo_model::Run) -> &TrialTogether {
    run.rows[0].trials[0].together.as_deref().unwrap()
}

fn bytes(of: &[TrialInterval]) -> u64 {
    of.iter().map(|it| it.bytes).sum()
}

#[test]
fn rates_of_hosts_are_cut_where_the_window_begins_and_ends() {
    let run = sample::run_of_many(8);
    let trial = trial(&run);
    let (from, to) = (trial.from.0, trial.to.0);
    // The latest began 280 ms behind the first, whose intervals are 100 ms long.
    assert_eq!(from, 280_000_000);
    for (host, intervals) in trial.hosts.iter().zip(intervals_of(trial)) {
        let crosses = |at: u64| intervals.iter().any(|it| it.from < at && at < it.to);
        assert!(!crosses(from) && !crosses(to), "{intervals:?}");
        let within = intervals.iter().filter(|it| it.from >= from && it.to <= to);
        let within: Vec<TrialInterval> = within.copied().collect();
        let block = run.rows[0].workload.blocks.smallest().0;
        let counted = host.in_window.bytes.0;
        assert!(bytes(&within).abs_diff(counted) <= 2 * block, "{counted}");
        // But for splinters outside of it.
        let most = 2 * intervals.iter().map(|it| it.bytes).max().unwrap();
        let left_out = host.outcome.bytes_moved().0 - bytes(&intervals);
        assert!(left_out < most / 2, "{left_out}");
    }
}

#[test]
fn a_splinter_at_the_edge_of_the_window_is_no_peak() {
    // n01 began up to 370 µs before the others.
    let run = sample::together_run();
    for intervals in intervals_of(trial(&run)) {
        let short = intervals.iter().find(|it| it.nanos() < 12_500_000);
        assert_eq!(short, None);
        assert!(intervals.len() >= 99, "{}", intervals.len());
    }
}

#[test]
fn without_a_window_all_that_a_host_moved_is_drawn() {
    let run = sample::run_of_many(8);
    let host = &trial(&run).hosts[3];
    let drawn = intervals(host, None, POINTS_MAX);
    assert_eq!(bytes(&drawn), host.outcome.bytes_moved().0);
    assert_eq!(drawn.len(), 100);
}

#[test]
fn thousands_of_hosts_have_fewer_and_longer_intervals_each() {
    let run = sample::run_of_many(20);
    let trial = trial(&run);
    let host = &trial.hosts[0];
    let window = Some([trial.from.0, trial.to.0]);
    let few = intervals(host, window, 10);
    assert!((8..=12).contains(&few.len()), "{}", few.len());
    // However long intervals are, what is left out is short.
    assert_eq!(bytes(&few), bytes(&intervals(host, window, POINTS_MAX)));
    let mut many = trial.clone();
    many.hosts = (0..2_000)
        .map(|index| HostTrial {
            host: index,
            ..long(host)
        })
        .collect();
    let all: usize = intervals_of(&many).iter().map(Vec::len).sum();
    assert!((500_000..=POINTS_MAX + 6_000).contains(&all), "{all}");
}

/// A host that measured for 1,000 s.
fn long(host: &HostTrial) -> HostTrial {
    let mut long = host.clone();
    let points = (1..=10_000).map(|number| sokudo_model::SeriesPoint {
        at: Nanos(number * 100_000_000),
        bytes: Bytes(1 << 20),
        ios: 1,
    });
    long.outcome.series = points.collect();
    long
}

#[test]
fn of_many_hosts_a_band_a_median_and_the_slowest_are_drawn_and_the_title_says_so() {
    let document = RunDocument::from_run(&sample::run_of_many(200));
    let figure = over_time(&document).unwrap();
    let Body::Chart(chart) = &figure.body else {
        panic!("a chart")
    };
    let named: Vec<&str> = chart.named_layers().iter().map(|it| &*it.name).collect();
    assert_eq!(named.len(), 2 + LINES_OF_MANY, "{named:?}");
    assert!(
        figure
            .title
            .ends_with("rate over time of 200 hosts, of which the slowest have their own lines"),
        "{}",
        figure.title
    );
}

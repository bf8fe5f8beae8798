//! Hosts that measured together: their rates over time on one clock, and beside each other.
//!
//! Both are of the row that stands for the run. Of many hosts only those are drawn by name that
//! tell most; the others are a band and its middle.

use sokudo_model::{HostTrial, TrialTogether, narrow};
use sokudo_stats::Summary;
use sokudo_words::{Text, spoken, text};

use super::bars::bar;
use super::figure::{
    Bar, Bars, Body, Chart, Group, Ink, Layer, PlotFigure, Reference, SHADE, Shape, heights,
};
use super::heading;
use super::scale::{PlotAxis, float, whole};
use super::time::{TrialInterval, seconds};
use crate::document::{INTERVAL_NS_MIN, RunDocument};
use crate::hosts::{HOSTS_MAX, HostFigures, HostLine, rate_in};
use crate::number::{self, rate};
use crate::style::BandwidthUnit;

/// Hosts of many that have a line of their own: the slowest.
const LINES_OF_MANY: usize = 4;
/// Points of all hosts together, about: 32 bytes each. Thousands of hosts have longer intervals for
/// that, none shorter than a picture shows.
const POINTS_MAX: usize = 1_000_000;
/// A host has as many, however many hosts there are.
const POINTS_MIN: usize = 8;
/// What is shorter than so large a part of an interval, and has no neighbour that it could be joined
/// with, is left out: one I/O would be a peak in it.
const PARTS_OF_INTERVAL_MAX: u64 = 8;
/// The share of the time in which not all hosts ran from which on that is seen.
const OUTSIDE_MIN: f64 = 0.01;
/// What lies between the quartiles holds half of the hosts.
const QUARTILES: [f64; 2] = [0.25, 0.75];
/// The median of all hosts.
const MEDIAN: Ink = Ink::READ;

/// Rates over time. `None` of a run that one process measured alone, or without figures over time.
pub(super) fn over_time(document: &RunDocument) -> Option<PlotFigure> {
    let hosts = HostFigures::of(document)?;
    let (number, trial) = middle_trial(document, &hosts)?;
    let unit = unit_of(trial);
    let ends = [trial.first_began, trial.last_ended].map(|it| seconds(it.0));
    let mut layers = match trial.hosts.len() <= HOSTS_MAX {
        true => lines_of_each(&hosts, trial, unit),
        false => lines_of_many(&hosts, trial, unit),
    };
    let rates = || heights(&layers);
    let lowest = rates().filter(|rate| *rate > 0.0).reduce(f64::min)?;
    let highest = rates().reduce(f64::max)?;
    let left = PlotAxis::of_rates(&text!("Rate, {}", unit.name()), lowest, highest, 8);
    if let Some(length) = trial.window() {
        let at = [trial.from, trial.to].map(|it| seconds(it.0));
        let outside = 1.0 - (at[1] - at[0]) / (ends[1] - ends[0]);
        let time = text!("{length}");
        let shade = vec![
            [at[0], left.scale.low, left.scale.high],
            [at[1], left.scale.low, left.scale.high],
        ];
        // Along the bottom, which a terminal shows, too.
        let name = text!("all hosts ran");
        let along = Layer::new(SHADE, Shape::Ranges(vec![at])).named(name, time);
        let shade = Layer::new(SHADE, Shape::Bands(vec![shade]));
        // Where it is all there is, it sets nothing apart.
        let shade = Some(shade).filter(|_| outside >= OUTSIDE_MIN);
        layers.splice(0..0, std::iter::once(along).chain(shade));
    }
    let label = match hosts.trials().count() {
        1 => text!("Time from the common start, s"),
        trials => text!("Time from the common start, s (trial {number} of {trials})"),
    };
    let bottom = PlotAxis::exact(label, ends[0], ends[1], 10);
    let body = Body::Chart(Box::new(Chart::new(bottom, left, layers)));
    let what = match trial.hosts.len() {
        count if count <= HOSTS_MAX => text!("rate of each host over time"),
        count => {
            text!("rate over time of {count} hosts, of which the slowest have their own lines")
        }
    };
    Some(heading::picture(document, &what, &[hosts.result], body))
}

/// The trial whose rate is nearest to the median of all that have points, and its number.
fn middle_trial<'a>(
    document: &'a RunDocument,
    hosts: &HostFigures<'_>,
) -> Option<(usize, &'a TrialTogether)> {
    let has_points = |it: &TrialTogether| it.hosts.iter().any(|it| it.outcome.series.len() > 1);
    let trials = (1..).zip(&document.rows.get(hosts.row_index)?.trials);
    let trials = trials.filter_map(|(number, it)| Some((number, it.together.as_deref()?)));
    let trials: Vec<(usize, &TrialTogether)> = trials.filter(|(_, it)| has_points(it)).collect();
    let moved = |trial: &TrialTogether| {
        let seconds = trial.window().map_or(1.0, |it| it.as_secs_f64());
        let bytes: u64 = trial.hosts.iter().map(|it| it.in_window.bytes.0).sum();
        float(bytes) / seconds
    };
    let rates: Vec<f64> = trials.iter().map(|(_, it)| moved(it)).collect();
    let median = Summary::of(&rates)?.median;
    let distance = |trial: &TrialTogether| (moved(trial) - median).abs();
    let nearest = trials.into_iter();
    nearest.min_by(|(_, one), (_, other)| distance(one).total_cmp(&distance(other)))
}

/// In what a trial is drawn: what moves no bytes counts its operations.
fn unit_of(trial: &TrialTogether) -> BandwidthUnit {
    let mut hosts = trial.hosts.iter();
    match hosts.any(|host| host.outcome.bytes_moved().0 > 0) {
        true => BandwidthUnit::MegabytesPerSecond,
        false => BandwidthUnit::IosPerSecond,
    }
}

fn rate_of(moved: &TrialInterval, unit: BandwidthUnit) -> f64 {
    let moved_in_unit = match unit {
        BandwidthUnit::IosPerSecond => float(moved.ios),
        _ => float(moved.bytes) / unit.bytes(),
    };
    moved_in_unit / seconds(moved.to - moved.from)
}

/// What each host of a trial moved, on the common clock.
fn intervals_of(trial: &TrialTogether) -> Vec<Vec<TrialInterval>> {
    let points_max = (POINTS_MAX / trial.hosts.len().max(1)).max(POINTS_MIN);
    let window = trial.window().map(|_| [trial.from.0, trial.to.0]);
    let hosts = trial.hosts.iter();
    hosts.map(|it| intervals(it, window, points_max)).collect()
}

/// What a host moved: before the window, in it and behind it. Where it begins and ends, an interval
/// does, too, so that no rate of it has anything from outside.
fn intervals(host: &HostTrial, window: Option<[u64; 2]>, points_max: usize) -> Vec<TrialInterval> {
    let outcome = &host.outcome;
    let length = outcome.series.last().map_or(0, |point| point.at.0);
    let usual = outcome.series.first().map_or(0, |point| point.at.0);
    let least = INTERVAL_NS_MIN.max(usual).max(length / points_max as u64);
    let [from, to] = window.unwrap_or([0, u64::MAX]);
    let mut parts: [Vec<TrialInterval>; 3] = Default::default();
    for whole in TrialInterval::all(outcome.started_after.0, &outcome.series) {
        let (before, rest) = parted(whole, from);
        let (within, behind) = rest.map_or((None, None), |rest| parted(rest, to));
        for (part, piece) in parts.iter_mut().zip([before, within, behind]) {
            if let Some(piece) = piece {
                push(part, piece, least);
            }
        }
    }
    parts.iter_mut().for_each(|part| join_rest(part, least));
    let mut all = parts.concat();
    // Such as the begin of who was a little early.
    let longest = all.iter().map(TrialInterval::nanos).max().unwrap_or(0);
    all.retain(|it| it.nanos() >= longest.min(INTERVAL_NS_MIN) / PARTS_OF_INTERVAL_MAX);
    all
}

/// What lies before an instant, and what lies behind it; what was moved is taken to be even.
fn parted(whole: TrialInterval, at: u64) -> (Option<TrialInterval>, Option<TrialInterval>) {
    if at <= whole.from {
        return (None, Some(whole));
    }
    if at >= whole.to {
        return (Some(whole), None);
    }
    let share = |count: u64| {
        let gone = u128::from(count) * u128::from(at - whole.from);
        narrow::<u128, u64>(gone / u128::from(whole.nanos()))
    };
    let before = TrialInterval {
        to: at,
        bytes: share(whole.bytes),
        ios: share(whole.ios),
        ..whole
    };
    let behind = TrialInterval {
        from: at,
        bytes: whole.bytes - before.bytes,
        ios: whole.ios - before.ios,
        ..whole
    };
    (Some(before), Some(behind))
}

/// Takes an interval up: into the last one, where that comes nearer to its length so.
fn push(part: &mut Vec<TrialInterval>, next: TrialInterval, least: u64) {
    match part.last_mut() {
        Some(last) if last.nanos() + next.nanos() / 2 <= least => last.join(&next),
        _ => part.push(next),
    }
}

/// In a splinter at the end one I/O would be a peak.
fn join_rest(part: &mut Vec<TrialInterval>, least: u64) {
    if let [.., before, rest] = &mut part[..]
        && rest.nanos() < least / 2
    {
        before.join(&*rest);
        part.pop();
    }
}

fn lines_of_each(
    hosts: &HostFigures<'_>,
    trial: &TrialTogether,
    unit: BandwidthUnit,
) -> Vec<Layer> {
    let all = intervals_of(trial);
    let lines = hosts.lines();
    let drawn = lines.iter().filter_map(|line| {
        let index = index_in(trial, line)?;
        Some(layer(line, &all[index], unit))
    });
    drawn.collect()
}

/// Where a trial has a host; it has none that was lost before.
fn index_in(trial: &TrialTogether, line: &HostLine<'_>) -> Option<usize> {
    let is_it = |it: &HostTrial| usize::try_from(it.host) == Ok(line.index);
    trial.hosts.iter().position(is_it)
}

/// One host's rates, each in the middle of its interval.
fn layer(line: &HostLine<'_>, of_host: &[TrialInterval], unit: BandwidthUnit) -> Layer {
    let middle = |it: &TrialInterval| [seconds(it.from.midpoint(it.to)), rate_of(it, unit)];
    let mut points: Vec<[f64; 2]> = of_host.iter().map(middle).collect();
    // From its begin to its end.
    if let ([first, ..], [.., last]) = (of_host, of_host) {
        points.insert(0, [seconds(first.from), rate_of(first, unit)]);
        points.push([seconds(last.to), rate_of(last, unit)]);
    }
    let figures = rate_in(line.row, unit).map(|it| text!("median {} {}", rate(it), unit.name()));
    let ink = match line.is_straggler {
        true => Ink::FAULT,
        // That of stragglers is none of these.
        false => Ink::of_number(line.index),
    };
    let mut figures = vec![figures.unwrap_or_default()];
    figures.extend(line.mark().map(|(_, mark)| mark));
    figures.retain(|it| !it.is_empty());
    Layer::new(ink, Shape::Lines(vec![points]))
        .named(line.host.name.clone(), Text::list(figures, ", "))
}

/// The median of all hosts, half of them as a band, and the slowest as lines.
fn lines_of_many(
    hosts: &HostFigures<'_>,
    trial: &TrialTogether,
    unit: BandwidthUnit,
) -> Vec<Layer> {
    let all = intervals_of(trial);
    let grid = all.iter().max_by_key(|intervals| intervals.len());
    let (mut band, mut middle) = (Vec::new(), Vec::new());
    let mut cursors = vec![0; all.len()];
    for instant in grid.into_iter().flatten().map(|it| it.from.midpoint(it.to)) {
        let mut rates: Vec<f64> = Vec::with_capacity(all.len());
        for (intervals, cursor) in all.iter().zip(&mut cursors) {
            while intervals.get(*cursor).is_some_and(|it| it.to <= instant) {
                *cursor += 1;
            }
            let at = intervals.get(*cursor).filter(|it| it.from <= instant);
            rates.extend(at.map(|it| rate_of(it, unit)));
        }
        rates.sort_by(f64::total_cmp);
        let Some(median) = quantile(&rates, 0.5) else {
            continue;
        };
        let at = seconds(instant);
        let [low, high] = QUARTILES.map(|it| quantile(&rates, it).unwrap_or(median));
        band.push([at, low, high]);
        middle.push([at, median]);
    }
    let count = trial.hosts.len();
    let half = text!("band: the middle half of {count} hosts");
    let mut layers = vec![
        Layer::new(MEDIAN, Shape::Bands(vec![band])),
        Layer::new(MEDIAN, Shape::Lines(vec![middle])).named(text!("median of the hosts"), half),
    ];
    let (shown, _) = hosts.shown();
    let slowest = shown.iter().take(LINES_OF_MANY).enumerate();
    layers.extend(slowest.filter_map(|(number, line)| {
        let mut layer = layer(line, &all[index_in(trial, line)?], unit);
        layer.ink = Ink::of_number(number + 1);
        Some(layer)
    }));
    layers
}

/// A value of which so large a share lies below, of sorted ones.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let rank = number::to_usize((whole(last) * share).round());
    sorted.get(rank).copied()
}

/// Hosts beside each other. `None` where no bytes are moved.
pub(super) fn beside(document: &RunDocument) -> Option<PlotFigure> {
    let hosts = HostFigures::of(document)?;
    let of_hosts = hosts
        .together
        .results_of_hosts(hosts.row_index, hosts.result);
    let (lines, left_out) = hosts.shown();
    let groups: Vec<Group> = lines
        .iter()
        .filter_map(|line| {
            let ink = match line.is_straggler {
                true => Ink::FAULT,
                false => Ink::READ,
            };
            let bar = bar(of_hosts.get(line.index)?, ink);
            let mark = line.mark().map(|(_, mark)| mark);
            let label = [Some(Text::name(bar.label)), mark];
            let label = Text::list(label.into_iter().flatten(), ", ").into();
            Some(Group {
                name: line.host.name.clone(),
                bars: vec![Bar { label, ..bar }],
            })
        })
        .collect();
    let mut legend = vec![(
        text!("in the time in which all hosts ran").into(),
        Ink::READ,
    )];
    if lines.iter().any(|line| line.is_straggler) {
        legend.push((text!("straggler").into(), Ink::FAULT));
    }
    let median = hosts.median(BandwidthUnit::MegabytesPerSecond)?;
    let mut bars = Bars::new("MB/s", spoken().word("Host"), groups, legend)?;
    bars.reference = Some(Reference {
        at: median,
        name: text!("median of the hosts: {}", rate(median)).into(),
    });
    let what = match left_out {
        0 => text!("rate by host"),
        _ => text!(
            "rate of the slowest and the fastest of {} hosts",
            hosts.together.hosts.len()
        ),
    };
    let body = Body::Bars(bars);
    Some(heading::picture(document, &what, &[hosts.result], body))
}

#[cfg(test)]
mod tests;

//! Hosts that measured together: their rates over time on one clock, and beside each other.
//!
//! Both are of the row that stands for the run. Of many hosts only those are drawn by name that
//! tell most; the others are a band and its middle.

use sokudo_stats::Summary;
use sokudo_words::{Text, spoken, text};

use super::bars::bar;
use super::figure::{
    Bar, Bars, Body, Chart, Group, Hue, Ink, Layer, LineMarker, PlotFigure, Reference, SHADE,
    Shape, heights,
};
use super::heading;
use super::scale::{PlotAxis, float, whole};
use crate::document::{HostPointDocument, HostTrialDocument, RunDocument, TrialTogetherDocument};
use crate::hosts::{HOSTS_MAX, HostFigures, HostLine, lost_words};
use crate::number::{self, BYTES_PER_MB, rate};
use crate::style::BandwidthUnit;

const NANOS_PER_SECOND: f64 = 1e9;
/// Hosts of many that have a line of their own: the slowest.
const LINES_OF_MANY: usize = 4;
/// The share of the time in which not all hosts ran from which on that is seen.
const OUTSIDE_MIN: f64 = 0.01;
/// What lies between the quartiles holds half of the hosts.
const QUARTILES: [f64; 2] = [0.25, 0.75];
/// The median of all hosts.
const MEDIAN: Ink = Ink {
    hue: Hue::Read,
    sign: LineMarker::Disc,
    dashed: false,
};

/// Rates over time. `None` of a run that one process measured alone, or without figures over time.
pub(super) fn over_time(document: &RunDocument) -> Option<PlotFigure> {
    let hosts = HostFigures::of(document)?;
    let trial = middle_trial(&hosts)?;
    let unit = TrialUnit::of(trial);
    let ends = [trial.first_began_ns, trial.last_ended_ns].map(seconds);
    let mut layers = match trial.hosts.len() <= HOSTS_MAX {
        true => lines_of_each(&hosts, trial, unit),
        false => lines_of_many(&hosts, trial, unit),
    };
    let rates = || heights(&layers);
    let lowest = rates().filter(|rate| *rate > 0.0).reduce(f64::min)?;
    let highest = rates().reduce(f64::max)?;
    let left = PlotAxis::of_rates(&text!("Rate, {}", unit.name()), lowest, highest, 8);
    if let Some(window) = trial.window_ns {
        let at = window.map(seconds);
        let outside = 1.0 - (at[1] - at[0]) / (ends[1] - ends[0]);
        let time = text!("{}", trial.window().unwrap_or_default());
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
        trials => text!(
            "Time from the common start, s (trial {} of {trials})",
            trial.trial
        ),
    };
    let bottom = PlotAxis::exact(label, ends[0], ends[1], 10);
    let body = Body::Chart(Box::new(Chart::new(bottom, left, layers)));
    let what = text!("rate of each host over time");
    Some(heading::picture(document, &what, &[hosts.result], body))
}

/// The trial whose rate is nearest to the median of all that have points.
fn middle_trial<'a>(hosts: &HostFigures<'a>) -> Option<&'a TrialTogetherDocument> {
    let has_points = |it: &&TrialTogetherDocument| it.hosts.iter().any(|it| it.series.len() > 1);
    let trials: Vec<&TrialTogetherDocument> = hosts.trials().filter(has_points).collect();
    let moved = |trial: &TrialTogetherDocument| {
        let seconds = trial.window().map_or(1.0, |it| it.as_secs_f64());
        let bytes: u64 = trial.hosts.iter().map(|it| it.bytes_in_window).sum();
        float(bytes) / seconds
    };
    let rates: Vec<f64> = trials.iter().map(|it| moved(it)).collect();
    let median = Summary::of(&rates)?.median;
    let distance = |trial: &TrialTogetherDocument| (moved(trial) - median).abs();
    let nearest = trials.into_iter();
    nearest.min_by(|one, other| distance(one).total_cmp(&distance(other)))
}

/// In what a trial is drawn: what moves no bytes counts its operations.
#[derive(Clone, Copy, PartialEq)]
enum TrialUnit {
    Megabytes,
    Ios,
}

impl TrialUnit {
    fn of(trial: &TrialTogetherDocument) -> Self {
        match trial.hosts.iter().any(|host| host.bytes > 0) {
            true => Self::Megabytes,
            false => Self::Ios,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Megabytes => "MB/s",
            Self::Ios => "IOPS",
        }
    }

    fn rate(self, moved: &HostInterval) -> f64 {
        let moved_in_unit = match self {
            Self::Megabytes => float(moved.bytes) / BYTES_PER_MB,
            Self::Ios => float(moved.ios),
        };
        moved_in_unit / seconds(moved.to - moved.from)
    }
}

/// What a host moved between two instants of the common clock.
#[derive(Clone, Copy)]
struct HostInterval {
    from: u64,
    to: u64,
    bytes: u64,
    ios: u64,
}

/// The intervals of a host, none much shorter than the others: in a splinter one I/O would be a
/// peak.
fn intervals(host: &HostTrialDocument) -> Vec<HostInterval> {
    let begins = std::iter::once(host.began_ns).chain(host.series.iter().map(|it| it.at_ns));
    let of_point = |(from, point): (u64, &HostPointDocument)| HostInterval {
        from,
        to: point.at_ns,
        bytes: point.bytes,
        ios: point.ios,
    };
    let points = begins
        .zip(&host.series)
        .filter(|(from, it)| it.at_ns > *from);
    let points: Vec<HostInterval> = points.map(of_point).collect();
    let length = |it: &HostInterval| it.to - it.from;
    let usual = points.iter().map(length).max().unwrap_or_default();
    let mut whole: Vec<HostInterval> = Vec::new();
    for point in points {
        let is_short = |it: &HostInterval| length(it) < usual / 2;
        match whole.last_mut() {
            Some(last) if is_short(last) || is_short(&point) => {
                last.to = point.to;
                last.bytes += point.bytes;
                last.ios += point.ios;
            }
            _ => whole.push(point),
        }
    }
    whole
}

fn lines_of_each(
    hosts: &HostFigures<'_>,
    trial: &TrialTogetherDocument,
    unit: TrialUnit,
) -> Vec<Layer> {
    let lines = hosts.lines();
    let drawn = lines.iter().filter_map(|line| {
        let of = trial.hosts.iter().find(|it| is_of(it, line))?;
        Some(layer(line, of, unit))
    });
    drawn.collect()
}

fn is_of(trial: &HostTrialDocument, line: &HostLine<'_>) -> bool {
    usize::try_from(trial.host) == Ok(line.place)
}

/// One host's rates, each in the middle of its interval.
fn layer(line: &HostLine<'_>, of: &HostTrialDocument, unit: TrialUnit) -> Layer {
    let of_host = intervals(of);
    let middle = |it: &HostInterval| [seconds(it.from.midpoint(it.to)), unit.rate(it)];
    let mut points: Vec<[f64; 2]> = of_host.iter().map(middle).collect();
    // From its begin to its end.
    if let ([first, ..], [.., last]) = (&of_host[..], &of_host[..]) {
        points.insert(0, [seconds(first.from), unit.rate(first)]);
        points.push([seconds(last.to), unit.rate(last)]);
    }
    let rate_in_window = match unit {
        TrialUnit::Megabytes => line.row.bytes_per_s.map(|it| it / BYTES_PER_MB),
        TrialUnit::Ios => line.row.ios_per_s,
    };
    let figures = rate_in_window.map(|it| text!("median {} {}", rate(it), unit.name()));
    let ink = match line.is_straggler {
        true => Ink::FAULT,
        // That of stragglers is none of these.
        false => Ink::of_number(line.place),
    };
    let mut figures = vec![figures.unwrap_or_default()];
    figures.extend(mark(line));
    figures.retain(|it| !it.is_empty());
    Layer::new(ink, Shape::Lines(vec![points]))
        .named(line.host.name.clone(), Text::list(figures, ", "))
}

/// The median of all hosts, half of them as a band, and the slowest as lines.
fn lines_of_many(
    hosts: &HostFigures<'_>,
    trial: &TrialTogetherDocument,
    unit: TrialUnit,
) -> Vec<Layer> {
    let all: Vec<Vec<HostInterval>> = trial.hosts.iter().map(intervals).collect();
    let grid = all.iter().max_by_key(|intervals| intervals.len());
    let (mut band, mut middle) = (Vec::new(), Vec::new());
    let mut places = vec![0; all.len()];
    for instant in grid.into_iter().flatten().map(|it| it.from.midpoint(it.to)) {
        let mut rates: Vec<f64> = Vec::with_capacity(all.len());
        for (intervals, place) in all.iter().zip(&mut places) {
            while intervals.get(*place).is_some_and(|it| it.to <= instant) {
                *place += 1;
            }
            let at = intervals.get(*place).filter(|it| it.from <= instant);
            rates.extend(at.map(|it| unit.rate(it)));
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
        let of = trial.hosts.iter().find(|it| is_of(it, line))?;
        let mut layer = layer(line, of, unit);
        layer.ink = Ink::of_number(number + 1);
        Some(layer)
    }));
    layers
}

/// A value of which so large a share lies below, of sorted ones.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = number::place((whole(last) * share).round());
    sorted.get(place).copied()
}

fn seconds(nanos: u64) -> f64 {
    float(nanos) / NANOS_PER_SECOND
}

/// Hosts beside each other. `None` where no bytes are moved.
pub(super) fn beside(document: &RunDocument) -> Option<PlotFigure> {
    let hosts = HostFigures::of(document)?;
    let of_hosts = hosts.together.results_of_hosts(hosts.place, hosts.result);
    let (lines, left_out) = hosts.shown();
    let groups: Vec<Group> = lines
        .iter()
        .filter_map(|line| {
            let ink = match line.is_straggler {
                true => Ink::FAULT,
                false => Ink::READ,
            };
            let bar = bar(of_hosts.get(line.place)?, ink);
            let label = [Some(Text::name(bar.label)), mark(line)];
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

/// What sets a host apart.
fn mark(line: &HostLine<'_>) -> Option<Text> {
    let lost = line.host.lost.map(lost_words);
    lost.or_else(|| line.is_straggler.then(|| text!("straggler")))
}

//! Rounds until a drive was steady, with the window, its 20 % and the best line through it;
//! of write saturation, the rate over what was written.

use sokudo_model::{Bytes, RoundFigure, SteadyTest};

use super::curve::PositionUnit;
use super::figure::{
    Body, Chart, ChartSection, Hue, Ink, Layer, LineMarker, PlotFigure, Shape, VerticalAxis,
};
use super::heading;
use super::heat::whole_rate;
use super::scale::{Axis, whole};
use crate::document::{
    PhaseDocument, PointDocument, ResultDocument, RunDocument, SteadyDocument, TrackedDocument,
};
use crate::grouping::row_name;
use crate::number;

const NANOS_PER_SECOND: f64 = 1e9;
/// The 20 % of a window's mean within which its rounds must lie.
const BAND: [f64; 2] = [0.9, 1.1];
/// Rows whose means differ by more than this are told apart by their ratios.
const RATIO_OF_ROWS: f64 = 3.0;
/// Rates that differ by more than this are told apart by their ratios.
const RATIO_OF_LOGARITHMS: f64 = 20.0;

/// What lies behind lines.
const SHADE: Ink = Ink {
    hue: Hue::Grey,
    sign: LineMarker::Disc,
    dashed: false,
};

/// `None` for a run that followed no procedure, and before the first round.
pub(super) fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let steady = document.steady.as_ref()?;
    let tracked: Vec<Tracked<'_>> = tracked(document, steady).collect();
    let shown: Vec<&ResultDocument> = tracked.iter().map(|tracked| tracked.result).collect();
    let (what, chart) = match (steady.procedure.test, tracked.first()) {
        (SteadyTest::WriteSaturation, Some(only)) => {
            ("write saturation", saturation(steady, only)?)
        }
        _ => ("rounds", rounds(&tracked)?),
    };
    Some(PlotFigure {
        title: heading::title(document, &format!("{what}, {}", steady.label)),
        subtitle: heading::subtitle(document, &shown),
        footer: format!(
            "{} · grey: the window, and 20 % of its mean; dashed: its best line",
            heading::footer(document, &shown)
        ),
        body: Body::Chart(Box::new(chart)),
    })
}

/// A tracked row with its phase.
struct Tracked<'a> {
    result: &'a ResultDocument,
    row: &'a TrackedDocument,
    phase: &'a PhaseDocument,
}

fn tracked<'a>(
    document: &'a RunDocument,
    steady: &'a SteadyDocument,
) -> impl Iterator<Item = Tracked<'a>> {
    steady.tests().flat_map(move |(_, phase)| {
        phase.tracked.iter().filter_map(move |row| {
            let result = document.result_at(row.result)?;
            (!row.rounds.is_empty()).then_some(Tracked { result, row, phase })
        })
    })
}

impl Tracked<'_> {
    /// What the rounds are shares of: the mean of the last window, or of all rounds where
    /// there is none.
    fn mean(&self) -> f64 {
        let window = self.row.windows.last().and_then(|last| last.figures);
        let all = || super::curve::mean(&self.row.rounds);
        window.map_or_else(all, |figures| figures.mean)
    }

    fn figures(&self) -> String {
        let mean = match self.row.figure {
            RoundFigure::Iops => format!("{} IOPS", number::rate(self.mean())),
            RoundFigure::BytesPerSecond => format!("{} MB/s", number::rate(self.mean() / 1e6)),
            RoundFigure::LatencyMeanNs => format!("{} µs", number::rate(self.mean() / 1e3)),
        };
        let window = self.row.windows.last().and_then(|last| last.figures);
        window.map_or_else(
            || format!("mean {mean}"),
            |figures| {
                format!(
                    "mean {mean}, range {}, line {}",
                    number::percent(figures.range_share),
                    number::percent(figures.excursion_share)
                )
            },
        )
    }

    /// The best line through the window, from its first to its last round.
    fn fit(&self) -> Option<[[f64; 2]; 2]> {
        let [from, to] = self.phase.window?;
        let figures = self.row.windows.last()?.figures?;
        let half = figures.slope * f64::from(to - from) / 2.0;
        Some([
            [f64::from(from), figures.mean - half],
            [f64::from(to), figures.mean + half],
        ])
    }
}

/// What a figure is in a picture: its label, and how many of the document's units are one.
const fn unit_of(figure: RoundFigure) -> (&'static str, f64) {
    match figure {
        RoundFigure::Iops => ("IOPS", 1.0),
        RoundFigure::BytesPerSecond => ("MB/s", 1e6),
        RoundFigure::LatencyMeanNs => ("Mean latency, µs", 1e3),
    }
}

/// From zero, or by decades where the rows lie so far apart that small ones would be flat.
fn value_axis(label: &str, tracked: &[Tracked<'_>], unit: f64) -> Axis {
    let values = || {
        let rounds = tracked.iter().flat_map(|one| &one.row.rounds);
        rounds.map(|value| value / unit)
    };
    let highest = values().fold(0.0, f64::max);
    let lowest = values().fold(highest, f64::min);
    let means = || tracked.iter().map(Tracked::mean);
    let (low, high) = means().fold((f64::MAX, 0.0f64), |(low, high), mean| {
        (low.min(mean), high.max(mean))
    });
    if lowest > 0.0 && high / low > RATIO_OF_ROWS {
        let label = format!("{label}, logarithmic");
        Axis::decades(label, lowest * BAND[0], highest * BAND[1], whole_rate)
    } else {
        Axis::from_zero(label, highest * BAND[1], 8)
    }
}

fn rounds(tracked: &[Tracked<'_>]) -> Option<Chart> {
    let most = tracked
        .iter()
        .map(|tracked| tracked.row.rounds.len())
        .max()?;
    // All rows of a test have the same figure.
    let (label, unit) = unit_of(tracked.first()?.row.figure);
    let left = value_axis(label, tracked, unit);
    let band = |from, to, low, high| Shape::Bands(vec![vec![[from, low, high], [to, low, high]]]);
    let mut layers = Vec::new();
    let mut parts = Vec::new();
    for (_, phase, from, to) in windows(tracked) {
        parts.push(part(phase, from));
        layers.push(window_layer(phase, [from, to]));
        let all = band(from, to, left.scale.low, left.scale.high);
        layers.push(layer("", SHADE, all));
    }
    for one in tracked {
        if let Some([from, to]) = one.phase.window {
            let [low, high] = BAND.map(|share| one.mean() / unit * share);
            layers.push(layer("", SHADE, band(from.into(), to.into(), low, high)));
        }
    }
    for (number, one) in tracked.iter().enumerate() {
        let ink = Ink::of_number(number);
        if let Some(fit) = one.fit() {
            let line = fit.map(|[round, value]| [round, value / unit]).to_vec();
            let dashed = ink.dashed(true);
            layers.push(layer("", dashed, Shape::Lines(vec![line])));
        }
        let points = one.row.rounds.iter().enumerate();
        let line = points.map(|(round, value)| [whole(round + 1), value / unit]);
        layers.push(Layer {
            figures: one.figures(),
            ..layer(
                &row_name(one.result),
                ink,
                Shape::Lines(vec![line.collect()]),
            )
        });
    }
    Some(Chart {
        bottom: Axis::exact("Round", 1.0, whole(most.max(2)), most.clamp(2, 13) - 1),
        top: None,
        left,
        right: None,
        layers,
        parts,
        signs: None,
    })
}

/// The windows of the phases, each once, from its first to its last round.
fn windows<'a>(
    tracked: &'a [Tracked<'a>],
) -> impl Iterator<Item = (&'a Tracked<'a>, &'a PhaseDocument, f64, f64)> {
    let mut seen: Vec<[u32; 2]> = Vec::new();
    tracked.iter().filter_map(move |one| {
        let window = one.phase.window?;
        if seen.contains(&window) {
            return None;
        }
        seen.push(window);
        Some((one, one.phase, window[0].into(), window[1].into()))
    })
}

fn part(phase: &PhaseDocument, at: f64) -> ChartSection {
    let name = match phase.is_steady {
        Some(true) => "steady window",
        _ => "last window, NOT STEADY",
    };
    ChartSection {
        at,
        name: name.to_owned(),
    }
}

/// The window along the bottom, which a terminal shows, too.
fn window_layer(phase: &PhaseDocument, ends: [f64; 2]) -> Layer {
    let rounds = phase
        .window
        .map_or_else(String::new, |[from, to]| format!("rounds {from} to {to}"));
    Layer {
        figures: rounds,
        ..layer(&part(phase, 0.0).name, SHADE, Shape::Ranges(vec![ends]))
    }
}

fn layer(name: &str, ink: Ink, shape: Shape) -> Layer {
    Layer {
        name: name.to_owned(),
        figures: String::new(),
        ink,
        side: VerticalAxis::Left,
        shape,
    }
}

/// I/Os per second over the bytes written so far.
fn saturation(steady: &SteadyDocument, only: &Tracked<'_>) -> Option<Chart> {
    let intervals = intervals(&only.result.series);
    let written = intervals.last()?.written;
    let unit = PositionUnit::of(Bytes(written));
    let at = |bytes: u64| unit.share(bytes);
    // The rate of each interval from its begin to its end.
    let points: Vec<[f64; 2]> = intervals
        .iter()
        .flat_map(|interval| {
            [interval.begin, interval.written].map(|bytes| [at(bytes), interval.iops])
        })
        .collect();
    let rates = || points.iter().map(|point| point[1]);
    let highest = rates().fold(0.0, f64::max);
    let lowest = rates().fold(highest, f64::min);
    let left = if lowest > 0.0 && highest / lowest > RATIO_OF_LOGARITHMS {
        Axis::decades("IOPS, logarithmic", lowest, highest, whole_rate)
    } else {
        Axis::from_zero("IOPS", highest, 8)
    };
    let after = |round: u32| {
        let before = intervals.iter().take_while(|it| it.trial <= round).last();
        at(before.map_or(0, |interval| interval.written))
    };
    let mut layers = Vec::new();
    let mut parts = Vec::new();
    if let Some([from, to]) = only.phase.window {
        let (from, to) = (after(from - 1), after(to));
        parts.push(part(only.phase, from));
        layers.push(window_layer(only.phase, [from, to]));
        let band = |low, high| Shape::Bands(vec![vec![[from, low, high], [to, low, high]]]);
        layers.push(layer("", SHADE, band(left.scale.low, left.scale.high)));
        let mean = only.mean();
        let [low, high] = BAND.map(|share| mean * share);
        layers.push(layer("", SHADE, band(low, high)));
        if let Some([[_, begin], [_, end]]) = only.fit() {
            let line = vec![[from, begin], [to, end]];
            layers.push(layer("", Ink::READ.dashed(true), Shape::Lines(vec![line])));
        }
    }
    layers.push(Layer {
        figures: only.figures(),
        ..layer(
            &row_name(only.result),
            Ink::WRITE,
            Shape::Lines(vec![points]),
        )
    });
    let capacity = number::rate(at(steady.procedure.capacity_bytes.0));
    let label = format!("Written, {} (capacity: {capacity})", unit.name);
    Some(Chart {
        bottom: Axis::exact(label, 0.0, at(written), 10),
        top: None,
        left,
        right: None,
        layers,
        parts,
        signs: None,
    })
}

/// What was written in an interval of a round.
struct RoundInterval {
    trial: u32,
    /// Since the first round, at the interval's begin.
    begin: u64,
    /// And at its end.
    written: u64,
    iops: f64,
}

/// Every interval with its rate; the rest at the end of a round, in which one I/O would be
/// a peak, is told with the interval before it.
#[expect(clippy::cast_precision_loss, reason = "a rate in a picture")]
fn intervals(series: &[PointDocument]) -> Vec<RoundInterval> {
    let mut written = 0;
    let mut intervals = Vec::new();
    for trial in series.chunk_by(|left, right| left.trial == right.trial) {
        let mut pieces: Vec<(u64, u64, u64)> = Vec::new();
        let mut begin = 0;
        for point in trial {
            pieces.push((point.at_ns.saturating_sub(begin), point.bytes, point.ios));
            begin = point.at_ns;
        }
        let usual = pieces.iter().map(|piece| piece.0).max().unwrap_or(0);
        if let [.., before, rest] = &mut pieces[..]
            && rest.0 < usual / 2
        {
            *before = (before.0 + rest.0, before.1 + rest.1, before.2 + rest.2);
            pieces.pop();
        }
        for (nanos, bytes, ios) in pieces.into_iter().filter(|piece| piece.0 > 0) {
            let begin = written;
            written += bytes;
            intervals.push(RoundInterval {
                trial: trial[0].trial,
                begin,
                written,
                iops: ios as f64 * NANOS_PER_SECOND / nanos as f64,
            });
        }
    }
    intervals
}

//! Rounds until a drive was steady, with the window, its 20 % and the best line through it;
//! of write saturation, the rate over what was written.

use sokudo_model::{Bytes, RoundFigure, SeriesPoint, SteadyTest};
use sokudo_report::document::{ResultDocument, RunDocument};
use sokudo_report::grouping::row_name;
use sokudo_report::number;
use sokudo_report::plot::curve::PositionUnit;
use sokudo_report::plot::figure::{
    Body, Chart, ChartSection, Ink, Layer, PlotFigure, SHADE, Shape,
};
use sokudo_report::plot::scale::{PlotAxis, whole, whole_rate};
use sokudo_report::plot::{PlotKind, heading, time};
use sokudo_report::wording::{phrase, row};
use sokudo_words::{Text, text};

use crate::steady::view::{PhaseDocument, SteadyDocument, TrackedDocument};

/// The 20 % of a window's mean within which its rounds must lie.
const BAND: [f64; 2] = [0.9, 1.1];
/// Rows whose means differ by more than this are told apart by their ratios.
const RATIO_OF_ROWS: f64 = 3.0;

/// It, as a kind of picture.
pub(crate) const ROUNDS: PlotKind = PlotKind {
    name: "rounds",
    needs: "rounds, as sokudo steady measures them",
    caption: "Rounds until the drive was steady",
    further: &["heat"],
    figure,
};

/// `None` for a run that followed no procedure, and before the first round.
fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let steady = document.views.get::<SteadyDocument>()?;
    let tracked: Vec<Tracked<'_>> = tracked(document, steady).collect();
    let shown: Vec<&ResultDocument> = tracked.iter().map(|tracked| tracked.result).collect();
    let (what, chart) = match (steady.procedure.test, &tracked[..]) {
        (SteadyTest::WriteSaturation, [only, ..]) => {
            (text!("write saturation"), saturation(steady, only)?)
        }
        _ => (text!("rounds"), rounds(&tracked)?),
    };
    let what = Text::list([what, phrase(&steady.label)], ", ");
    let figure = heading::picture(document, &what, &shown, Body::Chart(Box::new(chart)));
    Some(PlotFigure {
        footer: Text::list(
            [
                Text::name(&figure.footer),
                "grey: the window, and 20 % of its mean; dashed: its best-fit line".into(),
            ],
            " · ",
        )
        .into(),
        ..figure
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
        let all = || sokudo_report::plot::curve::mean(&self.row.rounds);
        window.map_or_else(all, |figures| figures.mean)
    }

    fn figures(&self) -> Text {
        let mean = match self.row.figure {
            RoundFigure::Iops => format!("{} IOPS", number::rate(self.mean())),
            RoundFigure::BytesPerSecond => format!("{} MB/s", number::rate(self.mean() / 1e6)),
            RoundFigure::LatencyMeanNs => format!("{} µs", number::rate(self.mean() / 1e3)),
        };
        let window = self.row.windows.last().and_then(|last| last.figures);
        window.map_or_else(
            || text!("mean {mean}"),
            |figures| {
                text!(
                    "mean {mean}, range {}, line {}",
                    number::percent(figures.range_share),
                    number::percent(figures.excursion_share)
                )
            },
        )
    }

    /// How high the best line through the window is in its first and its last round.
    fn fit(&self) -> Option<[f64; 2]> {
        let [from, to] = self.phase.window?;
        let figures = self.row.windows.last()?.figures?;
        let half = figures.slope * f64::from(to - from) / 2.0;
        Some([figures.mean - half, figures.mean + half])
    }
}

/// What a figure is in a picture: its label, and how many of the document's units are one.
pub(super) const fn unit_of(figure: RoundFigure) -> (&'static str, f64) {
    match figure {
        RoundFigure::Iops => ("IOPS", 1.0),
        RoundFigure::BytesPerSecond => ("MB/s", 1e6),
        RoundFigure::LatencyMeanNs => ("Mean latency, µs", 1e3),
    }
}

/// From zero, or by decades where the rows lie so far apart that small ones would be flat.
fn value_axis(label: &'static str, tracked: &[Tracked<'_>], unit: f64) -> PlotAxis {
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
        let label = text!("{}, logarithmic", Text::from(label));
        PlotAxis::decades(label, lowest * BAND[0], highest * BAND[1], whole_rate)
    } else {
        PlotAxis::from_zero(Text::from(label), highest * BAND[1], 8)
    }
}

fn rounds(tracked: &[Tracked<'_>]) -> Option<Chart> {
    let rounds = tracked.iter().map(|tracked| tracked.row.rounds.len());
    let most = rounds.max()?;
    // All rows of a test have the same figure.
    let (label, unit) = unit_of(tracked.first()?.row.figure);
    let lines = tracked.iter().enumerate().map(|(number, one)| {
        let points = one.row.rounds.iter().enumerate();
        let points = points.map(|(round, value)| [whole(round + 1), value / unit]);
        let ink = Ink::of_number(number);
        RoundCurve {
            points: points.collect(),
            inks: [ink, ink.dashed(true)],
        }
    });
    let bottom = PlotAxis::exact(
        text!("Round"),
        1.0,
        whole(most.max(2)),
        most.clamp(2, 13) - 1,
    );
    let chart = Chart::new(bottom, value_axis(label, tracked, unit), Vec::new());
    let ends = |window: [u32; 2]| window.map(f64::from);
    Some(filled(chart, tracked, unit, ends, lines.collect()))
}

/// The rounds of a row in a picture, with the inks of this line and of the best one.
struct RoundCurve {
    points: Vec<[f64; 2]>,
    inks: [Ink; 2],
}

/// A chart with the windows, 20 % of their means and the best lines through them, and the
/// curves of the rows. `ends` is where a window lies along the horizontal axis.
fn filled(
    mut chart: Chart,
    tracked: &[Tracked<'_>],
    unit: f64,
    ends: impl Fn([u32; 2]) -> [f64; 2],
    curves: Vec<RoundCurve>,
) -> Chart {
    let band = |[from, to]: [f64; 2], [low, high]: [f64; 2]| {
        let band = vec![[from, low, high], [to, low, high]];
        Layer::new(SHADE, Shape::Bands(vec![band]))
    };
    let windows = || {
        let tracked = tracked.iter();
        tracked.filter_map(|one| Some((one, one.phase.window?)))
    };
    let (axis, layers) = (chart.left.scale, &mut chart.layers);
    let mut seen: Vec<[u32; 2]> = Vec::new();
    for (one, window) in windows() {
        if seen.contains(&window) {
            continue;
        }
        seen.push(window);
        let name = match one.phase.is_steady {
            Some(true) => text!("steady window"),
            _ => text!("last window, NOT STEADY"),
        };
        let (at, rounds) = (ends(window), text!("rounds {} to {}", window[0], window[1]));
        chart.parts.push(ChartSection {
            at: at[0],
            name: name.to_string(),
        });
        // Along the bottom, which a terminal shows, too.
        layers.push(Layer::new(SHADE, Shape::Ranges(vec![at])).named(name, rounds));
        layers.push(band(at, [axis.low, axis.high]));
    }
    layers.extend(windows().map(|(one, window)| {
        let mean = one.mean() / unit;
        band(ends(window), BAND.map(|share| mean * share))
    }));
    for (one, curve) in tracked.iter().zip(curves) {
        let [ink, fit_ink] = curve.inks;
        if let (Some(window), Some([begin, end])) = (one.phase.window, one.fit()) {
            let [from, to] = ends(window);
            let line = vec![[from, begin / unit], [to, end / unit]];
            layers.push(Layer::new(fit_ink, Shape::Lines(vec![line])));
        }
        let line = Layer::new(ink, Shape::Lines(vec![curve.points]));
        layers.push(line.named(row(&row_name(one.result)), one.figures()));
    }
    chart
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
    let left = PlotAxis::of_rates(&text!("IOPS"), rates().fold(highest, f64::min), highest, 8);
    let after = |round: u32| {
        let before = intervals.iter().take_while(|it| it.trial <= round).last();
        at(before.map_or(0, |interval| interval.written))
    };
    let capacity = number::rate(at(steady.procedure.capacity_bytes.0));
    let label = text!("Written, {} (capacity: {capacity})", unit.name);
    let chart = Chart::new(
        PlotAxis::exact(label, 0.0, at(written), 10),
        left,
        Vec::new(),
    );
    let ends = |[from, to]: [u32; 2]| [after(from - 1), after(to)];
    let inks = [Ink::WRITE, Ink::READ.dashed(true)];
    let curve = RoundCurve { points, inks };
    Some(filled(
        chart,
        std::slice::from_ref(only),
        1.0,
        ends,
        vec![curve],
    ))
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

/// Every interval with its rate.
fn intervals(series: &[Vec<SeriesPoint>]) -> Vec<RoundInterval> {
    let mut written = 0;
    let mut intervals = Vec::new();
    for (trial, series) in (1..).zip(series) {
        intervals.extend(time::intervals(0, series).iter().map(|interval| {
            let begin = written;
            written += interval.bytes;
            RoundInterval {
                trial,
                begin,
                written,
                iops: interval.iops(),
            }
        }));
    }
    intervals
}

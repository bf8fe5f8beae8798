//! Transfer rate and access time over the position on the device, as GNOME Disks and
//! HD Tune show them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use sokudo_model::{Bytes, DriveCache, Fill, FillCollapse, FillStretch, Operation, Survey, Visit};
use sokudo_words::{Text, text};

use super::figure::{Body, Chart, Ink, Layer, PlotFigure, Shape, VerticalAxis};
use super::heading;
use super::scale::{PlotAxis, float, whole};
use crate::document::{Direction, ResultDocument, RunDocument, SampleDocument};
use crate::number::{BYTES_PER_MB, decimal_size, rate};
use crate::surface::measured_part;
use crate::wording::phrase;

/// Steps of the vertical axes, about.
const STEPS: usize = 8;
const NANOS_PER_MS: f64 = 1e6;

/// `None` when nothing was measured place by place.
pub fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let transfers = transfers(document);
    let accesses = accesses(document);
    // Where the way to a place is the thing, one curve of times belongs to the rates, the
    // first of those over most of the device; alone, all of them are looked at.
    let dots = if transfers.is_empty() {
        accesses
    } else {
        let device = document.target.size_bytes;
        let length = |result: &&ResultDocument| {
            let (low, high) = measured_part(result, device);
            Reverse(high - low)
        };
        accesses
            .into_iter()
            .min_by_key(length)
            .into_iter()
            .collect()
    };
    let shown: Vec<&ResultDocument> = transfers.iter().chain(&dots).copied().collect();
    if shown.is_empty() {
        return None;
    }
    let span = PositionSpan::of(document, &shown);
    let mut chart = chart(&span, &transfers, &dots, &shown);
    if let Some(fill) = document.views.get::<Fill>() {
        chart
            .layers
            .extend(level_layers(&span, &fill.levels, fill.collapse.as_ref()));
    }
    let what = match (transfers.is_empty(), dots.is_empty()) {
        (false, false) => text!("transfer rate and access time over position"),
        (false, true) if document.views.get::<Fill>().is_some() => {
            text!("transfer rate by bytes written")
        }
        (false, true) => text!("transfer rate over position"),
        _ => text!("access time over position"),
    };
    let described = match transfers.is_empty() {
        true => &dots,
        false => &transfers,
    };
    Some(PlotFigure {
        footer: heading::footer(document, described),
        ..heading::picture(document, &what, &shown, Body::Chart(Box::new(chart)))
    })
}

/// Access times over position, of each size the first result. `None` without any.
pub(crate) fn access_figure(document: &RunDocument) -> Option<PlotFigure> {
    let mut sizes = BTreeSet::new();
    let mut shown = accesses(document);
    shown.retain(|result| {
        let blocks = &result.workload.blocks;
        let is_mixed = blocks.smallest() != blocks.largest();
        sizes.insert((result.direction, is_mixed, blocks.smallest()))
    });
    if shown.is_empty() {
        return None;
    }
    let span = PositionSpan::of(document, &shown);
    let chart = chart(&span, &[], &shown, &shown);
    let body = Body::Chart(Box::new(chart));
    let what = text!("access time over position, by size");
    Some(heading::picture(document, &what, &shown, body))
}

/// Results that measured places in order: curves of rates.
fn transfers(document: &RunDocument) -> Vec<&ResultDocument> {
    let in_order = |survey: Survey| matches!(survey.visit, Visit::Ascending | Visit::Shuffled);
    surveyed(document, in_order)
}

/// Results that measured the way from place to place: times.
pub fn accesses(document: &RunDocument) -> Vec<&ResultDocument> {
    let at_random = |survey: Survey| matches!(survey.visit, Visit::Random | Visit::Butterfly);
    surveyed(document, at_random)
}

/// The first curve of rates, of rows with several places.
pub(crate) fn first_transfer(document: &RunDocument) -> Option<&ResultDocument> {
    let is_curve = |result: &&ResultDocument| {
        let survey = result.workload.survey();
        survey.is_some_and(|survey| survey.sample_count > 1)
    };
    transfers(document).into_iter().find(is_curve)
}

fn surveyed(document: &RunDocument, visits: impl Fn(Survey) -> bool) -> Vec<&ResultDocument> {
    let moved = |result: &ResultDocument| result.samples.iter().any(|sample| sample.bytes > 0);
    document
        .results
        .iter()
        .filter(|result| result.workload.survey().is_some_and(&visits) && moved(result))
        .collect()
}

/// The part of the device that is shown.
struct PositionSpan {
    unit: PositionUnit,
    low: u64,
    high: u64,
    device: Option<u64>,
    /// What lies before a position was written before.
    is_written: bool,
}

/// The unit of positions.
#[derive(Clone, Copy)]
pub struct PositionUnit {
    pub name: &'static str,
    pub bytes: f64,
}

impl PositionUnit {
    /// GB as on a drive's label; of what is too small for it, MB.
    pub const fn of(Bytes(size): Bytes) -> Self {
        let (name, bytes) = match size {
            0..2_000_000_000 => ("MB", 1e6),
            2_000_000_000..50_000_000_000_000 => ("GB", 1e9),
            _ => ("TB", 1e12),
        };
        Self { name, bytes }
    }

    pub fn share(self, bytes: u64) -> f64 {
        float(bytes) / self.bytes
    }
}

impl PositionSpan {
    fn of(document: &RunDocument, shown: &[&ResultDocument]) -> Self {
        let device = document.target.size_bytes;
        let parts = shown.iter().map(|result| measured_part(result, device));
        let both = |left: (u64, u64), right: (u64, u64)| (left.0.min(right.0), left.1.max(right.1));
        let (low, high) = parts.reduce(both).unwrap_or_default();
        Self {
            unit: PositionUnit::of(Bytes(high)),
            low,
            high,
            device: device.map(|Bytes(size)| size),
            is_written: document.views.get::<Fill>().is_some(),
        }
    }

    fn position(&self, bytes: u64) -> f64 {
        self.unit.share(bytes)
    }

    fn bottom(&self) -> PlotAxis {
        PlotAxis::exact(
            match self.is_written {
                true => text!("Written, {}", self.unit.name),
                false => text!("Position, {}", self.unit.name),
            },
            self.position(self.low),
            self.position(self.high),
            10,
        )
    }

    /// Percent of the device, where its size is known.
    fn top(&self) -> Option<PlotAxis> {
        let device = self.position(self.device.filter(|size| *size > 0)?);
        let percent = |bytes| self.position(bytes) / device * 100.0;
        let axis = PlotAxis::exact("", percent(self.low), percent(self.high).min(100.0), 10);
        let ticks = axis.ticks.into_iter().map(|mut tick| {
            tick.name.push_str(" %");
            tick
        });
        Some(PlotAxis {
            ticks: ticks.collect(),
            ..axis
        })
    }
}

fn chart(
    span: &PositionSpan,
    transfers: &[&ResultDocument],
    dots: &[&ResultDocument],
    shown: &[&ResultDocument],
) -> Chart {
    let rates: Vec<Curve> = transfers.iter().map(|result| Curve::of(result)).collect();
    let fastest = rates.iter().map(|curve| curve.highest).fold(0.0, f64::max);
    let times = dots.iter().flat_map(|result| moved(result));
    let slowest = times.map(access_ms).fold(0.0, f64::max);
    let time_label = text!("Access time, ms");
    let (left, right) = if transfers.is_empty() {
        (PlotAxis::from_zero(time_label, slowest, STEPS), None)
    } else {
        let left = PlotAxis::from_zero(text!("Transfer rate, MB/s"), fastest, STEPS);
        let right = PlotAxis::beside(time_label, slowest, &left);
        (left, (!dots.is_empty()).then_some(right))
    };
    let side = match transfers.is_empty() {
        true => VerticalAxis::Left,
        false => VerticalAxis::Right,
    };
    let at = |sample: &SampleDocument| Some(span.position(sample.offset));
    let mut layers = access_layers(dots, side, at);
    let inks = inks(transfers);
    let curves = || rates.iter().zip(&inks);
    layers.extend(curves().filter_map(|(curve, ink)| curve.band_layer(span, *ink)));
    let named = curves().zip(transfer_names(transfers));
    layers.extend(named.map(|((curve, ink), name)| curve.line_layer(span, *ink, name)));
    layers.extend(defects(span, shown));
    Chart {
        top: span.top(),
        right,
        ..Chart::new(span.bottom(), left, layers)
    }
}

/// Reads and writes have their colours; the state of the drive's cache is told by the
/// dash, and any further curve by a colour of its own.
fn inks(transfers: &[&ResultDocument]) -> Vec<Ink> {
    let mut inks: Vec<Ink> = Vec::new();
    for result in transfers {
        let ink = ink_of(result.direction).dashed(result.workload.drive_cache == DriveCache::Off);
        inks.push(ink.unless_used(&inks, 3));
    }
    inks
}

/// What the curves of rates are called: by direction and the state of the drive's cache, where
/// these tell them apart.
fn transfer_names(transfers: &[&ResultDocument]) -> Vec<String> {
    let short = |result: &&ResultDocument| match heading::cache(&result.workload) {
        Some(cache) => Text::list([phrase(&result.direction_label()), cache], ", ").into(),
        None => phrase(&result.direction_label()).into(),
    };
    let names: Vec<String> = transfers.iter().map(short).collect();
    let different: BTreeSet<&String> = names.iter().collect();
    if different.len() == names.len() {
        names
    } else {
        heading::names(transfers)
    }
}

/// The ink of a direction.
pub(crate) const fn ink_of(direction: Direction) -> Ink {
    match direction {
        Direction::Read => Ink::READ,
        Direction::Write => Ink::WRITE,
        _ => Ink::MIX,
    }
}

/// The rates of one result over position, all its trials together.
pub struct Curve {
    /// Per place its middle and the rates measured there; none where nothing moved.
    points: Vec<(u64, Vec<f64>)>,
    pub highest: f64,
}

impl Curve {
    pub fn of(result: &ResultDocument) -> Self {
        let mut by_offset: BTreeMap<u64, (u64, Vec<f64>)> = BTreeMap::new();
        for sample in &result.samples {
            let (middle, rates) = by_offset.entry(sample.offset).or_default();
            *middle = (*middle).max(sample.offset.saturating_add(sample.bytes / 2));
            let rate = sample.bytes_per_s_of_all(result.workload.threads);
            rates.extend(rate.map(|rate| rate / BYTES_PER_MB));
        }
        let points: Vec<_> = by_offset.into_values().collect();
        let rates = points.iter().flat_map(|(_, rates)| rates);
        Self {
            highest: rates.copied().fold(0.0, f64::max),
            points,
        }
    }

    /// Places in a row at which something moved.
    fn runs(&self) -> impl Iterator<Item = &[(u64, Vec<f64>)]> {
        self.points
            .split(|(_, rates)| rates.is_empty())
            .filter(|run| !run.is_empty())
    }

    fn band_layer(&self, span: &PositionSpan, ink: Ink) -> Option<Layer> {
        let has_spread = self.points.iter().any(|(_, rates)| rates.len() > 1);
        let band = |(middle, rates): &(u64, Vec<f64>)| {
            let (low, high) = range(rates.iter().copied());
            [span.position(*middle), low, high]
        };
        let bands = self.runs().map(|run| run.iter().map(band).collect());
        has_spread.then(|| Layer::new(ink, Shape::Bands(bands.collect())))
    }

    /// The mean rates of its places, in MB/s over position.
    pub fn lines(&self, unit: PositionUnit) -> Shape {
        let point = |(middle, rates): &(u64, Vec<f64>)| [unit.share(*middle), mean(rates)];
        let lines = self.runs().map(|run| run.iter().map(point).collect());
        Shape::Lines(lines.collect())
    }

    /// The mean, lowest and highest of its rates.
    pub fn rate_spread(&self) -> Text {
        let all = self.points.iter().flat_map(|(_, rates)| rates);
        spread_of(&all.copied().collect::<Vec<f64>>(), "MB/s")
    }

    fn line_layer(&self, span: &PositionSpan, ink: Ink, name: String) -> Layer {
        let spread = self.points.iter().map(|(_, rates)| rates.len()).max();
        let band = match spread {
            Some(samples @ 2..) => Some(text!("band: lowest to highest of {samples}")),
            _ => None,
        };
        let figures = Text::list(std::iter::once(self.rate_spread()).chain(band), ", ");
        Layer::new(ink, self.lines(span.unit)).named(name, figures)
    }
}

/// Access times, each result by a name of its own: alone they are green, among others each has
/// an ink of its own. `at` is where a place lies on the horizontal axis.
pub(crate) fn access_layers(
    shown: &[&ResultDocument],
    side: VerticalAxis,
    at: impl Fn(&SampleDocument) -> Option<f64>,
) -> Vec<Layer> {
    let names = match shown {
        [only] if only.direction == Direction::Read => vec![text!("access time").into()],
        _ => heading::names(shown),
    };
    let layer = |(number, (result, name)): (usize, (&&ResultDocument, String))| {
        let points = moved(result).filter_map(|sample| Some([at(sample)?, access_ms(sample)]));
        let ink = match shown {
            [_] => Ink::ACCESS,
            _ => Ink::of_number(number),
        };
        let times: Vec<f64> = moved(result).map(access_ms).collect();
        let figures = spread_of(&times, "ms");
        Layer {
            side,
            ..Layer::new(ink, Shape::Dots(points.collect())).named(name, figures)
        }
    };
    shown.iter().zip(names).enumerate().map(layer).collect()
}

fn spread_of(values: &[f64], unit: &str) -> Text {
    let (low, high) = range(values.iter().copied());
    let [mean, low, high] = [mean(values), low, high].map(rate);
    text!("mean {mean}, min {low}, max {high} {unit}")
}

/// Places at which something moved.
pub fn moved(result: &ResultDocument) -> impl Iterator<Item = &SampleDocument> {
    result.samples.iter().filter(|sample| sample.bytes > 0)
}

/// The time of one I/O at a place.
pub(crate) fn access_ms(sample: &SampleDocument) -> f64 {
    float(sample.elapsed_ns) / float(sample.ios.unwrap_or(1).max(1)) / NANOS_PER_MS
}

/// The levels of a fill, and where fast writes end.
fn level_layers(
    span: &PositionSpan,
    levels: &[FillStretch],
    collapse: Option<&FillCollapse>,
) -> Vec<Layer> {
    let line = |level: &FillStretch| {
        let at = level.bytes_per_s / BYTES_PER_MB;
        let ends = [level.from.0, level.to.0];
        ends.map(|end| [span.position(end), at]).to_vec()
    };
    let rates = levels
        .iter()
        .map(|level| Text::name(rate(level.bytes_per_s / BYTES_PER_MB)));
    let figures = text!("{} MB/s", Text::list(rates, ", "));
    let lines = levels.iter().map(line).collect();
    let levels = Layer::new(Ink::MIX.dashed(true), Shape::Lines(lines));
    let levels = levels.named(text!("levels"), figures);
    let end = collapse.map(|collapse| {
        let at = span.position(collapse.at.0);
        let sign = Shape::Signs(vec![[at, collapse.fast_bytes_per_s / BYTES_PER_MB]]);
        let size = Text::name(decimal_size(collapse.at, 3));
        Layer::new(Ink::FAULT, sign).named(text!("fast writes end"), size)
    });
    [levels].into_iter().chain(end).collect()
}

/// Ranges that failed, reads and writes each once.
fn defects(span: &PositionSpan, shown: &[&ResultDocument]) -> Vec<Layer> {
    let of_operation = |operation: Operation, words: &'static str| {
        let defects = shown.iter().flat_map(|result| &result.defects);
        let ranges: BTreeMap<u64, u64> = defects
            .filter(|defect| defect.operation == operation)
            .map(|defect| (defect.offset, defect.length))
            .collect();
        let bytes = Bytes(ranges.values().sum());
        let ends = |(from, length): (&u64, &u64)| {
            [*from, from.saturating_add(*length)].map(|end| span.position(end))
        };
        (!ranges.is_empty()).then(|| {
            let words = Text::from(words);
            let name = match ranges.len() {
                1 => text!("1 {words} range"),
                count => text!("{count} {words} ranges"),
            };
            let ranges = ranges.iter().map(ends).collect();
            Layer::new(Ink::FAULT, Shape::Ranges(ranges)).named(name, text!("{bytes} in all"))
        })
    };
    let defects = [
        of_operation(Operation::Read, "unreadable"),
        of_operation(Operation::Write, "unwritable"),
    ];
    defects.into_iter().flatten().collect()
}

/// The mean of some values; 0 of none, which is not drawn.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / whole(values.len().max(1))
}

/// The lowest and the highest of some values.
pub fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

//! A picture before it is drawn: titles, axes with their ticks, and what is to be
//! seen between them, in the units of the axes.
//!
//! It knows neither pixels nor characters, so that SVG and terminal show the same.

use sokudo_model::Verdict;
use sokudo_words::{Language, text};

use super::scale::{PlotAxis, whole_rate};

/// A picture of a run, its words in the language in which it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotFigure {
    /// What its words are in.
    pub language: Language,
    /// What was measured, and what is shown of it.
    pub title: String,
    /// Method, date, version, verdict.
    pub subtitle: String,
    /// How it was measured.
    pub footer: String,
    pub body: Body,
}

/// What a picture shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    Chart(Box<Chart>),
    Bars(Bars),
    HeatMaps(HeatMaps),
    Card(Card),
}

/// Reads and writes side by side, a row of tiles for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// What stands above the tiles.
    pub sides: Vec<&'static str>,
    pub rows: Vec<CardRow>,
    /// What it comes to, the answer first.
    pub sentences: Vec<String>,
    /// What all bars are drawn on.
    pub axis: PlotAxis,
}

/// A row of a card, with a tile for each side that it has.
#[derive(Clone, Debug, PartialEq)]
pub struct CardRow {
    pub name: String,
    pub tiles: Vec<Option<CardTile>>,
}

/// What a row came to in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct CardTile {
    /// The rate with its unit.
    pub value: String,
    pub details: String,
    /// The rate, on the card's axis.
    pub rate: f64,
    pub ink: Ink,
    pub verdict: Option<Verdict>,
}

/// Points over a horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Horizontal axis along the bottom, which places the points.
    pub bottom: PlotAxis,
    /// The same in other words, along the top.
    pub top: Option<PlotAxis>,
    pub left: PlotAxis,
    pub right: Option<PlotAxis>,
    /// What is drawn first lies below.
    pub layers: Vec<Layer>,
    /// Vertical lines between parts, with the names of the parts after them.
    pub parts: Vec<ChartSection>,
    /// What the signs on lines mean, where they do not only tell lines apart. Lines have
    /// no other signs then.
    pub signs: Option<&'static str>,
}

impl Chart {
    /// Layers over two axes.
    pub const fn new(bottom: PlotAxis, left: PlotAxis, layers: Vec<Layer>) -> Self {
        Self {
            bottom,
            top: None,
            left,
            right: None,
            layers,
            parts: Vec::new(),
            signs: None,
        }
    }

    /// The layers that the legend names: lines, then dots, then ranges.
    pub(crate) fn named_layers(&self) -> Vec<&Layer> {
        let named = self.layers.iter().filter(|layer| !layer.name.is_empty());
        let mut layers: Vec<&Layer> = named.collect();
        layers.sort_by_key(|layer| match layer.shape {
            Shape::Lines(_) | Shape::Bands(_) => 0,
            Shape::Dots(_) | Shape::Signs(_) => 1,
            Shape::Ranges(_) => 2,
        });
        layers
    }
}

/// Where a part of a chart begins.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartSection {
    pub at: f64,
    pub name: String,
}

/// What lies behind lines.
pub const SHADE: Ink = Ink::solid(Hue::Grey, LineMarker::Disc);

/// Points of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// For the legend; an empty one has no line there.
    pub name: String,
    /// The figures behind the name.
    pub figures: String,
    pub ink: Ink,
    /// Which vertical axis it belongs to.
    pub side: VerticalAxis,
    pub shape: Shape,
}

impl Layer {
    /// One of the left axis, without a line in the legend.
    pub const fn new(ink: Ink, shape: Shape) -> Self {
        Self {
            name: String::new(),
            figures: String::new(),
            ink,
            side: VerticalAxis::Left,
            shape,
        }
    }

    /// The same with a line in the legend.
    pub fn named(self, name: impl Into<String>, figures: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            figures: figures.into(),
            ..self
        }
    }
}

/// The heights of all points of the lines among layers.
pub fn heights(layers: &[Layer]) -> impl Iterator<Item = f64> {
    let lines = layers.iter().filter_map(|layer| match &layer.shape {
        Shape::Lines(lines) => Some(lines),
        _ => None,
    });
    lines.flatten().flatten().map(|[_, height]| *height)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerticalAxis {
    Left,
    Right,
}

/// Marks that a layer of a chart draws.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Lines through `[x, y]`; between two of them nothing was measured.
    Lines(Vec<Vec<[f64; 2]>>),
    /// Areas between `[x, low, high]`.
    Bands(Vec<Vec<[f64; 3]>>),
    Dots(Vec<[f64; 2]>),
    /// Ranges of the horizontal axis, marked along it.
    Ranges(Vec<[f64; 2]>),
    /// Points that are looked at by name.
    Signs(Vec<[f64; 2]>),
}

/// What tells layers apart: a hue, and, for those who see none, a sign and a dash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    pub hue: Hue,
    pub sign: LineMarker,
    pub dashed: bool,
}

/// Hues that differ also for the colour-blind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hue {
    Read,
    Write,
    Access,
    Fault,
    Purple,
    Brown,
    Pink,
    Grey,
}

/// Signs that tell lines apart without colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineMarker {
    Disc,
    Square,
    Triangle,
    Diamond,
    Cross,
}

impl Ink {
    pub const READ: Self = Self::solid(Hue::Read, LineMarker::Disc);
    pub const WRITE: Self = Self::solid(Hue::Write, LineMarker::Square);
    /// Of times that a device takes to answer.
    pub const ACCESS: Self = Self::solid(Hue::Access, LineMarker::Disc);
    pub const FAULT: Self = Self::solid(Hue::Fault, LineMarker::Cross);
    /// Of mixes of reads and writes.
    pub(crate) const MIX: Self = Self::solid(Hue::Purple, LineMarker::Triangle);

    /// How many inks of many layers differ: hues repeat after seven, signs after five,
    /// dashes after seven.
    const COUNT: usize = 70;

    /// The ink of the nth of many layers.
    pub fn of_number(number: usize) -> Self {
        use Hue::{Access, Brown, Grey, Pink, Purple, Read, Write};
        use LineMarker::{Cross, Diamond, Disc, Square, Triangle};
        const HUES: [Hue; 7] = [Read, Write, Access, Purple, Brown, Pink, Grey];
        const SIGNS: [LineMarker; 5] = [Disc, Square, Triangle, Diamond, Cross];
        Self {
            hue: HUES[number % HUES.len()],
            sign: SIGNS[number % SIGNS.len()],
            dashed: number / HUES.len() % 2 == 1,
        }
    }

    /// This ink, or where it is used the first from the given number on that is not.
    pub(crate) fn unless_used(self, used: &[Self], further: usize) -> Self {
        let further = (further..Self::COUNT).map(Self::of_number);
        let mut candidates = std::iter::once(self).chain(further);
        let unused = candidates.find(|ink| !used.contains(ink));
        unused.unwrap_or(self)
    }

    pub const fn dashed(self, dashed: bool) -> Self {
        Self { dashed, ..self }
    }

    const fn solid(hue: Hue, sign: LineMarker) -> Self {
        Self {
            hue,
            sign,
            dashed: false,
        }
    }
}

/// Groups of horizontal bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// What the bars' lengths mean.
    pub axis: PlotAxis,
    /// What the names of the groups mean, such as `block size`.
    pub groups_label: &'static str,
    pub groups: Vec<Group>,
    /// What each ink means.
    pub legend: Vec<(String, Ink)>,
    /// Whether any bar has an interval, which the legend explains then.
    pub has_intervals: bool,
    /// What all bars are compared with, as a line across them.
    pub reference: Option<Reference>,
}

/// A value that is drawn across bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    pub at: f64,
    /// What it is, with its figure.
    pub name: String,
}

impl Reference {
    pub(crate) const INK: Ink = Ink::solid(Hue::Grey, LineMarker::Cross).dashed(true);
}

impl Bars {
    /// Groups on an axis that holds their bars and intervals; `None` without any bar.
    pub fn new(
        unit: &str,
        groups_label: &'static str,
        groups: Vec<Group>,
        legend: Vec<(String, Ink)>,
    ) -> Option<Self> {
        let bars = || groups.iter().flat_map(|group| &group.bars);
        let highest = bars().filter_map(Bar::end).reduce(f64::max)?;
        Some(Self {
            axis: PlotAxis::from_zero(unit, highest, 8),
            groups_label,
            has_intervals: bars().any(|bar| bar.interval.is_some()),
            groups,
            legend,
            reference: None,
        })
    }

    /// The same on a logarithmic axis where the bars lie so far apart that the short ones would
    /// not be seen.
    pub(crate) fn by_ratios(mut self) -> Self {
        let bars = || self.groups.iter().flat_map(|group| &group.bars);
        let values = bars().filter_map(|bar| bar.value).filter(|it| *it > 0.0);
        let ends = bars().filter_map(|bar| bar.interval).flatten();
        let lowest = values.chain(ends.filter(|it| *it > 0.0)).reduce(f64::min);
        let highest = bars().filter_map(Bar::end).reduce(f64::max);
        if let Some((lowest, highest)) = lowest.zip(highest)
            && highest / lowest > RATIO_OF_BARS
        {
            let label = text!("{}, logarithmic", &*self.axis.label);
            // So that the shortest is a bar, too.
            self.axis = PlotAxis::decades(label, lowest / 2.0, highest, whole_rate);
        }
        self
    }
}

/// Bars that are shorter by more than this cannot be compared by their lengths.
const RATIO_OF_BARS: f64 = 8.0;

/// Bars beside each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub name: String,
    pub bars: Vec<Bar>,
}

impl Group {
    /// Puts a bar beside those of the same name, unless one of the same ink is there: rows
    /// of one name are still several. Gives the number of its group.
    pub fn put(groups: &mut Vec<Self>, name: String, bar: Bar) -> usize {
        let fits = |group: &Self| {
            group.name == name && group.bars.iter().all(|other| other.ink != bar.ink)
        };
        let at = groups.iter().position(fits).unwrap_or(groups.len());
        if at == groups.len() {
            let bars = Vec::new();
            groups.push(Self { name, bars });
        }
        groups[at].bars.push(bar);
        at
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub ink: Ink,
    /// Its length; `None` was not measured.
    pub value: Option<f64>,
    /// Between what the true value lies.
    pub interval: Option<[f64; 2]>,
    /// The value in words.
    pub label: String,
    /// Whether it can be trusted; `None` when nobody has judged.
    pub verdict: Option<Verdict>,
}

impl Bar {
    /// As far as it or its interval reaches.
    fn end(&self) -> Option<f64> {
        let high = self.interval.map(|[_, high]| high);
        self.value
            .map(|value| high.map_or(value, |high| high.max(value)))
    }
}

/// Heat maps with one scale of colours.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMaps {
    /// What the values are, with their unit.
    pub label: String,
    /// What the colours mean.
    pub axis: PlotAxis,
    pub matrices: Vec<HeatMap>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    pub name: String,
    pub columns: HeatMapAxis,
    pub rows: HeatMapAxis,
    /// Rows of cells; `None` was not measured.
    pub cells: Vec<Vec<Option<f64>>>,
    /// Row and column of those in which something failed.
    pub faults: Vec<[usize; 2]>,
    /// Row and column of those whose values are not proven.
    pub unproven: Vec<[usize; 2]>,
    /// What 100 % is on the axis of colours, where that is of shares.
    pub whole: Option<f64>,
}

impl HeatMap {
    /// A value on the axis of colours.
    pub(crate) fn on_axis(&self, value: f64) -> f64 {
        self.whole.map_or(value, |whole| 100.0 * value / whole)
    }
}

/// The names along one side of a heat map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMapAxis {
    pub label: String,
    pub names: Vec<String>,
}

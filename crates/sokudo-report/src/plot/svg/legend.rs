//! What the signs of a picture mean, in columns under it.

use sokudo_words::text;

use super::super::figure::{Ink, LineMarker};
use super::super::palette::Role;
use super::super::scale::whole;
use super::super::text::{fitted, width};
use super::canvas::Canvas;
use super::frame::{BODY, PlotArea};
use super::marks::{verdict, whisker};

/// Distance from line to line, pixels.
const LINE: f64 = 24.0;
/// What a sample takes, pixels.
const SAMPLE: f64 = 44.0;
/// Room between two columns, pixels.
const GAP: f64 = 28.0;
/// More lines would leave no room for the picture.
const LINES_MAX: usize = 8;

/// How the sample of an entry looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LegendSample {
    Line(Ink),
    /// A line on which nothing was measured.
    Rule(Ink),
    Dot(Ink),
    Bar(Ink),
    Range(Ink),
    Whisker,
    /// A point that is looked at by name.
    Sign(Ink),
    Signs,
    Verdict(sokudo_model::Verdict),
}

/// One line of the legend.
#[derive(Clone, Debug)]
pub(super) struct LegendEntry {
    pub(super) sample: LegendSample,
    pub(super) name: String,
    pub(super) figures: String,
}

impl LegendEntry {
    pub(super) fn new(
        sample: LegendSample,
        name: impl Into<String>,
        figures: impl Into<String>,
    ) -> Self {
        Self {
            sample,
            name: name.into(),
            figures: figures.into(),
        }
    }

    fn width(&self) -> f64 {
        let figures = if self.figures.is_empty() {
            0.0
        } else {
            12.0 + width(&self.figures, BODY.size)
        };
        SAMPLE + width(&self.name, BODY.size) + figures
    }
}

/// A legend laid out for a width.
pub(super) struct Legend {
    columns: Vec<(f64, Vec<LegendEntry>)>,
    height: f64,
}

impl Legend {
    /// Without figures where there are too many entries for them.
    pub(super) fn new(entries: Vec<LegendEntry>, room: f64) -> Self {
        let with_figures = Self::laid_out(entries.clone(), room);
        if with_figures.lines() <= LINES_MAX {
            return with_figures;
        }
        let mut names = entries;
        for entry in &mut names {
            entry.figures.clear();
        }
        let bare = Self::laid_out(names.clone(), room);
        if bare.lines() <= LINES_MAX {
            return bare;
        }
        let capacity = bare.columns.len() * LINES_MAX;
        let left_out = names.len() - capacity + 1;
        names.truncate(capacity - 1);
        names.push(LegendEntry::new(
            LegendSample::Dot(Ink::of_number(6)),
            text!("and {left_out} more"),
            "",
        ));
        Self::laid_out(names, room)
    }

    fn laid_out(entries: Vec<LegendEntry>, room: f64) -> Self {
        let widest = entries.iter().map(LegendEntry::width).fold(1.0, f64::max);
        let count = (1..=entries.len())
            .rev()
            .find(|count| whole(*count) * (widest + GAP) - GAP <= room);
        let count = count.unwrap_or(1);
        let lines = entries.len().div_ceil(count.max(1)).max(1);
        let columns: Vec<(f64, Vec<LegendEntry>)> = entries
            .chunks(lines)
            .enumerate()
            .map(|(number, column)| (whole(number) * (widest + GAP), column.to_vec()))
            .collect();
        let height = if entries.is_empty() {
            0.0
        } else {
            whole(lines) * LINE
        };
        Self { columns, height }
    }

    fn lines(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    pub(super) const fn height(&self) -> f64 {
        self.height
    }

    /// Draws it at the bottom of a frame.
    pub(super) fn draw(&self, canvas: &mut Canvas, frame: PlotArea) {
        for (left, column) in &self.columns {
            for (number, entry) in column.iter().enumerate() {
                let y = frame.bottom - self.height + (whole(number) + 0.5) * LINE;
                draw_entry(canvas, entry, [frame.left + left, y], frame.right);
            }
        }
    }
}

fn draw_entry(canvas: &mut Canvas, entry: &LegendEntry, [x, y]: [f64; 2], right: f64) {
    draw_sample(canvas, entry.sample, [x, y]);
    let name = fitted(&entry.name, BODY.size, right - x - SAMPLE);
    let at = x + SAMPLE;
    canvas.text([at, y + 5.0], BODY, &name);
    let at = at + width(&name, BODY.size) + 12.0;
    let figures = fitted(&entry.figures, BODY.size, right - at);
    if !entry.figures.is_empty() {
        canvas.text([at, y + 5.0], BODY.muted(), &figures);
    }
}

fn draw_sample(canvas: &mut Canvas, sample: LegendSample, [x, y]: [f64; 2]) {
    let middle = x + 16.0;
    match sample {
        LegendSample::Line(ink) => {
            canvas.lines(&[vec![[x, y], [x + 32.0, y]]], ink);
            canvas.sign(ink.sign, [middle, y], Role::Hue(ink.hue));
        }
        LegendSample::Rule(ink) => canvas.lines(&[vec![[x, y], [x + 32.0, y]]], ink),
        LegendSample::Dot(ink) => {
            let dots = [[x + 6.0, y + 3.0], [middle, y - 3.0], [x + 26.0, y + 1.0]];
            canvas.dots(&dots, Role::Hue(ink.hue), 4.5);
        }
        LegendSample::Bar(ink) => canvas.bar([x + 4.0, y - 7.0], [24.0, 14.0], ink),
        LegendSample::Range(ink) => {
            canvas.rectangle([x + 6.0, y - 7.0], [20.0, 14.0], Role::Hue(ink.hue));
        }
        LegendSample::Whisker => whisker(canvas, [x + 4.0, x + 28.0], y, 5.0),
        LegendSample::Sign(ink) => canvas.sign(ink.sign, [middle, y], Role::Hue(ink.hue)),
        LegendSample::Signs => {
            let signs = [LineMarker::Disc, LineMarker::Square, LineMarker::Triangle];
            for (number, sign) in signs.into_iter().enumerate() {
                canvas.sign(sign, [x + 4.0 + 12.0 * whole(number), y], Role::Text);
            }
        }
        LegendSample::Verdict(given) => verdict(canvas, given, [middle, y]),
    }
}

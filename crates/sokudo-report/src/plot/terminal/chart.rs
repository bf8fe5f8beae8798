//! Lines and dots in braille, two by four dots per character; in ASCII one sign per
//! character.

use unicode_width::UnicodeWidthStr;

use super::super::figure::{Chart, Layer, LineMarker, Shape, VerticalAxis};
use super::super::reduce;
use super::super::scale::{PlotAxis, whole};
use super::grid::{Grid, Paint, cut};
use super::style::TerminalStyle;
use crate::number::to_usize;

/// Lines beside the drawing: titles, names of ticks, the axis' label, the footer, and
/// the prompt that comes after.
const LINES_AROUND: usize = 7;
/// Less of a drawing shows nothing.
const LINES_MIN: usize = 8;
/// Signs on a line.
const SIGNS_PER_LINE: usize = 6;
/// Dots of a braille character, by row and column (Unicode 2800 to 28FF).
const BRAILLE: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// The drawing's place in the grid, in characters.
struct DrawingArea {
    left: usize,
    top: usize,
    columns: usize,
    lines: usize,
}

pub(super) fn draw(grid: &mut Grid, style: &TerminalStyle, chart: &Chart) {
    let legend = legend(style, chart);
    let lines = style.lines.saturating_sub(LINES_AROUND + legend.len());
    let margin = |axis: &PlotAxis| {
        let widths = axis.ticks.iter().map(|tick| style.text(&tick.name).width());
        widths.max().unwrap_or(0) + 2
    };
    let left = margin(&chart.left);
    let right = chart.right.as_ref().map_or(2, margin);
    labels(grid, style, chart);
    let lines = lines.max(LINES_MIN);
    let area = DrawingArea {
        left,
        top: grid.add_lines(lines + 3),
        columns: style.columns.saturating_sub(left + right),
        lines,
    };
    axes(grid, style, chart, &area);
    for (number, layer) in chart.layers.iter().enumerate() {
        draw_layer(grid, style, chart, &area, layer, number);
    }
    for (sign, paint, text) in legend {
        let line = grid.add_lines(1);
        grid.put([1, line], sign, paint);
        grid.text([3, line], &cut(&text, style.columns - 3), Paint::Plain);
    }
}

/// The labels of the vertical axes, above them.
fn labels(grid: &mut Grid, style: &TerminalStyle, chart: &Chart) {
    let line = grid.add_lines(1);
    grid.text([0, line], &style.text(&chart.left.label), Paint::Plain);
    if let Some(right) = &chart.right {
        let label = style.text(&right.label);
        let at = style.columns.saturating_sub(label.width());
        grid.text([at, line], &label, Paint::Plain);
    }
}

fn legend(style: &TerminalStyle, chart: &Chart) -> Vec<(char, Paint, String)> {
    let named = chart.named_layers().into_iter();
    let mut lines: Vec<(char, Paint, String)> = named
        .map(|layer| {
            let sign = layer_sign(style, layer);
            let text = if layer.figures.is_empty() {
                layer.name.clone()
            } else {
                format!("{}: {}", layer.name, layer.figures)
            };
            (sign, Paint::Hue(layer.ink.hue), style.text(&text))
        })
        .collect();
    if let Some(meaning) = chart.signs {
        let sign = style.sign(LineMarker::Disc);
        lines.push((sign, Paint::Plain, style.text(meaning)));
    }
    lines
}

fn layer_sign(style: &TerminalStyle, layer: &Layer) -> char {
    match (&layer.shape, style.ascii) {
        (Shape::Ranges(_), false) => '█',
        (Shape::Ranges(_), true) => '!',
        (Shape::Dots(_), false) if layer.ink.sign == LineMarker::Disc => '⠢',
        (Shape::Dots(_), true) if layer.ink.sign == LineMarker::Disc => '.',
        _ => style.sign(layer.ink.sign),
    }
}

fn cell(share: f64, count: usize) -> usize {
    let last = count.saturating_sub(1);
    to_usize((share * whole(last)).round()).min(last)
}

fn axes(grid: &mut Grid, style: &TerminalStyle, chart: &Chart, area: &DrawingArea) {
    let (upright, corner, level, left_tick, right_tick, down_tick) = if style.ascii {
        ('|', '+', '-', '+', '+', '+')
    } else {
        ('│', '└', '─', '┤', '├', '┬')
    };
    let bottom = area.top + area.lines;
    let end = area.left + area.columns;
    let line_of = |axis: &PlotAxis, at: f64| {
        let from_below = cell(axis.scale.share(at), area.lines);
        area.top + area.lines - 1 - from_below
    };
    for line in area.top..bottom {
        grid.put([area.left - 1, line], upright, Paint::Plain);
        if chart.right.is_some() {
            grid.put([end, line], upright, Paint::Plain);
        }
    }
    // Names stand on every second line at most.
    let spaces = chart.left.ticks.len().saturating_sub(1).max(1);
    let stride = (2 * spaces).div_ceil(area.lines).max(1);
    for (number, tick) in chart.left.ticks.iter().enumerate().step_by(stride) {
        let line = line_of(&chart.left, tick.at);
        let name = style.text(&tick.name);
        let at = (area.left - 1).saturating_sub(name.width());
        grid.text([at, line], &name, Paint::Plain);
        grid.put([area.left - 1, line], left_tick, Paint::Plain);
        if let Some(right) = &chart.right
            && let Some(tick) = right.ticks.get(number)
        {
            grid.put([end, line], right_tick, Paint::Plain);
            grid.text([end + 1, line], &style.text(&tick.name), Paint::Plain);
        }
    }
    grid.put([area.left - 1, bottom], corner, Paint::Plain);
    for column in area.left..end {
        grid.put([column, bottom], level, Paint::Plain);
    }
    let mut free_from = 0;
    for tick in &chart.bottom.ticks {
        let column = area.left + cell(chart.bottom.scale.share(tick.at), area.columns);
        let name = style.text(&tick.name);
        let begin = column.saturating_sub(name.width() / 2);
        let begin = begin.min(style.columns.saturating_sub(name.width()));
        if begin >= free_from {
            grid.put([column, bottom], down_tick, Paint::Plain);
            free_from = grid.text([begin, bottom + 1], &name, Paint::Plain) + 2;
        }
    }
    let label = cut(&style.text(&chart.bottom.label), style.columns);
    let middle = area.left + (area.columns / 2).saturating_sub(label.width() / 2);
    let at = middle.min(style.columns.saturating_sub(label.width()));
    grid.text([at, bottom + 2], &label, Paint::Plain);
}

/// Dots of a layer, in braille resolution.
struct Braille {
    columns: usize,
    lines: usize,
    cells: Vec<u8>,
}

impl Braille {
    fn new(area: &DrawingArea) -> Self {
        Self {
            columns: area.columns,
            lines: area.lines,
            cells: vec![0; area.columns * area.lines],
        }
    }

    fn dot(&mut self, [x, y]: [usize; 2]) {
        let index = (y / 4).min(self.lines - 1) * self.columns + (x / 2).min(self.columns - 1);
        self.cells[index] |= BRAILLE[y % 4][x % 2];
    }

    /// A straight line, dot by dot.
    fn stroke(&mut self, from: [usize; 2], to: [usize; 2]) {
        let steps = from[0].abs_diff(to[0]).max(from[1].abs_diff(to[1])).max(1);
        for step in 0..=steps {
            let share = whole(step) / whole(steps);
            let between = |from: usize, to: usize| {
                let (from, to) = (whole(from), whole(to));
                to_usize((from + (to - from) * share).round())
            };
            self.dot([between(from[0], to[0]), between(from[1], to[1])]);
        }
    }

    /// Puts it into the grid, in ASCII each cell that has a dot as one sign.
    fn draw_dots(&self, grid: &mut Grid, area: &DrawingArea, ascii: Option<char>, paint: Paint) {
        for (number, dots) in self.cells.iter().enumerate() {
            let braille = char::from_u32(0x2800 + u32::from(*dots)).unwrap_or(' ');
            let at = [
                area.left + number % self.columns,
                area.top + number / self.columns,
            ];
            if *dots != 0 {
                grid.put(at, ascii.unwrap_or(braille), paint);
            }
        }
    }
}

fn draw_layer(
    grid: &mut Grid,
    style: &TerminalStyle,
    chart: &Chart,
    area: &DrawingArea,
    layer: &Layer,
    number: usize,
) {
    let vertical = match (&chart.right, layer.side) {
        (Some(right), VerticalAxis::Right) => right,
        _ => &chart.left,
    };
    let paint = Paint::Hue(layer.ink.hue);
    let dot_of = |[x, y]: [f64; 2]| {
        let line = cell(vertical.scale.share(y), area.lines * 4);
        [
            cell(chart.bottom.scale.share(x), area.columns * 2),
            area.lines * 4 - 1 - line,
        ]
    };
    let cell_of = |point: [f64; 2]| {
        let [x, y] = dot_of(point);
        [area.left + x / 2, area.top + y / 4]
    };
    let mut braille = Braille::new(area);
    let ascii = style.ascii.then(|| layer_sign(style, layer));
    match &layer.shape {
        Shape::Lines(runs) => {
            for run in runs {
                for pair in reduced(run, dot_of).windows(2) {
                    braille.stroke(pair[0], pair[1]);
                }
                if let [only] = run[..] {
                    braille.dot(dot_of(only));
                }
            }
            braille.draw_dots(grid, area, ascii, paint);
            let sign = style.sign(layer.ink.sign);
            if chart.signs.is_none() {
                for point in spread(runs, number) {
                    grid.put(cell_of(point), sign, paint);
                }
            }
        }
        // A band would hide what is behind it; the legend tells its ends.
        Shape::Bands(_) => {}
        Shape::Dots(points) => {
            points.iter().for_each(|point| braille.dot(dot_of(*point)));
            braille.draw_dots(grid, area, ascii, paint);
        }
        Shape::Ranges(ranges) => {
            let column = |at: f64| cell(chart.bottom.scale.share(at), area.columns);
            for [from, to] in ranges {
                for column in column(*from)..=column(*to) {
                    let at = [area.left + column, area.top + area.lines];
                    grid.put(at, layer_sign(style, layer), paint);
                }
            }
        }
        Shape::Signs(signs) => {
            for point in signs {
                grid.put(cell_of(*point), style.sign(layer.ink.sign), paint);
            }
        }
    }
}

/// The dots through which a line goes, without those that change nothing.
fn reduced(run: &[[f64; 2]], dot_of: impl Fn([f64; 2]) -> [usize; 2]) -> Vec<[usize; 2]> {
    let dots = run.iter().map(|point| dot_of(*point));
    let points: Vec<[f64; 2]> = dots.map(|[x, y]| [whole(x), whole(y)]).collect();
    let kept = reduce::line(&points);
    let whole_dot = |at: &[f64; 2]| at.map(|part| cell(part / 1e6, 1_000_001));
    kept.iter().map(whole_dot).collect()
}

/// Some points of a line at about equal distances, for each line others.
fn spread(runs: &[Vec<[f64; 2]>], number: usize) -> Vec<[f64; 2]> {
    let points: Vec<[f64; 2]> = runs.iter().flatten().copied().collect();
    let step = (points.len() / SIGNS_PER_LINE).max(1);
    let first = step * (number % 4) / 4;
    points.into_iter().skip(first).step_by(step).collect()
}

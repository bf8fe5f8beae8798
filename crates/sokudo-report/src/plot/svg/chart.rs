//! Lines, bands, dots and ranges over a horizontal axis.

use super::super::figure::{Chart, Layer, Shape, VerticalAxis};
use super::super::palette::Role;
use super::super::reduce;
use super::super::scale::{PlotAxis, whole};
use super::super::text::width;
use super::canvas::Canvas;
use super::frame::{BODY, PlotArea, SMALL};
use super::legend::{Legend, LegendEntry, LegendSample};

/// Signs on a line, so that it is known without its colour.
const SIGNS_PER_LINE: usize = 9;
/// Of a line with so few points, such as the rounds of a test, each has a sign.
const POINTS_MAX_WITH_SIGNS: usize = 18;
/// Alone, a line with more points needs no signs to be known by.
const POINTS_MAX_ALONE: usize = 50;
/// Ranges narrower than this could not be seen, pixels.
const RANGE_WIDTH_MIN: f64 = 3.0;
/// How high ranges are marked above the axis, pixels.
const RANGE_HEIGHT: f64 = 12.0;

pub(super) fn draw(canvas: &mut Canvas, frame: PlotArea, chart: &Chart) {
    let legend = Legend::new(entries(chart), frame.width());
    legend.draw(canvas, frame);
    let inner = PlotArea {
        left: frame.left + 26.0 + widest(&chart.left),
        right: match &chart.right {
            Some(right) => frame.right - 26.0 - widest(right),
            None => frame.right - 12.0,
        },
        top: frame.top + if has_head(chart) { 22.0 } else { 4.0 },
        bottom: frame.bottom - legend.height() - 58.0,
    };
    grid(canvas, inner, chart);
    for (number, layer) in chart.layers.iter().enumerate() {
        draw_layer(canvas, inner, chart, layer, number);
    }
    axes(canvas, frame, inner, chart);
}

/// Whether a line has signs: alone, one with many points has none.
fn has_signs(chart: &Chart, runs: &[Vec<[f64; 2]>]) -> bool {
    let lines = chart.layers.iter();
    let lines = lines.filter(|layer| matches!(layer.shape, Shape::Lines(_)));
    let points: usize = runs.iter().map(Vec::len).sum();
    lines.count() > 1 || points <= POINTS_MAX_ALONE
}

fn has_head(chart: &Chart) -> bool {
    chart.top.is_some() || !chart.parts.is_empty()
}

fn widest(axis: &PlotAxis) -> f64 {
    let widths = axis.ticks.iter().map(|tick| width(&tick.name, BODY.size));
    widths.fold(0.0, f64::max) + 12.0
}

fn entries(chart: &Chart) -> Vec<LegendEntry> {
    let named = chart.named_layers().into_iter();
    let of_layer = |layer: &Layer| {
        let sample = match layer.shape {
            Shape::Lines(ref runs) if !has_signs(chart, runs) => LegendSample::Rule(layer.ink),
            Shape::Lines(_) | Shape::Bands(_) => LegendSample::Line(layer.ink),
            Shape::Dots(_) => LegendSample::Dot(layer.ink),
            Shape::Signs(_) => LegendSample::Sign(layer.ink),
            Shape::Ranges(_) => LegendSample::Range(layer.ink),
        };
        LegendEntry::new(sample, &layer.name, &layer.figures)
    };
    let signs = chart.signs.iter();
    let of_signs = signs.map(|meaning| LegendEntry::new(LegendSample::Signs, *meaning, ""));
    named.map(of_layer).chain(of_signs).collect()
}

fn x_of(axis: &PlotAxis, frame: PlotArea, value: f64) -> f64 {
    frame.left + axis.scale.share(value) * frame.width()
}

fn y_of(axis: &PlotAxis, frame: PlotArea, value: f64) -> f64 {
    frame.bottom - axis.scale.share(value) * frame.height()
}

fn grid(canvas: &mut Canvas, frame: PlotArea, chart: &Chart) {
    for tick in &chart.left.ticks {
        let y = y_of(&chart.left, frame, tick.at);
        canvas.line([frame.left, y], [frame.right, y], Role::Grid, 1.0);
    }
    for tick in &chart.bottom.ticks {
        let x = x_of(&chart.bottom, frame, tick.at);
        canvas.line([x, frame.top], [x, frame.bottom], Role::Grid, 1.0);
    }
    for part in &chart.parts {
        let x = x_of(&chart.bottom, frame, part.at);
        canvas.line([x, frame.top], [x, frame.bottom], Role::Frame, 1.0);
    }
}

fn axes(canvas: &mut Canvas, outer: PlotArea, frame: PlotArea, chart: &Chart) {
    let level = [[frame.left, frame.bottom], [frame.right, frame.bottom]];
    canvas.line(level[0], level[1], Role::Frame, 1.5);
    let sides = [
        (
            Some(&chart.left),
            frame.left,
            frame.left - 9.0,
            BODY.end(),
            outer.left + 12.0,
        ),
        (
            chart.right.as_ref(),
            frame.right,
            frame.right + 9.0,
            BODY,
            outer.right - 4.0,
        ),
    ];
    for (axis, x, names_at, letters, label_at) in sides {
        let Some(axis) = axis else { continue };
        canvas.line([x, frame.top], [x, frame.bottom], Role::Frame, 1.5);
        for tick in &axis.ticks {
            let y = y_of(axis, frame, tick.at) + 5.0;
            canvas.text([names_at, y], letters, &tick.name);
        }
        let middle = f64::midpoint(frame.top, frame.bottom);
        canvas.upright_text([label_at, middle], BODY.muted(), &axis.label);
    }
    names_along(canvas, frame, &chart.bottom, frame.bottom + 22.0);
    let at = [f64::midpoint(frame.left, frame.right), frame.bottom + 44.0];
    canvas.text(at, BODY.middle().muted(), &chart.bottom.label);
    if let Some(top) = &chart.top {
        names_along(canvas, frame, top, frame.top - 8.0);
    }
    for (number, part) in chart.parts.iter().enumerate() {
        let next = chart.parts.get(number + 1);
        let end = next.map_or(frame.right, |next| x_of(&chart.bottom, frame, next.at));
        let at = x_of(&chart.bottom, frame, part.at);
        if width(&part.name, SMALL.size) < end - at {
            let at = [f64::midpoint(at, end), frame.top - 8.0];
            canvas.text(at, SMALL.middle().muted(), &part.name);
        }
    }
}

/// Names of ticks along a horizontal line.
fn names_along(canvas: &mut Canvas, frame: PlotArea, axis: &PlotAxis, y: f64) {
    let ticks = axis.ticks.iter();
    let names = ticks.map(|tick| (x_of(axis, frame, tick.at), &*tick.name));
    canvas.names_along(y, 10.0, BODY, names);
}

fn draw_layer(canvas: &mut Canvas, frame: PlotArea, chart: &Chart, layer: &Layer, number: usize) {
    let vertical = match (&chart.right, layer.side) {
        (Some(right), VerticalAxis::Right) => right,
        _ => &chart.left,
    };
    let at = |[x, y]: [f64; 2]| [x_of(&chart.bottom, frame, x), y_of(vertical, frame, y)];
    let role = Role::Hue(layer.ink.hue);
    match &layer.shape {
        Shape::Lines(original) => {
            let run = |run: &Vec<[f64; 2]>| {
                let points: Vec<[f64; 2]> = run.iter().map(|point| at(*point)).collect();
                reduce::line(&points)
            };
            let runs: Vec<Vec<[f64; 2]>> = original.iter().map(run).collect();
            canvas.lines(&runs, layer.ink);
            if chart.signs.is_none() && has_signs(chart, original) {
                for sign_point in sign_centers(&runs, frame, number) {
                    canvas.sign(layer.ink.sign, sign_point, role);
                }
            }
        }
        Shape::Bands(bands) => {
            for band in bands {
                let edge = |[x, low, high]: &[f64; 3]| {
                    let ([x, low], [_, high]) = (at([*x, *low]), at([*x, *high]));
                    [x, high, low]
                };
                let points: Vec<[f64; 3]> = band.iter().map(edge).collect();
                let points = reduce::band(&points);
                let upper = points.iter().map(|[x, upper, _]| [*x, *upper]);
                let lower = points.iter().rev().map(|[x, _, lower]| [*x, *lower]);
                let outline: Vec<[f64; 2]> = upper.chain(lower).collect();
                canvas.area(&outline, role);
            }
        }
        Shape::Dots(points) => {
            let points: Vec<[f64; 2]> = points.iter().map(|point| at(*point)).collect();
            let width = if points.len() > 2_000 { 3.0 } else { 4.0 };
            canvas.dots(&reduce::dots(&points), role, width);
        }
        Shape::Ranges(ranges) => {
            for [from, to] in merged(ranges, |value| x_of(&chart.bottom, frame, value)) {
                let corner = [from, frame.bottom - RANGE_HEIGHT];
                canvas.rectangle(corner, [to - from, RANGE_HEIGHT], role);
            }
        }
        Shape::Signs(signs) => {
            for point in signs {
                canvas.sign(layer.ink.sign, at(*point), role);
            }
        }
    }
}

/// Ranges in pixels, each wide enough to be seen, those that touch as one.
fn merged(ranges: &[[f64; 2]], x_of: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    let mut merged: Vec<[f64; 2]> = Vec::new();
    for [from, to] in ranges {
        let (from, to) = (x_of(*from), x_of(*to));
        let lacking = (RANGE_WIDTH_MIN - (to - from)).max(0.0) / 2.0;
        let (from, to) = (from - lacking, to + lacking);
        match merged.last_mut() {
            Some(last) if from <= last[1] => last[1] = last[1].max(to),
            _ => merged.push([from, to]),
        }
    }
    merged
}

/// Points of a line at about equal distances, for each line others, so that signs of
/// lines that lie on each other are seen.
fn sign_centers(runs: &[Vec<[f64; 2]>], frame: PlotArea, number: usize) -> Vec<[f64; 2]> {
    // A sign on the axis would say no more than the axis.
    let is_above = |point: &&[f64; 2]| point[1] < frame.bottom - 1.0;
    let points: Vec<[f64; 2]> = runs.iter().flatten().filter(is_above).copied().collect();
    if points.len() <= POINTS_MAX_WITH_SIGNS {
        return points;
    }
    let step = frame.width() / whole(SIGNS_PER_LINE);
    let begin = frame.left + step * (0.2 + 0.27 * whole(number % 4)).fract();
    let target = |slot: usize| begin + step * whole(slot);
    let nearest = |slot: usize| {
        let distance = |point: &[f64; 2]| (point[0] - target(slot)).abs();
        let closer =
            |left: &&[f64; 2], right: &&[f64; 2]| distance(left).total_cmp(&distance(right));
        points.iter().min_by(closer).copied()
    };
    let mut sign_points: Vec<[f64; 2]> = (0..SIGNS_PER_LINE)
        .filter_map(|slot| {
            nearest(slot).filter(|point| (point[0] - target(slot)).abs() < step / 2.0)
        })
        .collect();
    if sign_points.is_empty() {
        sign_points.extend(points.get(points.len() / 2));
    }
    sign_points.dedup();
    sign_points
}

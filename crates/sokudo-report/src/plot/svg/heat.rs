//! Tables of colours with their values in the cells.

use super::super::figure::{HeatMap, HeatMaps, Hue, LineMarker};
use super::super::palette::{Role, css, heat, text_on};
use super::super::scale::whole;
use super::super::text::{fitted_name, width};
use super::canvas::{Canvas, Lettering};
use super::frame::{BODY, PlotArea, STRONG};
use crate::number::rate;

/// Room between two tables, pixels.
const GAP: f64 = 36.0;
/// More tables beside each other are too narrow for their values.
const TABLES_PER_LINE: usize = 4;
/// What the scale of colours takes below them, pixels.
const SCALE_HEIGHT: f64 = 62.0;
/// Width of the scale of colours, pixels.
const SCALE_WIDTH: f64 = 420.0;
/// Colours of the scale of colours.
const SCALE_STEPS: u32 = 60;
/// Smaller text cannot be read.
const TEXT_SIZE_MIN: f64 = 8.0;
/// Cells are not higher than this, however few there are, pixels.
const CELL_HEIGHT_MAX: f64 = 120.0;

pub(super) fn draw(canvas: &mut Canvas, frame: PlotArea, matrices: &HeatMaps) {
    let count = matrices.matrices.len().max(1);
    let lines = count.div_ceil(TABLES_PER_LINE);
    let per_line = count.div_ceil(lines);
    let part_of = |length: f64, parts: usize| {
        let parts = whole(parts);
        (length - GAP * (parts - 1.0)) / parts
    };
    let width = part_of(frame.width(), per_line);
    let height = part_of(frame.height() - SCALE_HEIGHT, lines);
    for (number, matrix) in matrices.matrices.iter().enumerate() {
        let left = frame.left + whole(number % per_line) * (width + GAP);
        let top = frame.top + whole(number / per_line) * (height + GAP);
        let part = PlotArea {
            left,
            top,
            right: left + width,
            bottom: top + height,
        };
        draw_matrix(canvas, part, matrix, matrices);
    }
    scale(canvas, frame, matrices);
}

fn draw_matrix(canvas: &mut Canvas, frame: PlotArea, matrix: &HeatMap, matrices: &HeatMaps) {
    let names = matrix.rows.names.iter().map(|name| width(name, BODY.size));
    let inner = PlotArea {
        left: frame.left + 24.0 + names.fold(0.0, f64::max) + 10.0,
        top: frame.top + 22.0,
        right: frame.right,
        bottom: frame.bottom - 46.0,
    };
    let columns = whole(matrix.columns.names.len().max(1));
    let rows = whole(matrix.rows.names.len().max(1));
    let cell = [
        inner.width() / columns,
        (inner.height() / rows).min(CELL_HEIGHT_MAX),
    ];
    let bottom = inner.top + cell[1] * rows;
    let middle = f64::midpoint(inner.left, inner.right);
    let name = fitted_name(&matrix.name, STRONG.size, frame.width());
    // Wider than the cells it stands over the names of the rows, too.
    let is_wide = width(&name, STRONG.size) > inner.width();
    let name_left = if is_wide { frame.left } else { inner.left };
    let name_at = [f64::midpoint(name_left, frame.right), inner.top - 9.0];
    canvas.text(name_at, STRONG.middle(), &name);
    draw_cells(canvas, inner, cell, matrix, matrices);
    let names = matrix.columns.names.iter().enumerate();
    let names = names.map(|(number, name)| (inner.left + (whole(number) + 0.5) * cell[0], &**name));
    canvas.names_along(bottom + 20.0, 4.0, BODY, names);
    for (number, name) in matrix.rows.names.iter().enumerate() {
        let y = inner.top + (whole(number) + 0.5) * cell[1] + 5.0;
        canvas.text([inner.left - 9.0, y], BODY.end(), name);
    }
    let label = &matrix.columns.label;
    canvas.text([middle, bottom + 42.0], BODY.middle().muted(), label);
    let at = [frame.left + 14.0, f64::midpoint(inner.top, bottom)];
    canvas.upright_text(at, BODY.muted(), &matrix.rows.label);
}

fn draw_cells(
    canvas: &mut Canvas,
    frame: PlotArea,
    [cell_width, cell_height]: [f64; 2],
    matrix: &HeatMap,
    matrices: &HeatMaps,
) {
    let font = font_for(matrix, [cell_width, cell_height]);
    for (down, row) in matrix.cells.iter().enumerate() {
        for (across, value) in row.iter().enumerate() {
            let corner = [
                frame.left + whole(across) * cell_width,
                frame.top + whole(down) * cell_height,
            ];
            let middle = [
                corner[0] + cell_width / 2.0,
                corner[1] + cell_height / 2.0 + font.size * 0.36,
            ];
            let size = [cell_width - 1.0, cell_height - 1.0];
            if matrix.faults.contains(&[down, across]) {
                canvas.rectangle(corner, size, Role::Hue(Hue::Fault));
                let at = [middle[0], corner[1] + cell_height / 2.0];
                canvas.sign(LineMarker::Cross, at, Role::Text);
                continue;
            }
            let Some(value) = value else {
                canvas.rectangle(corner, size, Role::Grid);
                if font.size >= TEXT_SIZE_MIN {
                    canvas.text(middle, font.middle().muted(), "—");
                }
                continue;
            };
            let colour = heat(matrices.axis.scale.share(matrix.on_axis(*value)));
            canvas.tile(corner, size, &css(colour));
            if matrix.unproven.contains(&[down, across]) {
                canvas.hatch(corner, size);
            }
            if font.size >= TEXT_SIZE_MIN {
                canvas.text_on(middle, font, text_on(colour), &rate(*value));
            }
        }
    }
}

/// As large as the longest value allows.
fn font_for(matrix: &HeatMap, [cell_width, cell_height]: [f64; 2]) -> Lettering {
    let values = matrix.cells.iter().flatten().flatten();
    let longest = values.map(|value| width(&rate(*value), 1.0));
    let longest = longest.fold(1.0, f64::max);
    let size = ((cell_width - 6.0) / longest).min(cell_height * 0.6);
    Lettering::new((size.min(BODY.size) * 2.0).floor() / 2.0, false)
}

fn scale(canvas: &mut Canvas, frame: PlotArea, matrices: &HeatMaps) {
    let (left, top) = (frame.left + 24.0, frame.bottom - 44.0);
    let step = SCALE_WIDTH / f64::from(SCALE_STEPS);
    for number in 0..SCALE_STEPS {
        let share = f64::from(number) / f64::from(SCALE_STEPS - 1);
        let corner = [left + f64::from(number) * step, top];
        // A little wider than the step, so that no seams are seen.
        canvas.tile(corner, [step + 0.4, 14.0], &css(heat(share)));
    }
    let ticks = matrices.axis.ticks.iter();
    let ticks = ticks.map(|tick| {
        let share = matrices.axis.scale.share(tick.at);
        (left + share * SCALE_WIDTH, &*tick.name)
    });
    for (x, _) in ticks.clone() {
        canvas.line([x, top + 14.0], [x, top + 19.0], Role::Frame, 1.0);
    }
    canvas.names_along(top + 34.0, 8.0, BODY, ticks);
    let at = [left + SCALE_WIDTH + 18.0, top + 12.0];
    let label = &matrices.axis.label;
    canvas.text(at, BODY.muted(), label);
}

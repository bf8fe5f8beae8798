//! A map of the surface: each cell a part of the device, coloured by the lowest rate that was
//! measured there; what cannot be read or written is marked.

use std::collections::BTreeSet;

use sokudo_model::Bytes;
use sokudo_words::{Text, text};

use super::curve::{PositionUnit, first_transfer, measured_part};
use super::figure::{Body, HeatMap, HeatMapAxis, HeatMaps, PlotFigure};
use super::heading;
use super::heat::colour_axis;
use crate::document::{ResultDocument, RunDocument};
use crate::number::{BYTES_PER_MB, decimal_size, rate};

/// Cells beside each other.
const COLUMNS: usize = 50;
/// Cells below each other, at most.
const ROWS_MAX: usize = 20;

/// `None` without a curve of rates.
pub(super) fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let result = first_transfer(document)?;
    let map = Map::of(result, document.target.size_bytes);
    let matrix = map.matrix(result);
    let axis = colour_axis(&text!("lowest MB/s"), std::slice::from_ref(&matrix))?;
    let body = Body::HeatMaps(HeatMaps {
        axis,
        label: text!("lowest MB/s").into(),
        matrices: vec![matrix],
    });
    Some(heading::picture(document, &text!("map"), &[result], body))
}

/// How the places of a result are divided into cells.
struct Map {
    /// The first byte of each cell.
    starts: Vec<u64>,
    /// The byte after the last of what was to be measured.
    end: u64,
}

impl Map {
    /// Of places side by side, as many to a cell as is needed.
    fn of(result: &ResultDocument, device: Option<Bytes>) -> Self {
        let offsets: BTreeSet<u64> = result.samples.iter().map(|sample| sample.offset).collect();
        let of_cell = offsets.len().div_ceil(ROWS_MAX * COLUMNS).max(1);
        Self {
            starts: offsets.into_iter().step_by(of_cell).collect(),
            end: measured_part(result, device).1,
        }
    }

    /// The number of the cell of a byte.
    fn number(&self, offset: u64) -> usize {
        let before = self.starts.partition_point(|start| *start <= offset);
        before.saturating_sub(1)
    }

    fn matrix(&self, result: &ResultDocument) -> HeatMap {
        let rows = self.starts.chunks(COLUMNS);
        let mut cells = vec![vec![None; COLUMNS]; rows.len()];
        for sample in &result.samples {
            if let Some(rate) = sample.bytes_per_s_of_all(result.workload.threads) {
                let [row, column] = cell_of(self.number(sample.offset));
                let cell: &mut Option<f64> = &mut cells[row][column];
                let rate = rate / BYTES_PER_MB;
                *cell = Some(cell.map_or(rate, |lowest| lowest.min(rate)));
            }
        }
        let unit = PositionUnit::of(Bytes(self.end));
        let begin = |row: &[u64]| rate(row.first().map_or(0.0, |start| unit.share(*start)));
        HeatMap {
            name: name(result).into(),
            columns: HeatMapAxis {
                label: text!("a cell is {}", self.cell_size()).into(),
                names: vec![String::new(); COLUMNS],
            },
            rows: HeatMapAxis {
                label: text!("Position, {}", unit.name).into(),
                names: rows.map(begin).collect(),
            },
            cells,
            faults: self.faults(result),
        }
    }

    /// From one cell to the next.
    fn cell_size(&self) -> Text {
        let size = match self.starts[..] {
            [first, second, ..] => second - first,
            _ => self.end - self.starts.first().copied().unwrap_or(0),
        };
        Text::name(decimal_size(Bytes(size), 3))
    }

    /// Cells in which something failed.
    fn faults(&self, result: &ResultDocument) -> Vec<[usize; 2]> {
        let numbers = result.defects.iter().flat_map(|defect| {
            let last = defect
                .offset
                .saturating_add(defect.length.saturating_sub(1));
            self.number(defect.offset)..=self.number(last)
        });
        let numbers: BTreeSet<usize> = numbers.collect();
        numbers.into_iter().map(cell_of).collect()
    }
}

/// Row and column of a cell.
const fn cell_of(number: usize) -> [usize; 2] {
    [number / COLUMNS, number % COLUMNS]
}

fn name(result: &ResultDocument) -> Text {
    let bytes = result.defects.iter().map(|defect| defect.length);
    let bytes = Bytes(bytes.fold(0, u64::saturating_add));
    match result.defects.len() {
        0 => text!("no range failed"),
        1 => text!("1 range failed (×), {bytes}"),
        count => text!("{count} ranges failed (×), {bytes} in all"),
    }
}

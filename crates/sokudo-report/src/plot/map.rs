//! A map of the surface: each cell a part of the device, coloured by the lowest rate that was
//! measured there. What cannot be read or written is marked, and what nobody looked at is grey.

use std::collections::BTreeSet;

use sokudo_model::Bytes;
use sokudo_words::{Text, text};

use super::curve::{PositionUnit, first_transfer};
use super::figure::{Body, HeatMap, HeatMapAxis, HeatMaps, PlotFigure};
use super::heading;
use super::heat::colour_axis;
use super::scale::{PlotAxis, decimals_of_step};
use crate::document::{Direction, ResultDocument, RunDocument};
use crate::number::{BYTES_PER_MB, decimal_size, grouped, whole};
use crate::surface::{SurfaceCoverage, measured_part};

/// Cells beside each other.
const COLUMNS: usize = 50;
/// Cells below each other, at most.
const ROWS_MAX: usize = 20;
/// The colours reach at least so far below the fastest: less is noise, and no pattern.
const COLOURED_MIN: f64 = 0.1;

/// `None` without a curve of rates.
pub(super) fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let result = first_transfer(document)?;
    let map = Map::of(result, document.target.size_bytes);
    let matrix = map.matrix(result, name(document, result));
    let label = text!("lowest MB/s of a cell");
    let mut axis = colour_axis(&label, std::slice::from_ref(&matrix))?;
    let rates = || matrix.cells.iter().flatten().flatten().copied();
    let (lowest, highest) = (rates().reduce(f64::min)?, rates().reduce(f64::max)?);
    if !axis.scale.is_logarithmic {
        let low = lowest.min(highest * (1.0 - COLOURED_MIN));
        axis = PlotAxis::exact(axis.label, low, highest, 6);
    }
    let body = Body::HeatMaps(HeatMaps {
        axis,
        label: label.into(),
        matrices: vec![matrix],
    });
    Some(heading::picture(document, &text!("map"), &[result], body))
}

/// How the part that was to be measured is divided into cells of one size.
struct Map {
    start: u64,
    end: u64,
    cell_bytes: u64,
}

impl Map {
    /// Of whole blocks, as many to a cell as is needed.
    fn of(result: &ResultDocument, device: Option<Bytes>) -> Self {
        let (start, end) = measured_part(result, device);
        let cells = (ROWS_MAX * COLUMNS) as u64;
        let block = result.workload.blocks.smallest().0.max(1);
        let cell_bytes = end.saturating_sub(start).div_ceil(cells);
        Self {
            start,
            end,
            cell_bytes: cell_bytes.next_multiple_of(block).max(block),
        }
    }

    /// How many cells there are.
    fn count(&self) -> usize {
        let count = self
            .end
            .saturating_sub(self.start)
            .div_ceil(self.cell_bytes);
        usize::try_from(count).map_or(ROWS_MAX * COLUMNS, |count| count.max(1))
    }

    /// The numbers of the cells that hold these bytes.
    fn numbers(&self, offset: u64, length: u64) -> std::ops::RangeInclusive<usize> {
        let number = |byte: u64| {
            let number = byte.saturating_sub(self.start) / self.cell_bytes;
            usize::try_from(number).map_or(0, |number| number.min(self.count() - 1))
        };
        number(offset)..=number(offset.saturating_add(length.saturating_sub(1)))
    }

    fn matrix(&self, result: &ResultDocument, name: Text) -> HeatMap {
        let mut cells: Vec<Option<f64>> = vec![None; self.count()];
        for sample in &result.samples {
            if let Some(rate) = sample.bytes_per_s_of_all(result.workload.threads) {
                let rate = rate / BYTES_PER_MB;
                for cell in &mut cells[self.numbers(sample.offset, sample.bytes)] {
                    *cell = Some(cell.map_or(rate, |lowest| lowest.min(rate)));
                }
            }
        }
        let unit = PositionUnit::of(Bytes(self.end));
        let size = Text::name(decimal_size(Bytes(self.cell_bytes), 3));
        let has_unread = cells.contains(&None);
        HeatMap {
            name: name.into(),
            columns: HeatMapAxis {
                label: match has_unread {
                    true => text!("a cell is {size}; grey: nothing of it was measured"),
                    false => text!("a cell is {size}"),
                }
                .into(),
                names: vec![String::new(); COLUMNS],
            },
            rows: HeatMapAxis {
                label: text!("Position, {}", unit.name).into(),
                names: self.row_names(unit),
            },
            cells: cells.chunks(COLUMNS).map(<[_]>::to_vec).collect(),
            faults: self.faults(result),
            ..HeatMap::default()
        }
    }

    /// Where each row begins, all with as many decimals.
    fn row_names(&self, unit: PositionUnit) -> Vec<String> {
        let step = unit.share(self.cell_bytes) * whole(COLUMNS);
        let decimals = decimals_of_step(step);
        let rows = 0..self.count().div_ceil(COLUMNS);
        let begin = |row| unit.share(self.start) + whole(row) * step;
        let name = |row| match begin(row) {
            0.0 => "0".to_owned(),
            begin => grouped(&format!("{begin:.decimals$}")),
        };
        rows.map(name).collect()
    }

    /// Cells in which something failed.
    fn faults(&self, result: &ResultDocument) -> Vec<[usize; 2]> {
        let numbers = result.defects.iter();
        let numbers = numbers.flat_map(|defect| self.numbers(defect.offset, defect.length));
        let numbers: BTreeSet<usize> = numbers.collect();
        numbers
            .into_iter()
            .map(|number| [number / COLUMNS, number % COLUMNS])
            .collect()
    }
}

/// What failed, and in how much of the disk that was looked for.
fn name(document: &RunDocument, result: &ResultDocument) -> Text {
    let bytes = result.defects.iter().map(|defect| defect.length);
    let bytes = Bytes(bytes.fold(0, u64::saturating_add));
    let coverage = SurfaceCoverage::of(document, result);
    let failed = match (result.defects.len(), &coverage) {
        // Other tools do not say what they could not read.
        (0, None) => return text!("lowest rates"),
        (0, Some(coverage)) if coverage.is_whole() && coverage.range.is_some() => {
            return text!("no errors in the range that was measured");
        }
        (0, Some(coverage)) if coverage.is_whole() => {
            return text!("no errors, and all was measured");
        }
        (0, Some(coverage)) => {
            let share = coverage.share_text();
            return match result.direction {
                Direction::Read => text!("no errors in the {share} that was read"),
                _ => text!("no errors in the {share} that was measured"),
            };
        }
        (1, _) => text!("1 range failed (×), {bytes}"),
        (count, _) => text!("{count} ranges failed (×), {bytes} in all"),
    };
    match coverage.filter(|it| !it.is_whole()) {
        Some(coverage) => text!(
            "{failed}, in the {} that was measured",
            coverage.share_text()
        ),
        None => failed,
    }
}

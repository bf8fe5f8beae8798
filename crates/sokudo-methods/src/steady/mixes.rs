//! Rates of steady drives by block size and mix, as a table of colours.

use std::collections::BTreeSet;

use sokudo_model::Bytes;
use sokudo_report::document::{ResultDocument, RunDocument};
use sokudo_report::plot::figure::{HeatMap, HeatMapAxis};
use sokudo_report::plot::heat::body;
use sokudo_report::plot::{PlotFigure, PlotKind, heading};
use sokudo_report::wording::phrase;
use sokudo_words::{spoken, text};

use super::picture::unit_of;
use super::table::{self, SteadyResult};
use super::view::SteadyDocument;

/// It, as a kind of picture.
pub(crate) const MIXES: PlotKind = PlotKind {
    figure,
    ..PlotKind::HEAT
};

/// Block sizes down, mixes across, each cell the mean of its window.
fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let steady = document.views.get::<SteadyDocument>()?;
    let cells: Vec<SteadyResult<'_>> = table::cells(document, steady).collect();
    let sizes: BTreeSet<Bytes> = cells.iter().map(|cell| cell.block).collect();
    // Reads first, as the PTS has it.
    let writes: BTreeSet<u32> = cells.iter().map(|cell| 100 - cell.reads).collect();
    if sizes.len() * writes.len() < 2 {
        return None;
    }
    let (unit, divisor) = unit_of(cells.first()?.figure);
    let value = |size: Bytes, writes: u32| {
        let mut here = cells.iter();
        let cell = here.find(|cell| cell.block == size && cell.reads == 100 - writes)?;
        Some(cell.figures.get(cell.figure)? / divisor)
    };
    let columns = HeatMapAxis {
        label: spoken().word("Reads/writes, %").to_owned(),
        names: writes
            .iter()
            .map(|it| format!("{}/{it}", 100 - it))
            .collect(),
    };
    let rows = HeatMapAxis {
        label: spoken().word("Block size").to_owned(),
        names: sizes.iter().map(Bytes::to_string).collect(),
    };
    let row_of_cells = |size: &Bytes| writes.iter().map(|writes| value(*size, *writes)).collect();
    let matrix = HeatMap {
        name: phrase(&steady.label).into(),
        columns,
        rows,
        cells: sizes.iter().map(row_of_cells).collect(),
        faults: Vec::new(),
        unproven: Vec::new(),
        whole: None,
    };
    let shown: Vec<&ResultDocument> = cells.iter().map(|cell| cell.result).collect();
    let what = text!("block size and mix, means of the window");
    let body = body(unit.into(), vec![matrix])?;
    Some(heading::picture(document, &what, &shown, body))
}

//! A report as one picture: that of its run or of its matrix, or bars of all its runs.

use sokudo_words::Language;

use super::Report;
use crate::RunDocument;
use crate::plot::{self, PlotError, PlotFigure, Size};
use crate::style::BandwidthUnit::MegabytesPerSecond;

/// Height of a bar in a picture of many, with its share of gaps, pixels.
const BAR_HEIGHT: f64 = 22.0;
/// What else stands above and below the bars, pixels.
const SURROUNDINGS: f64 = 320.0;

impl Report {
    /// The picture with its words in a language, and how large it is.
    ///
    /// # Errors
    /// When there is nothing to draw.
    pub fn picture(&self, language: Language) -> Result<(PlotFigure, Size), PlotError> {
        let usual = Size::default();
        if let [only] = &self.runs[..] {
            return Ok((plot::figure(&only.run, None, language)?, usual));
        }
        // Runs of one matrix and of nothing else are its blocks.
        if let [matrix] = &self.matrices[..]
            && matrix.cells.iter().map(|cell| cell.blocks).sum::<usize>() == self.runs.len()
            && let Some(figure) = plot::matrix(matrix, MegabytesPerSecond, language)
        {
            let size = Size::fitting(&figure);
            return Ok((figure, size));
        }
        let runs = self.named_runs(language);
        let figure = plot::several(&self.heading(language), &runs, language)
            .ok_or(PlotError::NothingMeasured)?;
        let height = plot::bar_count(&figure) * BAR_HEIGHT + SURROUNDINGS;
        let size = Size {
            height: height.max(usual.height),
            ..usual
        };
        Ok((figure, size))
    }

    /// The runs with names in a language that tell them apart.
    pub(super) fn named_runs(&self, language: Language) -> Vec<(String, &RunDocument)> {
        let name = |(number, run): (usize, &RunDocument)| {
            if let Some(label) = &run.label {
                return format!("{}: {label}", number + 1);
            }
            let name = format!("{}: {}", number + 1, run.device(language));
            match run.began().split_once('T') {
                Some((day, _)) => format!("{name}, {day}"),
                None => name,
            }
        };
        let runs = self.runs.iter().map(|reported| &reported.run);
        runs.enumerate()
            .map(|(number, run)| (name((number, run)), run))
            .collect()
    }
}

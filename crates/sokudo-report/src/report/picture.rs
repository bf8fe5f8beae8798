//! A report as one picture: that of its run or of its matrix, or bars of all its runs.

use sokudo_words::Language;

use super::Report;
use crate::RunDocument;
use crate::plot::{self, PlotError, PlotFigure};
use crate::style::BandwidthUnit::MegabytesPerSecond;

impl Report {
    /// The picture with its words in a language.
    ///
    /// # Errors
    /// When there is nothing to draw.
    pub fn picture(&self, language: Language) -> Result<PlotFigure, PlotError> {
        if let [only] = &self.runs[..] {
            return plot::figure(&only.run, None, language);
        }
        // Runs of one matrix and of nothing else are its blocks.
        if let [matrix] = &self.matrices[..]
            && matrix.cells.iter().map(|cell| cell.blocks).sum::<usize>() == self.runs.len()
            && let Some(figure) = plot::matrix(matrix, MegabytesPerSecond, language)
        {
            return Ok(figure);
        }
        let runs = self.named_runs(language);
        let figure = plot::several(&self.heading(language), &runs, language);
        figure.ok_or(PlotError::NothingMeasured)
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

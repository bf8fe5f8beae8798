//! Where fio's words go: the results to standard output or a file, in every format
//! that was asked for; logs to files of their own.
//!
//! Nothing but the formats asked for is ever written there, so that JSON stays JSON.

use std::fs::File;
use std::path::Path;

use anyhow::Context;
use sokudo_model::Verdict;
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{invocation, output};
use sokudo_tools::fio::output::{self as fio, FioReport};
use sokudo_tools::fio::session::{FioFormat, FioSession};
use sokudo_words::text;

/// Formats in the order in which fio prints them, whatever order they were asked in.
const ORDER: [FioFormat; 4] = [
    FioFormat::Terse,
    FioFormat::Json,
    FioFormat::JsonPlus,
    FioFormat::Normal,
];

/// Prints results in the formats asked for, to standard output or a file.
pub(crate) struct Printer {
    file: Option<(String, File)>,
    formats: Vec<FioFormat>,
}

impl Printer {
    /// Makes the file, if results go to one, before anything is measured.
    pub(crate) fn open(session: &FioSession) -> Result<Self, Exit> {
        let wanted = &session.output;
        let is_plus = wanted.formats.contains(&FioFormat::JsonPlus);
        let file = match &wanted.file {
            None => None,
            Some(name) => {
                let file = output::create(Path::new(name))?;
                Some((name.clone(), file))
            }
        };
        Ok(Self {
            file,
            formats: ORDER
                .into_iter()
                .filter(|format| wanted.formats.contains(format))
                // json+ is json with more in it, and one document is printed.
                .filter(|format| *format != FioFormat::Json || !is_plus)
                .collect(),
        })
    }

    /// Whether text for people is wanted.
    pub(crate) fn is_for_people(&self) -> bool {
        self.formats.contains(&FioFormat::Normal)
    }

    /// Whether results go to a terminal, and no other format is in the way there.
    pub(crate) fn is_terminal(&self) -> bool {
        self.file.is_none()
            && self.formats == [FioFormat::Normal]
            && invocation::is_output_terminal()
    }

    /// Whether standard output holds nothing but text for people.
    pub(crate) fn leaves_output_free(&self) -> bool {
        self.file.is_some() || self.formats == [FioFormat::Normal]
    }

    /// Writes text where results go.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), Exit> {
        match &mut self.file {
            None => output::print(text),
            Some((name, file)) => output::write_all(file, text.as_bytes())
                .with_context(|| text!("{name} cannot be written"))
                .map_err(Exit::Failed),
        }
    }

    /// Writes a report in the formats that programs read.
    pub(crate) fn report_to_programs(&mut self, report: &FioReport<'_>) -> Result<(), Exit> {
        self.formats.retain(|format| *format != FioFormat::Normal);
        self.report(report)
    }

    /// Writes a report in every format.
    pub(crate) fn report(&mut self, report: &FioReport<'_>) -> Result<(), Exit> {
        for format in self.formats.clone() {
            let text = match format {
                FioFormat::Normal => fio::normal(report),
                FioFormat::Terse => fio::terse(report),
                FioFormat::Json => fio::json(report),
                FioFormat::JsonPlus => fio::json_plus(report),
            };
            self.write(&text)?;
        }
        Ok(())
    }

    /// Writes the logs that jobs asked for, and tells which I/Os failed, what checking found
    /// wrong, and how far the figures can be trusted: all of it beside what fio would print.
    pub(crate) fn logs(&self, report: &FioReport<'_>) -> Result<(), Exit> {
        let failed = fio::failure_lines(report);
        for line in failed.into_iter().chain(fio::mismatch_lines(report)) {
            exit::fault(&line);
        }
        let verdict = fio::worst_verdict(report);
        match verdict {
            // Whoever wants no notes would take such figures for the disk's.
            Some(Verdict::Invalid) if fio::has_figures(report) => {
                exit::fault(fio::verdict_line(report));
            }
            // Programs take any word for an error; of what is proven they need none.
            Some(Verdict::Verified) if !self.is_for_people() => {}
            _ => exit::note(fio::verdict_line(report)),
        }
        for log in fio::logs(report) {
            output::write_file(Path::new(&log.name), &log.text)?;
        }
        Ok(())
    }
}

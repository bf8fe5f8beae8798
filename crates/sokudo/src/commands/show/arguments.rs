//! Arguments of `sokudo show`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sokudo_history::arguments::which::RunFilterArguments;
use sokudo_terminal::arguments::heading::PRINTED;
use sokudo_terminal::arguments::pictures::Plotting;
use sokudo_terminal::arguments::printing::{Format, Masking, TableUnit, Telling};
use sokudo_terminal::arguments::store::Keeping;

pub(crate) const EXAMPLES: &str = "\
Examples:
  sokudo show last
  sokudo show 12 --judge-again                     is it still judged as it was?
  sokudo show 12 --format markdown                 Markdown to paste
  sokudo show 12 --format picture --plot-kind cdf
  sokudo show 12 -o disk.html                      one page to post or to attach
  sokudo show 12 15 18 -o raid.html -o raid.svg    several runs, two formats
  sokudo show --device Samsung --since 1y -o year.html
  sokudo show last -o disk.html --mask-serial      without serial numbers
  sokudo show result.json --format text            as CrystalDiskMark saves its text
  sokudo show last -o /var/lib/node_exporter/sokudo.prom

To print a page or make a PDF of it, use the browser that shows it.";

/// Options that name runs in the place of RUN.
const FILTERS: [&str; 6] = ["device", "method", "since", "until", "verdict", "tags"];

/// Arguments of `sokudo show`, as given.
#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Runs: numbers, last (the default), files of --format json, or -
    #[arg(value_name = "RUN", conflicts_with_all = FILTERS)]
    pub(crate) runs: Vec<String>,

    /// All runs of this device: part of its name or serial number
    #[arg(long, value_name = "DEVICE", help_heading = "Which runs")]
    pub(crate) device: Option<String>,

    #[command(flatten)]
    pub(crate) which: RunFilterArguments,

    /// Judge the run by today's rules, and print what changed
    ///
    /// The run stays as it was kept. Formats are table and json; the JSON is sokudo.judgement/1,
    /// whose schema is in docs/sokudo.judgement-1.schema.json.
    #[arg(long, conflicts_with_all = ["pictures", "kind"], help_heading = PRINTED)]
    pub(crate) judge_again: bool,

    /// File to write; its extension sets the format, such as .html (repeatable)
    ///
    /// .html: one page that needs nothing else. .md: Markdown. .csv and .jsonl:
    /// a line per result. .json: everything, which sokudo reads again. .txt: the table. .prom:
    /// metrics for the textfile collector of Prometheus' node_exporter. .svg and .png: a picture.
    #[arg(short, long = "output", value_name = "FILE", help_heading = PRINTED)]
    pub(crate) outputs: Vec<PathBuf>,

    /// Format, whatever the extension: table, html, markdown, csv, json, …
    ///
    /// … jsonl, prometheus, svg, png, picture (drawn on the terminal) or text (the layout in which
    /// CrystalDiskMark saves its text). Several runs, and one with --title or --mask-serial, are a
    /// report: their table is Markdown, and their JSON is sokudo.report/1.
    #[arg(
        short,
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "NAME",
        help_heading = PRINTED
    )]
    pub(crate) format: Option<ShowFormat>,

    #[command(flatten)]
    pub(crate) table: TableUnit,

    /// Title [default: the devices]
    #[arg(long, value_name = "TEXT", help_heading = PRINTED)]
    pub(crate) title: Option<String>,

    #[command(flatten)]
    pub(crate) masking: Masking,

    #[command(flatten)]
    pub(crate) telling: Telling,

    #[command(flatten)]
    pub(crate) plotting: Plotting,

    #[command(flatten)]
    pub(crate) keeping: Keeping,
}

impl ShowArguments {
    /// Whether it takes a run by itself to do what is asked for.
    pub(crate) fn is_of_one_run(&self) -> bool {
        let has_picture = self.plotting.kind.kind.is_some() || !self.plotting.pictures.is_empty();
        self.judge_again || self.telling.card || has_picture
    }
}

/// In which format runs are shown. Files of a format end in its name, or in another name of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// For people, of one run.
    Table,
    /// A picture on the terminal.
    Picture,
    /// One page that needs no other file.
    #[value(alias = "htm")]
    Html,
    /// Tables in Markdown, to be pasted.
    #[value(alias = "md")]
    Markdown,
    /// A line per result.
    Csv,
    /// The whole document of each run.
    Json,
    /// An object per result.
    #[value(alias = "ndjson")]
    Jsonl,
    /// As `CrystalDiskMark` saves it.
    #[value(alias = "txt")]
    Text,
    /// Metrics in the text format of Prometheus.
    #[value(alias = "prom")]
    Prometheus,
    /// A picture as vector graphics.
    Svg,
    /// A picture of pixels.
    Png,
}

impl ShowFormat {
    /// The format that a run by itself has of its own.
    pub(crate) const fn of_run(self) -> Option<Format> {
        match self {
            Self::Table => Some(Format::Table),
            Self::Markdown => Some(Format::Markdown),
            Self::Csv => Some(Format::Csv),
            Self::Json => Some(Format::Json),
            _ => None,
        }
    }

    /// Whether it is for a terminal, with colours.
    pub(crate) const fn is_for_people(self) -> bool {
        matches!(self, Self::Table | Self::Picture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_of_files_has_an_ending() {
        let endings = [
            "html", "md", "csv", "json", "jsonl", "txt", "prom", "svg", "png",
        ];
        let formats = endings.map(|ending| ShowFormat::from_str(ending, true).unwrap());
        let all = ShowFormat::value_variants().iter();
        let of_files = all.filter(|format| !format.is_for_people());
        assert!(of_files.eq(&formats));
        for (ending, format) in [("HTM", ShowFormat::Html), ("ndjson", ShowFormat::Jsonl)] {
            assert_eq!(ShowFormat::from_str(ending, true), Ok(format));
        }
        assert!(ShowFormat::from_str("pdf", true).is_err());
    }
}

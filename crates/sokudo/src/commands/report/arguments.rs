//! Arguments of `sokudo report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sokudo_history::arguments::which::RunFilterArguments;
use sokudo_report::plot::PictureTheme;
use sokudo_terminal::arguments::one_of::one_of;
use sokudo_terminal::arguments::pictures::THEMES;
use sokudo_terminal::arguments::store::Keeping;

pub(crate) const EXAMPLES: &str = "\
Examples:
  sokudo report last                               Markdown to paste
  sokudo report last -o disk.html                  one page to post or to attach
  sokudo report --device Samsung --since 1y -o year.html
  sokudo report 12 15 18 -o raid.html -o raid.md   several runs, two formats
  sokudo report last -o disk.html --mask-serial    without serial numbers
  sokudo report result.json --format text          as CrystalDiskMark saves its text
  sokudo report last -o /var/lib/node_exporter/sokudo.prom

To print a page or make a PDF of it, use the browser that shows it.";

/// Options that name runs in the place of RUN.
const FILTERS: [&str; 6] = ["device", "method", "since", "until", "verdict", "tags"];

/// Arguments of `sokudo report`, as given.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Runs: numbers, last, files written with --format json, or -
    #[arg(value_name = "RUN", required_unless_present_any = FILTERS, conflicts_with_all = FILTERS)]
    pub(crate) runs: Vec<String>,

    /// All runs of this device: part of its name or serial number
    #[arg(long, value_name = "DEVICE", help_heading = "Which runs")]
    pub(crate) device: Option<String>,

    #[command(flatten)]
    pub(crate) which: RunFilterArguments,

    /// File to write; its extension sets the format, such as .html (repeatable)
    ///
    /// .html: one page that needs nothing else. .md: Markdown. .csv and .jsonl:
    /// a line per result. .json: everything, which sokudo reads again. .txt: the layout in
    /// which CrystalDiskMark saves its text. .prom: metrics for the textfile collector of
    /// Prometheus' node_exporter. .svg and .png: a picture. Without it, Markdown is
    /// printed.
    #[arg(short, long = "output", value_name = "FILE")]
    pub(crate) outputs: Vec<PathBuf>,

    /// Format, whatever the extension: html, markdown, csv, json, jsonl, text, …
    ///
    /// … prometheus, svg or png.
    #[arg(long, value_enum, hide_possible_values = true, value_name = "FORMAT")]
    pub(crate) format: Option<ReportFormat>,

    /// Title [default: the devices]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Colours: light, dark, or auto (follow the reader's screen)
    #[arg(
        long,
        value_parser = one_of(THEMES),
        hide_possible_values = true,
        hide_default_value = true,
        value_name = "THEME",
        default_value = "auto"
    )]
    pub(crate) theme: PictureTheme,

    /// Replace serial numbers, world-wide names and UUIDs by other words
    ///
    /// This includes commands, findings, names below /dev/disk and notes. The same number gets the
    /// same word throughout the report. The machine's name and mount points stay.
    #[arg(long)]
    pub(crate) mask_serial: bool,

    #[command(flatten)]
    pub(crate) keeping: Keeping,
}

/// In which format a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// One page that needs no other file.
    Html,
    /// Tables in Markdown, to be pasted.
    #[value(alias = "md")]
    Markdown,
    /// A line per result.
    Csv,
    /// The whole document of each run.
    Json,
    /// An object per result.
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

impl ReportFormat {
    /// The format of files that end so.
    pub(crate) fn of_ending(ending: &str) -> Option<Self> {
        Some(match ending.to_ascii_lowercase().as_str() {
            "html" | "htm" => Self::Html,
            "md" | "markdown" => Self::Markdown,
            "csv" => Self::Csv,
            "json" => Self::Json,
            "jsonl" | "ndjson" => Self::Jsonl,
            "txt" => Self::Text,
            "prom" => Self::Prometheus,
            "svg" => Self::Svg,
            "png" => Self::Png,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_an_ending() {
        let endings = [
            "html", "md", "csv", "json", "jsonl", "txt", "prom", "svg", "png",
        ];
        let formats = endings.map(|ending| ReportFormat::of_ending(ending).unwrap());
        assert_eq!(formats, ReportFormat::value_variants());
        assert_eq!(ReportFormat::of_ending("HTML"), Some(ReportFormat::Html));
        assert_eq!(ReportFormat::of_ending("pdf"), None);
    }
}

//! A report as one HTML page: it needs no network, no script and no file beside it, it
//! can be printed, and it follows light and dark surroundings and narrow screens.
//!
//! A policy in the page itself forbids it to load or run anything. Whatever was not
//! written here goes through [`page::text`], which leaves nothing that is markup.

mod charts;
mod evidence;
mod figures;
mod overview;
mod page;
mod run;
mod table;

use super::{Report, ReportStyle};
use page::Page;

/// With more runs each tells less: one picture, and its trials and machine folded up.
const RUNS_IN_FULL: usize = 4;

pub(super) fn render(report: &Report, style: ReportStyle) -> String {
    let page = Page {
        style,
        is_full: report.runs.len() <= RUNS_IN_FULL,
        is_only: report.runs.len() == 1,
        has_title: report.title.is_some(),
    };
    let mut body = page.header(report);
    body += "<main>\n";
    if !page.is_only {
        body += &overview::contents(&page, report);
        body += &overview::section(&page, report);
    }
    for (number, reported) in (1..).zip(&report.runs) {
        body += &run::section(&page, number, reported);
    }
    body += "</main>\n";
    body += &page.footer(report);
    page.document(&report.heading(style.language), &body)
}

#[cfg(test)]
mod tests;

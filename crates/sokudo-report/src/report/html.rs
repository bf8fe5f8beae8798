//! A report as one HTML page: it needs no network, no script and no file beside it, it
//! can be printed, and it follows light and dark surroundings and narrow screens.
//!
//! A policy in the page itself forbids it to load or run anything. `maud` escapes whatever was
//! not written here; [`page::text`] also takes away what is unseen and cuts what is endless.

mod charts;
mod elements;
mod evidence;
mod overview;
mod page;
mod run;
mod table;

use maud::html;

use super::{Report, ReportStyle};
use page::HtmlPage;

/// With more runs each tells less: one picture, and its trials and machine folded up.
const RUNS_IN_FULL: usize = 4;

pub(super) fn render(report: &Report, style: ReportStyle) -> String {
    let page = HtmlPage {
        style,
        is_full: report.runs.len() <= RUNS_IN_FULL,
        is_only: report.runs.len() == 1,
        has_title: report.title.is_some(),
    };
    let body = html! {
        (page.header(report))
        main {
            @if !page.is_only {
                (overview::contents(&page, report))
                (overview::section(&page, report))
            }
            @for (number, reported) in (1..).zip(&report.runs) {
                (run::section(&page, number, reported))
            }
        }
        (page.footer(report))
    };
    let title = report.heading(style.language);
    page.document(&title, &body).into_string()
}

#[cfg(test)]
mod tests;

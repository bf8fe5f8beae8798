//! The beginning of a report of several runs: contents, all runs, all rows.

use maud::{Markup, html};

use super::charts;
use super::elements::elements;
use super::page::{HtmlPage, text};
use crate::report::{Report, overview};
use crate::style::BandwidthUnit;
use crate::view::shows_rows;
use crate::{MatrixDocument, plot};

/// More runs side by side would be stripes.
const RUNS_DRAWN_MAX: usize = 8;

pub(super) fn contents(page: &HtmlPage, report: &Report) -> Markup {
    html! {
        nav aria-label=(page.say("Contents")) {
            p { a href="#overview" { (page.say("Overview")) } }
            ol {
                @for (number, reported) in (1..).zip(&report.runs) {
                    @let run = &reported.run;
                    li {
                        a href={ "#run-" (number) } { (text(&run.called(page.style.language))) }
                        " " (text(&run.method_of_tool()))
                    }
                }
            }
        }
    }
}

pub(super) fn section(page: &HtmlPage, report: &Report) -> Markup {
    let article = overview::article(report, page.style.language);
    html! {
        section #overview {
            h2 style="margin-top:36px" { (page.say("Overview")) }
            @for matrix in &report.matrices { (matrix_picture(page, matrix)) }
            (elements(page, &article))
            (picture(page, report))
        }
    }
}

fn matrix_picture(page: &HtmlPage, matrix: &MatrixDocument) -> Markup {
    let unit = BandwidthUnit::MegabytesPerSecond;
    let figure = plot::matrix(matrix, unit, page.style.language);
    html! {
        @if let Some(figure) = figure {
            (charts::picture(page, &figure, "Rates of all combinations"))
        }
    }
}

fn picture(page: &HtmlPage, report: &Report) -> Markup {
    let drawn = report.runs.iter();
    let drawn = drawn.filter(|reported| shows_rows(&reported.run));
    if drawn.count() > RUNS_DRAWN_MAX {
        return html! {};
    }
    let language = page.style.language;
    let figure = plot::several(
        &report.heading(language),
        &report.named_runs(language),
        language,
    );
    html! {
        @if let Some(figure) = figure {
            (charts::picture(page, &figure, "Rates of all runs, with the 95 % interval of the median, or lowest to highest of fewer than 6 trials"))
        }
    }
}

//! Elements of an article on a page.

use maud::{Markup, html};
use sokudo_model::Severity;
use sokudo_words::Text;

use super::page::{HtmlPage, lines, prose, text};
use super::table::table;
use crate::article::{Article, Element};
use crate::explain;
use crate::grouping::FindingGroup;
use crate::table::{Cell, Skin, Tone};

pub(super) fn elements(page: &HtmlPage, article: &Article<'_>) -> Markup {
    html! { @for element in article.on(Skin::Paper) { (self::element(page, element)) } }
}

fn element(page: &HtmlPage, element: &Element<'_>) -> Markup {
    match element {
        Element::Title(title) => html! { h2 { (cell(page, title)) } },
        Element::Heading(heading) => html! { h3 { (page.text(heading)) } },
        Element::Facts(facts) => self::facts(page, facts),
        Element::Paragraph(sentence) => html! {
            @if !sentence.is_empty() { p { (lines(&sentence.in_language(page.style.language))) } }
        },
        Element::Answer(Tone::None, sentence) => html! { p.answer { (page.text(sentence)) } },
        Element::Answer(tone, sentence) => html! {
            p.answer { (page.judged(*tone, sentence)) }
        },
        Element::Notes { title, items, .. } if title.is_empty() => html! {
            @for item in items { p { (page.text(item)) } }
        },
        Element::Notes { title, items, .. } => html! {
            @if !items.is_empty() { p.strong { (page.text(title)) } }
            ul { @for item in items { li { (page.text(item)) } } }
        },
        Element::OfRows(rows) => html! {
            @for (row, sentence) in rows {
                p {
                    @if !row.is_empty() { b { (page.text(row)) } ": " }
                    (page.text(sentence))
                }
            }
        },
        Element::Table(it) => html! {
            @if !it.title.is_empty() { p.strong { (page.text(&it.title)) } }
            (table(page, it))
        },
        Element::Curve(_) => html! {},
        Element::Conclusions([]) => html! { p { (page.say(explain::NOTHING)) } },
        Element::Conclusions(inferences) => table(page, &explain::table(inferences)),
        Element::Findings(groups) => html! {
            @for group in groups { (finding(page, group)) }
        },
        Element::Commands(title, commands) => html! {
            @if !commands.is_empty() {
                p { (page.say(title)) }
                pre.wraps { code { (text(&commands.join("\n"))) } }
            }
        },
        Element::StoredCommand(command) => html! {
            @if !command.is_empty() { pre.wraps { code { (text(command)) } } }
        },
    }
}

/// Terms and what they are.
pub(super) fn facts(page: &HtmlPage, facts: &[(Text, Cell)]) -> Markup {
    html! {
        @if !facts.is_empty() {
            dl.facts {
                @for (term, value) in facts {
                    dt { (page.text(term)) }
                    dd { (cell(page, value)) }
                }
            }
        }
    }
}

fn cell(page: &HtmlPage, cell: &Cell) -> Markup {
    text(&cell.in_language(page.style.language, false))
}

fn finding(page: &HtmlPage, group: &FindingGroup<'_>) -> Markup {
    let (class, sign) = match group.severity {
        Severity::Error => ("error", "✗"),
        Severity::Warning => ("warning", "!"),
        Severity::Info => ("info", "i"),
    };
    html! {
        article.finding.(class) {
            h4 { (sign) " " (page.say(group.label())) }
            @for (symptom, rows) in &group.symptoms {
                p {
                    (prose(page, symptom))
                    @if !rows.is_empty() {
                        " " span.rows { "(" (page.text(rows)) ")" }
                    }
                }
            }
            @let causes = group.causes.iter().map(|cause| ("Cause", *cause));
            @for (name, explanation) in causes.chain([("Remedy", &group.remedy)]) {
                @if !explanation.is_empty() {
                    p { b { (page.say(name)) ":" } " " (prose(page, explanation)) }
                }
            }
        }
    }
}

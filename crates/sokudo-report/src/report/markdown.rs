//! Markdown of several runs: a table of all of them, then each by itself. One run is as
//! `--format markdown` prints it, with who measured and what somebody wrote about it.

use sokudo_words::Text;

use super::overview;
use super::{Report, ReportStyle, ReportedRun};
use crate::article::{Article, Element};
use crate::markdown::{escaped, render_in, write};
use crate::style::BandwidthUnit;
use crate::table::Cell;

pub(super) fn render(report: &Report, style: ReportStyle) -> String {
    let mut texts = Vec::new();
    if report.title.is_some() || report.runs.len() > 1 {
        let heading = report.heading(style.language);
        texts.push(format!("# {}\n", escaped(&heading)));
    }
    if report.runs.len() > 1 {
        let overview = overview::article(report, style.language);
        texts.push(write(&overview, style.language));
    }
    for reported in &report.runs {
        texts.push(render_in(
            &reported.run,
            BandwidthUnit::MegabytesPerSecond,
            style.language,
        ));
        texts.extend(about(reported).map(|about| write(&about, style.language)));
    }
    texts.join("\n")
}

/// What somebody wrote about it.
fn about(reported: &ReportedRun) -> Option<Article<'_>> {
    let annotations = [
        ("Tags", reported.tags.join(", ")),
        ("Note", reported.note.clone()),
    ];
    let annotations = annotations.into_iter().filter(|(_, text)| !text.is_empty());
    let facts: Vec<(Text, Cell)> = annotations
        .map(|(label, text)| (label.into(), Cell::Name(text)))
        .collect();
    let mut about = Article::default();
    let is_known = !facts.is_empty();
    about.add(Element::Facts(facts));
    is_known.then_some(about)
}

#[cfg(test)]
mod tests {
    use super::super::{Report, ReportStyle, sample};

    #[test]
    fn many_runs_stand_below_each_other() {
        let one = sample::report().runs.remove(0);
        let report = Report::new(Some("a|b".into()), vec![one; 9]);
        let text = report.markdown(ReportStyle::default());
        assert!(text.starts_with("# a\\|b\n"), "{text}");
        let line = text
            .lines()
            .find(|line| line.starts_with("| 9 Samsung"))
            .unwrap();
        assert_eq!(
            line.matches('|').count(),
            report.runs[0].run.results.len() + 2
        );
    }
}

//! Several runs in one picture: their rows as groups of bars, a colour per run.

use sokudo_words::{Language, Text, speaking, spoken, text};

use super::bars::bar;
use super::figure::{Bars, Body, Group, Ink, PlotFigure};
use super::scale::whole;
use crate::document::RunDocument;
use crate::grouping::row_name;
use crate::view::shows_rows;
use crate::wording::row;

/// Marks a bar of another method than the first of its group.
const DIFFERS: &str = "≠";
/// More bars would not be seen.
const BARS_MAX: usize = 600;

/// Bars of all rows of runs with their names; `None` where no run has a bandwidth.
pub(crate) fn several(
    title: &str,
    runs: &[(String, &RunDocument)],
    language: Language,
) -> Option<PlotFigure> {
    speaking(language, || drawn(title, runs))
}

fn drawn(title: &str, runs: &[(String, &RunDocument)]) -> Option<PlotFigure> {
    let mut groups: Vec<Group> = Vec::new();
    // How the first bar of each group was measured.
    let mut firsts: Vec<&str> = Vec::new();
    for (number, (_, run)) in runs.iter().enumerate() {
        if !shows_rows(run) {
            continue;
        }
        let mut measured = run.results_by_direction();
        measured.retain(|result| result.bandwidth_bytes_per_s.is_some());
        for result in measured {
            let bar = bar(result, Ink::of_number(number));
            let at = Group::put(&mut groups, row(&row_name(result)).into(), bar);
            match (firsts.get(at), groups[at].bars.last_mut()) {
                (Some(first), Some(bar)) if *first != result.fingerprint => {
                    bar.label = format!("{} {DIFFERS}", bar.label);
                }
                (Some(_), _) => {}
                (None, _) => firsts.push(&result.fingerprint),
            }
        }
    }
    let bars = || groups.iter().flat_map(|group| &group.bars);
    if bars().count() > BARS_MAX {
        return None;
    }
    let differs = bars().any(|bar| bar.label.ends_with(DIFFERS));
    let legend = runs
        .iter()
        .enumerate()
        .map(|(number, (name, _))| (name.clone(), Ink::of_number(number)))
        .filter(|(_, ink)| bars().any(|bar| bar.ink == *ink))
        .collect();
    let medians = text!("Medians of the trials · 1 MB is 1,000,000 bytes");
    let marked = text!(
        "{} measured in another way than the first of its row",
        DIFFERS
    );
    let footer = [Some(medians), differs.then_some(marked)];
    Some(PlotFigure {
        language: spoken(),
        title: title.to_owned(),
        subtitle: text!("{} runs", runs.len()).into(),
        footer: Text::list(footer.into_iter().flatten(), " · ").into(),
        body: Body::Bars(Bars::new("MB/s", spoken().word("Row"), groups, legend)?.by_ratios()),
    })
}

/// How many bars a picture has; 0 where it has none.
pub(crate) fn bar_count(figure: &PlotFigure) -> f64 {
    match &figure.body {
        Body::Bars(bars) => whole(bars.groups.iter().map(|group| group.bars.len()).sum()),
        Body::Chart(_) | Body::HeatMaps(_) | Body::Card(_) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{PictureTheme, Size, svg};
    use crate::sample;

    #[test]
    fn rows_of_one_name_stand_beside_each_other() {
        let run = RunDocument::from_run(&sample::run());
        let runs = [("first".to_owned(), &run), ("<second>".to_owned(), &run)];
        let figure = several("both", &runs, Language::English).unwrap();
        let Body::Bars(bars) = &figure.body else {
            panic!("bars")
        };
        assert_eq!(bars.groups.len(), run.results.len());
        assert!(bars.groups.iter().all(|group| group.bars.len() == 2));
        let text = svg(&figure, Size::default(), PictureTheme::Auto);
        assert!(text.contains("&lt;second&gt;") && !text.contains("<second>"));
    }

    #[test]
    fn a_bar_of_another_method_is_marked() {
        let run = RunDocument::from_run(&sample::run());
        let mut other = run.clone();
        other.results[0].fingerprint = "another".to_owned();
        let runs = [("first".to_owned(), &run), ("second".to_owned(), &other)];
        let figure = several("both", &runs, Language::English).unwrap();
        let Body::Bars(bars) = &figure.body else {
            panic!("bars")
        };
        let marked = bars.groups.iter().flat_map(|group| &group.bars);
        let marked = marked.filter(|bar| bar.label.ends_with('≠'));
        assert_eq!(marked.count(), 1);
        assert!(figure.footer.contains("≠ measured in another way"));
        let same = drawn("both", &[("a".to_owned(), &run), ("b".to_owned(), &run)]).unwrap();
        assert!(!same.footer.contains('≠'));
    }

    #[test]
    fn values_of_many_runs_end_where_the_picture_ends() {
        let run = RunDocument::from_run(&sample::run());
        let runs: Vec<_> = (0..12).map(|number| (number.to_string(), &run)).collect();
        let figure = drawn("many", &runs).unwrap();
        for width in [300.0, 470.0, 1_200.0] {
            let size = Size {
                width,
                height: 480.0,
            };
            let text = svg(&figure, size, PictureTheme::Light);
            let values = text.lines().filter(|line| line.contains(" / "));
            let mut found = 0;
            for line in values {
                let x = line
                    .split(" x=\"")
                    .nth(1)
                    .and_then(|it| it.split('"').next());
                let x: f64 = x.unwrap().parse().unwrap();
                let size = line.split("font-size=\"").nth(1);
                let size: f64 = size
                    .and_then(|it| it.split('"').next())
                    .unwrap()
                    .parse()
                    .unwrap();
                let label = line.split('>').nth(1).unwrap().trim_end_matches("</text");
                let end = x + crate::plot::text::width(label, size);
                assert!(end <= width, "{end} of {width}: {line}");
                found += 1;
            }
            assert!(found > 0, "{text}");
        }
    }

    #[test]
    fn runs_without_figures_give_no_picture() {
        let mut run = RunDocument::from_run(&sample::run());
        run.results.clear();
        assert!(drawn("none", &[("a".to_owned(), &run)]).is_none());
        assert!(drawn("none", &[]).is_none());
    }
}

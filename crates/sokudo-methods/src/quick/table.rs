//! How quick looks are shown: beside hdparm, which prints MiB/s, and dd. Both are repeated by hand.

use sokudo_report::document::RunDocument;
use sokudo_report::view::{RowColumn, ShownView};
use sokudo_words::Text;

/// How it is shown.
pub(crate) fn showing(document: &RunDocument) -> Option<&dyn ShownView> {
    let is_quick = document.plan.method.is_of(&super::plan::METHOD);
    is_quick.then_some(&ShownQuick)
}

struct ShownQuick;

impl ShownView for ShownQuick {
    fn fact(&self, label: &'static str, _: &RunDocument) -> Option<Option<Text>> {
        let unit = "its MB/sec are MiB/s (1 MiB is 1,048,576 bytes)";
        (label == "hdparm").then(|| Some(unit.into()))
    }

    fn row_columns(&self) -> &'static [RowColumn] {
        &[RowColumn::MeanAndRange, RowColumn::Mebibytes]
    }
}

#[cfg(test)]
mod tests {
    use sokudo_model::{Method, Run};
    use sokudo_report::style::TableStyle;
    use sokudo_report::{sample, text};

    use super::*;

    #[test]
    fn mean_and_range_stand_beside_the_median_of_several_trials() {
        crate::commands::hand_over();
        let mut run = sample::run();
        run.plan.method = Method::new(&crate::quick::plan::METHOD);
        let titles = |run: &Run| {
            let text = text::render(&RunDocument::from_run(run), &TableStyle::default());
            let titles = text.lines().find(|line| line.starts_with("Row "));
            titles.unwrap().to_owned()
        };
        let shown = titles(&run);
        assert!(shown.contains(" mean ") && shown.contains(" R "), "{shown}");
        let narrow = TableStyle {
            width: 80,
            ..TableStyle::default()
        };
        for trim in [0, 1] {
            run.schedule.trim = trim;
            let text = text::render(&RunDocument::from_run(&run), &narrow);
            let (heads, _) = text.split_once("\nRow ").unwrap();
            assert!(heads.lines().last().unwrap().contains("MiB/s"), "{text}");
        }
        run.schedule.trim = 0;
        run.schedule.trials = 1;
        assert!(!titles(&run).contains(" mean "), "of one there is no mean");
    }
}

//! Disks alone and together as bars: two for each disk in each test.

use sokudo_model::Contention;
use sokudo_report::document::{ResultDocument, RunDocument};
use sokudo_report::plot::bars::bar;
use sokudo_report::plot::figure::{Bars, Body, Group, Ink, PlotFigure};
use sokudo_report::plot::{PlotKind, heading};
use sokudo_report::wording::phrase;
use sokudo_words::{spoken, text};

const ALONE: Ink = Ink::READ;
const TOGETHER: Ink = Ink::WRITE;

/// It, as a kind of picture.
pub(crate) const RATES: PlotKind = PlotKind {
    figure,
    ..PlotKind::BARS
};

/// `None` of a run of one disk.
fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let sharing = document.views.get::<Contention>()?;
    let mut groups: Vec<Group> = Vec::new();
    let mut shown: Vec<&ResultDocument> = Vec::new();
    for test in &sharing.tests {
        for disk in &test.disks {
            let mut bars = Vec::new();
            for (index, ink) in [(disk.alone, ALONE), (disk.together, TOGETHER)] {
                let result = document.results.get(index)?;
                bars.push(bar(result, ink));
                shown.push(result);
            }
            let direction = phrase(&shown.last()?.direction_label());
            let name = format!("{} {direction} {}", test.name, disk.label);
            groups.push(Group { name, bars });
        }
    }
    let legend = vec![
        (text!("alone").to_string(), ALONE),
        (text!("together").to_string(), TOGETHER),
    ];
    let bars = Bars::new("MB/s", spoken().word("Row"), groups, legend)?;
    let what = text!("rate alone and together");
    Some(heading::picture(document, &what, &shown, Body::Bars(bars)))
}

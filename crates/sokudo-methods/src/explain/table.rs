//! How an explanation is shown: its rows are probes, which are many, and it is what is concluded
//! from them that is shown.

use sokudo_report::article::{Article, Element};
use sokudo_report::document::RunDocument;
use sokudo_report::style::BandwidthUnit;
use sokudo_report::view::{ShownBehind, ShownView};

/// How it is shown.
pub(crate) fn showing(document: &RunDocument) -> Option<&dyn ShownView> {
    let is_explanation = document.plan.method.is_of(&super::plan::METHOD);
    is_explanation.then_some(&ShownConclusions)
}

struct ShownConclusions;

impl ShownView for ShownConclusions {
    fn add_figures<'a>(
        &'a self,
        article: &mut Article<'a>,
        document: &'a RunDocument,
        _: BandwidthUnit,
    ) -> ShownBehind {
        article.add(Element::Conclusions(&document.inferences));
        ShownBehind::Nothing
    }

    fn shows_rows(&self) -> bool {
        false
    }
}

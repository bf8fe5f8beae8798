//! Which row may stand for the disk where one figure is shown of many. Every headline asks
//! here: the fastest of a list or a report, what a check comes to.

use sokudo_model::{DirectMode, PlanPart, Subject, Verdict};

use crate::document::ResultDocument;

/// The finding that a cache has answered; what it means is in `sokudo_analysis::Code`.
const DATASET_IN_CACHE: &str = "dataset-in-cache";
/// The finding that the row was to show a cache.
const CACHED_ON_PURPOSE: &str = "cached-on-purpose";

impl ResultDocument {
    /// Whether the figure may stand for the disk: it is not of a cache, not INVALID, and known to be
    /// of reads or of writes.
    #[must_use]
    pub fn stands_for_disk(&self) -> bool {
        self.verdict != Some(Verdict::Invalid)
            && !self.is_of_cache()
            && self.knows(PlanPart::Operations)
    }

    /// Whether the row shows a cache as it was to: its INVALID says nothing of the others.
    #[must_use]
    pub fn is_of_cache_on_purpose(&self) -> bool {
        self.findings.iter().any(|it| it.code == CACHED_ON_PURPOSE)
    }

    /// Whether the row was made to show a cache, went through the page cache, or was seen to
    /// be answered by a cache.
    pub(crate) fn is_of_cache(&self) -> bool {
        self.workload.measures.subject == Subject::Cache
            || self.is_buffered()
            || self.findings.iter().any(|it| it.code == DATASET_IN_CACHE)
    }

    /// Whether any trial went through the page cache, as far as it is known.
    fn is_buffered(&self) -> bool {
        match self.direct {
            Some(is_direct) => !is_direct,
            None if self.trials.is_empty() => {
                self.knows(PlanPart::Direct) && self.workload.direct == DirectMode::Off
            }
            None => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunDocument, sample};
    use sokudo_model::{Finding, Severity};
    use sokudo_words::Text;
    use std::sync::Arc;

    #[test]
    fn no_cache_no_page_cache_and_nothing_invalid_stands_for_the_disk() {
        let result = RunDocument::from_run(&sample::run()).results[0].clone();
        assert!(result.stands_for_disk());
        let spoilt = |spoil: fn(&mut ResultDocument)| {
            let mut result = result.clone();
            spoil(&mut result);
            result.stands_for_disk()
        };
        assert!(!spoilt(|it| it.verdict = Some(Verdict::Invalid)));
        assert!(!spoilt(|it| Arc::make_mut(&mut it.workload)
            .measures
            .subject = Subject::Cache));
        assert!(!spoilt(|it| it.direct = Some(false)));
        assert!(!spoilt(|it| it.direct = None));
        assert!(!spoilt(|it| it.findings.push(Finding {
            code: DATASET_IN_CACHE.to_owned(),
            severity: Severity::Warning,
            symptom: Text::default(),
            cause: Text::default(),
            remedy: Text::default(),
        })));
        // Nobody knows how another tool went, unless it says so.
        assert!(spoilt(|it| {
            it.direct = None;
            it.trials.clear();
        }));
        assert!(!spoilt(|it| {
            it.direct = None;
            it.trials.clear();
            Arc::make_mut(&mut it.workload).direct = DirectMode::Off;
        }));
    }
}

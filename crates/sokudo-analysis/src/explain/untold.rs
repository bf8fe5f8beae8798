//! What probes were made for, and is not told, because it is concluded only where turning
//! platters were seen: elsewhere a page cache, a host or a flash drive would be taken for it.

use sokudo_model::{Confidence, Inference, Run, Subject, Visit, Workload};
use sokudo_words::{Text, text};

use super::{rotation, shingles};

/// What was probed and not concluded.
pub fn untold(run: &Run) -> Option<Inference> {
    if rotation::turn(run).is_some() {
        return None;
    }
    let if_measured = |is_wanted: fn(&Workload) -> bool, what: &'static str| {
        let mut rows = run.rows.iter().filter(|row| !row.trials.is_empty());
        let is_requested = rows.any(|row| is_wanted(&row.workload));
        is_requested.then(|| Text::from(what))
    };
    let is_stroke = |it: &Workload| it.survey().is_some_and(|it| it.visit == Visit::Butterfly);
    let whats = [
        if_measured(is_stroke, "the seek curve"),
        if_measured(
            |it| it.measures.subject == Subject::Cache,
            "the drive's memory",
        ),
        if_measured(shingles::is_piecemeal, "shingled recording"),
    ];
    let whats: Vec<Text> = whats.into_iter().flatten().collect();
    if whats.is_empty() {
        return None;
    }
    let what = Text::list(whats, ", ");
    let was_tried = rotation::was_tried(run);
    Some(Inference {
        code: "not-concluded".to_owned(),
        claim: text!("nothing could be concluded about: {what}"),
        figures: Vec::new(),
        confidence: Confidence::Low,
        evidence: match was_tried {
            true => Text::from("this applies only to rotating platters, and none were found"),
            false => Text::from(
                "this applies only to rotating platters, and rotation was not tested; add --only rotation",
            ),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn what_could_not_be_concluded_is_said_with_the_reason() {
        let mut run = sample::writes();
        run.rows[0].workload.measures.subject = Subject::Cache;
        let inference = untold(&run).unwrap();
        let claim = inference.claim.english();
        assert!(
            claim.ends_with("the drive's memory, shingled recording"),
            "{claim}"
        );
        assert!(
            inference.evidence.english().contains("--only rotation"),
            "{inference:?}"
        );
    }
}

//! Runs that another tool has measured: nobody has seen the evidence, so that no rule can
//! judge their rows.

use sokudo_model::{Assessment, Correction, Origin, Run, Verdict};
use sokudo_words::{Text, text};

use crate::code::{Code, RuleResult};
use crate::{drift, failures};

/// Says of every row who measured it, and of the run what was put right in it.
pub(crate) fn judge(run: &mut Run, origin: &Origin) {
    for row in &mut run.rows {
        let error = row.reported.as_ref().and_then(|reported| reported.error);
        let failed = error.map(|error| failures::reported(origin.measurer(), error));
        let rate = row.reported.as_ref().and_then(|it| it.bandwidth.as_ref());
        let groups = rate.and_then(|rate| drift::two_groups(&rate.trials));
        let rulings = failed.into_iter().chain(groups).chain([imported(origin)]);
        row.assessment = Some(Assessment {
            verdict: Verdict::Unverified,
            device_ratio: None,
            findings: rulings.map(Into::into).collect(),
        });
    }
    run.findings = corrected(origin).into_iter().map(Into::into).collect();
    run.inferences.clear();
}

fn imported(origin: &Origin) -> RuleResult {
    let tool = origin.measurer();
    RuleResult::new(
        Code::Imported,
        match origin.tool == Origin::SOKUDO_FIO {
            true => text!("measured by {tool}, whose JSON holds no evidence"),
            false => text!("measured by {tool}, not by sokudo: there is no evidence"),
        },
        "the tool's output does not say whether the bytes reached the device, who else used it or how steady it was",
        "measure the same with sokudo where a figure must be trusted, and compare only runs of \
         one tool and one method",
    )
}

fn corrected(origin: &Origin) -> Option<RuleResult> {
    let once = |text_of: fn(&Correction) -> Text| {
        let mut texts: Vec<Text> = Vec::new();
        for text in origin.corrections.iter().map(text_of) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        Text::list(texts, "; ")
    };
    (!origin.corrections.is_empty()).then(|| {
        RuleResult::new(
            Code::CorrectedImport,
            text!(
                "corrected: {corrections}",
                corrections = once(|correction| correction.what.clone())
            ),
            once(|correction| correction.why.clone()),
            "nothing to do; the tool's own output has the figures that are quoted",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::reads;
    use sokudo_model::{ImportedRate, Provenance, Reported};

    #[test]
    fn trials_of_another_tool_that_fall_into_two_groups_are_told() {
        let codes = |trials: &[f64]| {
            let mut run = reads();
            run.provenance = Provenance::Reported(Origin::default());
            run.rows[0].reported = Some(Box::new(Reported {
                bandwidth: Some(ImportedRate {
                    trials: trials.iter().map(|rate| rate * 1e6).collect(),
                    ..ImportedRate::default()
                }),
                ..Reported::default()
            }));
            crate::judge(&mut run);
            let findings = run.rows[0].assessment.clone().unwrap().findings;
            let codes = findings.into_iter().map(|it| it.code);
            codes.collect::<Vec<_>>()
        };
        let two = [322.0, 330.0, 340.0, 1_640.0, 1_650.0, 1_707.0];
        assert_eq!(codes(&two), ["two-modes", "imported"]);
        assert_eq!(codes(&two[..4]), ["imported"], "too few");
        assert_eq!(codes(&[322.0; 6]), ["imported"]);
    }

    #[test]
    fn rows_of_another_tool_are_unverified_and_corrections_are_told_once_each() {
        let mut run = reads();
        let correction = Correction {
            what: "508.9 \"MB/s\" are 521.1 MB/s".into(),
            why: "KDiskMark divides KiB/s by 1,000".into(),
        };
        run.provenance = Provenance::Reported(Origin {
            tool: "KDiskMark".to_owned(),
            version: Some("3.1.4".to_owned()),
            corrections: vec![correction.clone(), correction],
            ..Origin::default()
        });
        run.rows[0].reported = Some(Box::new(Reported {
            error: Some(5),
            ..Reported::default()
        }));
        crate::judge(&mut run);
        let assessment = run.rows[0].assessment.as_ref().unwrap();
        assert_eq!(assessment.verdict, Verdict::Unverified);
        let [failed, imported] = &assessment.findings[..] else {
            panic!("{:?}", assessment.findings)
        };
        assert_eq!((&*failed.code, &*imported.code), ("io-errors", "imported"));
        assert_eq!(
            failed.symptom,
            "KDiskMark 3.1.4 ended with EIO (input/output error)"
        );
        let symptom = imported.symptom.english();
        assert!(symptom.contains("KDiskMark 3.1.4,"), "{symptom}");
        let [finding] = &run.findings[..] else {
            panic!("{:?}", run.findings)
        };
        assert_eq!(finding.code, "corrected-import");
        assert_eq!(finding.symptom, "corrected: 508.9 \"MB/s\" are 521.1 MB/s");
    }
}

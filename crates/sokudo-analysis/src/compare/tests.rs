//! Conclusions on rows whose truth is known.

mod many_draws;

use super::*;
use sokudo_model::{BackendClass, DirectUse, Rate, Severity};

const SEPARATE: Comparing = Comparing {
    difference_min: 0.02,
    paired: false,
    loads_may_differ: false,
};
const PAIRED: Comparing = Comparing {
    paired: true,
    ..SEPARATE
};

const SYNC: PlanData = PlanData::Backend(BackendClass::Sync);

fn parts(data: &[PlanData]) -> PlanParts {
    data.iter().cloned().collect()
}

/// A proven row on a disk.
fn side<'a>(values: &'a [f64], plan: &'a PlanParts) -> Side<'a> {
    Side {
        name: "A",
        values,
        figure: sokudo_stats::Summary::of(values).map(|it| it.median),
        plan,
        verdict: Some(Verdict::Verified),
        findings: &[],
        kind: TargetKind::BlockDevice,
        past: None,
    }
}

/// The conclusion about rows that differ in their values only.
fn of_values(reference: &[f64], other: &[f64], comparing: Comparing) -> Compared {
    let parts = parts(&[PlanData::Depth(1)]);
    compare(&[(side(reference, &parts), side(other, &parts))], comparing).remove(0)
}

fn around(middle: f64) -> Vec<f64> {
    [0.995, 1.003, 1.0, 0.998, 1.004, 1.001]
        .map(|factor| factor * middle)
        .to_vec()
}

#[test]
fn a_clear_difference_is_faster_one_way_and_slower_the_other() {
    let there = of_values(&around(100.0), &around(112.0), SEPARATE);
    assert_eq!(there.conclusion, Conclusion::Faster, "{there:?}");
    let change = there.change.unwrap();
    let interval = change.ratio_interval_95.unwrap();
    assert!((change.ratio - 1.12).abs() < 1e-3, "{change:?}");
    assert!(interval.low > 1.08 && interval.high < 1.16, "{interval:?}");
    assert_eq!((change.cliffs_delta, change.effect), (1.0, Effect::Large));
    let back = of_values(&around(112.0), &around(100.0), SEPARATE);
    assert_eq!(back.conclusion, Conclusion::Slower);
    assert!((back.change.unwrap().ratio * change.ratio - 1.0).abs() < 1e-12);
}

#[test]
fn a_difference_that_matters_to_nobody_is_not_called_one() {
    let compared = of_values(&around(100.0), &around(101.5), SEPARATE);
    assert_eq!(compared.conclusion, Conclusion::NoDifferenceShown);
    let small = of_values(
        &around(100.0),
        &around(101.5),
        Comparing {
            difference_min: 0.005,
            ..SEPARATE
        },
    );
    assert_eq!(small.conclusion, Conclusion::Faster, "{small:?}");
    let none = of_values(&[7.0; 6], &[7.0; 6], SEPARATE);
    assert_eq!((none.conclusion, none.reason), (Conclusion::Same, None));
}

#[test]
fn what_is_uncertain_is_not_called_equal() {
    let reference = [80.0, 120.0, 100.0, 95.0, 110.0, 90.0];
    let compared = of_values(&reference, &reference.map(|value| value * 1.05), SEPARATE);
    assert_eq!(compared.conclusion, Conclusion::NoDifferenceShown);
    assert_eq!(compared.reason, None);
    let interval = compared.change.unwrap().ratio_interval_95.unwrap();
    assert!(interval.low < 1.0 && interval.high > 1.1);
}

#[test]
fn four_trials_are_too_few_and_five_are_not() {
    let five = [99.0, 100.0, 101.0, 100.5, 99.5];
    let twice = five.map(|value| value * 2.0);
    let few = of_values(&five[..4], &twice, SEPARATE);
    assert_eq!(few.conclusion, Conclusion::TooFewTrials);
    assert!(
        few.reason
            .unwrap()
            .english()
            .contains("4 and 5 trials, and 5 of each")
    );
    assert_eq!(
        of_values(&five, &twice, SEPARATE).conclusion,
        Conclusion::Faster
    );
    // Five pairs cannot reach 95 %, whatever they show.
    assert_eq!(
        of_values(&five, &twice, PAIRED).conclusion,
        Conclusion::TooFewTrials
    );
    assert_eq!(
        of_values(&around(1.0), &around(2.0), PAIRED).conclusion,
        Conclusion::Faster
    );
}

#[test]
fn one_pair_is_told_in_the_singular() {
    let reason = of_values(&[1.0], &[2.0], PAIRED).reason.unwrap();
    assert_eq!(reason, "1 pair, and 6 are needed (--pairs 6)");
}

#[test]
fn no_imported_run_is_to_get_more_trials() {
    let fio = || PlanData::Tool("fio 3.33".to_owned());
    let (imported, deeper) = (
        parts(&[fio(), PlanData::Depth(1)]),
        parts(&[fio(), PlanData::Depth(32)]),
    );
    let reason = |other| {
        let rows = [(side(&[1.0], &imported), side(&[2.0], other))];
        let compared = compare(&rows, SEPARATE).remove(0);
        compared.reason.unwrap().english()
    };
    assert_eq!(
        reason(&imported),
        "1 and 1 trials, and 5 of each are needed; an imported run gets no more, \
         so measure both with sokudo, with --runs 5"
    );
    assert_eq!(
        reason(&deeper),
        "not the same load: depth differs; measure both with sokudo, \
         or see them side by side (sokudo compare --by-position)"
    );
}

#[test]
fn what_another_tool_does_in_the_same_way_is_compared_with_a_remark() {
    let tool = PlanData::Tool("hdparm".to_owned());
    let cached = PlanData::Direct(DirectUse::Off);
    let imported = parts(&[tool, PlanData::Depth(1), cached.clone()]);
    let with = |direct| {
        let ours = parts(&[PlanData::Depth(1), direct, PlanData::Polled(true)]);
        let (slow, fast) = (around(1.0), around(1.5));
        compare(&[(side(&slow, &imported), side(&fast, &ours))], SEPARATE).remove(0)
    };
    let compared = with(cached);
    assert_eq!(compared.conclusion, Conclusion::Faster);
    assert_eq!(
        compared.warnings,
        ["not known to be measured in the same way (polled, tool), which may be the difference"]
    );
    let reason = with(PlanData::Direct(DirectUse::On)).reason.unwrap();
    assert!(reason.english().contains("direct differs"));
}

#[test]
fn many_rows_need_more_trials_and_the_text_says_how_many() {
    let parts = parts(&[]);
    let five = [99.0, 100.0, 101.0, 100.5, 99.5];
    let twice = five.map(|value| value * 2.0);
    let rows = [(side(&five, &parts), side(&twice, &parts)); 8];
    for compared in compare(&rows, SEPARATE) {
        assert_eq!(compared.conclusion, Conclusion::TooFewTrials);
        assert!(
            compared
                .reason
                .unwrap()
                .english()
                .contains("6 of each are needed for 8 comparisons")
        );
    }
    let (six, double) = (around(1.0), around(2.0));
    let rows = [(side(&six, &parts), side(&double, &parts)); 8];
    let compared = compare(&rows, SEPARATE);
    assert!(
        compared
            .iter()
            .all(|it| it.conclusion == Conclusion::Faster)
    );
    let change = compared[0].change.unwrap();
    assert!((change.p_value_of_all_rows - 8.0 * change.p_value).abs() < 1e-12);
}

#[test]
fn another_load_cannot_be_compared_and_its_parts_are_named() {
    let (one, other) = (
        parts(&[PlanData::Depth(1), PlanData::Span(vec![]), SYNC]),
        parts(&[PlanData::Depth(32), PlanData::Span(vec![None]), SYNC]),
    );
    let values = around(1.0);
    let rows = [(side(&values, &one), side(&values, &other))];
    let compared = compare(&rows, SEPARATE).remove(0);
    assert_eq!(compared.conclusion, Conclusion::CannotBeCompared);
    assert!(
        compared
            .reason
            .unwrap()
            .english()
            .contains("depth, span differ")
    );
    assert_eq!(compared.change, None);
    let comparing = Comparing {
        loads_may_differ: true,
        ..SEPARATE
    };
    let compared = compare(&rows, comparing).remove(0);
    assert_eq!(compared.conclusion, Conclusion::Same);
    assert_eq!(
        compared.warnings,
        ["the loads differ (depth, span), and were compared as asked"]
    );
}

#[test]
fn another_engine_is_what_one_wants_to_compare() {
    let (one, other) = (
        parts(&[SYNC]),
        parts(&[PlanData::Backend(BackendClass::Async)]),
    );
    let (slow, fast) = (around(1.0), around(1.5));
    let compared = compare(&[(side(&slow, &one), side(&fast, &other))], SEPARATE).remove(0);
    assert_eq!(compared.conclusion, Conclusion::Faster);
}

#[test]
fn what_is_no_figure_of_a_device_is_not_compared() {
    let parts = parts(&[]);
    let values = around(1.0);
    let finding = Finding {
        code: Code::CachedReads.name().to_owned(),
        severity: Severity::Error,
        symptom: "".into(),
        cause: "".into(),
        remedy: "".into(),
    };
    let good = side(&values, &parts);
    let other = Side { name: "C", ..good };
    let findings = [finding];
    let bad = Side {
        verdict: Some(Verdict::Invalid),
        findings: &findings,
        ..good
    };
    for (pair, name) in [
        ((bad, other), "A is INVALID (cached-reads)"),
        ((good, Side { name: "C", ..bad }), "C is INVALID"),
        (
            (bad, Side { name: "C", ..bad }),
            "A is INVALID (cached-reads), C is INVALID (cached-reads)",
        ),
    ] {
        let compared = compare(&[pair], SEPARATE).remove(0);
        assert_eq!(compared.conclusion, Conclusion::CannotBeCompared);
        assert!(compared.reason.unwrap().english().contains(name));
    }
    let simulated = Side {
        kind: TargetKind::Simulated,
        ..good
    };
    let compared = compare(&[(good, simulated)], SEPARATE).remove(0);
    assert!(compared.reason.unwrap().english().contains("simulated"));
    let compared = compare(&[(simulated, simulated)], SEPARATE).remove(0);
    assert_eq!(compared.conclusion, Conclusion::Same);
    let doubtful = Side {
        name: "C",
        verdict: Some(Verdict::Unverified),
        ..good
    };
    let compared = compare(&[(good, doubtful)], SEPARATE).remove(0);
    assert_eq!(compared.warnings, ["C is UNVERIFIED"]);
    assert_eq!(compared.conclusion, Conclusion::Same);
}

#[test]
fn a_fixed_rate_and_no_trials_say_nothing() {
    let fixed = parts(&[PlanData::Rate(Some(Rate::Iops(500)))]);
    let values = around(1.0);
    let compared = compare(&[(side(&values, &fixed), side(&values, &fixed))], SEPARATE).remove(0);
    assert!(
        compared
            .reason
            .unwrap()
            .english()
            .contains("rate was fixed")
    );
    for empty in [&[][..], &[1.0, 0.0]] {
        let compared = of_values(empty, &values, SEPARATE);
        assert_eq!(compared.conclusion, Conclusion::CannotBeCompared);
        assert!(compared.reason.is_some());
    }
}

#[test]
fn a_figure_of_memory_is_not_set_against_one_of_the_device() {
    let parts = parts(&[PlanData::Depth(1)]);
    let (slow, fast) = (around(1.0), around(6.0));
    let findings = [Finding {
        code: Code::BufferedWrites.name().to_owned(),
        severity: Severity::Warning,
        symptom: "".into(),
        cause: "".into(),
        remedy: "".into(),
    }];
    let in_memory = |values| Side {
        verdict: Some(Verdict::Unverified),
        findings: &findings,
        ..side(values, &parts)
    };
    let compared = compare(&[(side(&slow, &parts), in_memory(&fast))], SEPARATE).remove(0);
    assert_eq!(compared.conclusion, Conclusion::CannotBeCompared);
    let reason = compared.reason.unwrap().english();
    assert!(reason.contains("in memory (buffered-writes)"), "{reason}");
    let alike = compare(&[(in_memory(&slow), in_memory(&fast))], SEPARATE).remove(0);
    assert_eq!(alike.conclusion, Conclusion::Faster);
}

#[test]
fn who_cannot_be_compared_leaves_a_row_without_a_best() {
    let parts = parts(&[PlanData::Depth(1)]);
    let (slow, fast) = (around(1.0), around(2.0));
    let one = |slow: Side<'_>| {
        best(
            &[vec![Some(slow), None, Some(side(&fast, &parts))]],
            SEPARATE,
        )
    };
    assert_eq!(one(side(&slow, &parts)), [Some(2)]);
    let invalid = Side {
        verdict: Some(Verdict::Invalid),
        ..side(&slow, &parts)
    };
    assert_eq!(one(invalid), [None]);
    let other_load = self::parts(&[PlanData::Depth(2)]);
    assert_eq!(one(side(&slow, &other_load)), [None]);
    // A single figure, as other tools tell it, shows nothing.
    assert_eq!(one(side(&slow[..1], &parts)), [None]);
    assert_eq!(one(side(&[], &parts)), [None]);
    let small = around(1.99);
    assert_eq!(one(side(&small, &parts)), [None], "too little to matter");
    assert_eq!(best(&[vec![Some(side(&fast, &parts))]], SEPARATE), [None]);
}

#[test]
fn a_figure_of_a_few_long_trials_is_not_compared_trial_by_trial() {
    let parts = parts(&[PlanData::Depth(1)]);
    let (slow, fast) = (around(1.0), around(2.0));
    let weighed = |figure| Side {
        figure: Some(figure),
        ..side(&fast, &parts)
    };
    let compared = |other| compare(&[(side(&slow, &parts), other)], SEPARATE).remove(0);
    let reason = compared(weighed(0.5)).reason.unwrap();
    assert!(reason.english().contains("stalled"), "{reason}");
    assert_eq!(compared(weighed(2.01)).conclusion, Conclusion::Faster);
    let row = |other| [vec![Some(side(&slow, &parts)), Some(other)]];
    assert_eq!(best(&row(weighed(0.5)), SEPARATE), [None]);
    assert_eq!(best(&row(weighed(2.01)), SEPARATE), [Some(1)]);
}

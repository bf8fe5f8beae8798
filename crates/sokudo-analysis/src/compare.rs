//! Two measurements of the same rows: which is faster, and how sure that is.
//!
//! Only figures of the same thing are compared: the load must be equal, both must be
//! figures of a device, and enough trials must have been made. The device, the kernel and
//! the means by which I/O was issued may differ: they are what one wants to compare. That
//! nothing was shown is never called equality; that any difference is too small to matter
//! must be shown, too.

mod best;

use sokudo_model::{
    Change, Compared, ComparisonTest, Conclusion, Effect, Finding, PlanData, PlanPart, PlanParts,
    RunsDiffer, TargetKind, Verdict,
};
use sokudo_stats::{
    CORRELATION_ASSUMED, Interval, PastRuns, PastTest, RankTest, Shift, cliffs_delta, holm,
    mann_whitney, mann_whitney_p_min, paired_shift, quantile, shift, signed_rank,
    signed_rank_p_min, widening,
};

use sokudo_words::{Text, text};

use crate::Code;
use crate::threshold::{
    COMPARED_PAIRS_MIN, COMPARED_TRIALS_MIN, CONFIDENCE, DIFFERENCE_MIN, EFFECT_LARGE_MIN,
    EFFECT_MEDIUM_MIN, EFFECT_SMALL_MIN,
};

pub use best::best;

/// Parts of a fingerprint that are means to a load, not the load itself: how I/O is
/// issued, and what surrounds it. Two systems may differ in them and be compared, because
/// that may be what is to be found out.
const MEANS: [PlanPart; 8] = [
    PlanPart::Backend,
    PlanPart::Batching,
    PlanPart::Cpus,
    PlanPart::Memory,
    PlanPart::Recording,
    PlanPart::Schedule,
    PlanPart::Spread,
    PlanPart::WriteCache,
];

/// One row of one measurement.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// What the texts call it, such as `A`.
    pub name: &'a str,
    /// The rate of each trial, in order of time.
    pub values: &'a [f64],
    /// The row's own figure: their median, in which long ones may count more often.
    pub figure: Option<f64>,
    /// What was done in it, and how.
    pub plan: &'a PlanParts,
    /// What was thought of the row.
    pub verdict: Option<Verdict>,
    pub findings: &'a [Finding],
    pub kind: TargetKind,
    /// How much other runs of this row on the same device differ, where enough are kept: the
    /// same of both sides where it is of the same runs.
    pub past: Option<PastRuns>,
}

/// How rows are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparing {
    /// The least difference that matters, as a share: 0.02 for 2 %.
    pub difference_min: f64,
    /// Trials of both sides were made in pairs, the order within each drawn by lot.
    pub paired: bool,
    /// Whoever asked knows that the loads differ, and wants them side by side.
    pub loads_may_differ: bool,
}

/// Compares the rows of a reference with those of another measurement. All conclusions
/// together call systems different that differ by no more than matters with a probability of
/// 5 % at most (Holm).
pub fn compare(rows: &[(Side<'_>, Side<'_>)], comparing: Comparing) -> Vec<Compared> {
    let mut compared: Vec<Compared> = rows
        .iter()
        .map(|(reference, other)| one(reference, other, comparing))
        .collect();
    let tested: Vec<usize> = (0..compared.len())
        .filter(|index| compared[*index].change.is_some())
        .collect();
    let p_values: Vec<f64> = tested
        .iter()
        .filter_map(|index| compared[*index].change.map(|change| change.p_value))
        .collect();
    let family = TestFamily {
        rows: tested.len(),
        trials_needed: trials_needed(tested.len(), comparing.paired),
    };
    for (index, p_value) in tested.iter().zip(holm(&p_values)) {
        let sides = &rows[*index];
        conclude(&mut compared[*index], p_value, sides, family, comparing);
    }
    compared
}

/// Everything about one row but the conclusion, unless there can be none.
fn one(reference: &Side<'_>, other: &Side<'_>, comparing: Comparing) -> Compared {
    let differs = of_load(reference.plan, other.plan);
    let load = incomparable_parts(reference.plan, other.plan);
    let obstacle = obstacle(reference, other, &load, comparing);
    let change = match obstacle {
        Some(_) => None,
        None => change(reference, other, comparing),
    };
    let mut warnings = warnings(reference, other, comparing);
    if change.is_some() && !differs.is_empty() {
        let names = names(&differs);
        warnings.push(match load.is_empty() {
            true => text!(
                "not known to be measured in the same way ({names}), which may be the difference"
            ),
            false => text!("the loads differ ({names}), and were compared as asked"),
        });
    }
    Compared {
        conclusion: match change {
            Some(_) => Conclusion::NoDifferenceShown,
            None => Conclusion::CannotBeCompared,
        },
        reason: obstacle.or_else(|| {
            let none = change.is_none();
            none.then(|| "a side has no trial in which I/O completed".into())
        }),
        change,
        // Words are for who prints it.
        differs: Vec::new(),
        warnings,
    }
}

/// Why both are not figures of the same thing; the way out is told with it.
fn obstacle(
    reference: &Side<'_>,
    other: &Side<'_>,
    load: &[PlanPart],
    comparing: Comparing,
) -> Option<Text> {
    let sides = [reference, other];
    let invalid = sides
        .into_iter()
        .filter(|side| side.verdict == Some(Verdict::Invalid));
    let invalid = invalid.map(|side| {
        let code = side.findings.first().map_or("unknown", |it| &*it.code);
        text!("{} is INVALID ({code})", side.name)
    });
    let invalid = Text::list(invalid, ", ");
    if !invalid.is_empty() {
        return Some(text!(
            "{invalid}, and no figure of the device; the findings of the run say how to measure it"
        ));
    }
    let in_memory = sides.map(Side::is_in_memory);
    if in_memory[0] != in_memory[1] && load.is_empty() {
        let name = if in_memory[0] { reference } else { other }.name;
        return Some(text!(
            "only {name} counted writes as done when they were in memory (buffered-writes), so its figure is not the device's; the findings of that run say how to measure it"
        ));
    }
    let simulated = |side: &Side<'_>| side.kind == TargetKind::Simulated;
    if simulated(reference) != simulated(other) {
        return Some(
            "one is a simulated device and the other a real one; compare like with like".into(),
        );
    }
    if let Some(side) = [reference, other].into_iter().find(|it| it.is_weighed()) {
        let name = side.name;
        return Some(text!(
            "{name} stalled for so long that its figure comes from a few long trials, while a comparison counts each trial once; use longer trials (--time)"
        ));
    }
    if !load.is_empty() && !comparing.loads_may_differ {
        let names = names(load);
        let differ = match load {
            [_] => text!("not the same load: {names} differs"),
            _ => text!("not the same load: {names} differ"),
        };
        let again = match is_imported(reference, other) {
            // What it was told is seldom known.
            true => text!("measure both with sokudo"),
            false => text!("measure both with the same options"),
        };
        return Some(text!(
            "{differ}; {again}, or see them side by side (sokudo compare --by-position)"
        ));
    }
    let fixed = [reference, other]
        .into_iter()
        .any(|side| matches!(side.plan.get(PlanPart::Rate), Some(PlanData::Rate(Some(_)))));
    fixed.then(|| {
        "the rate was fixed, so it cannot show which is faster; compare the latencies of both results"
            .into()
    })
}

/// Parts of a load that other tools report too. What else they do is seldom known, and
/// their name is a part of its own.
const PATTERN: [PlanPart; 6] = [
    PlanPart::Blocks,
    PlanPart::Threads,
    PlanPart::Depth,
    PlanPart::Operations,
    PlanPart::Order,
    PlanPart::Rate,
];

/// The parts of the load in which two rows differ: with none they have measured the same, and
/// their figures may stand in one line. Of a row that another tool has measured only the access
/// pattern counts, as far as it is known.
pub fn load_differences(reference: &PlanParts, other: &PlanParts) -> Vec<PlanPart> {
    let is_foreign = reference.is_foreign() || other.is_foreign();
    let is_known = |part| reference.get(part).is_some() && other.get(part).is_some();
    let mut differs = of_load(reference, other);
    differs.retain(|part| !is_foreign || (is_known(*part) && PATTERN.contains(part)));
    differs
}

/// The parts of the load that keep two rows from being compared: of another tool's row the access
/// pattern, and of both whether a cache or a sync is in their figures, as far as it is known.
fn incomparable_parts(reference: &PlanParts, other: &PlanParts) -> Vec<PlanPart> {
    if !(reference.is_foreign() || other.is_foreign()) {
        return of_load(reference, other);
    }
    let mut differs = load_differences(reference, other);
    for part in [PlanPart::Direct, PlanPart::Durability] {
        if let (Some(ours), Some(theirs)) = (reference.get(part), other.get(part))
            && ours != theirs
        {
            differs.push(part);
        }
    }
    differs
}

/// The parts of the load in which two rows differ in any way.
fn of_load(reference: &PlanParts, other: &PlanParts) -> Vec<PlanPart> {
    let mut differs = reference.differing(other);
    differs.retain(|part| !MEANS.contains(part));
    differs
}

/// Whether another tool has measured any of both.
fn is_imported(reference: &Side<'_>, other: &Side<'_>) -> bool {
    reference.plan.is_foreign() || other.plan.is_foreign()
}

fn names(parts: &[PlanPart]) -> Text {
    Text::list(parts.iter().map(|part| part.name().into()), ", ")
}

fn warnings(reference: &Side<'_>, other: &Side<'_>, comparing: Comparing) -> Vec<Text> {
    let unproven = [reference, other].into_iter().filter_map(|side| {
        let name = side.name;
        let codes = |severe: &[Finding]| {
            let codes = severe
                .iter()
                .filter(|it| it.severity > sokudo_model::Severity::Info);
            codes
                .map(|it| it.code.clone())
                .collect::<Vec<_>>()
                .join(", ")
        };
        match side.verdict {
            Some(Verdict::Verified | Verdict::Invalid) => None,
            Some(Verdict::Unverified) => match codes(side.findings) {
                codes if codes.is_empty() => Some(text!("{name} is UNVERIFIED")),
                codes => Some(text!("{name} is UNVERIFIED ({codes})")),
            },
            None => Some(text!("{name} was never judged")),
        }
    });
    let uneven = comparing.paired && reference.values.len() != other.values.len();
    let uneven = uneven.then(|| "the last pair has one side only and was left out".into());
    unproven.chain(uneven).collect()
}

impl Side<'_> {
    /// Whether its writes counted before the device had them.
    fn is_in_memory(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|it| it.code == Code::BufferedWrites.name())
    }

    /// Whether its figure is of none of the middle half of its trials, which is what the test has:
    /// those that lasted decide. What other tools tell is their own.
    fn is_weighed(&self) -> bool {
        let quartile = |share| quantile(self.values, share);
        let (Some(figure), Some(low), Some(high)) = (self.figure, quartile(0.25), quartile(0.75))
        else {
            return false;
        };
        let apart = DIFFERENCE_MIN + 1.0;
        let is_elsewhere = figure * apart < low || figure > high * apart;
        is_elsewhere && !self.plan.is_foreign()
    }
}

/// `None` where one is no rate.
fn logarithms(values: &[f64]) -> Option<Vec<f64>> {
    let positive = values.iter().all(|value| *value > 0.0 && value.is_finite());
    positive.then(|| values.iter().map(|value| value.ln()).collect())
}

/// The figures, of logarithms, so that differences are ratios. `None` without values.
fn change(reference: &Side<'_>, other: &Side<'_>, comparing: Comparing) -> Option<Change> {
    let (a, b) = (logarithms(reference.values)?, logarithms(other.values)?);
    let margin = comparing.difference_min.ln_1p();
    let past = reference.past.zip(other.past);
    // The lot leaves nothing to allow for.
    let past = past.filter(|_| !comparing.paired);
    let found = match (comparing.paired, past) {
        (true, _) => of_pairs(&a, &b, margin)?,
        (false, None) => of_samples(&a, &b, margin, CORRELATION_ASSUMED)?,
        // What runs differ by is known, and nothing is assumed in its place.
        (false, Some(_)) => of_samples(&a, &b, margin, 0.0)?,
    };
    let Shift { estimate, interval } = found.shift;
    let between = past.and_then(|past| of_runs(past, estimate, margin));
    let reach = between.map_or(0.0, |test| test.reach);
    let widened = |end: f64| estimate + found.widening * (end - estimate);
    let p_value = between.map_or(0.0, |test| test.p_value).max(found.p_value);
    Some(Change {
        ratio: estimate.exp(),
        ratio_interval_95: interval.map(|interval| Interval {
            low: widened(interval.low).min(estimate - reach).exp(),
            high: widened(interval.high).max(estimate + reach).exp(),
            coverage: interval.coverage,
        }),
        test: found.test,
        p_value,
        p_value_of_all_rows: p_value,
        cliffs_delta: found.delta,
        effect: effect(found.delta),
        widening: found.widening,
        runs_differ: past.map(of_those_that_differ_more),
    })
}

/// What a test and its shift say of two series of logarithms.
struct ShiftTest {
    shift: Shift,
    /// How likely systems that differ by the margin differ at least so much.
    p_value: f64,
    delta: f64,
    widening: f64,
    test: ComparisonTest,
}

/// Trials that follow one another are alike, and fewer of them are independent than were
/// made. So what is left of the shift beyond a null is tested as if the noise were `widening`
/// times as large: both samples are moved towards each other until only 1/widening of it is
/// left. The interval that is widened as much holds exactly the shifts that this does not
/// reject.
fn of_samples(reference: &[f64], other: &[f64], margin: f64, assumed: f64) -> Option<ShiftTest> {
    let shift = shift(reference, other, CONFIDENCE)?;
    let widening = widening(reference, other, assumed);
    let against = |null: f64| {
        let nearer = shift.estimate - (shift.estimate - null) / widening;
        let moved: Vec<f64> = other.iter().map(|value| value - nearer).collect();
        mann_whitney(reference, &moved)
    };
    Some(ShiftTest {
        shift,
        p_value: beyond_margin(against, margin)?,
        delta: cliffs_delta(reference, other)?,
        widening,
        test: ComparisonTest::MannWhitney,
    })
}

/// The order within each pair was drawn by lot, so that between equal systems every
/// difference has either sign with probability ½, however the noise hangs together in
/// time: nothing is to be widened.
fn of_pairs(reference: &[f64], other: &[f64], margin: f64) -> Option<ShiftTest> {
    let differences: Vec<f64> = reference.iter().zip(other).map(|(a, b)| b - a).collect();
    let delta = {
        let count = |sign: fn(&f64) -> bool| differences.iter().filter(|d| sign(d)).count() as f64;
        (count(|d| *d > 0.0) - count(|d| *d < 0.0)) / differences.len() as f64
    };
    let against = |null: f64| {
        let beyond: Vec<f64> = differences.iter().map(|value| value - null).collect();
        signed_rank(&beyond)
    };
    Some(ShiftTest {
        shift: paired_shift(&differences, CONFIDENCE)?,
        p_value: beyond_margin(against, margin)?,
        delta,
        widening: 1.0,
        test: ComparisonTest::WilcoxonSignedRank,
    })
}

/// How likely systems whose difference is no larger than the margin differ at least so much,
/// either way, by a test against a null: Hodges and Lehmann's (1954) of a hypothesis that holds
/// approximately. At the end of the margin it is the tail beyond what was found, and that beyond
/// its opposite. Without a margin it is the two-sided p; with one far above the noise the one-sided.
fn beyond_margin(against: impl Fn(f64) -> Option<RankTest>, margin: f64) -> Option<f64> {
    let [upper, lower] = [against(margin)?, against(-margin)?].map(|test| test.p_above_below);
    let (faster, slower) = (upper[0] + lower[0], upper[1] + lower[1]);
    Some(faster.min(slower).min(1.0))
}

/// What the difference is worth beside how much runs differ: between two runs of the same
/// past, or of one each.
fn of_runs((ours, theirs): (PastRuns, PastRuns), shift: f64, margin: f64) -> Option<PastTest> {
    match ours == theirs {
        true => ours.test(shift, margin, CONFIDENCE),
        false => ours.test_against(theirs, shift, margin, CONFIDENCE),
    }
}

/// How much the runs of a row differ that are known.
pub fn runs_differ(past: PastRuns) -> RunsDiffer {
    RunsDiffer {
        deviation: past.deviation.exp_m1(),
        reach_95: past.reach(CONFIDENCE).unwrap_or(past.deviation).exp_m1(),
        runs: past.runs,
    }
}

/// Of the two of a comparison those that differ more.
fn of_those_that_differ_more((ours, theirs): (PastRuns, PastRuns)) -> RunsDiffer {
    runs_differ(if ours.deviation < theirs.deviation {
        theirs
    } else {
        ours
    })
}

fn effect(delta: f64) -> Effect {
    match delta.abs() {
        size if size >= EFFECT_LARGE_MIN => Effect::Large,
        size if size >= EFFECT_MEDIUM_MIN => Effect::Medium,
        size if size >= EFFECT_SMALL_MIN => Effect::Small,
        _ => Effect::Negligible,
    }
}

/// How many rows are tested together.
#[derive(Clone, Copy)]
struct TestFamily {
    rows: usize,
    /// Of each side of each of them.
    trials_needed: usize,
}

/// Puts the conclusion in, once the number of rows that are tested together is known.
fn conclude(
    compared: &mut Compared,
    p_value_of_all_rows: f64,
    (reference, other): &(Side<'_>, Side<'_>),
    family: TestFamily,
    comparing: Comparing,
) {
    let Some(change) = &mut compared.change else {
        return;
    };
    change.p_value_of_all_rows = p_value_of_all_rows;
    let level = 1.0 - CONFIDENCE;
    let TestFamily {
        rows,
        trials_needed: needed,
    } = family;
    let counts = (reference.values.len(), other.values.len());
    if counts.0.min(counts.1) < needed {
        compared.conclusion = Conclusion::TooFewTrials;
        let how = (comparing.paired, is_imported(reference, other));
        compared.reason = Some(too_few(counts, needed, rows, how));
        return;
    }
    let interval = change.ratio_interval_95;
    if change.p_value_of_all_rows <= level {
        compared.conclusion = match change.ratio > 1.0 {
            true => Conclusion::Faster,
            false => Conclusion::Slower,
        };
        return;
    }
    let matters = |ratio: f64| ratio.ln().abs() >= comparing.difference_min.ln_1p();
    if interval.is_some_and(|it| !matters(it.low) && !matters(it.high)) {
        compared.conclusion = Conclusion::Same;
        return;
    }
    compared.conclusion = Conclusion::NoDifferenceShown;
    compared.reason = if change.p_value <= level {
        Some(text!(
            "alone this row would count as different, but among {rows} comparisons one in twenty does so by chance; run more trials"
        ))
    } else if interval.is_some_and(|it| it.low > 1.0 || it.high < 1.0) {
        Some(text!(
            "there is a difference, but it is not shown to exceed the {} that matter",
            percent(comparing.difference_min)
        ))
    } else {
        None
    };
}

/// The fewest trials per side, or pairs, with which the smallest p of the test passes
/// when so many rows are tested together.
pub fn trials_needed(rows: usize, paired: bool) -> usize {
    let (least, p_min): (usize, fn(usize) -> f64) = match paired {
        true => (COMPARED_PAIRS_MIN, signed_rank_p_min),
        false => (COMPARED_TRIALS_MIN, |count| {
            mann_whitney_p_min(count, count)
        }),
    };
    let level = (1.0 - CONFIDENCE) / rows as f64;
    let mut needed = least;
    while p_min(needed) > level {
        needed += 1;
    }
    needed
}

fn too_few(
    counts: (usize, usize),
    needed: usize,
    rows: usize,
    (is_paired, is_imported): (bool, bool),
) -> Text {
    let (a, b) = counts;
    let together = match rows {
        1 => text!("needed"),
        rows => text!("needed for {rows} comparisons together"),
    };
    match is_paired {
        true => text!(
            "{}, and {needed} are {together} (--pairs {needed})",
            match a.min(b) {
                1 => text!("1 pair"),
                pairs => text!("{pairs} pairs"),
            }
        ),
        // What another tool has reported stays as it is.
        false if is_imported => text!(
            "{a} and {b} trials, and {needed} of each are {together}; an imported run gets no more, so measure both with sokudo, with --runs {needed}"
        ),
        false => text!(
            "{a} and {b} trials, and {needed} of each are {together}; measure both with --runs {needed}"
        ),
    }
}

/// `2 %`, `0.5 %`.
fn percent(share: f64) -> String {
    format!("{} %", (share * 1e4).round() / 100.0)
}

#[cfg(test)]
mod tests;

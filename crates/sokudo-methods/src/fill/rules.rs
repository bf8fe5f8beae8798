//! What a fill shows, and what to do about it: where fast writes end, that the drive makes room
//! while it is written, and that a limited volume looks the same.

use sokudo_analysis::code::{Code, RuleResult};
use sokudo_analysis::explain::fast_cells::{gb, mb_per_s, slower};
use sokudo_analysis::method_codes;
use sokudo_analysis::rule::MethodRules;
use sokudo_model::{BlockDeviceKind, Fill, FillStretch, MethodKind, MethodTrait, Row, Run};
use sokudo_words::{Text, text};

pub(crate) static METHOD: MethodKind = MethodKind {
    name: "fill",
    command: "fill",
    is_named: false,
    traits: &[MethodTrait::DecidesTrials],
};

method_codes! {
    /// Of the run, of `fill`: the rate falls once so much is written, and stays lower.
    FAST_CELLS_END => "fast-cells-end", Info, Verified, PrecisionNotReached + 3;
    /// Of the run, of `fill`: a third level, lower than the one behind fast cells.
    FOLDING => "folding", Info, Verified, PrecisionNotReached + 4;
    /// Of the run, of `fill`: it is the disk of a virtual machine, whose rate may fall because
    /// credit for bursts is used up.
    BURST_CREDITS => "burst-credits", Info, Verified, PrecisionNotReached + 5;
}

/// Rules of its own.
pub(crate) static RULES: MethodRules = MethodRules {
    codes: CODES,
    runs: &[fast_cells_end, folding, burst_credits],
    looked_for,
    ..MethodRules::NONE
};

/// The rate itself is shown as levels, reads stand beside its writes, and the drive is written through.
fn looked_for(run: &Run, _: Option<&Row>, code: Code) -> bool {
    let is_shown = matches!(code, Code::DepthNotReached | Code::NotPreconditioned);
    run.plan.method.is_of(&METHOD) && (is_shown || code.is_about_steadiness())
}

/// The fill that its own command measured.
pub(super) fn fill_of(run: &Run) -> Option<Fill> {
    let is_own = run.plan.method.is_of(&METHOD);
    is_own.then(|| Fill::of(run))?
}

/// A fill of its own command whose rate collapses, and the level at which it does.
fn collapsed(run: &Run) -> Option<(Fill, usize)> {
    let fill = fill_of(run)?;
    let collapse = fill.collapse?.level;
    Some((fill, collapse))
}

fn fast_cells_end(run: &Run) -> Option<RuleResult> {
    let (fill, collapse) = collapsed(run)?;
    let fast = fill.levels[collapse - 1];
    let slow_mb_per_s = mb_per_s(&fill.after(collapse));
    Some(RuleResult::new(
        Code::Of(&FAST_CELLS_END),
        text!(
            "fast writes end after {end_gb:.1} GB: {fast_mb_per_s:.0} MB/s before, {}",
            slower(&fill, collapse),
            end_gb = gb(fast.to),
            fast_mb_per_s = mb_per_s(&fast)
        ),
        "the drive first writes into cells as if each held one bit (pseudo-SLC), and that part was full; or it is a volume whose rate is limited, and its credit for bursts was used up",
        text!(
            "expect {slow_mb_per_s:.0} MB/s of writes that are larger, and leave the drive idle between large ones{}",
            recovered(&fill, &fast)
        ),
    ))
}

/// What the rests have shown, to be read after what they are advised for.
fn recovered(fill: &Fill, fast: &FillStretch) -> Text {
    let Some(rest) = fill.rests.last() else {
        return Text::default();
    };
    text!(
        ": {rest_s:.0} s of rest brought {rest_mb_per_s:.0} of {fast_mb_per_s:.0} MB/s back",
        rest_s = rest.rest.as_secs_f64(),
        rest_mb_per_s = rest.bytes_per_s / 1e6,
        fast_mb_per_s = mb_per_s(fast)
    )
}

/// A third level, slower than what follows fast cells.
fn folding(run: &Run) -> Option<RuleResult> {
    let (fill, _) = collapsed(run)?;
    let levels = &fill.levels[fill.first..];
    let falls = |pair: &[FillStretch]| pair[1].bytes_per_s < pair[0].bytes_per_s;
    let [_, direct, last] = levels else {
        return None;
    };
    if !levels.windows(2).all(falls) {
        return None;
    }
    Some(RuleResult::new(
        Code::Of(&FOLDING),
        text!(
            "writes have a third level: {direct_mb_per_s:.0} MB/s up to {end_gb:.1} GB, {last_mb_per_s:.0} MB/s in the end",
            direct_mb_per_s = mb_per_s(direct),
            end_gb = gb(direct.to),
            last_mb_per_s = mb_per_s(last)
        ),
        "slow cells had no room left: while new data arrived, the drive also moved data out of its fast cells (folding)",
        text!(
            "write less than {end_gb:.1} GB at once, or leave more of the drive empty and have it trimmed (fstrim)",
            end_gb = gb(direct.to)
        ),
    ))
}

/// What a virtual disk shows may be its provider's limit.
fn burst_credits(run: &Run) -> Option<RuleResult> {
    let mut leaves = run.target.leaves();
    let volume = leaves.find(|leaf| leaf.kind == BlockDeviceKind::VirtualDisk)?;
    let (fill, collapse) = collapsed(run)?;
    let at = fill.levels[collapse].from;
    let slow_mb_per_s = mb_per_s(&fill.after(collapse));
    Some(RuleResult::new(
        Code::Of(&BURST_CREDITS),
        text!(
            "{volume} is the disk of a virtual machine: its fall after {at_gb:.1} GB may be the end of credit for bursts instead",
            volume = volume.name,
            at_gb = gb(at)
        ),
        "a volume with a limited rate and some credit looks like a drive with fast cells, after a rest, too",
        text!(
            "compare {slow_mb_per_s:.0} MB/s with the rate that the volume is sold with; if they agree, choose a volume with a higher rate"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_analysis::sample::writes_with;
    use sokudo_model::Bytes;
    use sokudo_model::{
        Method, Nanos, Sample, Span, Survey, SurveySample, TargetKind, Visit, Work,
    };

    /// A fill of 100 samples of 1 GB each, at these rates in MB/s, each up to a sample.
    fn filled(levels: &[(usize, u64)], change: impl FnOnce(&mut Run)) -> Run {
        writes_with(|run| {
            run.plan.method = Method::new(&METHOD);
            run.target.kind = TargetKind::BlockDevice;
            let row = &mut run.rows[0];
            row.trials.truncate(1);
            row.workload.span = Some(Span::from_start(Bytes(100_000_000_000)));
            row.workload.work = Work::Survey(Survey::new(100, Visit::Ascending, Sample::Whole));
            let mut samples = Vec::new();
            for (to, mb_per_s) in levels {
                while samples.len() < *to {
                    samples.push(SurveySample {
                        offset: Bytes(samples.len() as u64 * 1_000_000_000),
                        bytes: Bytes(1_000_000_000),
                        ios: 1_000,
                        elapsed: Nanos(1_000_000_000_000 / mb_per_s),
                        latency_max: Nanos::from_millis(1),
                        distance: None,
                    });
                }
            }
            row.trials[0].outcome.samples = samples;
            change(run);
        })
    }

    fn codes(run: Run) -> Vec<&'static str> {
        let rulings = RULES.runs.iter().filter_map(|rule| rule(&run));
        rulings.map(|ruling| ruling.code.name()).collect()
    }

    fn each_device(run: &mut Run, change: impl Fn(&mut sokudo_model::BlockDevice)) {
        run.target.devices.iter_mut().for_each(change);
    }

    const THREE: [(usize, u64); 3] = [(30, 3_000), (70, 900), (100, 200)];

    #[test]
    fn levels_of_a_drive_are_told_with_what_to_do() {
        assert_eq!(codes(filled(&THREE, |_| ())), ["fast-cells-end", "folding"]);
        let two = filled(&[(30, 3_000), (100, 900)], |_| ());
        assert_eq!(codes(two), ["fast-cells-end"]);
        let ruling = fast_cells_end(&filled(&THREE, |_| ())).unwrap();
        let [symptom, remedy] = [ruling.symptom, ruling.remedy].map(|text| text.english());
        assert_eq!(
            symptom,
            "fast writes end after 30.0 GB: 3000 MB/s before, 900 MB/s up to 70.0 GB, 200 MB/s from there on"
        );
        assert!(remedy.contains("leave the drive idle"), "{remedy}");
        assert!(ruling.cause.english().contains("credit for bursts"));
        let inferred = &sokudo_analysis::explain::explain(&filled(&THREE, |_| ()))[0];
        let [claim, evidence] = [&inferred.claim, &inferred.evidence].map(Text::english);
        assert!(
            claim.contains("27.9 GiB fast (pseudo-SLC) and then writes at 900, 200 MB/s"),
            "{claim}"
        );
        assert!(
            evidence.ends_with("900 MB/s up to 70.0 GB, 200 MB/s from there on"),
            "{evidence}"
        );
    }

    #[test]
    fn of_a_virtual_disk_credits_are_named_as_well() {
        let run = filled(&THREE, |run| {
            each_device(run, |device| device.kind = BlockDeviceKind::VirtualDisk);
        });
        assert_eq!(
            sokudo_analysis::explain::explain(&run)[0].code,
            "fast-cells"
        );
        assert_eq!(codes(run), ["fast-cells-end", "folding", "burst-credits"]);
    }

    #[test]
    fn nothing_is_told_of_one_rate_of_platters_or_of_another_command() {
        assert_eq!(codes(filled(&[(100, 500)], |_| ())), [""; 0]);
        let platters = filled(&THREE, |run| {
            each_device(run, |device| device.rotational = Some(true));
        });
        assert!(sokudo_analysis::explain::explain(&platters).is_empty());
        assert_eq!(codes(platters), [""; 0]);
        let explained = filled(&THREE, |run| {
            run.plan.method = sokudo_analysis::sample::method(&[])
        });
        assert_eq!(codes(explained), [""; 0]);
    }
}

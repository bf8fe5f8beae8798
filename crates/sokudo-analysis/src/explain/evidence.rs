//! What conclusions are drawn from: rows that do a certain thing, and the words and small
//! sums that several themes need.

use sokudo_model::{
    Bytes, Confidence, InferredFigure, Operation, Outcome, Row, Run, Survey, SurveySample, Workload,
};

/// The outcomes of all trials of all rows whose workload is of this kind.
pub fn outcomes(
    run: &Run,
    is_wanted: impl Fn(&Workload) -> bool,
) -> impl Iterator<Item = (&Workload, &Outcome)> {
    let rows = run
        .rows
        .iter()
        .filter(move |row: &&Row| is_wanted(&row.workload));
    rows.flat_map(|row| {
        let trials = row.trials.iter();
        trials.map(|trial| (&row.workload, &trial.outcome))
    })
}

/// Whether a workload reads and nothing else.
pub fn only_reads(workload: &Workload) -> bool {
    workload.operations.single() == Some(Operation::Read)
}

/// The survey of a workload that only reads and goes past the page cache as far as that
/// is asked.
pub(crate) fn read_survey(workload: &Workload) -> Option<Survey> {
    workload.survey().filter(|_| only_reads(workload))
}

/// Which share of the target a workload covers.
pub fn covered(run: &Run, workload: &Workload) -> Option<f64> {
    let size = run.target.size_bytes.filter(|size| size.0 > 0)?;
    let length = workload.span.map_or(size, |span| span.length);
    Some(to_float(length.0) / to_float(size.0))
}

/// Places at which something was measured.
pub fn measured(outcome: &Outcome) -> impl Iterator<Item = &SurveySample> {
    let samples = outcome.samples.iter();
    samples.filter(|sample| sample.elapsed.0 > 0 && sample.bytes > Bytes(0))
}

/// One number of an inference.
pub fn figure(name: &str, value: f64) -> InferredFigure {
    InferredFigure {
        name: name.to_owned(),
        value,
    }
}

/// High where it is certain, medium otherwise.
pub const fn sure(is_certain: bool) -> Confidence {
    match is_certain {
        true => Confidence::High,
        false => Confidence::Medium,
    }
}

/// The straight line through some points with the least squares.
#[derive(Clone, Copy, Debug)]
pub struct StraightLine {
    pub slope: f64,
    pub at_zero: f64,
    /// How well one series rises with the other, from -1 to 1 (Pearson).
    pub correlation: f64,
}

/// How well one series rises with the other; `None` where one of them stands still.
pub fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    line(pairs).map(|line| line.correlation)
}

/// The line through points; `None` where one of the series stands still.
pub fn line(pairs: &[(f64, f64)]) -> Option<StraightLine> {
    let count = to_float(pairs.len() as u64);
    let mean = |pick: fn(&(f64, f64)) -> f64| pairs.iter().map(pick).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        xx += (x - mean_x) * (x - mean_x);
        yy += (y - mean_y) * (y - mean_y);
        xy += (x - mean_x) * (y - mean_y);
    }
    let is_defined = xx > 0.0 && yy > 0.0;
    let slope = xy / xx;
    is_defined.then(|| StraightLine {
        slope,
        at_zero: mean_y - slope * mean_x,
        correlation: xy / (xx * yy).sqrt(),
    })
}

pub fn to_float(value: u64) -> f64 {
    value as f64
}

#[expect(clippy::cast_possible_truncation, reason = "an index, rounded down")]
pub fn to_index(value: f64) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_knows_its_sign_and_what_it_is_not() {
        let falling: Vec<(f64, f64)> = (0..9).map(|i| (f64::from(i), f64::from(-i))).collect();
        assert!((correlation(&falling).unwrap() + 1.0).abs() < 1e-12);
        assert_eq!(correlation(&[(1.0, 2.0), (2.0, 2.0)]), None);
        assert_eq!(correlation(&[]), None);
    }
}

//! Rows of which only some is told.

use sokudo_model::{
    ImportedFigure, ImportedLatency, ImportedRate, ImportedRow, Operation, OperationMix, Order,
    PlanPart, PlanParts, Reported, SequentialOffset, Workload,
};

/// No text holds more rows; what is beyond would be noise made to fill memory.
pub(crate) const ROWS_MAX: usize = 20_000;

/// A row without figures, of which the tool has told these parts.
pub(crate) fn row(workload: Workload, told: &[PlanPart]) -> ImportedRow {
    let unknown = PlanParts::OF_ALL.into_iter();
    ImportedRow {
        workload,
        reported: Reported {
            unknown: unknown.filter(|part| !told.contains(part)).collect(),
            ..Reported::default()
        },
    }
}

/// One operation.
pub(crate) fn only(operation: Operation) -> OperationMix {
    OperationMix::only(operation)
}

/// One block after the other. Whose position it is with several threads, few tools tell.
pub(crate) const SEQUENTIAL: Order = Order::SEQUENTIAL;

/// A rate that is `kind`.
pub(crate) fn rate(value: f64, kind: &str) -> ImportedRate {
    ImportedRate {
        value,
        kind: kind.to_owned(),
        ..ImportedRate::default()
    }
}

/// The rates of several runs, summed up as their mean. `None` where there is none.
pub(crate) fn rate_of_trials(trials: Vec<f64>) -> Option<ImportedRate> {
    let (first, count) = (trials.first().copied()?, trials.len());
    let fold = |pick: fn(f64, f64) -> f64| trials.iter().copied().fold(first, pick);
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 runs")]
    let count_f64 = count as f64;
    let mean = trials.iter().sum::<f64>() / count_f64;
    Some(match count {
        1 => rate(first, ""),
        _ => ImportedRate {
            value: mean,
            kind: format!("mean of {count} runs"),
            min: Some(fold(f64::min)),
            max: Some(fold(f64::max)),
            stdev: Some(
                (trials.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (count_f64 - 1.0))
                    .sqrt(),
            ),
            trials,
        },
    })
}

/// A mean latency in nanoseconds.
pub(crate) fn latency(mean: f64) -> ImportedLatency {
    ImportedLatency {
        mean,
        ..ImportedLatency::default()
    }
}

/// A figure that has no field of its own.
pub(crate) fn figure(name: &str, unit: &str, value: f64) -> ImportedFigure {
    ImportedFigure {
        name: name.to_owned(),
        unit: unit.to_owned(),
        value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::Bytes;

    #[test]
    fn what_is_not_told_is_unknown() {
        let row = row(
            Workload::new("x", Bytes::kib(4)),
            &[PlanPart::Blocks, PlanPart::Operations],
        );
        assert_eq!(row.reported.unknown.len(), PlanParts::OF_ALL.len() - 2);
        assert!(!row.reported.unknown.contains(&PlanPart::Blocks));
    }

    #[test]
    fn several_runs_are_summed_up_as_their_mean() {
        assert_eq!(rate_of_trials(vec![]), None);
        assert_eq!(rate_of_trials(vec![7.0]), Some(rate(7.0, "")));
        let three = rate_of_trials(vec![1.0, 2.0, 3.0]).unwrap();
        assert_eq!(
            (three.value, three.min, three.max),
            (2.0, Some(1.0), Some(3.0))
        );
        assert_eq!((three.stdev, &*three.kind), (Some(1.0), "mean of 3 runs"));
    }
}

//! Rows of which only some is told, and the runs that they are of.

use sokudo_model::{
    BlockSizes, Bytes, ImportedFigure, ImportedLatency, ImportedRate, ImportedRow, ImportedRun,
    ImportedTarget, Operation, OperationMix, Order, Origin, PlanPart, PlanParts, Reported,
    SequentialOffset, Workload,
};
use sokudo_stats::Summary;
use sokudo_words::{Text, text};

use crate::results::number::float;

/// No text holds more rows; what is beyond would be noise made to fill memory.
pub(crate) const ROWS_MAX: usize = 20_000;

/// How much is in flight.
pub(crate) const LOAD: &[PlanPart] = &[PlanPart::Threads, PlanPart::Depth];
/// What is done, in which order and sizes.
pub(crate) const ACCESS: &[PlanPart] = &[PlanPart::Operations, PlanPart::Order, PlanPart::Blocks];
/// How fast at most, and with which pauses.
pub(crate) const PACE: &[PlanPart] = &[PlanPart::Rate, PlanPart::Think];

/// A workload, and the parts of it that a tool has told; what it has not told stays as it is.
#[derive(Clone, Debug)]
pub(crate) struct WorkloadDescription {
    pub(crate) workload: Workload,
    known_parts: Vec<PlanPart>,
}

impl WorkloadDescription {
    /// Nothing is told yet but the name; `block` stands for one that is not.
    pub(crate) fn new(name: impl Into<String>, block: Bytes) -> Self {
        Self {
            workload: Workload::new(name, block),
            known_parts: Vec::new(),
        }
    }

    /// Notes parts that are as the workload has them.
    pub(crate) fn parts(mut self, parts: &[PlanPart]) -> Self {
        self.known_parts.extend(parts);
        self
    }

    /// The same, if they are told.
    pub(crate) fn parts_if(self, is_reported: bool, parts: &[PlanPart]) -> Self {
        if is_reported { self.parts(parts) } else { self }
    }

    /// Whether a part is told.
    pub(crate) fn knows(&self, part: PlanPart) -> bool {
        self.known_parts.contains(&part)
    }

    fn set<T>(
        mut self,
        part: PlanPart,
        value: Option<T>,
        set: impl FnOnce(&mut Workload, T),
    ) -> Self {
        if let Some(value) = value {
            set(&mut self.workload, value);
            self.known_parts.push(part);
        }
        self
    }

    pub(crate) fn operation(self, operation: Option<Operation>) -> Self {
        self.operations(operation.map(OperationMix::only))
    }

    pub(crate) fn operations(self, operations: Option<OperationMix>) -> Self {
        self.set(PlanPart::Operations, operations, |it, mix| {
            it.operations = mix;
        })
    }

    pub(crate) fn order(self, order: Option<Order>) -> Self {
        self.set(PlanPart::Order, order, |it, order| it.order = order)
    }

    pub(crate) fn block(self, block: Option<Bytes>) -> Self {
        self.set(PlanPart::Blocks, block, |it, block| {
            it.blocks = BlockSizes::one(block);
        })
    }

    pub(crate) fn depth(self, depth: Option<u32>) -> Self {
        self.set(PlanPart::Depth, depth, |it, depth| it.depth = depth)
    }

    pub(crate) fn threads(self, threads: Option<u32>) -> Self {
        self.set(PlanPart::Threads, threads, |it, threads| {
            it.threads = threads
        })
    }

    pub(crate) fn direct(self, is_direct: Option<bool>) -> Self {
        self.set(PlanPart::Direct, is_direct, |it, is_direct| {
            it.direct = is_direct.into();
        })
    }

    /// The row, without figures.
    pub(crate) fn row(self) -> ImportedRow {
        let unknown = PlanParts::OF_ALL.into_iter();
        ImportedRow {
            reported: Reported {
                unknown: unknown.filter(|part| !self.knows(*part)).collect(),
                ..Reported::default()
            },
            workload: self.workload,
        }
    }
}

/// Random places that may repeat.
pub(crate) const RANDOM: Order = Order::Random { map: false };
/// In sequence, by threads that share one position.
pub(crate) const INTERLOCKED: Order = Order::Sequential {
    offset: SequentialOffset::Interlocked,
};

/// A run of a tool, of which nothing else is told yet.
pub(crate) fn run(tool: &str, format: &str) -> ImportedRun {
    ImportedRun {
        origin: Origin {
            tool: tool.to_owned(),
            format: format.to_owned(),
            ..Origin::default()
        },
        ..ImportedRun::default()
    }
}

/// A target of which only the name is told.
pub(crate) fn target(name: impl Into<String>) -> ImportedTarget {
    ImportedTarget {
        name: name.into(),
        ..ImportedTarget::default()
    }
}

/// Names that were told, the first four of them, each once; something else where none was.
pub(crate) fn names_or<'a>(names: impl Iterator<Item = &'a str>, none: &str) -> String {
    let mut shown: Vec<&str> = Vec::new();
    for name in names {
        if !shown.contains(&name) && shown.len() < 4 {
            shown.push(name);
        }
    }
    match shown.is_empty() {
        true => none.to_owned(),
        false => shown.join(", "),
    }
}

/// What is in a list and meets a condition, or is put there.
pub(crate) fn entry<T>(
    list: &mut Vec<T>,
    is_it: impl Fn(&T) -> bool,
    new: impl FnOnce() -> T,
) -> &mut T {
    let at = list.iter().position(is_it).unwrap_or_else(|| {
        list.push(new());
        list.len() - 1
    });
    &mut list[at]
}

/// Adds a rate to the row of a workload.
pub(crate) fn add_trial(run: &mut ImportedRun, description: WorkloadDescription, value: f64) {
    let workload = description.workload.clone();
    let row = entry(
        &mut run.rows,
        |row| row.workload == workload,
        || description.row(),
    );
    let bandwidth = &mut row.reported.bandwidth;
    let bandwidth = bandwidth.get_or_insert_with(|| rate(value, ""));
    bandwidth.trials.push(value);
}

/// A rate that is `kind`.
pub(crate) fn rate(value: f64, kind: impl Into<Text>) -> ImportedRate {
    ImportedRate {
        value,
        kind: kind.into(),
        ..ImportedRate::default()
    }
}

/// Several rates, summed up as their mean. `None` where there is none.
pub(crate) fn rate_of_trials(trials: Vec<f64>) -> Option<ImportedRate> {
    let (first, count) = (trials.first().copied()?, trials.len());
    let fold = |pick: fn(f64, f64) -> f64| trials.iter().copied().fold(first, pick);
    let count_f64 = float(count as u64);
    let mean = trials.iter().sum::<f64>() / count_f64;
    Some(match count {
        1 => rate(first, ""),
        _ => ImportedRate {
            value: mean,
            kind: Text::default(),
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

/// Makes one figure of the trials of each row: their median, as of sokudo's own.
pub(crate) fn sum_up(run: &mut ImportedRun) {
    let rows = run.rows.iter_mut().map(|row| &mut row.reported);
    for rate in rows.flat_map(|row| [&mut row.bandwidth, &mut row.iops]) {
        let trials = rate.as_mut().map(|rate| std::mem::take(&mut rate.trials));
        let Some(mut summed) = trials.and_then(rate_of_trials) else {
            continue;
        };
        if let Some(summary) = Summary::of(&summed.trials) {
            summed.value = summary.median;
            summed.kind = text!("median of {} runs", summed.trials.len());
        }
        *rate = Some(summed);
    }
}

/// A mean latency in nanoseconds.
pub(crate) fn latency(mean: f64) -> ImportedLatency {
    ImportedLatency {
        mean,
        ..ImportedLatency::default()
    }
}

/// Those pairs of a percentage and a value that are percentiles, in their order.
pub(crate) fn percentiles(pairs: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let is_percent = |pair: &(f64, f64)| pair.0 > 0.0 && pair.0 <= 100.0;
    let mut percentiles: Vec<(f64, f64)> = pairs.filter(is_percent).collect();
    percentiles.sort_by(|left, right| left.0.total_cmp(&right.0));
    percentiles
}

/// Percent of the processors, in user mode and in the kernel.
pub(crate) fn processors(shares: Option<(f64, f64)>) -> impl Iterator<Item = ImportedFigure> {
    shares.into_iter().flat_map(|(user, system)| {
        [("processor, user", user), ("processor, system", system)]
            .map(|(name, share)| figure(name, "%", share))
    })
}

/// As people call such rows, `RND4K Q32T1`, as far as it is told.
pub(crate) fn crystal_name(kind: &str, block: Option<Bytes>, load: Option<(u32, u32)>) -> String {
    let size = block.map(Bytes::short).unwrap_or_default();
    match load {
        Some((depth, threads)) => format!("{kind}{size} Q{depth}T{threads}"),
        None => format!("{kind}{size}"),
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

    #[test]
    fn what_is_not_told_is_unknown() {
        let row = WorkloadDescription::new("x", Bytes::kib(4))
            .block(Some(Bytes::kib(8)))
            .depth(None)
            .parts(PACE)
            .row();
        assert_eq!(row.workload.blocks.single(), Some(Bytes::kib(8)));
        assert_eq!(row.reported.unknown.len(), PlanParts::OF_ALL.len() - 3);
        assert!(row.reported.unknown.contains(&PlanPart::Depth));
        assert!(!row.reported.unknown.contains(&PlanPart::Blocks));
    }

    #[test]
    fn several_rates_have_a_mean_and_several_runs_a_median() {
        assert_eq!(rate_of_trials(vec![]), None);
        assert_eq!(rate_of_trials(vec![7.0]), Some(rate(7.0, "")));
        let three = rate_of_trials(vec![1.0, 8.0, 3.0]).unwrap();
        assert_eq!(
            (three.value, three.min, three.max),
            (4.0, Some(1.0), Some(8.0))
        );
        let mut run = run("dd", "dd");
        for trials in [vec![1.0, 8.0, 3.0], vec![1.0, 2.0], vec![7.0]] {
            let mut row = WorkloadDescription::new("copy", Bytes::kib(4)).row();
            let rate = rate(trials[0], "");
            row.reported.bandwidth = Some(ImportedRate { trials, ..rate });
            run.rows.push(row);
        }
        sum_up(&mut run);
        let rates = run.rows.iter().map(|row| row.reported.bandwidth.clone());
        let rates: Vec<_> = rates
            .flatten()
            .map(|it| (it.value, it.kind.english()))
            .collect();
        let of = |value, kind: &str| (value, kind.to_owned());
        let expected = [
            of(3.0, "median of 3 runs"),
            of(1.5, "median of 2 runs"),
            of(7.0, ""),
        ];
        assert_eq!(rates, expected);
    }
}

//! What the row was asked to do, where that changes how its figure is to be read.

use sokudo_model::{DataContent, Operation, Order, SequentialOffset, TargetKind};

use crate::RowRule;
use crate::case::Case;
use crate::code::{Code, Ruling};

pub(crate) const RULES: &[RowRule] = &[separate_offsets, zero_data];

fn separate_offsets(case: &Case<'_>) -> Option<Ruling> {
    let workload = &case.row.workload;
    let own = Order::Sequential {
        offset: SequentialOffset::Own,
    };
    (workload.clones > 1 && workload.order == own).then(|| {
        Ruling::new(
            Code::SeparateOffsets,
            format!(
                "{} threads walk the same part of the target, each by itself",
                workload.clones
            ),
            "sequential with separate offsets was asked for: a disk sees several streams, and a \
             cache may answer the second one",
            "compare only with tools that do the same; an interlocked offset is one stream",
        )
    })
}

fn zero_data(case: &Case<'_>) -> Option<Ruling> {
    let workload = &case.row.workload;
    // Our own test file holds the same data, so that it matters to reads too.
    let in_use = case.asks(Operation::Write) || case.target().kind == TargetKind::Directory;
    (workload.data == DataContent::Zero && in_use).then(|| {
        Ruling::new(
            Code::ZeroData,
            "the data is zeros",
            "zeros were asked for; file systems and disks may compress them, or not store them",
            "measure with --data random for what real data gets",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, reads_with, writes_with};
    use sokudo_model::Run;
    use sokudo_model::Verdict::Verified;

    fn two_threads(offset: SequentialOffset) -> impl Fn(&mut Run) {
        move |run| {
            let workload = &mut run.rows[0].workload;
            workload.order = Order::Sequential { offset };
            workload.clones = 2;
            for trial in &mut run.rows[0].trials {
                trial.outcome.depth_achieved = 2.0;
                let latency = &mut trial.outcome.operations[0].latency;
                *latency = crate::sample::histogram(10_000, sokudo_model::Nanos::from_micros(200));
            }
        }
    }

    #[test]
    fn separate_offsets_are_named_and_interlocked_ones_are_not() {
        let own = two_threads(SequentialOffset::Own);
        let interlocked = two_threads(SequentialOffset::Interlocked);
        check(vec![
            ("own", reads_with(&own), &["separate-offsets"], Verified),
            ("interlocked", reads_with(&interlocked), &[], Verified),
            (
                "one thread",
                reads_with(|run| {
                    run.rows[0].workload.order = Order::Sequential {
                        offset: SequentialOffset::Own,
                    };
                }),
                &[],
                Verified,
            ),
        ]);
    }

    #[test]
    fn zeros_are_named_where_they_are_in_use() {
        let zero = |run: &mut Run| run.rows[0].workload.data = DataContent::Zero;
        check(vec![
            ("writes", writes_with(zero), &["zero-data"], Verified),
            (
                "reads of our file",
                reads_with(zero),
                &["zero-data"],
                Verified,
            ),
            (
                "reads of a file of the user",
                reads_with(|run| {
                    zero(run);
                    run.target.kind = TargetKind::File;
                }),
                &[],
                Verified,
            ),
        ]);
    }
}

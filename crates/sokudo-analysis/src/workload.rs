//! What the row was asked to do, where that changes how its figure is to be read.

use sokudo_model::{DataContent, Operation, Order, SequentialOffset, TargetKind, Workload};
use sokudo_words::{Text, text};

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::remedy;
use crate::rule::RowRule;

pub(crate) const RULES: &[RowRule] = &[left_out, separate_offsets, zero_data, repeating_data];

/// No figure is taken for that of the whole job where something was left out of it.
fn left_out(case: &RowContext<'_>) -> Option<RuleResult> {
    let options = &case.run.left_out;
    (!options.is_empty()).then(|| {
        RuleResult::new(
            Code::LeftOut,
            text!(
                "left out of the job: {options}",
                options = Text::list(options.iter().map(|it| text!("{}", it)), ", ")
            ),
            "sokudo cannot do this, and was asked to be lenient and run without it",
            "compare these figures only with others of the same kind; take the options out of the job, or run it with the program that it was written for",
        )
    })
}

fn separate_offsets(case: &RowContext<'_>) -> Option<RuleResult> {
    let workload = &case.row.workload;
    let own = Order::Sequential {
        offset: SequentialOffset::Own,
    };
    let threads = workload.threads.saturating_add(beside(case));
    (threads > 1 && workload.order == own).then(|| {
        RuleResult::new(
            Code::SeparateOffsets,
            text!("{threads} threads use the same part of the target, each on its own"),
            "sequential with separate offsets was asked for: a disk sees several streams, and a \
             cache may answer the second one",
            "compare only with tools that do the same; an interlocked offset is one stream",
        )
    })
}

/// Threads of other workloads that walk exactly the same part of the same files at the same
/// time: fio's `numjobs` are jobs of their own. The stage is looked for by what is in it,
/// because a run that is judged in parts holds some of its rows only.
fn beside(case: &RowContext<'_>) -> u32 {
    let own = &case.row.workload;
    let mut stages = case.run.plan.stages.iter();
    let stage = stages.find(|stage| stage.workloads.contains(own));
    let walks_along = |other: &&Workload| {
        other.order == own.order
            && other.files.uses == own.files.uses
            && other.span == own.span
            && other.operations == own.operations
            && other.timing.starts_after == own.timing.starts_after
    };
    let threads = stage.map_or(0, |stage| {
        let alike = stage.workloads.iter().filter(walks_along);
        alike.map(|other| other.threads).sum()
    });
    threads.saturating_sub(own.threads)
}

/// Whether it matters what is written. Our own test file holds the same data, so that it
/// matters to reads too.
fn is_data_in_use(case: &RowContext<'_>) -> bool {
    case.asks(Operation::Write) || case.target().kind == TargetKind::Directory
}

fn zero_data(case: &RowContext<'_>) -> Option<RuleResult> {
    is_all_zero(&case.row.workload.data).then_some(())?;
    is_data_in_use(case).then(|| {
        RuleResult::new(
            Code::ZeroData,
            "the data is zeros",
            "zeros were asked for; file systems and disks may compress them, or not store them",
            remedy::random_data(),
        )
    })
}

fn is_all_zero(data: &DataContent) -> bool {
    match data {
        DataContent::Zero => true,
        DataContent::Pattern(bytes) => bytes.iter().all(|byte| *byte == 0),
        _ => false,
    }
}

/// What repeats itself can be stored once, and what compresses can be stored in less.
fn repeating_data(case: &RowContext<'_>) -> Option<RuleResult> {
    let data = &case.row.workload.data;
    let symptom = match data {
        DataContent::Repeated => Text::from("every I/O writes the same random bytes"),
        DataContent::Pattern(bytes) if !is_all_zero(data) => {
            text!(
                "a pattern of {bytes} bytes is written over and over",
                bytes = bytes.len()
            )
        }
        DataContent::Reducible(reducible) => {
            let mut parts = Vec::new();
            if reducible.compress_percent > 0 {
                parts.push(text!(
                    "{compress_percent} % of the data can be compressed away",
                    compress_percent = reducible.compress_percent
                ));
            }
            if reducible.dedupe_percent > 0 {
                parts.push(text!(
                    "{dedupe_percent} % of the I/Os repeat another",
                    dedupe_percent = reducible.dedupe_percent
                ));
            }
            if parts.is_empty() {
                return None;
            }
            Text::list(parts, ", ")
        }
        _ => return None,
    };
    is_data_in_use(case).then(|| {
        RuleResult::new(
            Code::RepeatingData,
            symptom,
            "that was asked for, or is what the tool does by itself; file systems, arrays and disks \
             that compress or deduplicate store less of it",
            remedy::random_data(),
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
            workload.threads = 2;
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
        check! {
            "own": reads_with(&own) => ["separate-offsets"], Verified;
            "interlocked": reads_with(&interlocked) => [], Verified;
            "one thread": reads_with(|run| {
                run.rows[0].workload.order = Order::Sequential {
                    offset: SequentialOffset::Own,
                };
            }) => [], Verified;
        }
    }

    /// Two rows of one stage, of which the second is changed.
    fn together(change: impl Fn(&mut sokudo_model::Workload)) -> Run {
        reads_with(|run| {
            let own = Order::Sequential {
                offset: SequentialOffset::Own,
            };
            run.rows[0].workload.order = own;
            let mut second = run.rows[0].clone();
            change(&mut second.workload);
            run.rows.push(second);
            let workloads = run.rows.iter().map(|row| row.workload.clone()).collect();
            run.plan.stages = vec![sokudo_model::Stage { workloads }];
        })
    }

    #[test]
    fn jobs_that_walk_the_same_part_at_the_same_time_are_separate_streams() {
        let elsewhere = |workload: &mut sokudo_model::Workload| {
            workload.span = Some(sokudo_model::Span {
                offset: sokudo_model::Bytes::mib(512),
                length: sokudo_model::Bytes::mib(512),
            });
        };
        let random = |workload: &mut sokudo_model::Workload| {
            workload.order = Order::Random { map: false };
        };
        let one_after_the_other = || {
            let mut run = together(|_| ());
            let stage = &mut run.plan.stages[0];
            let second = stage.workloads.pop().unwrap();
            run.plan.stages.push(sokudo_model::Stage {
                workloads: vec![second],
            });
            run
        };
        check! {
            "the same": together(|_| ()) => ["separate-offsets"], Verified;
            "elsewhere": together(elsewhere) => [], Verified;
            "at random": together(random) => [], Verified;
            "in turn": one_after_the_other() => [], Verified;
        }
    }

    #[test]
    fn data_that_repeat_or_compress_are_named() {
        let with = |data: DataContent| writes_with(|run| run.rows[0].workload.data = data);
        let reducible = |compress_percent, dedupe_percent| {
            DataContent::Reducible(sokudo_model::Reducible {
                compress_percent,
                chunk: None,
                filler: Vec::new(),
                dedupe_percent,
            })
        };
        let repeating = &["repeating-data"][..];
        check! {
            "repeated": with(DataContent::Repeated) => repeating, Verified;
            "pattern": with(DataContent::Pattern(vec![1, 2])) => repeating, Verified;
            "zeros": with(DataContent::Pattern(vec![0, 0])) => ["zero-data"], Verified;
            "compressible": with(reducible(50, 0)) => repeating, Verified;
            "neither": with(reducible(0, 0)) => [], Verified;
            "random": with(DataContent::Random) => [], Verified;
            "reads of a file of the user": reads_with(|run| {
                run.rows[0].workload.data = DataContent::Repeated;
                run.target.kind = TargetKind::File;
            }) => [], Verified;
        }
        let text = crate::sample::text_of(with(reducible(50, 20)), "repeating-data");
        assert!(
            text.contains("50 % of the data can be compressed away, 20 % of the I/Os"),
            "{text}"
        );
    }

    #[test]
    fn zeros_are_named_where_they_are_in_use() {
        let zero = |run: &mut Run| run.rows[0].workload.data = DataContent::Zero;
        check! {
            "writes": writes_with(zero) => ["zero-data"], Verified;
            "reads of our file": reads_with(zero) => ["zero-data"], Verified;
            "reads of a file of the user": reads_with(|run| {
                zero(run);
                run.target.kind = TargetKind::File;
            }) => [], Verified;
        }
    }
}

//! CrystalDiskMark's language: profiles, rows such as `SEQ1M,Q8,T1`, mixes such
//! as `R70/W30`.
//!
//! How often a row is measured, and for how long, is the schedule's business, not this
//! module's.

mod direction;
mod durability;
pub(crate) mod import;
mod mix;
mod output;
mod profile;
mod row;

use sokudo_model::{DirectMode, Estimand, Nanos, Order, Stage, Workload};

use crate::results::row::INTERLOCKED;

pub use crate::language::limits::{DEPTH_MAX, DEPTH_MAX_IO_URING, THREADS_MAX};
pub use direction::RowDirection;
pub use durability::{FLUSH_EVERY_MAX, RowDurability};
pub use mix::{Mix, MixError};
pub use output::render;
pub use profile::{Profile, UnknownProfile};
pub use row::{BLOCK_MAX, BLOCK_MIN, RowError, RowPattern, RowSpec, row};

/// How long one trial lasts unless told otherwise.
pub const TRIAL_TIME: Nanos = Nanos::from_secs(1);

/// The workloads of `rows` in CrystalDiskMark's order: all reads, then all writes,
/// then all mixes.
///
/// A row that names its own directions is measured in those, any other in
/// `directions` and `mixes`, a durable one in those of them that write. The first of equal
/// directions counts.
pub fn workloads(rows: &[RowSpec], directions: &[RowDirection], mixes: &[Mix]) -> Vec<Workload> {
    let mixes = || mixes.iter().copied().map(RowDirection::Mix);
    let requested: Vec<RowDirection> = directions.iter().copied().chain(mixes()).collect();
    let wanted = |row: &RowSpec| {
        if row.directions.is_empty() {
            let fits = |direction: &RowDirection| row.takes(*direction);
            requested.iter().copied().filter(fits).collect()
        } else {
            row.directions.clone()
        }
    };
    let mut columns = vec![RowDirection::Read, RowDirection::Write];
    for direction in rows.iter().flat_map(wanted) {
        if !columns.contains(&direction) {
            columns.push(direction);
        }
    }
    let of_column = |column: RowDirection| {
        let rows = rows.iter().filter(move |row| wanted(row).contains(&column));
        rows.map(move |row| row.workload(column))
            .collect::<Vec<_>>()
    };
    columns.into_iter().flat_map(of_column).collect()
}

/// Stages that run the workloads one after the other, as CrystalDiskMark does.
pub fn stages(workloads: Vec<Workload>) -> Vec<Stage> {
    workloads.into_iter().map(Stage::alone).collect()
}

impl RowSpec {
    /// What this row does in one direction: until [`TRIAL_TIME`] is over, with
    /// direct I/O where there is any, by the best backend. Threads of a sequential
    /// row share one position (DiskSpd `-si`); random blocks may repeat, as
    /// DiskSpd's do. What is flushed by fsync or fdatasync goes through the page cache.
    pub fn workload(&self, direction: RowDirection) -> Workload {
        let mut workload = Workload::new(self.to_string(), self.block);
        workload.operations = direction.operations();
        workload.order = match self.pattern {
            RowPattern::Random => Order::Random { map: false },
            RowPattern::Sequential if self.threads > 1 => INTERLOCKED,
            RowPattern::Sequential => Order::SEQUENTIAL,
        };
        if let Some(durability) = self.durability {
            workload.durability = durability.rule();
            if durability.goes_through_cache() {
                workload.direct = DirectMode::Off;
            }
        }
        workload.depth = self.depth;
        workload.threads = self.threads;
        workload.limits.time = Some(TRIAL_TIME);
        workload.measures.estimand = Estimand::Sustained;
        workload
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Operation, SequentialOffset};

    fn table(workloads: &[Workload]) -> Vec<(String, &'static str, u32)> {
        let line = |w: &Workload| {
            let reads = w.operations.percent(Operation::Read);
            (w.name.clone(), w.operations.direction(), reads)
        };
        workloads.iter().map(line).collect()
    }

    #[test]
    fn reads_come_first_then_writes_then_mixes() {
        let rows = [row("SEQ1M,Q8,T1").unwrap(), row("RND4K,Q1,T1").unwrap()];
        let mixes = ["R70/W30".parse().unwrap(), "50".parse().unwrap()];
        let found = workloads(&rows, &[RowDirection::Write, RowDirection::Read], &mixes);
        let name = |index: usize| ["SEQ1M Q8T1", "RND4K Q1T1"][index].to_owned();
        assert_eq!(
            table(&found),
            [
                (name(0), "read", 100),
                (name(1), "read", 100),
                (name(0), "write", 0),
                (name(1), "write", 0),
                (name(0), "mix", 70),
                (name(1), "mix", 70),
                (name(0), "mix", 50),
                (name(1), "mix", 50),
            ]
        );
    }

    #[test]
    fn a_rows_own_directions_win() {
        let rows = [
            row("SEQ1M,Q8,T1,write").unwrap(),
            row("RND4K,Q1,T1,mix70").unwrap(),
            row("RND4K,Q2,T1").unwrap(),
        ];
        let found = workloads(&rows, &[RowDirection::Read], &[]);
        let found = table(&found);
        let found: Vec<_> = found.iter().map(|(n, d, _)| (n.as_str(), *d)).collect();
        assert_eq!(
            found,
            [
                ("RND4K Q2T1", "read"),
                ("SEQ1M Q8T1", "write"),
                ("RND4K Q1T1", "mix")
            ]
        );
    }

    #[test]
    fn a_durable_row_is_written_where_it_names_no_direction() {
        let rows = [row("RND4K,Q1,dsync").unwrap(), row("RND4K,Q2").unwrap()];
        let both = [RowDirection::Read, RowDirection::Write];
        let found = workloads(&rows, &both, &["R70/W30".parse().unwrap()]);
        let names: Vec<_> = found
            .iter()
            .map(|w| (w.name.as_str(), w.operations.direction()))
            .collect();
        assert_eq!(
            names,
            [
                ("RND4K Q2T1", "read"),
                ("RND4K Q1T1 dsync", "write"),
                ("RND4K Q2T1", "write"),
                ("RND4K Q1T1 dsync", "mix"),
                ("RND4K Q2T1", "mix"),
            ]
        );
        assert!(found[1].durability.write_through);
        assert!(workloads(&rows[..1], &both[..1], &[]).is_empty());
    }

    #[test]
    fn what_is_flushed_by_a_call_goes_through_the_page_cache() {
        let of = |text: &str| row(text).unwrap().workload(RowDirection::Write);
        for (text, direct, every) in [
            ("RND4K,dsync", DirectMode::Auto, [None, None]),
            ("RND4K,sync", DirectMode::Auto, [None, None]),
            ("RND4K,fsync=16", DirectMode::Off, [Some(16), None]),
            ("SEQ2300B,fdatasync", DirectMode::Off, [None, Some(1)]),
        ] {
            let workload = of(text);
            let rule = workload.durability;
            assert_eq!(workload.direct, direct, "{text}");
            assert_eq!([rule.fsync_every, rule.fdatasync_every], every, "{text}");
        }
        assert!(of("RND4K,sync").durability.with_metadata);
    }

    #[test]
    fn threads_of_a_sequential_row_share_one_position() {
        let offset = |text: &str| row(text).unwrap().workload(RowDirection::Read).order;
        assert_eq!(
            offset("SEQ128K,Q32,T4"),
            Order::Sequential {
                offset: SequentialOffset::Interlocked
            }
        );
        assert_eq!(
            offset("SEQ128K,Q32,T1"),
            Order::Sequential {
                offset: SequentialOffset::Own
            }
        );
        assert_eq!(offset("RND4K,Q1,T4"), Order::Random { map: false });
    }
}

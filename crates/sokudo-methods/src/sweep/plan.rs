//! The language of ATTO Disk Benchmark and of MiniTool Partition Wizard's benchmark:
//! block sizes from one to another, against depths or threads.
//!
//! Every block size at every load is a row of its own, all reads before all writes. A
//! row ends after a total length or a time, whichever comes first. How often it is
//! measured is the schedule's business.

use sokudo_model::{
    Bytes, Check, DataContent, DirectMode, Durability, Limits, Method, MethodKind, Nanos,
    Operation, Plan, Span, Stage, Verify, Workload, WriteCheck,
};
use sokudo_tools::crystaldiskmark::{RowDirection, RowPattern, RowSpec};

use crate::arguments::axis::{CELLS_MAX, SweepError};

pub static METHOD: MethodKind = MethodKind {
    name: "sweep",
    command: "sweep",
    is_named: false,
    traits: &[],
};

/// What a program takes where the user says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepPreset {
    /// Smallest block, where the range begins.
    pub from: Bytes,
    /// Largest block, where the range ends.
    pub to: Bytes,
    /// I/Os in flight of each thread.
    pub depth: u32,
    /// Bytes that one cell moves at most.
    pub length: Bytes,
}

impl SweepPreset {
    /// ATTO Disk Benchmark 4: 512 B to 64 MiB, queue depth 4, 256 MiB.
    pub const ATTO: Self = Self {
        from: Bytes(512),
        to: Bytes::mib(64),
        depth: 4,
        length: Bytes::mib(256),
    };

    /// MiniTool Partition Wizard 12: 1 KiB to 2 MiB, queue number 8, 100 MiB.
    pub const MINITOOL: Self = Self {
        from: Bytes::kib(1),
        to: Bytes::mib(2),
        depth: 8,
        length: Bytes::mib(100),
    };
}

/// How much is in flight, and from how many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// I/Os in flight per thread.
    pub depth: u32,
    pub threads: u32,
}

impl Load {
    /// Bytes of buffers that it takes with blocks of this size.
    pub const fn buffer_bytes(self, block: Bytes) -> Bytes {
        let in_flight = self.depth as u64 * self.threads as u64;
        Bytes(in_flight.saturating_mul(block.0))
    }
}

/// Cells of block size × load × operation, with what they share.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Block sizes, in the order in which they are measured.
    pub sizes: Vec<Bytes>,
    /// Depth and threads of each step of the second axis.
    pub loads: Vec<Load>,
    /// Reads, writes or both.
    pub operations: Vec<Operation>,
    /// Sequential or random order of offsets, in all cells.
    pub pattern: RowPattern,
    /// How much one cell moves at most, and the part of the target that it uses.
    pub length: Bytes,
    /// How long one trial of a cell takes at most; one that is checked takes as long as
    /// it takes.
    pub time: Nanos,
    /// Whether the page cache is bypassed.
    pub direct: DirectMode,
    /// Whether every write is durable before it counts ("bypass write cache").
    pub write_through: bool,
    /// Whether what was written is read back and compared.
    pub verify: bool,
    pub data: DataContent,
    /// Buffers of one cell may take this much; cells that need more are left out.
    pub buffer_bytes_max: Option<Bytes>,
    /// Where all chance starts from.
    pub seed: u64,
}

impl Sweep {
    /// The plan: every cell alone, sizes after each other at each load, all reads before
    /// all writes.
    ///
    /// # Errors
    /// [`SweepError`], which names what is too much, too little or not there.
    pub fn plan(&self) -> Result<Plan, SweepError> {
        if self.time == Nanos(0) {
            return Err(SweepError::NoTime);
        }
        let cell_count = self.sizes.len() * self.loads.len() * self.operations.len();
        if cell_count > CELLS_MAX {
            return Err(SweepError::TooManyCells { cells: cell_count });
        }
        if let Some(size) = self.sizes.iter().find(|size| **size > self.length) {
            return Err(SweepError::LengthBelowBlock {
                length: self.length,
                block: *size,
            });
        }
        let mut workloads = Vec::new();
        for operation in &self.operations {
            for load in &self.loads {
                let fitting = self
                    .sizes
                    .iter()
                    .filter(|size| self.has_room(*load, **size));
                workloads.extend(fitting.map(|size| self.workload(*operation, *load, *size)));
            }
        }
        if workloads.is_empty() {
            return Err(SweepError::NothingLeft);
        }
        Ok(Plan::in_turn(Method::new(&METHOD), self.seed, workloads))
    }

    /// Cells that are left out, because their buffers would take too much memory.
    pub fn without_room(&self) -> Vec<(Bytes, Load)> {
        let of_load = |load: &Load| {
            let load = *load;
            let sizes = self.sizes.iter();
            sizes
                .filter(move |size| !self.has_room(load, **size))
                .map(move |size| (*size, load))
        };
        self.loads.iter().flat_map(of_load).collect()
    }

    fn has_room(&self, load: Load, block: Bytes) -> bool {
        let needed = load.buffer_bytes(block);
        self.buffer_bytes_max.is_none_or(|most| needed <= most)
    }

    fn workload(&self, operation: Operation, load: Load, block: Bytes) -> Workload {
        let row = RowSpec {
            block,
            pattern: self.pattern,
            depth: load.depth,
            threads: load.threads,
            directions: Vec::new(),
            durability: None,
        };
        let is_write = operation == Operation::Write;
        let is_checked = is_write && self.verify;
        let direction = if is_write {
            RowDirection::Write
        } else {
            RowDirection::Read
        };
        let blocks = self.length.0 / block.0;
        // Threads share the length, and each has something to do.
        let of_thread = (blocks / u64::from(load.threads)).max(1);
        Workload {
            limits: Limits {
                // What is written in part only is not read back.
                time: (!is_checked).then_some(self.time),
                bytes: Some(Bytes(of_thread * block.0)),
                ..Limits::default()
            },
            span: Some(Span::from_start(Bytes(blocks * block.0))),
            direct: self.direct,
            durability: Durability {
                write_through: is_write && self.write_through,
                ..Durability::default()
            },
            // Every block carries a checksum, and all of them are read back after the writes.
            verify: is_checked.then(|| Verify::Writes(WriteCheck::of(Check::Crc32c))),
            data: self.data.clone(),
            ..row.workload(direction)
        }
    }
}

/// The workloads of a plan, one per cell.
pub fn cells(plan: &Plan) -> impl Iterator<Item = &Workload> {
    plan.stages
        .iter()
        .flat_map(|stage: &Stage| &stage.workloads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Order, SequentialOffset};

    fn sweep() -> Sweep {
        Sweep {
            sizes: vec![Bytes::kib(4), Bytes::kib(12)],
            loads: vec![
                Load {
                    depth: 1,
                    threads: 1,
                },
                Load {
                    depth: 2,
                    threads: 3,
                },
            ],
            operations: vec![Operation::Read, Operation::Write],
            pattern: RowPattern::Sequential,
            length: Bytes::kib(64),
            time: Nanos::from_millis(500),
            direct: DirectMode::On,
            write_through: true,
            verify: false,
            data: DataContent::Zero,
            buffer_bytes_max: None,
            seed: 3,
        }
    }

    #[test]
    fn reads_come_before_writes_and_a_load_before_the_next() {
        let plan = sweep().plan().unwrap();
        let names: Vec<(String, &str)> = cells(&plan)
            .map(|cell| (cell.name.clone(), cell.operations.direction()))
            .collect();
        let rows = ["SEQ4K Q1T1", "SEQ12K Q1T1", "SEQ4K Q2T3", "SEQ12K Q2T3"];
        let expected: Vec<(String, &str)> = ["read", "write"]
            .into_iter()
            .flat_map(|direction| rows.map(|row| (row.to_owned(), direction)))
            .collect();
        assert_eq!(names, expected);
        assert!(plan.stages.iter().all(|stage| stage.workloads.len() == 1));
    }

    #[test]
    fn a_cell_uses_whole_blocks_of_the_length_and_shares_it_among_threads() {
        let plan = sweep().plan().unwrap();
        let cells: Vec<&Workload> = cells(&plan).collect();
        let limits = |cell: &Workload| (cell.span.unwrap().length, cell.limits.bytes.unwrap());
        assert_eq!(limits(cells[0]), (Bytes::kib(64), Bytes::kib(64)));
        assert_eq!(limits(cells[1]), (Bytes::kib(60), Bytes::kib(60)));
        assert_eq!(limits(cells[2]), (Bytes::kib(64), Bytes::kib(20)));
        // More threads than blocks: each still does one.
        assert_eq!(limits(cells[3]), (Bytes::kib(60), Bytes::kib(12)));
    }

    #[test]
    fn threads_of_a_sequential_cell_share_one_position() {
        let plan = sweep().plan().unwrap();
        let shared = Order::Sequential {
            offset: SequentialOffset::Interlocked,
        };
        assert!(cells(&plan).all(|cell| (cell.order == shared) == (cell.threads > 1)));
    }

    #[test]
    fn only_writes_are_durable_and_checked() {
        let mut sweep = sweep();
        sweep.verify = true;
        for cell in cells(&sweep.plan().unwrap()) {
            let writes = cell.operations.changes_data();
            assert_eq!(cell.durability.write_through, writes);
            assert_eq!(cell.verify.is_some(), writes);
            // Only a cell that has come to its end is read back.
            assert_eq!(cell.limits.time.is_none(), writes);
            assert_eq!(cell.direct, DirectMode::On);
        }
    }

    #[test]
    fn cells_whose_buffers_are_too_large_are_left_out() {
        let mut sweep = sweep();
        sweep.buffer_bytes_max = Some(Bytes::kib(24));
        let left_out = sweep.without_room();
        assert_eq!(left_out, [(Bytes::kib(12), sweep.loads[1])]);
        assert_eq!(cells(&sweep.plan().unwrap()).count(), 6);
        sweep.buffer_bytes_max = Some(Bytes(512));
        assert_eq!(sweep.plan().unwrap_err(), SweepError::NothingLeft);
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        let with = |change: fn(&mut Sweep)| {
            let mut sweep = sweep();
            change(&mut sweep);
            sweep.plan().unwrap_err().to_string()
        };
        let short = with(|sweep| sweep.length = Bytes::kib(8));
        assert!(
            short.contains("8 KiB") && short.contains("12 KiB"),
            "{short}"
        );
        assert!(with(|sweep| sweep.time = Nanos(0)).contains("--time is 0"));
        assert!(with(|sweep| sweep.sizes.clear()).contains("no cell"));
        let many = with(|sweep| sweep.sizes = vec![Bytes(512); CELLS_MAX]);
        assert!(
            many.contains("8192 cells") && many.contains("2048"),
            "{many}"
        );
    }
}

//! What a text of ioping's held, in whatever form, and the runs that it makes.

use sokudo_model::{
    BackendKind, Bytes, ImportedLatency, ImportedRow, ImportedRun, ImportedTarget, Nanos,
    Operation, PlanPart,
};

use crate::results::row::{self, LOAD, WorkloadDescription, entry};
use crate::results::{Import, ImportError, LeftOut, number};

pub(super) const FORMAT: &str = "ioping";

/// Where the size is not told; the row says that it is unknown.
pub(super) const BLOCK_DEFAULT: Bytes = Bytes::kib(4);

/// What was measured of one target.
#[derive(Debug, Default)]
pub(super) struct IopingResult {
    pub(super) target: ImportedTarget,
    pub(super) started_at: Option<Nanos>,
    pub(super) operation: Option<Operation>,
    pub(super) block: Option<Bytes>,
    pub(super) bandwidth: Option<f64>,
    pub(super) iops: Option<f64>,
    pub(super) latency: ImportedLatency,
}

/// What a text held.
#[derive(Debug, Default)]
pub(super) struct IopingOutput {
    pub(super) measured: Vec<IopingResult>,
    pub(super) left_out: Vec<LeftOut>,
}

impl IopingOutput {
    /// Statistics of one target are rows of one run: each may be a part of the next (`-p`),
    /// so they are no trials.
    pub(super) fn import(self) -> Result<Import, ImportError> {
        let mut runs: Vec<ImportedRun> = Vec::new();
        for measured in self.measured {
            let is_it = |run: &ImportedRun| run.target == measured.target;
            let run = entry(&mut runs, is_it, || new_run(&measured));
            let number = run.rows.len() + 1;
            run.rows.push(measured.row(number));
        }
        let nothing = "it was stopped before its statistics";
        Import::of(FORMAT, runs, self.left_out, nothing)
    }
}

fn new_run(measured: &IopingResult) -> ImportedRun {
    let mut run = ImportedRun {
        started_at: measured.started_at,
        method: "ioping".to_owned(),
        target: measured.target.clone(),
        ..row::run("ioping", FORMAT)
    };
    run.origin.remarks.push(
        "ioping's rates are those of its requests alone: pauses between them are not in \
         them"
            .into(),
    );
    run
}

impl IopingResult {
    pub(super) fn row(self, number: usize) -> ImportedRow {
        let name = match number {
            1 => "requests".to_owned(),
            _ => format!("requests {number}"),
        };
        // Its default engine waits for each request before the next.
        let mut description = WorkloadDescription::new(name, BLOCK_DEFAULT)
            .parts(LOAD)
            .parts(&[PlanPart::Rate])
            .operation(self.operation)
            .block(self.block);
        description.workload.backend = BackendKind::Psync;
        let mut row = description.row();
        row.reported.bandwidth = self.bandwidth.map(|rate| row::rate(rate, ""));
        row.reported.iops = self.iops.map(|rate| row::rate(rate, ""));
        row.reported.latency = Some(self.latency);
        row
    }
}

/// The size of a request, where bytes and count of all of them give a whole one.
pub(super) fn block(bytes: f64, requests: f64) -> Option<Bytes> {
    let block = bytes / requests;
    let is_size = number::is_possible(block) && block >= 1.0 && block.fract() == 0.0;
    is_size.then_some(Bytes(number::whole(block)))
}

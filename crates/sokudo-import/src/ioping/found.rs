//! What a text of ioping's held, in whatever form, and the runs that it makes.

use sokudo_model::{
    BackendKind, BlockSizes, Bytes, Environment, ImportedLatency, ImportedRow, ImportedRun,
    ImportedTarget, Nanos, Operation, Origin, PlanPart, Workload,
};

use crate::row::{self, only};
use crate::{Import, ImportError, LeftOut, number};

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
        if self.measured.is_empty() {
            let why = match self.left_out.first() {
                Some(part) => part.why.clone(),
                None => "it was stopped before its statistics".to_owned(),
            };
            return Err(ImportError::Broken {
                format: FORMAT,
                why,
            });
        }
        let mut runs: Vec<ImportedRun> = Vec::new();
        for measured in self.measured {
            let known = runs.iter().position(|run| run.target == measured.target);
            let place = known.unwrap_or(runs.len());
            if known.is_none() {
                runs.push(new_run(&measured));
            }
            let number = runs[place].rows.len() + 1;
            runs[place].rows.push(measured.row(number));
        }
        Ok(Import {
            runs,
            left_out: self.left_out,
        })
    }
}

pub(super) fn new_run(measured: &IopingResult) -> ImportedRun {
    ImportedRun {
        origin: Origin {
            tool: "ioping".to_owned(),
            format: FORMAT.to_owned(),
            remarks: vec![
                "ioping's rates are those of its requests alone: pauses between them are not in \
                 them"
                    .to_owned(),
            ],
            ..Origin::default()
        },
        started_at: measured.started_at,
        method: "ioping".to_owned(),
        command: None,
        target: measured.target.clone(),
        environment: Environment::default(),
        rows: Vec::new(),
    }
}

impl IopingResult {
    pub(super) fn row(self, number: usize) -> ImportedRow {
        let name = match number {
            1 => "requests".to_owned(),
            _ => format!("requests {number}"),
        };
        let mut workload = Workload {
            backend: BackendKind::Psync,
            ..Workload::new(name, BLOCK_DEFAULT)
        };
        // Its default engine waits for each request before the next.
        let mut told = vec![PlanPart::Clones, PlanPart::Depth, PlanPart::Rate];
        if let Some(operation) = self.operation {
            workload.operations = only(operation);
            told.push(PlanPart::Operations);
        }
        if let Some(block) = self.block {
            workload.blocks = BlockSizes::one(block);
            told.push(PlanPart::Blocks);
        }
        let mut row = row::row(workload, &told);
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
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole and at most 1e15"
    )]
    is_size.then_some(Bytes(block as u64))
}

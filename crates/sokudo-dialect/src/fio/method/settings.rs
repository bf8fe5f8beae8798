//! What one section of a job file has set so far, with fio's defaults, and the
//! [`Workload`] it comes to.

use sokudo_model::{
    BackendKind, BlockSizes, Bytes, DataContent, DirectMode, Durability, Limits, Nanos, Operation,
    OperationMix, Order, Rate, SequentialOffset, Span, Think, Workload,
};

use super::error::JobFileProblem;
use super::values::{KiloBase, Limit};

/// A section's settings. Cloned from `[global]` into every job.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) kilo_base: KiloBase,
    pub(super) name: Option<String>,
    pub(super) label: Option<String>,
    pub(super) backend: BackendKind,
    pub(super) direct: DirectMode,
    pub(super) access: Access,
    pub(super) flush_only: bool,
    pub(super) read_percent: u32,
    pub(super) random_map: bool,
    pub(super) sequential_offset: SequentialOffset,
    pub(super) block: Bytes,
    pub(super) block_mix: Option<BlockSizes>,
    pub(super) offset: u64,
    pub(super) size: Option<u64>,
    pub(super) file_size: Option<u64>,
    pub(super) io_size: Option<u64>,
    pub(super) span: Option<SpanPragma>,
    pub(super) depth: u32,
    pub(super) clones: u32,
    pub(super) runtime: Option<Nanos>,
    pub(super) time_based: bool,
    pub(super) endless: bool,
    pub(super) ramp: Nanos,
    pub(super) rate: Option<Limit>,
    pub(super) rate_iops: Option<Limit>,
    pub(super) think_time: Nanos,
    pub(super) think_after_ios: u32,
    pub(super) durability: Durability,
    pub(super) data: DataContent,
    pub(super) cpus: Vec<u32>,
    pub(super) cpus_split: bool,
    pub(super) exact_clock: bool,
    pub(super) stonewall: bool,
    /// Only there so that fio removes the test file; no part of the plan.
    pub(super) removes_file: bool,
    pub(super) seed: Option<u64>,
    pub(super) file_name: Option<String>,
    pub(super) directory: Option<String>,
}

/// fio's `rw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) random: bool,
    /// `None` is reads and writes.
    pub(super) only: Option<Operation>,
}

/// What the `span` pragma says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanPragma {
    All,
    Part(Span),
}

/// fio's defaults, as `fio --cmdhelp` of 3.33 lists them.
impl Default for Settings {
    fn default() -> Self {
        Self {
            kilo_base: KiloBase::Binary,
            name: None,
            label: None,
            backend: BackendKind::Psync,
            direct: DirectMode::Off,
            access: Access {
                random: false,
                only: Some(Operation::Read),
            },
            flush_only: false,
            read_percent: 50,
            random_map: true,
            sequential_offset: SequentialOffset::Own,
            block: Bytes::kib(4),
            block_mix: None,
            offset: 0,
            size: None,
            file_size: None,
            io_size: None,
            span: None,
            depth: 1,
            clones: 1,
            runtime: None,
            time_based: false,
            endless: false,
            ramp: Nanos(0),
            rate: None,
            rate_iops: None,
            think_time: Nanos(0),
            think_after_ios: 1,
            durability: Durability::default(),
            data: DataContent::Random,
            cpus: Vec::new(),
            cpus_split: false,
            exact_clock: false,
            stonewall: false,
            removes_file: false,
            seed: None,
            file_name: None,
            directory: None,
        }
    }
}

impl Settings {
    /// Where the used part of the target ends; `None` if the target's own end.
    /// With `filesize`, that; else `size` after the offset (measured, fio 3.33).
    pub(super) fn end(&self) -> Option<u64> {
        let by_size = || self.offset.checked_add(self.size?);
        self.file_size.or_else(by_size)
    }

    /// The workload; `target_end` is the end of the furthest job, if all have one.
    pub(super) fn workload(
        &self,
        section: &str,
        target_end: Option<u64>,
    ) -> Result<Workload, JobFileProblem> {
        let job = self.name.as_deref().unwrap_or(section).to_owned();
        let operations = self.operations();
        let split = self.cpus_split || self.cpus.len() <= 1;
        if !split {
            return Err(JobFileProblem::SharedProcessors { job });
        }
        Ok(Workload {
            name: self.label.clone().unwrap_or_else(|| job.clone()),
            clones: self.clones,
            backend: self.backend,
            direct: self.direct,
            order: self.order(),
            blocks: self.blocks(),
            span: self.span(&job, target_end)?,
            depth: self.depth,
            limits: self.limits(&job)?,
            ramp: self.ramp,
            rate: self.rate(&job, &operations)?,
            think: self.think(),
            durability: self.durability,
            data: self.data.clone(),
            cpus: self.cpus.clone(),
            exact_clock: self.exact_clock,
            operations,
            ..Workload::new("", self.block)
        })
    }

    fn operations(&self) -> OperationMix {
        if self.flush_only {
            return OperationMix::only(Operation::Flush);
        }
        match self.access.only {
            Some(operation) => OperationMix::only(operation),
            None => OperationMix::read_write(self.read_percent)
                .expect("the option table admits no percentage above 100"),
        }
    }

    fn order(&self) -> Order {
        if self.access.random {
            Order::Random {
                map: self.random_map,
            }
        } else {
            Order::Sequential {
                offset: self.sequential_offset,
            }
        }
    }

    fn blocks(&self) -> BlockSizes {
        let one = || BlockSizes::one(self.block);
        self.block_mix.clone().unwrap_or_else(one)
    }

    fn span(&self, job: &str, target_end: Option<u64>) -> Result<Option<Span>, JobFileProblem> {
        match self.span {
            Some(SpanPragma::All) => return Ok(None),
            Some(SpanPragma::Part(span)) => return Ok(Some(span)),
            None => {}
        }
        let end = self.end();
        if self.offset == 0 && (end.is_none() || end == target_end) {
            return Ok(None);
        }
        let length = end.and_then(|end| end.checked_sub(self.offset));
        match length {
            Some(length) if length > 0 => Ok(Some(Span {
                offset: Bytes(self.offset),
                length: Bytes(length),
            })),
            _ => Err(JobFileProblem::BadSpan {
                job: job.to_owned(),
                offset: self.offset,
            }),
        }
    }

    /// fio 3.33, measured: `time_based` makes it ignore `io_size`; without it
    /// the job ends at `io_size`, by default `size`, or at `runtime`.
    fn limits(&self, job: &str) -> Result<Limits, JobFileProblem> {
        if self.endless {
            return Ok(Limits::default());
        }
        if self.time_based && self.runtime.is_some() {
            return Ok(Limits {
                time: self.runtime,
                ..Limits::default()
            });
        }
        let whole = || self.end().map(|end| end.saturating_sub(self.offset));
        let bytes = self.io_size.or(self.size).or_else(whole);
        match bytes {
            Some(bytes) => Ok(Limits {
                time: self.runtime,
                bytes: Some(Bytes(bytes)),
                ..Limits::default()
            }),
            None => Err(JobFileProblem::NoEnd {
                job: job.to_owned(),
            }),
        }
    }

    fn rate(&self, job: &str, operations: &OperationMix) -> Result<Option<Rate>, JobFileProblem> {
        let bytes = total(self.rate, operations).map_err(|()| JobFileProblem::RateOfMix {
            job: job.to_owned(),
            option: "rate",
        })?;
        let iops = total(self.rate_iops, operations).map_err(|()| JobFileProblem::RateOfMix {
            job: job.to_owned(),
            option: "rate_iops",
        })?;
        match (bytes, iops) {
            (Some(_), Some(_)) => Err(JobFileProblem::TwoRates {
                job: job.to_owned(),
            }),
            (Some(bytes), None) => Ok(Some(Rate::BytesPerSecond(bytes))),
            (None, iops) => Ok(iops.map(Rate::Iops)),
        }
    }

    fn think(&self) -> Option<Think> {
        (self.think_time.0 > 0).then(|| Think::new(self.think_time, self.think_after_ios))
    }
}

/// The rate of all directions together. fio limits each direction by itself, so
/// one number for a mix says nothing about the sum: that is the error.
fn total(limit: Option<Limit>, operations: &OperationMix) -> Result<Option<u64>, ()> {
    let used = operations.shares().iter().map(|(operation, _)| *operation);
    match limit {
        None | Some(Limit::Each(0)) => Ok(None),
        Some(Limit::Each(value)) if operations.single().is_some() => Ok(Some(value)),
        Some(Limit::Each(_)) => Err(()),
        Some(Limit::Directions(values)) => {
            let of = |operation: Operation| values.get(operation.index()).copied().flatten();
            let given: Vec<_> = used.map(of).collect();
            if given.iter().all(Option::is_none) {
                return Ok(None);
            }
            let sum = |sum: u64, value: &Option<u64>| sum.checked_add((*value)?);
            given.iter().try_fold(0, sum).map(Some).ok_or(())
        }
    }
}

//! Rows of a scan as they are gathered, and what they have in common.

use sokudo_model::{
    BlockChoice, BlockSizes, Bytes, DriveCache, Nanos, Operation, OperationMix, Sample, Span,
    Survey, Visit, Work, Workload,
};
use sokudo_words::Text;

use crate::rows::surface::range;
use crate::rows::surface::request::{BLOCK_MAX, SurfaceError, SurfaceRequest, Writes};

/// What is written back at a place that is otherwise measured for a time: the engine holds
/// as much in memory.
pub(super) const WRITE_BACK_MAX: Bytes = Bytes::mib(64);

/// Rows that are being gathered.
pub(super) struct SurfaceRows {
    /// The part of the target that is measured; `None` is all of it.
    pub(super) span: Option<Span>,
    /// Its first byte, and how long it is.
    pub(super) start: u64,
    pub(super) length: Bytes,
    pub(super) writes: Writes,
    pub(super) timeout: Option<Nanos>,
    pub(super) workloads: Vec<Workload>,
    pub(super) notes: Vec<Text>,
}

impl SurfaceRows {
    pub(super) fn new(request: &SurfaceRequest) -> Result<Self, SurfaceError> {
        let (start, length) = range::measured(request)?;
        let span = Span {
            offset: Bytes(start),
            length,
        };
        Ok(Self {
            span: (length < request.size).then_some(span),
            start,
            length,
            writes: request.writes,
            timeout: request.timeout,
            workloads: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// Adds a row that visits places, and one that writes them where that is asked for.
    pub(super) fn add(&mut self, workload: Workload, survey: Survey) {
        let mut write = Workload {
            operations: OperationMix::only(Operation::Write),
            work: Work::Survey(self.written(&workload, survey)),
            ..workload.clone()
        };
        self.add_reading(Workload {
            work: Work::Survey(Survey {
                timeout: self.timeout,
                ..survey
            }),
            ..workload
        });
        if self.writes != Writes::None {
            write.span = write.span.or(self.span);
            self.workloads.push(write);
        }
    }

    /// How places are written. What is written back is read first, so that how much it is
    /// must be known: a time becomes an amount.
    pub(super) fn written(&self, workload: &Workload, survey: Survey) -> Survey {
        let write_back = self.writes == Writes::Back;
        let sample = match survey.sample {
            Sample::Time(_) if write_back => {
                let length = workload.span.map_or(self.length, |span| span.length);
                let block = workload.blocks.largest().0;
                let room = length.0 / u64::from(survey.sample_count.max(1)) / block * block;
                Sample::Bytes(Bytes(room.min(WRITE_BACK_MAX.0).max(block)))
            }
            sample => sample,
        };
        Survey {
            sample,
            write_back,
            ..survey
        }
    }

    /// Adds a row that only reads.
    pub(super) fn add_reading(&mut self, mut workload: Workload) {
        workload.span = workload.span.or(self.span);
        self.workloads.push(workload);
    }

    /// The rows once for every state of the drive's cache; where there are several, the
    /// names say which.
    pub(super) fn in_each_cache(&self, caches: &[DriveCache]) -> Vec<Workload> {
        let in_state = |state: DriveCache| {
            let named = move |name: &str| match state {
                DriveCache::On if caches.len() > 1 => format!("{name}, cache on"),
                DriveCache::Off if caches.len() > 1 => format!("{name}, cache off"),
                _ => name.to_owned(),
            };
            self.workloads.iter().map(move |workload| Workload {
                name: named(&workload.name),
                drive_cache: state,
                ..workload.clone()
            })
        };
        match caches {
            [] => self.workloads.clone(),
            _ => caches.iter().copied().flat_map(in_state).collect(),
        }
    }
}

/// A multiple of the target's block that an I/O can have.
pub(super) fn checked_block(
    option: &'static str,
    requested: Bytes,
    block_min: Bytes,
) -> Result<Bytes, SurfaceError> {
    let fits = requested.0 > 0 && requested.0.is_multiple_of(block_min.0) && requested <= BLOCK_MAX;
    fits.then_some(requested).ok_or(SurfaceError::Block {
        option,
        requested,
        block_min,
    })
}

/// Places at random, each one I/O.
pub(super) fn at_random(sample_count: u32, block: Bytes) -> Survey {
    Survey::new(
        sample_count,
        Visit::Random,
        sokudo_model::Sample::Bytes(block),
    )
}

/// Any multiple of `smallest` up to `largest`, all alike.
pub(super) fn any_size(smallest: Bytes, largest: Bytes) -> Option<BlockSizes> {
    let range = || BlockChoice::Range { smallest, largest };
    BlockSizes::per_direction(range(), range(), range())
}

//! Measurements of a whole surface, as HD Tune and GNOME Disks users know them: arguments
//! as data become a plan whose stages are the rows of a scan.
//!
//! What each row does is told where it is made: transfer curves in `transfer`, access time
//! and random access in `random`, the rest in `extra`. Nothing here looks at a device: how
//! large it is and which blocks it takes are arguments.

mod extra;
mod level;
mod random;
mod transfer;

use sokudo_model::{
    BlockChoice, BlockSizes, Bytes, DriveCache, Operation, OperationMix, Plan, Sample, Span, Stage,
    Survey, Visit, Workload,
};

pub use level::{Level, UnknownLevel};

/// Places of a curve: more than any screen has columns, and each takes 56 bytes per trial.
pub const POINTS_MAX: u32 = 1_000_000;
/// I/Os of a row that measures access times, bounded as points are.
pub const ACCESS_COUNT_MAX: u32 = 1_000_000;
/// Blocks that devices and buffers can be asked for.
pub const BLOCK_MAX: Bytes = crate::crystal::BLOCK_MAX;
/// I/Os in flight, as in the rows of `mark`.
pub const DEPTH_MAX: u32 = crate::crystal::DEPTH_MAX;

/// What is written back at a place that is otherwise measured for a time: the engine holds
/// as much in memory.
const WRITE_BACK_MAX: Bytes = Bytes::mib(64);

/// What is asked of a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whose way it is measured in.
    pub preset: Preset,
    /// Size of the target.
    pub size: Bytes,
    /// The smallest block that the target takes.
    pub block_min: Bytes,
    /// Only so much from the start.
    pub short_stroke: Option<Bytes>,
    /// Places of the curve.
    pub points: Option<u32>,
    /// How much is moved at each.
    pub sample: Option<Bytes>,
    /// Size of one I/O of the curve.
    pub block: Option<Bytes>,
    /// I/Os in flight on the curve.
    pub depth: Option<u32>,
    /// Whether places are visited in random order.
    pub shuffle: bool,
    /// I/Os of each row that measures access times; 0 leaves the row beside the curve out.
    pub access_count: Option<u32>,
    /// Size of the I/Os of that row.
    pub access_size: Option<Bytes>,
    /// Whether random access is measured by size.
    pub random: bool,
    /// Whether HD Tune's extra tests are made.
    pub extra: bool,
    /// Whether and how it is written, too.
    pub writes: Writes,
    /// States of the drive's write cache, each of which gets rows of its own.
    pub caches: Vec<DriveCache>,
}

/// Whose way a surface is measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// 200 places of 10 MiB, by blocks of 1 MiB at depth 8, so that the rate is the drive's.
    #[default]
    Surface,
    /// GNOME Disks: 100 places, at each one page unmeasured and then one I/O of 10 MiB;
    /// 1000 access times.
    Gnome,
    /// HD Tune: 200 places, at each blocks of 64 KiB one by one for a time.
    HdTune(Level),
    /// Everything, in 200 parts.
    Full,
}

impl Preset {
    /// The method's name in results.
    pub fn method(self) -> String {
        match self {
            Self::Surface => "scan/surface".to_owned(),
            Self::Gnome => "scan/gnome".to_owned(),
            Self::HdTune(level) => format!("scan/hdtune-{level}"),
            Self::Full => "scan/full".to_owned(),
        }
    }

    /// I/Os of a row that measures access times.
    const fn access_count(self) -> u32 {
        match self {
            Self::Gnome => 1000,
            _ => 200,
        }
    }
}

/// Whether and how a surface is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writes {
    /// It is only read.
    #[default]
    None,
    /// What was just read is written again.
    Back,
    /// New data is written.
    New,
}

/// A plan, and what of the request it leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// One row per stage.
    pub plan: Plan,
    /// What was left out or fitted to the target, in sentences without an end.
    pub notes: Vec<String>,
}

/// Why a surface cannot be measured so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceError {
    /// The part that is asked for is not there.
    #[error("--short-stroke is {asked}, but the target has only {size}; use less, or leave it out")]
    Beyond {
        /// Asked for.
        asked: Bytes,
        /// There.
        size: Bytes,
    },
    /// A size that is no number of whole blocks of the target.
    #[error("{option} is {asked}; use a multiple of {block_min}, which is the target's block, up to {block_max}", block_max = BLOCK_MAX)]
    Block {
        /// The option.
        option: &'static str,
        /// Asked for.
        asked: Bytes,
        /// The target's block.
        block_min: Bytes,
    },
    /// A sample that holds no block of the target.
    #[error("--sample is {asked}, and one block has {block}; use at least that")]
    Sample {
        /// Asked for.
        asked: Bytes,
        /// One I/O.
        block: Bytes,
    },
    /// The target is smaller than one block.
    #[error(
        "there are {size} to measure, which is less than one block of {block}; use a smaller --block, or a larger target"
    )]
    Small {
        /// There.
        size: Bytes,
        /// One I/O.
        block: Bytes,
    },
    /// Nothing is left.
    #[error(
        "nothing is left to measure; use --points or --access-count above 0, --random or --extra"
    )]
    Nothing,
}

/// The plan of a request.
///
/// # Errors
/// When the target is too small, or sizes do not fit its blocks.
pub fn plan(request: &Request, seed: u64) -> Result<Planned, SurfaceError> {
    let mut rows = Rows::new(request)?;
    transfer::add(request, &mut rows)?;
    random::add_access(request, &mut rows)?;
    if request.random {
        random::add_by_size(request, &mut rows);
    }
    if request.extra {
        extra::add(request, &mut rows);
    }
    if rows.workloads.is_empty() {
        return Err(SurfaceError::Nothing);
    }
    let alone = |workload| Stage {
        workloads: vec![workload],
    };
    Ok(Planned {
        plan: Plan {
            method: request.preset.method(),
            seed,
            stages: rows
                .in_each_cache(&request.caches)
                .into_iter()
                .map(alone)
                .collect(),
        },
        notes: rows.notes,
    })
}

/// Rows that are being gathered.
struct Rows {
    /// The part of the target that is measured; `None` is all of it.
    span: Option<Span>,
    /// Its length.
    length: Bytes,
    writes: Writes,
    workloads: Vec<Workload>,
    notes: Vec<String>,
}

impl Rows {
    fn new(request: &Request) -> Result<Self, SurfaceError> {
        let whole = |bytes: u64| bytes / request.block_min.0.max(1) * request.block_min.0.max(1);
        let length = match request.short_stroke {
            Some(asked) if asked > request.size => {
                return Err(SurfaceError::Beyond {
                    asked,
                    size: request.size,
                });
            }
            Some(asked) => Bytes(whole(asked.0)),
            None => Bytes(whole(request.size.0)),
        };
        if length.0 == 0 {
            return Err(SurfaceError::Small {
                size: request.short_stroke.unwrap_or(request.size),
                block: request.block_min,
            });
        }
        Ok(Self {
            span: (length < request.size).then_some(Span {
                offset: Bytes(0),
                length,
            }),
            length,
            writes: request.writes,
            workloads: Vec::new(),
            notes: Vec::new(),
        })
    }

    /// Adds a row that visits places, and one that writes them where that is asked for.
    fn add(&mut self, workload: Workload, survey: Survey) {
        let mut write = Workload {
            operations: OperationMix::only(Operation::Write),
            survey: Some(self.written(&workload, survey)),
            ..workload.clone()
        };
        self.add_reading(Workload {
            survey: Some(survey),
            ..workload
        });
        if self.writes != Writes::None {
            write.span = write.span.or(self.span);
            self.workloads.push(write);
        }
    }

    /// How places are written. What is written back is read first, so that how much it is
    /// must be known: a time becomes an amount.
    fn written(&self, workload: &Workload, survey: Survey) -> Survey {
        let write_back = self.writes == Writes::Back;
        let sample = match survey.sample {
            Sample::Time(_) if write_back => {
                let length = workload.span.map_or(self.length, |span| span.length);
                let block = workload.blocks.largest().0;
                let room = length.0 / u64::from(survey.places.max(1)) / block * block;
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
    fn add_reading(&mut self, mut workload: Workload) {
        workload.span = workload.span.or(self.span);
        self.workloads.push(workload);
    }

    /// The rows once for every state of the drive's cache; where there are several, the
    /// names say which.
    fn in_each_cache(&self, caches: &[DriveCache]) -> Vec<Workload> {
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
fn checked_block(
    option: &'static str,
    asked: Bytes,
    block_min: Bytes,
) -> Result<Bytes, SurfaceError> {
    let fits = asked.0 > 0 && asked.0.is_multiple_of(block_min.0) && asked <= BLOCK_MAX;
    fits.then_some(asked).ok_or(SurfaceError::Block {
        option,
        asked,
        block_min,
    })
}

/// Places at random, each one I/O.
fn at_random(places: u32, block: Bytes) -> Survey {
    Survey {
        places,
        visit: Visit::Random,
        sample: sokudo_model::Sample::Bytes(block),
        approach: None,
        write_back: false,
    }
}

/// Any multiple of `smallest` up to `largest`, all alike.
fn any_size(smallest: Bytes, largest: Bytes) -> Option<BlockSizes> {
    let range = || BlockChoice::Range { smallest, largest };
    BlockSizes::per_direction(range(), range(), range())
}

/// A size as rows are named by: `4K`, `1M`, `512B`.
fn short(size: Bytes) -> String {
    let units = [(Bytes::MIB, "M"), (Bytes::KIB, "K")];
    let unit = units
        .into_iter()
        .find(|(scale, _)| size.0 >= *scale && size.0.is_multiple_of(*scale));
    match unit {
        Some((scale, letter)) => format!("{}{letter}", size.0 / scale),
        None => format!("{}B", size.0),
    }
}

#[cfg(test)]
mod tests;

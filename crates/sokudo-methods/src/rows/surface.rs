//! Measurements of a whole surface, as HD Tune and GNOME Disks users know them: arguments
//! as data become a plan whose stages are the rows of a scan.
//!
//! What each row does is told where it is made: transfer curves in `transfer`, access time
//! and random access in `random`, the rest in `extra`. Nothing here looks at a device: how
//! large it is and which blocks it takes are arguments.

mod extra;
mod level;
mod position;
mod random;
mod range;
mod request;
mod rows;
mod transfer;

use rows::SurfaceRows;
use sokudo_model::Workload;
use sokudo_words::Text;

pub use level::{Level, UnknownLevel};
pub use position::{Position, UnknownPosition};
pub use request::{BLOCK_MAX, SurfaceError, SurfacePreset, SurfaceRequest, Writes};

/// Places of a curve: more than any screen has columns, and each takes 56 bytes per trial.
pub const POINTS_MAX: u32 = 1_000_000;
/// I/Os of a row that measures access times, bounded as points are.
pub const ACCESS_COUNT_MAX: u32 = 1_000_000;
/// I/Os in flight, as in the rows of `mark`.
pub const DEPTH_MAX: u32 = sokudo_tools::crystaldiskmark::DEPTH_MAX;

/// Rows in turn, and what of the request they leave out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfacePlan {
    pub workloads: Vec<Workload>,
    /// What was left out or fitted to the target, in sentences without an end.
    pub notes: Vec<Text>,
}

/// The rows of a request.
///
/// # Errors
/// When the target is too small, or sizes do not fit its blocks.
pub fn plan(request: &SurfaceRequest) -> Result<SurfacePlan, SurfaceError> {
    let mut rows = SurfaceRows::new(request)?;
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
    Ok(SurfacePlan {
        workloads: rows.in_each_cache(&request.caches),
        notes: rows.notes,
    })
}

#[cfg(test)]
mod tests;

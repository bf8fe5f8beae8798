//! The transfer curve: how fast each place is when it is read in one go.

use sokudo_model::{Bytes, Sample, Survey, Visit, Workload};
use sokudo_words::text;

use crate::rows::surface::request::{SurfaceError, SurfacePreset, SurfaceRequest};
use crate::rows::surface::rows::{SurfaceRows, checked_block};

/// What a page is to GNOME Disks.
const PAGE: Bytes = Bytes::kib(4);

/// What a preset does at each place.
struct TransferMethod {
    points: u32,
    block: Bytes,
    depth: u32,
    sample: Sample,
    approach: Option<Bytes>,
}

/// Adds the curve, where it has points.
pub(super) fn add(request: &SurfaceRequest, rows: &mut SurfaceRows) -> Result<(), SurfaceError> {
    let way = way(request)?;
    if way.points == 0 {
        return Ok(());
    }
    if way.block > rows.length {
        return Err(SurfaceError::Small {
            size: rows.length,
            block: way.block,
        });
    }
    let (sample_count, sample) = fitted(&way, request, rows);
    let workload = Workload {
        depth: way.depth,
        ..Workload::new("TRANSFER", way.block)
    };
    let visit = if request.shuffle {
        Visit::Shuffled
    } else {
        Visit::Ascending
    };
    let survey = Survey {
        approach: way.approach,
        ..Survey::new(sample_count, visit, sample)
    };
    rows.add(workload, survey);
    Ok(())
}

/// The preset, as far as nothing else is asked for.
fn way(request: &SurfaceRequest) -> Result<TransferMethod, SurfaceError> {
    let mut way = match request.preset {
        SurfacePreset::Surface => TransferMethod {
            points: 200,
            block: Bytes::mib(1),
            depth: 8,
            sample: Sample::Bytes(Bytes::mib(10)),
            approach: None,
        },
        SurfacePreset::Gnome => TransferMethod {
            points: 100,
            block: request.sample.unwrap_or(Bytes::mib(10)),
            depth: 1,
            sample: Sample::Bytes(Bytes::mib(10)),
            approach: Some(PAGE.max(request.block_min)),
        },
        SurfacePreset::HdTune(level) => TransferMethod {
            points: 200,
            block: Bytes::kib(64),
            depth: 1,
            sample: Sample::Time(level.time_per_sample()),
            approach: Some(request.block_min),
        },
        SurfacePreset::Full => TransferMethod {
            points: 200,
            block: Bytes::mib(1),
            depth: 8,
            sample: Sample::Whole,
            approach: None,
        },
    };
    way.points = request.points.unwrap_or(way.points);
    way.depth = request.depth.unwrap_or(way.depth);
    let option = match request.preset {
        SurfacePreset::Gnome if request.block.is_none() => "--sample",
        _ => "--block",
    };
    way.block = checked_block(
        option,
        request.block.unwrap_or(way.block),
        request.block_min,
    )?;
    if let Some(requested) = request.sample {
        if requested < way.block {
            return Err(SurfaceError::Sample {
                requested,
                block: way.block,
            });
        }
        way.sample = Sample::Bytes(requested);
    }
    Ok(way)
}

/// Places and samples as the target has room for. Samples that would overlap become all
/// of it.
fn fitted(way: &TransferMethod, request: &SurfaceRequest, rows: &mut SurfaceRows) -> (u32, Sample) {
    let blocks = rows.length.0 / way.block.0;
    let sample_count = u32::try_from(blocks).map_or(way.points, |blocks| way.points.min(blocks));
    if sample_count < way.points && request.points.is_some() {
        rows.notes.push(text!(
            "{} have room for {sample_count} points of one block ({}), so there are no more",
            rows.length,
            way.block
        ));
    }
    match way.sample {
        Sample::Bytes(bytes)
            if bytes.0.saturating_mul(u64::from(sample_count)) >= rows.length.0 =>
        {
            rows.notes.push(text!(
                "{sample_count} samples of {bytes} are more than the {} there are, so all of it is measured",
                rows.length
            ));
            (sample_count, Sample::Whole)
        }
        sample => (sample_count, sample),
    }
}

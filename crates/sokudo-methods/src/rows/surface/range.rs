//! Which part of a target is measured.

use sokudo_model::Bytes;

use crate::rows::surface::position::{Position, WHOLE};
use crate::rows::surface::request::{SurfaceError, SurfaceRequest};

/// The first byte that is measured and how many there are, in whole blocks of the target.
pub(super) fn measured(request: &SurfaceRequest) -> Result<(u64, Bytes), SurfaceError> {
    let (size, block) = (request.size, request.block_min);
    let at = |position: Position, option| {
        if let Position::At(requested) = position
            && requested > size
        {
            return Err(SurfaceError::Beyond {
                option,
                requested,
                size,
            });
        }
        Ok(position.within(size, block))
    };
    let stroke = request.short_stroke.map(Position::At);
    let (to, option) = match (request.to, stroke) {
        (Some(to), _) => (to, "--to"),
        (None, Some(stroke)) => (stroke, "--short-stroke"),
        (None, None) => (Position::Share(WHOLE), "--to"),
    };
    let from = request.from.unwrap_or(Position::Share(0));
    let (start, end) = (at(from, "--from")?, at(to, option)?);
    match end.checked_sub(start) {
        Some(length) if length > 0 => Ok((start, Bytes(length))),
        _ if request.from.or(request.to).is_some() => Err(SurfaceError::Empty { from, to, size }),
        _ => Err(SurfaceError::Small {
            size: request.short_stroke.unwrap_or(size),
            block,
        }),
    }
}

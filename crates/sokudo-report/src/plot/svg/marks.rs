//! Marks that picture and legend share.

use sokudo_model::Verdict;

use super::super::figure::{Hue, LineMarker};
use super::super::palette::Role;
use super::canvas::Canvas;

/// An interval: a line with ends.
pub(super) fn whisker(canvas: &mut Canvas, [low, high]: [f64; 2], y: f64, half: f64) {
    let lines = [
        ([low, y], [high, y]),
        ([low, y - half], [low, y + half]),
        ([high, y - half], [high, y + half]),
    ];
    // With an edge, so that it is seen on a bar and beside it.
    for (role, width) in [(Role::Background, 4.0), (Role::Text, 1.5)] {
        for (from, to) in lines {
            canvas.line(from, to, role, width);
        }
    }
}

/// A sign of its own for each verdict, beside its colour.
pub(super) fn verdict(canvas: &mut Canvas, verdict: Verdict, at: [f64; 2]) {
    let (sign, hue) = match verdict {
        Verdict::Verified => (LineMarker::Disc, Hue::Access),
        Verdict::Unverified => (LineMarker::Triangle, Hue::Brown),
        Verdict::Invalid => (LineMarker::Cross, Hue::Fault),
    };
    canvas.sign(sign, at, Role::Hue(hue));
}

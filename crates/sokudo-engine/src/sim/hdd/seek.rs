//! How long the arm needs.

use super::geometry::{Geometry, to_float};

/// Up to this part of the full stroke the arm only speeds up and slows down, and
/// the time grows with the square root of the distance; beyond it travels at its
/// top speed, and the time grows linearly (Ruemmler and Wilkes 1994 found the
/// change at 0.2 to 0.3 of the stroke of two drives).
const COAST_FROM: f64 = 0.25;

/// The average is taken over this many squared pairs of addresses: 1 part in 500
/// from the limit.
const SAMPLES: u32 = 128;

/// Seek time over distance: settle + scale·√d for short distances and, from
/// there on, the tangent of that curve. Settle and average are the drive's; the
/// average is over pairs of random addresses.
#[derive(Debug)]
pub(super) struct SeekCurve {
    settle_ns: f64,
    scale_ns: f64,
}

impl SeekCurve {
    pub(super) fn new(settle_ns: u64, average_ns: u64, geometry: &Geometry) -> Self {
        let (settle_ns, average_ns) = (to_float(settle_ns), to_float(average_ns));
        Self {
            settle_ns,
            scale_ns: (average_ns - settle_ns) / mean_shape(geometry),
        }
    }

    /// Time for a distance in full strokes; the head comes to rest on a track.
    #[expect(clippy::cast_possible_truncation, reason = "0 to some seconds")]
    pub(super) fn nanos(&self, distance: f64) -> u64 {
        (self.settle_ns + self.scale_ns * shape(distance)) as u64
    }
}

/// √d, continued by its tangent.
fn shape(distance: f64) -> f64 {
    if distance <= COAST_FROM {
        return distance.sqrt();
    }
    let root = COAST_FROM.sqrt();
    root + (distance - COAST_FROM) / (2.0 * root)
}

fn mean_shape(geometry: &Geometry) -> f64 {
    let depths: Vec<f64> = (0..u64::from(SAMPLES))
        .map(|index| {
            let step = geometry.size() / u64::from(SAMPLES);
            geometry.position(index * step + step / 2).depth
        })
        .collect();
    let sum: f64 = depths
        .iter()
        .flat_map(|from| depths.iter().map(move |to| shape((from - to).abs())))
        .sum();
    sum / f64::from(SAMPLES * SAMPLES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_is_concave_and_has_no_step() {
        let points: Vec<f64> = (0..=1000).map(|i| shape(f64::from(i) / 1000.0)).collect();
        let steps: Vec<f64> = points.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|step| *step > 0.0));
        assert!(steps.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9));
        assert_eq!(points[0], 0.0);
    }
}

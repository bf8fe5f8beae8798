//! What was measured interval by interval and place by place.
//!
//! There are many of both, so that they are written in columns: what is alike stands
//! together. Numbers that grow or stay are written by how far each is from the one before.

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::units::{Bytes, Nanos};

/// What was moved in one interval of a trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesPoint {
    /// End of the interval, counted from the start of the measured part.
    pub at: Nanos,
    /// Bytes moved in the interval.
    pub bytes: Bytes,
    /// I/Os completed in the interval.
    pub ios: u64,
}

/// What a trial moved when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrialSeries {
    /// From the first I/O to the start of the measured part.
    pub settled: Nanos,
    /// Bytes moved outside the measured part.
    pub in_ramp: Bytes,
    /// What was moved in the measured part, per interval.
    #[serde(default, with = "self", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Vec<i64>>")]
    pub series: Vec<SeriesPoint>,
}

/// Bytes moved and I/Os completed, counted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// Bytes that the I/Os moved.
    pub bytes: Bytes,
    /// I/Os completed, whatever their size.
    pub ios: u64,
}

impl Moved {
    /// Adds what was moved besides.
    pub fn add(&mut self, other: Self) {
        self.bytes.0 += other.bytes.0;
        self.ios += other.ios;
    }

    /// What was moved in an interval that ended at `at`, after `before` had been.
    pub fn since(self, before: Self, at: Nanos) -> SeriesPoint {
        SeriesPoint {
            at,
            bytes: Bytes(self.bytes.0 - before.bytes.0),
            ios: self.ios - before.ios,
        }
    }
}

/// What happened at one place of a survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurveySample {
    /// First byte of the place on the target.
    pub offset: Bytes,
    /// Bytes moved at the place.
    pub bytes: Bytes,
    /// I/Os completed at the place.
    pub ios: u64,
    /// From the first I/O issued there to the last one completed. Where I/Os of neighbours
    /// are in flight together, from the end of the place before, as far as that can be
    /// known: the times of all places add up to that of the survey.
    pub elapsed: Nanos,
    /// The longest latency of an I/O there.
    pub latency_max: Nanos,
    /// How far the end of the I/O before is from it; `null` for the first place, and
    /// where the way to it was not measured.
    pub distance: Option<Bytes>,
}

/// What is written in columns.
pub(super) trait InColumns: Sized {
    /// A number for each column.
    type Cells: AsMut<[u64]> + AsRef<[u64]> + Clone + Default;
    /// So many of the first columns hold steps.
    const STEPPED: usize;

    /// Numbers of its columns; they may build on those of the one before.
    fn cells(&self, before: &Self::Cells) -> Self::Cells;
    fn of_cells(cells: Self::Cells) -> Self;
}

impl InColumns for SeriesPoint {
    type Cells = [u64; 4];
    const STEPPED: usize = 2;

    /// As a rule all I/Os are of one size, and then two columns hold one number each.
    fn cells(&self, [_, block_before, ..]: &Self::Cells) -> Self::Cells {
        let block = self.bytes.0.checked_div(self.ios).unwrap_or(*block_before);
        let rest = self.bytes.0 - block * self.ios;
        [self.at.0, block, self.ios, rest]
    }

    fn of_cells([at, block, ios, rest]: Self::Cells) -> Self {
        Self {
            at: Nanos(at),
            bytes: Bytes(ios.wrapping_mul(block).wrapping_add(rest)),
            ios,
        }
    }
}

impl InColumns for SurveySample {
    type Cells = [u64; 6];
    const STEPPED: usize = 5;

    fn cells(&self, _: &Self::Cells) -> Self::Cells {
        [
            self.offset.0,
            self.bytes.0,
            self.ios,
            self.elapsed.0,
            self.latency_max.0,
            // No place is that far away.
            self.distance.map_or(u64::MAX, |distance| distance.0),
        ]
    }

    fn of_cells([offset, bytes, ios, elapsed, latency_max, distance]: Self::Cells) -> Self {
        Self {
            offset: Bytes(offset),
            bytes: Bytes(bytes),
            ios,
            elapsed: Nanos(elapsed),
            latency_max: Nanos(latency_max),
            distance: (distance != u64::MAX).then_some(Bytes(distance)),
        }
    }
}

pub(super) fn serialize<T: InColumns, S: Serializer>(
    points: &[T],
    to: S,
) -> Result<S::Ok, S::Error> {
    let count = T::Cells::default().as_ref().len();
    let column = |column: usize| -> Vec<i64> {
        let mut before = T::Cells::default();
        let number = |point: &T| {
            let base = match column < T::STEPPED {
                true => before.as_ref()[column],
                false => 0,
            };
            before = point.cells(&before);
            before.as_ref()[column].wrapping_sub(base).cast_signed()
        };
        points.iter().map(number).collect()
    };
    to.collect_seq((0..count).map(column))
}

pub(super) fn deserialize<'de, T: InColumns, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    let columns: Vec<Vec<i64>> = Vec::deserialize(from)?;
    let count = columns.first().map_or(0, Vec::len);
    let is_whole = columns.iter().all(|column| column.len() == count);
    if !is_whole || columns.len() != T::Cells::default().as_ref().len() {
        return Err(D::Error::custom("columns are missing, or differ in length"));
    }
    let mut points = vec![T::Cells::default(); count];
    for (number, column) in columns.iter().enumerate() {
        let mut before = 0_u64;
        for (cells, step) in points.iter_mut().zip(column) {
            let cell = before.wrapping_add_signed(*step);
            cells.as_mut()[number] = cell;
            before = if number < T::STEPPED { cell } else { 0 };
        }
    }
    Ok(points.into_iter().map(T::of_cells).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Both {
        #[serde(with = "super")]
        series: Vec<SeriesPoint>,
        #[serde(rename = "places", with = "super")]
        samples: Vec<SurveySample>,
    }

    fn point() -> impl Strategy<Value = SeriesPoint> {
        let numbers = (any::<u64>(), any::<u64>(), any::<u64>());
        numbers.prop_map(|(at, bytes, ios)| SeriesPoint {
            at: Nanos(at),
            bytes: Bytes(bytes),
            ios,
        })
    }

    fn sample() -> impl Strategy<Value = SurveySample> {
        let numbers = (any::<[u64; 5]>(), prop::option::of(0..u64::MAX));
        numbers.prop_map(
            |([offset, bytes, ios, elapsed, latency], distance)| SurveySample {
                offset: Bytes(offset),
                bytes: Bytes(bytes),
                ios,
                elapsed: Nanos(elapsed),
                latency_max: Nanos(latency),
                distance: distance.map(Bytes),
            },
        )
    }

    proptest! {
        #[test]
        fn any_points_come_back(
            series in prop::collection::vec(point(), 0..20),
            samples in prop::collection::vec(sample(), 0..20),
        ) {
            let both = Both { series, samples };
            let text = serde_json::to_string(&both).unwrap();
            prop_assert_eq!(serde_json::from_str::<Both>(&text).unwrap(), both);
        }
    }

    #[test]
    fn columns_that_do_not_fit_together_are_refused() {
        let samples = "[[],[],[],[],[],[]]";
        for series in [
            "[]",
            "[[1],[1],[1]]",
            "[[1],[],[1],[1]]",
            "[[],[],[],[],[]]",
        ] {
            let text = format!("{{\"series\":{series},\"places\":{samples}}}");
            let error = serde_json::from_str::<Both>(&text).unwrap_err().to_string();
            assert!(error.contains("differ in length"), "{error}");
        }
    }
}

//! What was seen beside a run while it went on: heat and clocks, once a second.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json::is_default;
use crate::units::Nanos;

/// As many moments as an hour has seconds: of a longer run, neighbours are put together.
pub const COURSE_MOMENTS_MAX: usize = 3_600;

/// From one moment to the next, to begin with.
const EVERY: Nanos = Nanos::from_secs(1);

/// What was seen beside a run, in the order of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Course {
    /// From one moment to the next: a second, twice as long each time the list was full.
    #[serde(rename = "every_ns")]
    pub every: Nanos,
    /// Moments in order of time, at most [`COURSE_MOMENTS_MAX`].
    pub moments: Vec<CourseMoment>,
}

/// What was seen at a time; what nobody could see is `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CourseMoment {
    /// Since the run was made ready.
    #[serde(rename = "at_ns")]
    pub at: Nanos,
    /// I/O was being measured.
    pub measuring: bool,
    /// Of the hottest drive of the target, in degrees Celsius. While I/O is measured only drives
    /// are asked that answer beside their queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub celsius: Option<i32>,
    /// Of the drive of the target that saves most, its power state; 0 saves nothing. NVMe drives tell
    /// it, and only while I/O is measured: the question would wake them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_state: Option<u8>,
    /// The mean clock of the processors, in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_mhz: Option<u32>,
    /// How often processors were slowed down by heat since the moment before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cpu_throttles: u64,
}

impl Default for Course {
    fn default() -> Self {
        Self {
            every: EVERY,
            moments: Vec::new(),
        }
    }
}

impl Course {
    /// Adds what was seen last.
    pub fn add(&mut self, moment: CourseMoment) {
        if self.moments.len() >= COURSE_MOMENTS_MAX {
            let pairs = self.moments.chunks(2);
            self.moments = pairs.filter_map(together).collect();
            self.every.0 = self.every.0.saturating_mul(2);
        }
        self.moments.push(moment);
    }

    /// Whether anybody could see anything.
    pub fn has_figures(&self) -> bool {
        let has_any = |moment: &CourseMoment| {
            let tells = moment.celsius.is_some() || moment.power_state.is_some();
            tells || moment.cpu_mhz.is_some() || moment.cpu_throttles > 0
        };
        self.moments.iter().any(has_any)
    }

    /// The first moment at which a drive was at least so hot.
    pub fn first_at(&self, celsius: i32) -> Option<&CourseMoment> {
        let mut moments = self.moments.iter();
        moments.find(|moment| moment.celsius.is_some_and(|seen| seen >= celsius))
    }
}

/// Moments that follow each other, as one: the hottest counts, and the mean of the clocks.
fn together(moments: &[CourseMoment]) -> Option<CourseMoment> {
    let first = moments.first()?;
    let clocks = moments.iter().filter_map(|moment| moment.cpu_mhz);
    let (sum, count) = clocks.fold((0u64, 0u64), |(sum, count), clock| {
        (sum + u64::from(clock), count + 1)
    });
    Some(CourseMoment {
        at: first.at,
        measuring: moments.iter().any(|moment| moment.measuring),
        celsius: moments.iter().filter_map(|moment| moment.celsius).max(),
        power_state: moments.iter().filter_map(|moment| moment.power_state).max(),
        cpu_mhz: sum
            .checked_div(count)
            .and_then(|mean| u32::try_from(mean).ok()),
        cpu_throttles: moments.iter().map(|moment| moment.cpu_throttles).sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(second: u64) -> CourseMoment {
        CourseMoment {
            at: Nanos::from_secs(second),
            measuring: !second.is_multiple_of(10),
            celsius: Some(30 + i32::try_from(second / 3_600).unwrap()),
            power_state: None,
            cpu_mhz: Some(2_000),
            cpu_throttles: 1,
        }
    }

    #[test]
    fn a_day_takes_no_more_room_than_an_hour_and_nothing_of_it_is_lost() {
        let mut course = Course::default();
        let mut second = 0;
        while second < 86_400 {
            course.add(moment(second));
            second += course.every.0 / 1_000_000_000;
        }
        assert!(course.moments.len() <= COURSE_MOMENTS_MAX);
        assert!(course.moments.len() > COURSE_MOMENTS_MAX / 2);
        assert!(course.moments.is_sorted_by_key(|it| it.at));
        assert_eq!(course.moments[0].at, Nanos(0));
        let hot = course.first_at(50).unwrap();
        let lag = hot.at.0.abs_diff(Nanos::from_secs(20 * 3_600).0);
        assert!(lag <= course.every.0, "{hot:?}");
    }

    #[test]
    fn of_two_moments_the_hottest_counts_and_the_mean_of_clocks() {
        let cool = CourseMoment {
            cpu_mhz: Some(1_000),
            ..moment(1)
        };
        let hot = CourseMoment {
            celsius: Some(71),
            power_state: Some(1),
            ..moment(2)
        };
        let both = together(&[cool, hot]).unwrap();
        assert_eq!((both.at, both.celsius), (cool.at, Some(71)));
        assert_eq!(both.power_state, Some(1));
        assert_eq!((both.cpu_mhz, both.cpu_throttles), (Some(1_500), 2));
        let unseen = CourseMoment::default();
        assert_eq!(together(&[unseen, unseen]), Some(unseen));
    }
}

//! How long a trial will take, before it has begun: its time where that is planned, and a
//! guess from what disks do where places are visited. While it runs, what has been moved
//! corrects the guess.

use sokudo_model::{Bytes, Limits, Nanos, Operation, Order, Sample, Stage, Survey, Workload};

use crate::settling::SettleTime;

/// A good disk reads so much per second in the middle; solid state is soon done.
const GUESSED_BYTES_PER_S: u64 = 150_000_000;
/// And takes so long to come to a place at random: seek and half a turn.
const GUESSED_WAY: Nanos = Nanos::from_millis(13);
/// What takes longer than this takes as long: 584 years.
const NANOS_MAX: u64 = u64::MAX;

/// What a trial is expected to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// How long it takes.
    pub time: Nanos,
    /// How much of a target it covers, where that is planned: what a row that writes writes.
    pub bytes: Option<Bytes>,
    /// What its I/O moves there and back, as its progress counts.
    pub moved: Option<Bytes>,
}

impl Expectation {
    /// Of the workload of a stage that takes longest, on targets of these sizes.
    pub fn of_stage(stage: &Stage, sizes: &[Bytes]) -> Self {
        let expected = stage.workloads.iter().map(|it| Self::of(it, sizes));
        expected.max_by_key(|it| it.time).unwrap_or_default()
    }

    /// Of a workload, on its own target of those of these sizes.
    pub fn of(workload: &Workload, sizes: &[Bytes]) -> Self {
        let size = workload.targets().first().and_then(|it| sizes.get(*it));
        let size = size.or(sizes.first()).copied();
        let Limits { time, bytes, .. } = workload.limits;
        match (time, workload.survey()) {
            // Jobs may have both: what ends them first.
            (Some(_), None) if bytes.is_some() => {
                let of = |time, bytes| {
                    let mut limited = workload.clone();
                    (limited.limits.time, limited.limits.bytes) = (time, bytes);
                    Self::of(&limited, sizes)
                };
                let (of_bytes, of_time) = (of(None, bytes), of(time, None));
                match of_bytes.bytes.is_some() && of_bytes.time < of_time.time {
                    true => of_bytes,
                    false => of_time,
                }
            }
            (Some(time), _) => Self {
                time: Nanos(
                    time.0
                        .saturating_add(SettleTime::of(workload, false).time().0),
                ),
                ..Self::default()
            },
            (None, Some(survey)) => {
                let of_use = workload.files.uses.first().and_then(|it| it.span);
                let span = workload.span.or(of_use);
                let length = span.map(|span| span.length).or(size);
                Self::of_survey(&survey, length.unwrap_or_default())
            }
            (None, None) => match most_bytes(workload) {
                // What is discarded moves nothing.
                Some(bytes) if workload.operations.single() != Some(Operation::Trim) => {
                    let rounds = 1 + u64::from(workload.limits.repeats);
                    let times = rounds.saturating_mul(workload.threads.into());
                    let (time, bytes) = moving(bytes.0.saturating_mul(times));
                    Self {
                        time: Nanos(time),
                        bytes,
                        moved: bytes,
                    }
                }
                // All of a device is written, and read back.
                _ if workload.checks_capacity() && workload.order == Order::SEQUENTIAL => Self {
                    time: Nanos(moving(size.unwrap_or_default().0).0.saturating_mul(2)),
                    bytes: size,
                    moved: size.map(|it| Bytes(it.0.saturating_mul(2))),
                },
                _ => Self::default(),
            },
        }
    }

    fn of_survey(survey: &Survey, length: Bytes) -> Self {
        let sample_count = u64::from(survey.sample_count);
        let ways = sample_count.saturating_mul(GUESSED_WAY.0);
        let (time, bytes) = match survey.sample {
            Sample::Time(time) => (sample_count.saturating_mul(time.0), None),
            Sample::Bytes(bytes) => moving(sample_count.saturating_mul(bytes.0)),
            Sample::Whole => moving(length.0),
        };
        // What is written back is read before.
        let times = if survey.write_back { 2 } else { 1 };
        Self {
            time: Nanos(ways.saturating_add(time).saturating_mul(times)),
            bytes,
            moved: bytes,
        }
    }
}

/// As many bytes as a thread moves at most, the largest blocks where I/Os are counted.
fn most_bytes(workload: &Workload) -> Option<Bytes> {
    let Limits { bytes, ios, .. } = workload.limits;
    let of_ios = |ios: u64| Bytes(ios.saturating_mul(workload.blocks.largest().0));
    bytes.into_iter().chain(ios.map(of_ios)).min()
}

/// The time of so many bytes in one go.
fn moving(bytes: u64) -> (u64, Option<Bytes>) {
    let nanos = u128::from(bytes) * 1_000_000_000 / u128::from(GUESSED_BYTES_PER_S);
    (
        u64::try_from(nanos).unwrap_or(NANOS_MAX),
        Some(Bytes(bytes)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{FileUse, Survey, Visit, Work};

    fn expected(sample: Sample, size: Option<Bytes>) -> Expectation {
        let workload = Workload {
            work: Work::Survey(Survey::new(200, Visit::Ascending, sample)),
            ..Workload::new("", Bytes::mib(1))
        };
        let workloads = vec![workload];
        Expectation::of_stage(&Stage { workloads }, size.as_slice())
    }

    #[test]
    fn a_curve_is_expected_to_take_its_ways_and_its_samples() {
        let curve = expected(Sample::Bytes(Bytes(15_000_000)), None);
        assert_eq!(curve.time, Nanos::from_millis(200 * (13 + 100)));
        assert_eq!(curve.bytes, Some(Bytes(3_000_000_000)));
        let timed = expected(Sample::Time(Nanos::from_secs(1)), None);
        assert_eq!(timed.time, Nanos::from_millis(200 * 1_013));
        assert_eq!(timed.bytes, None);
    }

    #[test]
    fn what_has_two_limits_ends_by_the_first() {
        let expected = |time, bytes, repeats| {
            let limits = Limits {
                bytes: Some(Bytes(bytes)),
                repeats,
                ..Limits::of_time(Nanos::from_secs(time))
            };
            let workload = Workload {
                limits,
                ..Workload::new("", Bytes::mib(1))
            };
            Expectation::of(&workload, &[])
        };
        let second = GUESSED_BYTES_PER_S;
        let of_bytes = expected(3_600, second, 0);
        assert_eq!(of_bytes.time, Nanos::from_secs(1));
        assert_eq!(expected(3_600, second, 9).time, Nanos::from_secs(10));
        assert_eq!(of_bytes.bytes, Some(Bytes(second)));
        assert_eq!(expected(3_600, 3_601 * second, 0).bytes, None);
    }

    #[test]
    fn reading_everything_takes_as_long_as_the_target_is_large() {
        let all = expected(Sample::Whole, Some(Bytes(6_000_000_000_000)));
        assert_eq!(all.time, Nanos(40_000_000_000_000 + 2_600_000_000));
        assert_eq!(all.bytes, Some(Bytes(6_000_000_000_000)));
    }

    #[test]
    fn a_check_of_all_of_a_device_writes_it_and_reads_it_back() {
        let size = Some(Bytes(6_000_000_000_000));
        let mut check = Workload::new("", Bytes::mib(1));
        check.verify = Some(sokudo_model::Verify::Capacity);
        let whole = Expectation::of(&check, size.as_slice());
        assert_eq!(whole.time, Nanos(2 * 40_000_000_000_000));
        assert_eq!(whole.bytes, size);
        assert_eq!(whole.moved, Some(Bytes(12_000_000_000_000)));
        check.order = Order::Random { map: false };
        assert_eq!(
            Expectation::of(&check, size.as_slice()),
            Expectation::default()
        );
    }

    #[test]
    fn a_row_is_as_large_as_its_own_target() {
        let all_of = |target| {
            let mut check = Workload::new("", Bytes::mib(1));
            check.verify = Some(sokudo_model::Verify::Capacity);
            check.files.uses = vec![FileUse { target, span: None }];
            let sizes = [Bytes(1_000), Bytes(8_000)];
            Expectation::of(&check, &sizes).bytes
        };
        assert_eq!(all_of(0), Some(Bytes(1_000)));
        assert_eq!(all_of(1), Some(Bytes(8_000)));
        assert_eq!(all_of(2), Some(Bytes(1_000)), "one that stands beside them");
    }

    #[test]
    fn a_planned_number_of_bytes_takes_as_long_as_a_good_disk() {
        let mut workload = Workload::new("", Bytes::mib(1));
        workload.threads = 2;
        workload.limits.bytes = Some(Bytes(150_000_000));
        let workloads = vec![workload];
        let written = Expectation::of_stage(&Stage { workloads }, &[]);
        assert_eq!(written.time, Nanos::from_secs(2));
        assert_eq!(written.bytes, Some(Bytes(300_000_000)));
    }

    #[test]
    fn a_number_of_ios_is_at_most_as_many_of_the_largest_blocks() {
        let expected = |bytes: Option<u64>, ios| {
            let limits = Limits {
                bytes: bytes.map(Bytes),
                ios: Some(ios),
                ..Limits::default()
            };
            let workload = Workload {
                limits,
                threads: 2,
                ..Workload::new("", Bytes(10_000))
            };
            Expectation::of(&workload, &[])
        };
        let of_ios = expected(None, 7_500);
        assert_eq!(of_ios.bytes, Some(Bytes(150_000_000)));
        assert_eq!(of_ios.time, Nanos::from_secs(1));
        let of_bytes = expected(Some(7_000_000), 7_500);
        assert_eq!(of_bytes.bytes, Some(Bytes(14_000_000)));
        assert_eq!(expected(None, u64::MAX).bytes, Some(Bytes(u64::MAX)));
    }

    #[test]
    fn a_planned_time_is_taken_at_its_word() {
        let mut workload = Workload::new("", Bytes::mib(1));
        workload.limits.time = Some(Nanos::from_secs(5));
        let workloads = vec![workload];
        let timed = Expectation::of_stage(&Stage { workloads }, &[]);
        assert_eq!(timed.time, Nanos::from_secs(5));
    }
}

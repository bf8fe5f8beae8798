//! When a workload is steady enough to stop (fio: `steadystate`).
//!
//! Figures of equal intervals are kept in a rolling window. Their least-squares
//! slope, or their largest deviation from the mean, is compared with the rule's
//! limit, absolute or in percent of the mean, as fio's manual describes under
//! `steadystate`. Nothing is measured here: the caller brings the figures.

use std::collections::VecDeque;

use sokudo_model::{Phase, SteadyFigure, SteadyLimit, SteadyOutcome, SteadyRule, narrow};

use crate::clock::NEVER;
use crate::progress::ProgressSnapshot;

/// Limits are in millionths.
const MILLION: f64 = 1e6;

/// Limits of bandwidth are in KiB per second.
const BYTES_PER_KIB: f64 = 1024.0;

/// Nanoseconds in a second.
const SECOND_NS: f64 = 1e9;

/// What was moved per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Throughput {
    iops: f64,
    bandwidth: f64,
}

/// Whether one workload has become steady, from what its threads tell.
pub(crate) struct SteadyWatch {
    rule: SteadyRule,
    window: VecDeque<Throughput>,
    size: usize,
    next_at: u64,
    found: SteadyOutcome,
    threads: usize,
    /// The threads where the interval in progress began; empty before the first.
    began: Vec<ProgressSnapshot>,
}

impl SteadyWatch {
    /// The window holds as many intervals as fit the rule's duration, at least one.
    pub(crate) fn new(rule: SteadyRule, threads: usize) -> Self {
        let interval = rule.interval.0.max(1);
        let size = narrow::<u64, usize>(rule.duration.0 / interval).max(1);
        Self {
            rule,
            window: VecDeque::new(),
            size,
            next_at: rule.ramp.0,
            found: SteadyOutcome::default(),
            threads,
            began: Vec::with_capacity(threads),
        }
    }

    /// What was found at last.
    pub(crate) fn outcome(&self) -> SteadyOutcome {
        self.found.clone()
    }

    /// When the next look is due, in nanoseconds of the measured part. The first one only
    /// begins the first interval.
    pub(crate) fn next_at(&self) -> u64 {
        if self.found.attained {
            NEVER
        } else {
            self.next_at
        }
    }

    /// Looks at the threads, if it is time; true when they are steady. Figures are
    /// those between the instants at which the threads told, which they do more often
    /// than an interval is long.
    pub(crate) fn look(&mut self, threads: &[ProgressSnapshot]) -> bool {
        let measured = |glance: &ProgressSnapshot| {
            matches!(
                glance.phase,
                Phase::Running | Phase::Verifying | Phase::Flushing
            )
        };
        if threads.len() != self.threads || !threads.iter().all(measured) {
            return false;
        }
        let earliest = threads.iter().map(|glance| glance.at).min();
        if earliest.is_none_or(|at| at < self.next_at()) {
            return false;
        }
        self.next_at = self.next_at.saturating_add(self.rule.interval.0.max(1));
        let began = std::mem::replace(&mut self.began, threads.to_vec());
        if began.is_empty() {
            return false;
        }
        let mut sum = Throughput::default();
        for (thread, began) in threads.iter().zip(&began) {
            let Throughput { iops, bandwidth } = throughput(thread, began);
            sum.iops += iops;
            sum.bandwidth += bandwidth;
        }
        self.take(sum)
    }

    /// Takes the figure of an interval; true when the workload is steady.
    fn take(&mut self, throughput: Throughput) -> bool {
        if self.window.len() == self.size {
            self.window.pop_front();
        }
        self.window.push_back(throughput);
        self.found = self.judge();
        self.found.attained
    }

    fn judge(&self) -> SteadyOutcome {
        let (absolute, in_percent) = match self.rule.limit {
            SteadyLimit::Percent(limit) => (limit, true),
            SteadyLimit::Absolute(limit) => (limit, false),
        };
        let limit = absolute as f64 / MILLION;
        let window = || self.window.iter();
        let figures: Vec<f64> = window().map(|it| self.figure(*it)).collect();
        let mean = mean(&figures);
        let (slope, deviation_max) = (slope(&figures), deviation_max(&figures, mean));
        let watched = if self.rule.slope {
            slope
        } else {
            deviation_max
        };
        let criterion = match (in_percent, mean > 0.0) {
            (true, true) => 100.0 * watched / mean,
            // Nothing was done at all, which is no share of anything.
            (true, false) => 0.0,
            (false, _) => watched,
        };
        let full = figures.len() == self.size && mean > 0.0;
        SteadyOutcome {
            attained: full && criterion.abs() < limit,
            criterion,
            slope,
            deviation_max,
            iops: window().map(|it| it.iops).collect(),
            bandwidth: window().map(|it| it.bandwidth).collect(),
        }
    }

    fn figure(&self, throughput: Throughput) -> f64 {
        match self.rule.figure {
            SteadyFigure::Iops => throughput.iops,
            SteadyFigure::Bandwidth => throughput.bandwidth / BYTES_PER_KIB,
        }
    }
}

/// Per second from `earlier` on; nothing where no time has passed.
fn throughput(now: &ProgressSnapshot, earlier: &ProgressSnapshot) -> Throughput {
    let seconds = now.at.saturating_sub(earlier.at) as f64 / SECOND_NS;
    if seconds <= 0.0 {
        return Throughput::default();
    }
    let (now, earlier) = (now.all(), earlier.all());
    Throughput {
        iops: now.ios.saturating_sub(earlier.ios) as f64 / seconds,
        bandwidth: now.bytes.0.saturating_sub(earlier.bytes.0) as f64 / seconds,
    }
}

fn mean(figures: &[f64]) -> f64 {
    figures.iter().sum::<f64>() / figures.len().max(1) as f64
}

/// Least squares over equally spaced figures:
/// (Σxy − Σx Σy / n) / (Σx² − (Σx)² / n), with x the figure's number.
fn slope(figures: &[f64]) -> f64 {
    let n = figures.len() as f64;
    let (mut x_sum, mut y_sum, mut xy_sum, mut xx_sum) = (0.0, 0.0, 0.0, 0.0);
    for (index, y) in figures.iter().enumerate() {
        let x = index as f64;
        x_sum += x;
        y_sum += y;
        xy_sum += x * y;
        xx_sum += x * x;
    }
    let spread = xx_sum - x_sum * x_sum / n;
    if spread > 0.0 {
        (xy_sum - x_sum * y_sum / n) / spread
    } else {
        0.0
    }
}

fn deviation_max(figures: &[f64], mean: f64) -> f64 {
    figures
        .iter()
        .map(|figure| (figure - mean).abs())
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::Nanos;

    const SECOND: u64 = 1_000_000_000;

    fn rule(figure: SteadyFigure, slope: bool, limit: SteadyLimit) -> SteadyRule {
        SteadyRule {
            figure,
            slope,
            limit,
            duration: Nanos(4 * SECOND),
            ramp: Nanos(2 * SECOND),
            interval: Nanos(SECOND),
        }
    }

    fn feed(steady: &mut SteadyWatch, iops: &[f64]) -> Vec<bool> {
        let throughput = |iops: &f64| Throughput {
            iops: *iops,
            bandwidth: iops * 4096.0,
        };
        iops.iter()
            .map(|iops| steady.take(throughput(iops)))
            .collect()
    }

    #[test]
    fn a_window_that_is_not_full_is_never_steady() {
        let limit = SteadyLimit::Percent(50_000_000);
        let mut steady = SteadyWatch::new(rule(SteadyFigure::Iops, false, limit), 1);
        assert_eq!(feed(&mut steady, &[100.0; 4]), [false, false, false, true]);
    }

    #[test]
    fn the_slope_is_that_of_least_squares() {
        // y = 100 + 10 x, with the residuals +1, -1, -1, +1, which leave the slope.
        let figures = [101.0, 109.0, 119.0, 131.0];
        let limit = SteadyLimit::Absolute(10_000_001);
        let mut steady = SteadyWatch::new(rule(SteadyFigure::Iops, true, limit), 1);
        assert!(feed(&mut steady, &figures)[3]);
        let found = steady.outcome();
        assert!((found.slope - 10.0).abs() < 1e-9, "{found:?}");
        assert!((found.criterion - 10.0).abs() < 1e-9);
        assert!((found.deviation_max - 16.0).abs() < 1e-9);
        let limit = SteadyLimit::Percent(8_000_000);
        let mut steady = SteadyWatch::new(rule(SteadyFigure::Iops, true, limit), 1);
        // 10 of 115 are 8.7 %.
        assert!(!feed(&mut steady, &figures)[3]);
        assert!((steady.outcome().criterion - 1000.0 / 115.0).abs() < 1e-9);
    }

    #[test]
    fn a_falling_slope_is_as_unsteady_as_a_rising_one() {
        let limit = SteadyLimit::Percent(1_000_000);
        let mut steady = SteadyWatch::new(rule(SteadyFigure::Bandwidth, true, limit), 1);
        assert!(!feed(&mut steady, &[130.0, 120.0, 110.0, 100.0])[3]);
        assert!(steady.outcome().slope < 0.0);
    }

    #[test]
    fn the_window_rolls() {
        let limit = SteadyLimit::Percent(1_000_000);
        let mut steady = SteadyWatch::new(rule(SteadyFigure::Iops, false, limit), 1);
        let verdicts = feed(
            &mut steady,
            &[500.0, 400.0, 300.0, 200.0, 100.0, 100.0, 100.0, 100.5],
        );
        assert_eq!(verdicts.iter().filter(|steady| **steady).count(), 1);
        assert_eq!(steady.outcome().iops, [100.0, 100.0, 100.0, 100.5]);
    }

    #[test]
    fn absolute_limits_of_bandwidth_are_kibibytes_per_second() {
        let limit = SteadyLimit::Absolute(5_000_000);
        let mut steady = SteadyWatch::new(rule(SteadyFigure::Bandwidth, false, limit), 1);
        // 4 KiB each: one I/O more or less is 4 KiB per second.
        assert!(feed(&mut steady, &[99.0, 101.0, 100.0, 100.0])[3]);
        assert!((steady.outcome().criterion - 4.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_at_all_is_not_steady() {
        let limit = SteadyLimit::Absolute(5_000_000);
        let mut steady = SteadyWatch::new(rule(SteadyFigure::Iops, false, limit), 1);
        assert_eq!(feed(&mut steady, &[0.0; 6]), [false; 6]);
    }
}

//! Whether the machine is idle before anything is measured, and waiting until it is: the
//! device under a target moves hardly anything, nobody waits for I/O, and the processors
//! have little to do.

use std::thread;
use std::time::{Duration, Instant};

use sokudo_device::{System, io_waits, processor_times, processor_use};
use sokudo_engine::Control;
use sokudo_measure::Named;
use sokudo_model::CpuUse;
use sokudo_model::{DeviceCounters, Nanos};
use sokudo_terminal::exit::{self, Exit};
use sokudo_words::{Text, text};

use crate::commands::busy;

/// One look covers so much time.
const LOOK: Duration = Duration::from_secs(1);
/// So many looks in a row must be quiet: a journal is written every 5 s.
const QUIET_LOOKS: u32 = 5;
/// A log that is written, or a page now and then, is no load.
const DEVICE_BYTES_PER_S_MAX: f64 = 1e6;
/// Seeks cost a hard disk 10 ms each, so that 20 are a fifth of its time.
const DEVICE_IOS_PER_S_MAX: f64 = 20.0;
/// The share of time for which somebody waited for I/O of any device.
const IO_WAIT_SHARE_MAX: f64 = 0.1;
/// The share of all processors' time.
const PROCESSOR_SHARE_MAX: f64 = 0.2;

/// What is done about a busy machine before a measurement that needs an idle one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BusyPolicy {
    /// It is waited for, so long at most.
    Wait(Nanos),
    /// A busy one is refused, so that nobody waits for a run that proves nothing.
    Look,
    /// Nothing: whoever asked wants the run anyway.
    Nothing,
}

impl BusyPolicy {
    /// By the options `--wait-idle` and `--anyway`.
    pub(crate) fn of(wait_idle: Option<Nanos>, anyway: bool) -> Self {
        match wait_idle {
            Some(limit) => Self::Wait(limit),
            None if anyway => Self::Nothing,
            None => Self::Look,
        }
    }

    /// Looks at the machine, or waits for it. Says whether it was seen to be idle.
    ///
    /// # Errors
    /// When it is busy, with what it does; when it is interrupted.
    pub(crate) fn make_sure(self, named: &Named, control: &Control) -> Result<bool, Exit> {
        match self {
            Self::Wait(limit) => wait(named, limit, control).map(|()| true),
            Self::Look => look(named, control).map(|()| true),
            Self::Nothing => Ok(false),
        }
    }
}

/// Looks once, for a second.
fn look(named: &Named, control: &Control) -> Result<(), Exit> {
    let Named::Path(inspected) = named else {
        return Ok(());
    };
    let environment = sokudo_device::environment(&System::host());
    let loaded = busy::load(environment.load_average, environment.cpus);
    let business = loaded.or_else(|| {
        let before = ActivitySnapshot::now(inspected.counters.read());
        thread::sleep(LOOK);
        business(&before, &ActivitySnapshot::now(inspected.counters.read()))
    });
    if control.is_cancelled() {
        return Err(Exit::Interrupted);
    }
    match business {
        None => Ok(()),
        Some(what) => Err(Exit::not_trusted(text!(
            "nothing was measured, because the machine is busy: {what}; wait until it is idle (--wait-idle), or measure anyway (--anyway)"
        ))),
    }
}

/// Waits until the machine is idle, so long at most. Simulated devices have no neighbours.
///
/// # Errors
/// When it does not become idle, with what it does instead; when it is interrupted.
fn wait(named: &Named, limit: Nanos, control: &Control) -> Result<(), Exit> {
    let Named::Path(inspected) = named else {
        return Ok(());
    };
    let begun = Instant::now();
    let mut quiet = 0;
    let mut before = ActivitySnapshot::now(inspected.counters.read());
    while quiet < QUIET_LOOKS {
        thread::sleep(LOOK);
        if control.is_cancelled() {
            return Err(Exit::Interrupted);
        }
        let now = ActivitySnapshot::now(inspected.counters.read());
        let business = business(&before, &now);
        match &business {
            None => quiet += 1,
            Some(what) => {
                quiet = 0;
                exit::progress(text!("waiting until the machine is idle: {what}"));
                if begun.elapsed() >= Duration::from_nanos(limit.0) {
                    return Err(Exit::not_trusted(text!(
                        "the machine was not idle within {limit}: {what}; stop these programs and measure again, or wait longer (--wait-idle=1h)"
                    )));
                }
            }
        }
        before = now;
    }
    Ok(())
}

/// What was counted until an instant; `None` where it cannot be seen.
struct ActivitySnapshot {
    at: Instant,
    device: Option<DeviceCounters>,
    io_waits: Option<Nanos>,
    processors: Vec<CpuUse>,
}

impl ActivitySnapshot {
    fn now(device: Option<DeviceCounters>) -> Self {
        let system = System::host();
        Self {
            at: Instant::now(),
            device,
            io_waits: io_waits(&system),
            processors: processor_times(&system),
        }
    }
}

/// What the machine did between two looks, if that is more than nothing.
fn business(before: &ActivitySnapshot, now: &ActivitySnapshot) -> Option<Text> {
    let elapsed = now.at.duration_since(before.at).as_secs_f64().max(1e-3);
    if let (Some(before), Some(now)) = (&before.device, &now.device) {
        let moved = now.since(before);
        let bytes = (moved.read_bytes + moved.written_bytes) as f64 / elapsed;
        let ios = (moved.read_ios + moved.written_ios) as f64 / elapsed;
        if bytes > DEVICE_BYTES_PER_S_MAX || ios > DEVICE_IOS_PER_S_MAX {
            return Some(text!(
                "the device moves {:.1} MB/s with {ios:.0} I/Os per second",
                bytes / 1e6
            ));
        }
    }
    if let (Some(before), Some(now)) = (before.io_waits, now.io_waits) {
        let share = Nanos(now.0.saturating_sub(before.0)).as_secs_f64() / elapsed;
        if share > IO_WAIT_SHARE_MAX {
            return Some(text!(
                "processes wait for I/O {:.0} % of the time",
                share * 100.0
            ));
        }
    }
    let used = processor_use(&before.processors, &now.processors);
    let busy: u64 = used.iter().map(|cpu| cpu.user.0 + cpu.kernel.0).sum();
    let idle: u64 = used.iter().map(|cpu| cpu.idle.0 + cpu.iowait.0).sum();
    let share = busy as f64 / (busy + idle).max(1) as f64;
    (share > PROCESSOR_SHARE_MAX)
        .then(|| text!("the CPUs are busy {:.0} % of the time", share * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(at: Instant, bytes: u64, ios: u64, waits_ms: u64, busy_ms: u64) -> ActivitySnapshot {
        ActivitySnapshot {
            at,
            device: Some(DeviceCounters {
                read_bytes: bytes,
                read_ios: ios,
                ..DeviceCounters::default()
            }),
            io_waits: Some(Nanos::from_millis(waits_ms)),
            processors: vec![CpuUse {
                cpu: 0,
                user: Nanos::from_millis(busy_ms),
                kernel: Nanos(0),
                iowait: Nanos(0),
                idle: Nanos::from_millis(1_000_u64.saturating_sub(busy_ms)),
            }],
        }
    }

    #[test]
    fn a_busy_machine_is_waited_for_refused_or_taken_as_it_is() {
        let limit = Nanos::from_secs(7);
        assert!(matches!(BusyPolicy::of(Some(limit), true), BusyPolicy::Wait(it) if it == limit));
        assert!(matches!(BusyPolicy::of(None, false), BusyPolicy::Look));
        assert!(matches!(BusyPolicy::of(None, true), BusyPolicy::Nothing));
    }

    #[test]
    fn bytes_seeks_waits_and_work_are_business_and_a_little_is_none() {
        let start = Instant::now();
        let begin = look(start, 0, 0, 0, 0);
        let begin = ActivitySnapshot {
            processors: vec![CpuUse {
                idle: Nanos(0),
                ..begin.processors[0]
            }],
            ..begin
        };
        let after = start + LOOK;
        let what = |look: ActivitySnapshot| business(&begin, &look);
        assert_eq!(what(look(after, 900_000, 15, 50, 150)), None);
        for (seen, words) in [
            (look(after, 50_000_000, 15, 0, 0), "50.0 MB/s"),
            (look(after, 100_000, 25, 0, 0), "25 I/Os"),
            (look(after, 0, 0, 200, 0), "wait for I/O 20 %"),
            (look(after, 0, 0, 0, 300), "busy 30 %"),
        ] {
            let sentence = what(seen).unwrap_or_default().english();
            assert!(sentence.contains(words), "{words}: {sentence}");
        }
        let unseen = ActivitySnapshot {
            at: after,
            device: None,
            io_waits: None,
            processors: Vec::new(),
        };
        assert_eq!(what(unseen), None);
    }
}

//! Requests that do not come back: what a thread waits for in the kernel, as another sees it, and
//! what is reported of all threads of a workload.
//!
//! Nothing is given up here: how long is waited is for those who issue, and a thread that waits in a
//! system call cannot be made to leave it.

use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sokudo_model::{Bytes, Event, Nanos, Operation, StuckIo, narrow};
use sokudo_sys::IoAction;

/// How often requests that do not come back are looked for, and reported.
pub(crate) const STUCK_LOOK_NS: u64 = 1_000_000_000;

/// The low bits of a call's kind name its operation; its length is above them.
const OPERATION_BITS: u32 = 8;

thread_local! {
    /// Where this thread shows its calls, if another one looks.
    static SHOWN: OnceCell<Arc<SystemCall>> = const { OnceCell::new() };
}

/// The last system call in which a thread has begun to wait for a request. It can report nothing
/// itself meanwhile. On a cache line of its own.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct SystemCall {
    offset: AtomicU64,
    /// Length and operation; 0 before the first call.
    kind: AtomicU64,
    /// Tells calls apart that are alike in both.
    number: AtomicU64,
}

impl SystemCall {
    #[inline]
    fn begin(&self, operation: Operation, offset: u64, length: u32) {
        let kind = u64::from(length) << OPERATION_BITS | (operation.index() as u64 + 1);
        if self.kind.load(Ordering::Relaxed) != kind {
            self.kind.store(kind, Ordering::Relaxed);
        }
        self.offset.store(offset, Ordering::Relaxed);
    }

    /// As `begin`, of a call that may be like the one before.
    fn begin_next(&self, operation: Operation, offset: u64, length: u32) {
        self.number.fetch_add(1, Ordering::Relaxed);
        self.begin(operation, offset, length);
    }

    /// How many of them had a number.
    #[cfg(test)]
    pub(crate) fn calls(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }
}

/// Has this thread show its calls there as long as it lives.
pub(crate) fn show_calls(call: &Arc<SystemCall>) {
    let shown = SHOWN.with(|shown| shown.set(Arc::clone(call)).is_ok());
    debug_assert!(shown, "a thread is looked at once");
}

/// This thread is about to wait in a system call. Where only the offset differs from the one before,
/// that is one store.
#[inline]
pub(crate) fn begin_call(operation: Operation, offset: u64, length: u32) {
    SHOWN.with(|shown| {
        if let Some(call) = shown.get() {
            call.begin(operation, offset, length);
        }
    });
}

/// As `begin_call`, of a call that may be like the one before in all: the parts of one file are.
pub(crate) fn begin_next_call(operation: Operation, offset: u64, length: u32) {
    SHOWN.with(|shown| {
        if let Some(call) = shown.get() {
            call.begin_next(operation, offset, length);
        }
    });
}

/// What a request asks of a device.
pub(crate) fn operation_of(action: IoAction) -> Operation {
    match action {
        IoAction::Read => Operation::Read,
        IoAction::Write | IoAction::WriteThrough | IoAction::WriteThroughWithMetadata => {
            Operation::Write
        }
        IoAction::Trim => Operation::Trim,
        IoAction::Fsync | IoAction::Fdatasync => Operation::Flush,
    }
}

/// What another thread sees of such calls when it looks again and again.
#[derive(Default)]
pub(crate) struct CallWatch {
    /// How far the thread had come; offset, kind and number of its call.
    seen: [u64; 4],
    since: u64,
    looked_at: u64,
}

impl CallWatch {
    /// What is to be reported at `now`: the call, once it has lasted for `timeout`. `progress` has
    /// another value when the thread has gone on. `None` where it shows no calls.
    pub(crate) fn look(
        &mut self,
        call: &SystemCall,
        progress: u64,
        timeout: Nanos,
        now: u64,
    ) -> Option<Vec<StuckIo>> {
        let shown = [&call.offset, &call.kind, &call.number];
        let [offset, kind, number] = shown.map(|it| it.load(Ordering::Relaxed));
        let operation = operation_of_kind(kind)?;
        let seen = [progress, offset, kind, number];
        let between = now.saturating_sub(std::mem::replace(&mut self.looked_at, now));
        if std::mem::replace(&mut self.seen, seen) != seen {
            self.since = now;
        } else if between > STUCK_LOOK_NS {
            // Whoever could not look itself, in a process that was stopped, has not waited.
            self.since = self.since.saturating_add(between);
        }
        let stuck = StuckIo {
            operation,
            offset: Bytes(offset),
            length: Bytes(kind >> OPERATION_BITS),
            age: Nanos(now.saturating_sub(self.since)),
            holds_thread: true,
        };
        Some([stuck].into_iter().filter(|io| io.age >= timeout).collect())
    }
}

fn operation_of_kind(kind: u64) -> Option<Operation> {
    let index = (kind & ((1 << OPERATION_BITS) - 1)).checked_sub(1)?;
    let mut all = Operation::ALL.into_iter().chain(Operation::ON_FILES);
    all.nth(narrow(index))
}

/// What of each thread has not come back in time; it is reported by workload.
pub(crate) struct StuckReports(Vec<(usize, Vec<StuckIo>)>);

impl StuckReports {
    /// Nothing yet, of threads of these workloads.
    pub(crate) fn of(workloads: impl Iterator<Item = usize>) -> Self {
        Self(workloads.map(|workload| (workload, Vec::new())).collect())
    }

    /// Reports what is stuck of all threads of this one's workload, where something is or was.
    pub(crate) fn report_stuck(
        &mut self,
        thread: usize,
        ios: Vec<StuckIo>,
        listener: &mut dyn FnMut(Event),
    ) {
        let (workload, of_thread) = &mut self.0[thread];
        let workload = *workload;
        let before = std::mem::replace(of_thread, ios);
        if before.is_empty() && of_thread.is_empty() {
            return;
        }
        let of_workload = self.0.iter().filter(|(of, _)| *of == workload);
        let ios = of_workload.flat_map(|(_, ios)| ios).copied().collect();
        listener(Event::Stuck { workload, ios });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Nanos = Nanos::from_secs(30);
    const SECOND: u64 = STUCK_LOOK_NS;

    /// How old what is reported is at each second up to this one.
    fn ages(watch: &mut CallWatch, call: &SystemCall, seconds: u64) -> Vec<u64> {
        let looks = watch.looked_at / SECOND + 1..=seconds;
        let seen = looks.filter_map(|second| watch.look(call, 7, TIMEOUT, second * SECOND));
        seen.flatten().map(|io| io.age.0 / SECOND).collect()
    }

    #[test]
    fn a_call_is_named_after_its_time() {
        let (call, mut watch) = (SystemCall::default(), CallWatch::default());
        assert_eq!(watch.look(&call, 7, TIMEOUT, 100 * SECOND), None);
        call.begin(Operation::Delete, 5 << 40, 4096);
        assert!(
            watch
                .look(&call, 7, TIMEOUT, 101 * SECOND)
                .unwrap()
                .is_empty()
        );
        assert_eq!(ages(&mut watch, &call, 133), [30, 31, 32]);
        let expected = StuckIo {
            operation: Operation::Delete,
            offset: Bytes(5 << 40),
            length: Bytes(4096),
            age: Nanos::from_secs(33),
            holds_thread: true,
        };
        assert_eq!(
            watch.look(&call, 7, TIMEOUT, 134 * SECOND).unwrap(),
            [expected]
        );
        call.begin(Operation::Flush, 0, 0);
        assert!(
            watch
                .look(&call, 7, TIMEOUT, 135 * SECOND)
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn progress_is_no_hang() {
        let (call, mut watch) = (SystemCall::default(), CallWatch::default());
        // Of a target of one block all calls are alike.
        call.begin(Operation::Read, 0, 4096);
        for second in 1..100 {
            let seen = watch.look(&call, second, TIMEOUT, second * SECOND);
            assert!(seen.unwrap().is_empty());
        }
        // Nor is a file that is written part by part.
        for second in 100..200 {
            call.begin_next(Operation::Create, 5, 4096);
            let seen = watch.look(&call, 7, TIMEOUT, second * SECOND);
            assert!(seen.unwrap().is_empty());
        }
        for block in 101..200 {
            call.begin(Operation::Read, block * 4096, 4096);
            let seen = watch.look(&call, 7, TIMEOUT, (99 + block) * SECOND);
            assert!(seen.unwrap().is_empty());
        }
    }

    #[test]
    fn a_stopped_process_has_not_waited() {
        let (call, mut watch) = (SystemCall::default(), CallWatch::default());
        call.begin(Operation::Flush, 0, 0);
        assert!(ages(&mut watch, &call, 10).is_empty());
        let seen = watch.look(&call, 7, TIMEOUT, 3600 * SECOND);
        assert!(seen.unwrap().is_empty());
        assert_eq!(ages(&mut watch, &call, 3622), [30, 31]);
    }

    #[test]
    fn threads_of_a_workload_are_reported_together() {
        let mut reports = StuckReports::of([0, 1, 1].into_iter());
        let io = |offset| StuckIo {
            operation: Operation::Read,
            offset: Bytes(offset),
            length: Bytes(4096),
            age: TIMEOUT,
            holds_thread: false,
        };
        let mut seen = Vec::new();
        let mut listener = |event| match event {
            Event::Stuck { workload, ios } => seen.push((workload, ios)),
            _ => panic!("{event:?}"),
        };
        for (thread, ios) in [
            (0, vec![]),
            (1, vec![io(1)]),
            (2, vec![io(2)]),
            (1, vec![]),
            (2, vec![]),
            (2, vec![]),
        ] {
            reports.report_stuck(thread, ios, &mut listener);
        }
        let expected = [vec![io(1)], vec![io(1), io(2)], vec![io(2)], vec![]];
        assert_eq!(seen, expected.map(|ios| (1, ios)));
    }
}

//! Work that waits in one system call after the other: a thread of its own does it, so that another
//! is there to report what does not come back.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use sokudo_model::{Event, Operation};

use crate::backend::TICK;
use crate::clock::{Clock as _, RealClock};
use crate::control::Control;
use crate::stuck::{CallWatch, StuckReports, SystemCall, begin_call, show_calls};

/// Does the work to its end and passes on what it reports, as workload 0.
///
/// # Errors
/// When no thread can be started.
pub(crate) fn run_watched<T: Send>(
    control: &Control,
    listener: &mut dyn FnMut(Event),
    work: impl FnOnce(&mut dyn FnMut(Event)) -> T + Send,
) -> io::Result<T> {
    let (call, clock) = (Arc::<SystemCall>::default(), RealClock::new());
    let (mut watch, mut stuck) = (CallWatch::default(), StuckReports::of(std::iter::once(0)));
    let (events, heard) = mpsc::channel();
    thread::scope(|scope| {
        let own = Arc::clone(&call);
        let work = move || {
            show_calls(&own);
            // The receiver lives until the sender is gone.
            work(&mut |event| drop(events.send(event)))
        };
        let thread = thread::Builder::new().name("sokudo-0".to_owned());
        let working = thread.spawn_scoped(scope, work)?;
        loop {
            match heard.recv_timeout(TICK) {
                Ok(event) => listener(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let ios = watch.look(&call, 0, control.timeout(), clock.now());
            stuck.report_stuck(0, ios.unwrap_or_default(), listener);
        }
        stuck.report_stuck(0, Vec::new(), listener);
        Ok(working
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Makes a file durable.
pub(crate) fn sync_watched(
    file: &File,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> io::Result<()> {
    run_watched(control, listener, |_| {
        begin_call(Operation::Flush, 0, 0);
        file.sync_all()
    })?
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Bytes, Nanos};

    #[test]
    fn a_call_is_reported_while_it_lasts() {
        let control = Control::new();
        control.set_timeout(Some(Nanos(1)));
        let (answer, answered) = mpsc::channel();
        let mut seen = Vec::new();
        let mut listener = |event| {
            if let Event::Stuck { ios, .. } = event {
                let calls = ios.iter().map(|io| (io.operation, io.offset));
                seen.push(calls.collect::<Vec<_>>());
                let _ = answer.send(());
            }
        };
        let done = run_watched(&control, &mut listener, move |listener| {
            begin_call(Operation::Write, 4096, 512);
            answered.recv().unwrap();
            listener(Event::StageReady);
            7
        });
        assert_eq!(done.unwrap(), 7);
        let (last, before) = seen.split_last().unwrap();
        assert!(last.is_empty() && !before.is_empty());
        let call = (Operation::Write, Bytes(4096));
        assert!(before.iter().all(|calls| calls[..] == [call]), "{seen:?}");
    }
}

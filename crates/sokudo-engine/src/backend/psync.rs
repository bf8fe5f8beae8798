//! One I/O at a time: by system calls (`psync`, `sync`, `pvsync2`), or by copying from
//! and to mapped files (`mmap`).

use std::io;
use std::time::Duration;

use sokudo_sys::{Blocking, Mapped, OneByOne, Request};

use super::Backend;
use crate::stuck::{begin_call, operation_of};

/// Blocking I/O. At most one I/O is in flight, whatever the depth.
pub(crate) struct Single<P> {
    performer: P,
    prepared: Option<Request>,
    done: Option<(u32, i32)>,
}

/// Blocking I/O by system calls, such as `pread` and `pwrite`.
pub(crate) type Psync = Single<Blocking>;

/// Blocking I/O by copying from and to mapped files.
pub(crate) type Mmap = Single<Mapped>;

impl<P> Single<P> {
    pub(crate) fn new(performer: P) -> Self {
        Self {
            performer,
            prepared: None,
            done: None,
        }
    }
}

impl<P: OneByOne> Backend for Single<P> {
    #[inline]
    fn buffer_mut(&mut self, buffer_index: u32) -> &mut [u8] {
        self.performer.region_mut().buffer_mut(buffer_index)
    }

    #[inline]
    fn prepare(&mut self, request: Request) {
        debug_assert!(self.prepared.is_none(), "one I/O at a time");
        self.prepared = Some(request);
    }

    #[inline]
    fn submit_and_wait(&mut self, _wanted: u32) -> io::Result<()> {
        if let Some(request) = self.prepared.take() {
            let operation = operation_of(request.action);
            begin_call(operation, request.offset, request.length);
            self.done = Some((request.buffer, self.performer.perform(request)));
        }
        Ok(())
    }

    fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()> {
        if self.prepared.is_none() {
            std::thread::sleep(patience);
        }
        self.submit_and_wait(1)
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        if let Some((buffer_index, result)) = self.done.take() {
            each(buffer_index, result);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::stuck::{CallWatch, SystemCall, show_calls};
    use sokudo_model::{Bytes, Nanos, Operation};
    use sokudo_sys::{Calls, IoAction, Region};

    #[test]
    fn others_see_the_call() {
        let call = Arc::<SystemCall>::default();
        let reading = std::thread::spawn({
            let call = Arc::clone(&call);
            move || {
                show_calls(&call);
                let region = Region::new(1, 4096).unwrap();
                let file = tempfile::tempfile().unwrap();
                let blocking = Blocking::with_calls(vec![file.into()], region, Calls::Positioned);
                let mut psync = Psync::new(blocking);
                psync.prepare(Request {
                    action: IoAction::Read,
                    buffer: 0,
                    file: 0,
                    length: 4096,
                    offset: 8192,
                });
                psync.submit_and_wait(1).unwrap();
            }
        });
        reading.join().unwrap();
        let mut watch = CallWatch::default();
        let mut look = |now| watch.look(&call, 0, Nanos(1), now).unwrap();
        assert!(look(1).is_empty());
        let seen = look(2);
        let what = (seen[0].operation, seen[0].offset, seen[0].length);
        assert_eq!(what, (Operation::Read, Bytes(8192), Bytes(4096)));
    }
}

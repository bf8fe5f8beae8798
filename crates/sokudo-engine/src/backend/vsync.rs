//! `preadv` and `pwritev`: I/Os that lie next to each other are gathered into one
//! system call, as many as the depth allows, as fio's vsync does.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use sokudo_sys::{Blocking, OneByOne, Request, VECTORS_MAX};

use super::Backend;
use crate::stuck::{begin_call, operation_of};

/// Blocking I/O that moves neighbouring requests in one vectored system call.
pub(crate) struct Vsync {
    blocking: Blocking,
    prepared: VecDeque<Request>,
    done: Vec<(u32, i32)>,
}

impl Vsync {
    /// For at most `depth` I/Os in flight.
    pub(crate) fn new(blocking: Blocking, depth: u32) -> Self {
        Self {
            blocking,
            prepared: VecDeque::with_capacity(depth as usize),
            done: Vec::with_capacity(depth as usize),
        }
    }

    /// Does the first I/O, with those after it that continue it.
    fn perform_group(&mut self) {
        let requests: &[Request] = self.prepared.make_contiguous();
        let Some(first) = requests.first().copied() else {
            return;
        };
        begin_call(operation_of(first.action), first.offset, first.length);
        if !first.action.moves_data() {
            self.prepared.pop_front();
            self.done.push((first.buffer, self.blocking.perform(first)));
            return;
        }
        let follows = |pair: &[Request]| continues(&pair[0], &pair[1]);
        let count = 1 + requests.windows(2).take_while(|pair| follows(pair)).count();
        let group = &requests[..count.min(VECTORS_MAX)];
        let mut left = self.blocking.perform_adjacent(group);
        // The first ones have got what was moved.
        let done = group.iter().map(|request| {
            let moved = left.min(i64::from(request.length));
            left -= moved.max(0);
            (request.buffer, i32::try_from(moved).unwrap_or(i32::MIN))
        });
        self.done.extend(done);
        let count = group.len();
        self.prepared.drain(..count);
    }
}

/// Whether one call can do both.
fn continues(first: &Request, second: &Request) -> bool {
    first.action == second.action
        && first.file == second.file
        && first.offset + u64::from(first.length) == second.offset
}

impl Backend for Vsync {
    #[inline]
    fn buffer_mut(&mut self, buffer_index: u32) -> &mut [u8] {
        self.blocking.region_mut().buffer_mut(buffer_index)
    }

    #[inline]
    fn prepare(&mut self, request: Request) {
        self.prepared.push_back(request);
    }

    #[inline]
    fn submit_and_wait(&mut self, _wanted: u32) -> io::Result<()> {
        self.perform_group();
        Ok(())
    }

    fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()> {
        if self.prepared.is_empty() {
            std::thread::sleep(patience);
        }
        self.submit_and_wait(1)
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        for (buffer_index, result) in self.done.drain(..) {
            each(buffer_index, result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_sys::{Calls, IoAction, Region};

    fn request(action: IoAction, buffer_index: u32, offset: u64) -> Request {
        Request {
            action,
            buffer: buffer_index,
            file: 0,
            length: 4096,
            offset,
        }
    }

    #[test]
    fn neighbours_are_done_together_and_others_apart() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(5 * 4096 + 1000).unwrap();
        let region = Region::new(8, 4096).unwrap();
        let blocking = Blocking::with_calls(vec![file.into()], region, Calls::Vectored);
        let mut vsync = Vsync::new(blocking, 8);
        let steps = [
            (IoAction::Write, 0),
            (IoAction::Write, 4096),
            (IoAction::Read, 8192),
            (IoAction::Fsync, 0),
            // The last of these lies half beyond the end of the file.
            (IoAction::Read, 3 * 4096),
            (IoAction::Read, 4 * 4096),
            (IoAction::Read, 5 * 4096),
            (IoAction::Read, 6 * 4096),
        ];
        for (buffer_index, (action, offset)) in (0..).zip(steps) {
            vsync.prepare(request(action, buffer_index, offset));
        }
        let mut groups = Vec::new();
        for _ in 0..4 {
            vsync.submit_and_wait(1).unwrap();
            let mut group = Vec::new();
            vsync.reap(|buffer_index, result| group.push((buffer_index, result)));
            groups.push(group);
        }
        assert_eq!(groups[0], [(0, 4096), (1, 4096)]);
        assert_eq!(groups[1], [(2, 4096)]);
        assert_eq!(groups[2], [(3, 0)]);
        assert_eq!(groups[3], [(4, 4096), (5, 4096), (6, 1000), (7, 0)]);
    }
}

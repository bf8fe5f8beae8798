//! Patterns that take more than one position and one size: several files, directions
//! with positions and sizes of their own, skewed distributions, holes and runs.

use std::sync::Arc;

use sokudo_model::{Operation, Order, SequentialOffset, Workload, narrow};
use sokudo_stats::Random;

use crate::offsets::{ByteRange, SharedPosition};
use crate::pattern::Access;
use crate::pattern::interlocked::Interlocked;
use crate::pattern::turns::{FileTurns, Renewed};
use crate::pattern::walk::{IoRange, Manner, Walk, direction_of};

/// Where I/Os go, file by file.
pub(crate) enum FileRoute {
    /// Every thread by itself.
    Own(Box<ThreadRoute>),
    /// All threads share one position in each file.
    Together(Interlocked),
}

/// The way of one thread.
pub(crate) struct ThreadRoute {
    manner: Manner,
    turns: FileTurns,
    walks: Box<[Walk]>,
}

impl FileRoute {
    /// The way of a thread through stretches, at least one, that hold a block each.
    pub(crate) fn new(
        workload: &Workload,
        stretches: &[ByteRange],
        shared: &Arc<SharedPosition>,
        random: &mut Random,
    ) -> Self {
        if let Order::Sequential {
            offset: SequentialOffset::Interlocked,
        } = workload.order
        {
            return Self::Together(Interlocked::new(workload, stretches, shared));
        }
        let mut manner = Manner::new(workload);
        let turns = FileTurns::new(workload.files.service, stretches.len(), random);
        let is_one = stretches.len() == 1;
        manner.ends_by_bytes = match manner.runs_backward() {
            true => !is_one || workload.limits.bytes.is_none(),
            false => !is_one && turns.is_sequential() && manner.is_endless(),
        };
        let walk = |stretch: &ByteRange| Walk::new(workload, &manner, *stretch, random);
        let walks = stretches.iter().map(walk).collect();
        Self::Own(Box::new(ThreadRoute {
            manner,
            turns,
            walks,
        }))
    }

    /// Where the next I/O of an operation goes. Out of line, so that the code of the
    /// common patterns stays small.
    #[inline(never)]
    pub(crate) fn access(&mut self, operation: Operation, random: &mut Random) -> Access {
        match self {
            Self::Own(own) => own.access(operation, random),
            Self::Together(interlocked) => {
                let (file, offset, length) = interlocked.next();
                access(operation, file, IoRange { offset, length })
            }
        }
    }

    /// Sequential I/Os in the first file begin behind so many bytes.
    pub(crate) fn begin_behind(&mut self, walked: u64) {
        match self {
            Self::Own(own) => own.walks[0].begin_behind(&own.manner, walked),
            Self::Together(interlocked) => interlocked.begin_behind(walked),
        }
    }

    /// Begins another pass. A shared position goes on: it belongs to all threads.
    pub(crate) fn restart(&mut self, random: &mut Random) {
        if let Self::Own(own) = self {
            own.turns.restart();
            own.renew_all(random);
        }
    }
}

impl ThreadRoute {
    fn access(&mut self, operation: Operation, random: &mut Random) -> Access {
        let direction = direction_of(operation);
        // Each file can be at its end once, and once more after all began again.
        for _ in 0..=2 * self.walks.len() {
            let file = self.turns.next(random);
            if let Some(step) = self.walks[file].next(&self.manner, direction, random) {
                return access(operation, file, step);
            }
            self.pass_over(file, direction, random);
        }
        unreachable!("every stretch holds a block of each direction, which was checked");
    }

    fn pass_over(&mut self, file: usize, direction: usize, random: &mut Random) {
        // With one file, the other direction goes on.
        if self.walks.len() == 1 {
            self.walks[0].renew(&self.manner, direction, random);
            return;
        }
        match self.turns.pass_over() {
            Renewed::None => (),
            Renewed::Current => self.walks[file].renew_all(&self.manner, random),
            Renewed::All => self.renew_all(random),
        }
    }

    fn renew_all(&mut self, random: &mut Random) {
        for walk in &mut self.walks {
            walk.renew_all(&self.manner, random);
        }
    }
}

fn access(operation: Operation, file: usize, step: IoRange) -> Access {
    Access {
        operation,
        file: narrow(file),
        offset: step.offset,
        length: step.length,
    }
}

//! The same work on many things, on all processors.

use std::thread;

use crate::invocation;

/// What the main thread has; texts that are taken apart need more than other threads get.
const STACK_BYTES: usize = 8 << 20;

/// What `work` makes of each, in their order. It gets those of one processor at once, so that
/// it may remember something from one to the next.
pub fn map<T: Sync, R: Send>(all: &[T], work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (threads, work) = (threads.min(all.len()), &work);
    if threads < 2 {
        return work(all);
    }
    let share = all.len().div_ceil(threads);
    let here = invocation::current();
    thread::scope(|scope| {
        let start = |part| {
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            // Where no more threads may be started, one does it all.
            let here = here.clone();
            let started = builder.spawn_scoped(scope, move || here.enter(|| work(part)));
            (part, started.ok())
        };
        let parts: Vec<_> = all.chunks(share).map(start).collect();
        let done = parts.into_iter().flat_map(|(part, thread)| match thread {
            Some(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => work(part),
        });
        done.collect()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_come_back_in_their_order() {
        for count in [0, 1, 2, 3, 1_000] {
            let all: Vec<u32> = (0..count).collect();
            let doubled = super::map(&all, |part| part.iter().map(|it| 2 * it).collect());
            assert_eq!(doubled, Vec::from_iter(all.iter().map(|it| 2 * it)));
        }
    }
}

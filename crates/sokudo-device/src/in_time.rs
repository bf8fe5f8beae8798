//! Questions to disks, which may sleep or hang: none is waited for longer than a bound.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// What is answered of each item, in their order, each in a thread of its own; `None` of one
/// that does not answer in time. Its thread ends when the kernel gives the command up.
pub(crate) fn all<Item, Answer>(
    items: &[Item],
    time_max: Duration,
    ask: impl Fn(&Item) -> Answer + Clone + Send + 'static,
) -> Vec<Option<Answer>>
where
    Item: Clone + Send + 'static,
    Answer: Send + 'static,
{
    let (answers, answered) = mpsc::channel();
    for (index, item) in items.iter().enumerate() {
        let (item, ask, answers) = (item.clone(), ask.clone(), answers.clone());
        // Where no thread can be had, nothing is answered.
        let _ = thread::Builder::new().spawn(move || {
            let answer = ask(&item);
            // Nobody listens any more to one that comes too late.
            let _ = answers.send((index, answer));
        });
    }
    drop(answers);
    let mut found: Vec<Option<Answer>> = items.iter().map(|_| None).collect();
    let end = Instant::now() + time_max;
    while let Ok((index, answer)) =
        answered.recv_timeout(end.saturating_duration_since(Instant::now()))
    {
        found[index] = Some(answer);
    }
    found
}

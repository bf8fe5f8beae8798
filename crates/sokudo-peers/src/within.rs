//! Peers within one process: frames go through queues, late or never where a test wants it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sokudo_words::Text;

use crate::faults::{Faults, RankFaults};
use crate::transport::{Transport, Unreachable};

struct Post {
    arrives: Instant,
    from: u32,
    frame: Vec<u8>,
}

type Letterbox = Mutex<VecDeque<Post>>;

pub(crate) struct Within {
    rank: u32,
    faults: RankFaults,
    everybodys: Arc<Vec<(Letterbox, RankFaults)>>,
}

/// The way from each of them to all.
pub(crate) fn within(count: u32, faults: &Faults) -> Vec<Within> {
    let letterboxes = (0..count).map(|rank| (Letterbox::default(), faults.get(rank)));
    let everybodys = Arc::new(letterboxes.collect::<Vec<_>>());
    (0..count)
        .map(|rank| Within {
            rank,
            faults: faults.get(rank),
            everybodys: Arc::clone(&everybodys),
        })
        .collect()
}

impl Transport for Within {
    fn send(&mut self, to: u32, frame: Vec<u8>) -> Result<(), Unreachable> {
        if !self.faults.trouble.may_send() {
            return Ok(());
        }
        let (letterbox, faults) = &self.everybodys[to as usize];
        let post = Post {
            arrives: Instant::now() + self.faults.delay + faults.delay,
            from: self.rank,
            frame,
        };
        let mut letterbox = letterbox.lock().unwrap_or_else(PoisonError::into_inner);
        letterbox.push_back(post);
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, Unreachable> {
        if !self.faults.trouble.may_receive() {
            return Ok(None);
        }
        let (letterbox, _) = &self.everybodys[self.rank as usize];
        let mut letterbox = letterbox.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        // Of one sender all take as long, so that its first here is its first to arrive.
        let next = letterbox.iter().position(|post| post.arrives <= now);
        let post = next.and_then(|index| letterbox.remove(index));
        Ok(post.map(|post| (post.from, post.frame)))
    }

    fn unsent(&mut self, _: u32) -> usize {
        0
    }

    fn linger(&self) -> Duration {
        Duration::ZERO
    }

    fn leave(&mut self) -> Result<(), Text> {
        Ok(())
    }
}

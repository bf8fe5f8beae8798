//! One call that all take part in: at the first, who has come to it.

use crate::message::Call;

/// Who does something else than the first.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OutOfStep(pub(crate) u32);

#[derive(Debug)]
struct Come {
    number: u64,
    call: Call,
    bytes: Vec<u8>,
}

/// At the first: who has come, each at most once.
pub(crate) struct Round {
    come: Vec<Option<Come>>,
}

impl Round {
    pub(crate) fn new(count: u32) -> Self {
        Self {
            come: (0..count).map(|_| None).collect(),
        }
    }

    /// What was come to before is over, but for the end.
    pub(crate) fn stop(&mut self) {
        for come in &mut self.come {
            if come.as_ref().is_some_and(|come| come.call != Call::Leave) {
                *come = None;
            }
        }
    }

    pub(crate) fn come(
        &mut self,
        rank: u32,
        number: u64,
        call: Call,
        bytes: Vec<u8>,
    ) -> Result<(), OutOfStep> {
        let slot = &mut self.come[rank as usize];
        if slot.is_some() {
            return Err(OutOfStep(rank));
        }
        *slot = Some(Come {
            number,
            call,
            bytes,
        });
        Ok(())
    }

    /// What everybody has brought, if all have come.
    pub(crate) fn complete(&mut self) -> Result<Option<Vec<Vec<u8>>>, OutOfStep> {
        let Some(Some(first)) = self.come.first() else {
            return Ok(None);
        };
        for (come, rank) in self.come.iter().zip(0..) {
            let Some(come) = come else {
                continue;
            };
            let is_same_number = come.number == first.number || come.call == Call::Leave;
            if come.call != first.call || !is_same_number {
                return Err(OutOfStep(rank));
            }
        }
        if self.come.iter().any(Option::is_none) {
            return Ok(None);
        }
        let all = self.come.iter_mut().filter_map(Option::take);
        Ok(Some(all.map(|come| come.bytes).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_complete_when_all_have_come() {
        let mut round = Round::new(3);
        for rank in [2, 0] {
            round
                .come(rank, 5, Call::Gather, vec![u8::try_from(rank).unwrap()])
                .unwrap();
            assert_eq!(round.complete(), Ok(None));
        }
        round.come(1, 5, Call::Gather, vec![1]).unwrap();
        assert_eq!(round.complete(), Ok(Some(vec![vec![0], vec![1], vec![2]])));
        assert_eq!(round.complete(), Ok(None), "the next one");
    }

    #[test]
    fn who_comes_twice_or_to_another_call_is_named() {
        let mut round = Round::new(3);
        round.come(1, 0, Call::Gather, Vec::new()).unwrap();
        assert_eq!(
            round.come(1, 1, Call::Gather, Vec::new()),
            Err(OutOfStep(1))
        );
        round.come(0, 0, Call::Start, Vec::new()).unwrap();
        assert_eq!(round.complete(), Err(OutOfStep(1)));
        let mut round = Round::new(2);
        round.come(0, 3, Call::Start, Vec::new()).unwrap();
        round.come(1, 2, Call::Start, Vec::new()).unwrap();
        assert_eq!(round.complete(), Err(OutOfStep(1)));
    }

    #[test]
    fn after_a_stop_only_the_end_is_come_to() {
        let mut round = Round::new(2);
        round.come(0, 3, Call::Gather, Vec::new()).unwrap();
        round.come(1, 2, Call::Leave, Vec::new()).unwrap();
        round.stop();
        round.come(0, 4, Call::Leave, Vec::new()).unwrap();
        assert_eq!(round.complete(), Ok(Some(vec![Vec::new(); 2])));
    }
}

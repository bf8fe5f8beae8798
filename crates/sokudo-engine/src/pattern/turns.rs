//! Which of several files the next I/O goes to.

use sokudo_model::{FileOrder, FileService, narrow};
use sokudo_stats::Random;

use crate::pattern::sampler::SkewedFiles;

/// The turns of files within a pass.
pub(crate) struct FileTurns {
    way: TurnRule,
    /// I/Os on one file before the next is chosen.
    ios: u32,
    /// Of those, what is left to the current file; above 0 while a sequential way
    /// stays.
    left: u32,
    current: usize,
    /// Files whose pass is over.
    done: Box<[bool]>,
    open: usize,
}

enum TurnRule {
    /// The next one that is not done.
    InTurn,
    /// Stay until it is done.
    Sequential,
    /// Any that is not done.
    Uniform,
    /// Favourites; a file whose pass is over begins another.
    Skewed(SkewedFiles),
}

impl FileTurns {
    pub(crate) fn new(service: FileService, files: usize, random: &mut Random) -> Self {
        let way = match service.order {
            FileOrder::RoundRobin => TurnRule::InTurn,
            FileOrder::Sequential => TurnRule::Sequential,
            FileOrder::Random(distribution) => SkewedFiles::new(distribution, files as u64, random)
                .map_or(TurnRule::Uniform, TurnRule::Skewed),
        };
        Self {
            way,
            ios: service.ios.max(1),
            left: 0,
            // Before the first, which is next.
            current: files - 1,
            done: vec![false; files].into_boxed_slice(),
            open: files,
        }
    }

    /// Whether the pass of a file ends after as many bytes as it has, if nothing else
    /// ends it.
    pub(crate) fn is_sequential(&self) -> bool {
        matches!(self.way, TurnRule::Sequential)
    }

    /// The file of the next I/O.
    pub(crate) fn next(&mut self, random: &mut Random) -> usize {
        if self.left > 0 && !self.done[self.current] {
            if !self.is_sequential() {
                self.left -= 1;
            }
            return self.current;
        }
        self.current = match &self.way {
            TurnRule::InTurn | TurnRule::Sequential => self.open_from(self.current + 1),
            TurnRule::Uniform => {
                let chosen = random.below(self.done.len() as u64);
                self.open_from(narrow(chosen))
            }
            TurnRule::Skewed(files) => narrow(files.next(random)),
        };
        self.left = match self.way {
            TurnRule::Sequential => 1,
            _ => self.ios - 1,
        };
        self.current
    }

    /// Notes that the pass of the current file is over. What has to begin another:
    pub(crate) fn pass_over(&mut self) -> Renewed {
        if matches!(self.way, TurnRule::Skewed(_)) {
            return Renewed::Current;
        }
        self.done[self.current] = true;
        self.open -= 1;
        if self.open > 0 {
            return Renewed::None;
        }
        self.restart();
        Renewed::All
    }

    /// Begins again with the first file.
    pub(crate) fn restart(&mut self) {
        self.done.fill(false);
        self.open = self.done.len();
        self.current = self.open - 1;
        self.left = 0;
    }

    /// The first file from `start` on, around, that is not done.
    fn open_from(&self, start: usize) -> usize {
        let files = self.done.len();
        let order = (0..files).map(|step| (start + step) % files);
        let mut open = order.filter(|file| !self.done[*file]);
        open.next()
            .expect("files begin another pass when all are done")
    }
}

/// Which files begin another pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renewed {
    /// No file: the pass goes on.
    None,
    /// The one that ended.
    Current,
    /// Every file of the thread.
    All,
}

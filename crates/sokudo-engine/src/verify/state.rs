//! The state of an interrupted or finished write pass, as a file that fio 3.33 loads
//! (`verify_state_load`) to know how far a later check may go: version 3 of its verify
//! state. The state of random generators is left 0, since fio's are not ours: for
//! sequential writes the file says all, for random ones only how many there were.

use std::collections::VecDeque;

use sokudo_model::narrow;

const VERSION: u64 = 3;

/// fio cuts names there.
const NAME_BYTES: usize = 64;

/// fio's generator state: which kind, and the words of the larger one.
const GENERATOR_BYTES: usize = 56;

/// What one thread wrote last.
#[derive(Default)]
pub(crate) struct WriteProgress {
    /// Number of writes issued by the thread.
    pub(crate) writes: u64,
    /// I/Os in flight at most.
    pub(crate) depth: usize,
    /// Offsets of each file's last completed writes, latest first; as many as the depth.
    recent: Vec<VecDeque<u64>>,
}

impl WriteProgress {
    /// Nothing written yet to these files.
    pub(crate) fn new(files: usize) -> Self {
        Self {
            recent: vec![VecDeque::new(); files.max(1)],
            ..Self::default()
        }
    }

    /// A write has completed.
    pub(crate) fn completed(&mut self, file: u32, offset: u64) {
        if let Some(recent) = self.recent.get_mut(file as usize) {
            recent.truncate(self.depth.saturating_sub(1));
            recent.push_front(offset);
        }
    }

    /// The contents of the file for a job of this name.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        let depth = self.depth.max(1);
        let completions: usize = self.recent.iter().map(VecDeque::len).sum();
        let mut list = Vec::new();
        list.extend((completions as u64).to_le_bytes());
        list.extend(narrow::<usize, u32>(depth).to_le_bytes());
        list.extend(narrow::<usize, u32>(self.recent.len()).to_le_bytes());
        list.extend(self.writes.to_le_bytes());
        // Place among several threads of one file, which are never put into one.
        list.extend(0u64.to_le_bytes());
        list.extend([0; GENERATOR_BYTES]);
        let name = &name.as_bytes()[..name.len().min(NAME_BYTES - 1)];
        list.extend(name);
        list.resize(list.len() + NAME_BYTES - name.len(), 0);
        let room = list.len() + 16 * depth * self.recent.len();
        for (file, offsets) in (0u64..).zip(&self.recent) {
            for offset in offsets {
                list.extend(file.to_le_bytes());
                list.extend(offset.to_le_bytes());
            }
        }
        list.resize(room, 0);
        // Without the final inversion, as everywhere in fio.
        let sum = u64::from(!crc32c::crc32c(&list));
        let head = [VERSION, list.len() as u64, sum].map(u64::to_le_bytes);
        [head.concat(), list].concat()
    }
}

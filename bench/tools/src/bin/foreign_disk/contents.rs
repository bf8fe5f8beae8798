//! What a modelled disk holds: all that was written to it, or noise and what was written lately.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::{Draw, MIB, Model, mixed};

/// What a device holds that was never written, and whose contents do not matter: pseudo-random,
/// the same at each read, no two blocks alike.
pub(crate) struct Noise {
    seed: u64,
    pool: Vec<u8>,
}

impl Noise {
    const BLOCK: u64 = 4_096;
    /// Blocks begin anywhere in it. To draw each byte anew would be slower than the device.
    const POOL: u64 = 4 * MIB;

    pub(crate) fn new(seed: u64) -> Self {
        let mut draw = Draw::new(seed);
        let words = (0..Self::POOL / 8).flat_map(|_| draw.bits().to_le_bytes());
        Self {
            seed,
            pool: words.collect(),
        }
    }

    pub(crate) fn read(&self, offset: u64, length: u64) -> Vec<u8> {
        let mut data = Vec::with_capacity(length as usize);
        let mut block = [0; Self::BLOCK as usize];
        let mut at = offset;
        while at < offset + length {
            let index = at / Self::BLOCK;
            let stamp = mixed(self.seed ^ mixed(index));
            let from = (stamp % (Self::POOL - Self::BLOCK)) as usize;
            block.copy_from_slice(&self.pool[from..from + Self::BLOCK as usize]);
            block[..8].copy_from_slice(&stamp.to_le_bytes());
            let end = ((index + 1) * Self::BLOCK).min(offset + length);
            let first = (at % Self::BLOCK) as usize;
            data.extend_from_slice(&block[first..first + (end - at) as usize]);
            at = end;
        }
        data
    }
}

/// The last that was written, over noise: a disk may have more bytes than this machine, and one
/// that forgets at once what is written would be false.
pub(crate) struct Lately {
    noise: Arc<Noise>,
    /// Which slot a block is in, and which block a slot has.
    slots: HashMap<u64, usize>,
    blocks: Vec<u64>,
    data: Vec<u8>,
    /// The slot that was taken first, and is taken next when all are.
    oldest: usize,
}

impl Lately {
    /// Several such disks are served on one machine.
    const SLOTS_MAX: usize = (256 * MIB / Noise::BLOCK) as usize;
    const BLOCK: usize = Noise::BLOCK as usize;

    pub(crate) fn new(noise: Arc<Noise>) -> Self {
        Self {
            noise,
            slots: HashMap::with_capacity(Self::SLOTS_MAX),
            blocks: Vec::with_capacity(Self::SLOTS_MAX),
            // Touched here: to meet each page for the first time would be a slow start, which is
            // not the model's.
            data: vec![0xff; Self::SLOTS_MAX * Self::BLOCK],
            oldest: 0,
        }
    }

    pub(crate) fn read(&self, offset: u64, data: &mut [u8]) {
        let mut done = 0;
        while done < data.len() {
            let (block, first, length) = Self::piece(offset, done, data.len());
            if let Some(slot) = self.slots.get(&block) {
                let from = slot * Self::BLOCK + first;
                data[done..][..length].copy_from_slice(&self.data[from..][..length]);
            }
            done += length;
        }
    }

    pub(crate) fn write(&mut self, offset: u64, data: &[u8]) {
        let mut done = 0;
        while done < data.len() {
            let (block, first, length) = Self::piece(offset, done, data.len());
            let from = self.slot(block, length < Self::BLOCK) * Self::BLOCK + first;
            self.data[from..][..length].copy_from_slice(&data[done..][..length]);
            done += length;
        }
    }

    /// A new slot for a block, with what the block had before if that is asked for. What is
    /// written again is forgotten as late as what is written first.
    fn slot(&mut self, block: u64, as_before: bool) -> usize {
        let before = as_before.then(|| {
            let mut before = self.noise.read(block * Noise::BLOCK, Noise::BLOCK);
            self.read(block * Noise::BLOCK, &mut before);
            before
        });
        let slot = if self.blocks.len() < Self::SLOTS_MAX {
            self.blocks.push(block);
            self.blocks.len() - 1
        } else {
            let slot = self.oldest;
            self.oldest = (slot + 1) % Self::SLOTS_MAX;
            let forgotten = std::mem::replace(&mut self.blocks[slot], block);
            if self.slots.get(&forgotten) == Some(&slot) {
                self.slots.remove(&forgotten);
            }
            slot
        };
        self.slots.insert(block, slot);
        if let Some(before) = before {
            self.data[slot * Self::BLOCK..][..Self::BLOCK].copy_from_slice(&before);
        }
        slot
    }

    /// Which block `offset + done` is in, where in it, and how much up to `total` is in there.
    fn piece(offset: u64, done: usize, total: usize) -> (u64, usize, usize) {
        let at = offset + done as u64;
        let first = (at % Noise::BLOCK) as usize;
        let length = (total - done).min(Self::BLOCK - first);
        (at / Noise::BLOCK, first, length)
    }
}

/// What has been written, by where the model says that it lies; zeros elsewhere.
#[derive(Default)]
pub(crate) struct Kept {
    chunks: HashMap<u64, Box<[u8]>>,
}

impl Kept {
    const CHUNK: u64 = 64 << 10;

    pub(crate) fn read(&self, model: &mut dyn Model, offset: u64, data: &mut [u8]) {
        let mut done = 0;
        while done < data.len() {
            let from = offset + done as u64;
            let (place, length) = model.place(from, (data.len() - done) as u64);
            let piece = &mut data[done..][..length as usize];
            match place {
                Some(place) => self.read_at(place, piece),
                None => model.filler(from, piece),
            }
            done += length as usize;
        }
    }

    pub(crate) fn write(&mut self, model: &dyn Model, offset: u64, data: &[u8]) {
        let mut done = 0;
        while done < data.len() {
            let left = (data.len() - done) as u64;
            let (place, length) = model.place(offset + done as u64, left);
            if let Some(place) = place {
                self.write_at(place, &data[done..][..length as usize]);
            }
            done += length as usize;
        }
    }

    fn read_at(&self, place: u64, data: &mut [u8]) {
        let mut done = 0;
        while done < data.len() {
            let (index, first, length) = Self::chunk(place, done, data.len());
            let piece = &mut data[done..][..length];
            match self.chunks.get(&index) {
                Some(chunk) => piece.copy_from_slice(&chunk[first..first + length]),
                None => piece.fill(0),
            }
            done += length;
        }
    }

    fn write_at(&mut self, place: u64, data: &[u8]) {
        let mut done = 0;
        while done < data.len() {
            let (index, first, length) = Self::chunk(place, done, data.len());
            let empty = || vec![0; Self::CHUNK as usize].into_boxed_slice();
            let chunk = self.chunks.entry(index).or_insert_with(empty);
            chunk[first..first + length].copy_from_slice(&data[done..][..length]);
            done += length;
        }
    }

    /// Which chunk `place + done` is in, where in it, and how much up to `total` is in there.
    fn chunk(place: u64, done: usize, total: usize) -> (u64, usize, usize) {
        let at = place + done as u64;
        let first = (at % Self::CHUNK) as usize;
        (
            at / Self::CHUNK,
            first,
            (total - done).min(Self::CHUNK as usize - first),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::model::KIB;

    #[test]
    fn noise_is_the_same_in_whatever_pieces_it_is_read_and_has_no_two_blocks_alike() {
        let noise = Noise::new(7);
        let whole = noise.read(0, MIB);
        let mut pieces = Vec::new();
        while pieces.len() < whole.len() {
            let length = (1_536 * 5).min(whole.len() - pieces.len());
            pieces.extend(noise.read(pieces.len() as u64, length as u64));
        }
        assert!(whole == pieces);
        let blocks = whole
            .chunks(4_096)
            .collect::<std::collections::HashSet<_>>();
        assert_eq!(blocks.len(), 256);
    }

    #[test]
    fn what_was_written_lately_is_read_again_and_what_is_around_it_stays() {
        let noise = Arc::new(Noise::new(7));
        let mut lately = Lately::new(Arc::clone(&noise));
        let at = 3 * GIB_AND_A_BIT;
        lately.write(at, &[1; 6 * KIB as usize]);
        let mut read = noise.read(at - 512, 8 * KIB);
        let before = read.clone();
        lately.read(at - 512, &mut read);
        assert!(
            read[512..][..6 * KIB as usize]
                .iter()
                .all(|byte| *byte == 1)
        );
        assert!(read[..512] == before[..512]);
        assert!(read[512 + 6 * KIB as usize..] == before[512 + 6 * KIB as usize..]);
        // It is forgotten when as much as there is room for was written since it was last.
        let mut is_there = |writes: Range<u64>| {
            for index in writes {
                lately.write(index * MIB, &vec![2; MIB as usize]);
            }
            let mut read = before.clone();
            lately.read(at - 512, &mut read);
            read != before
        };
        assert!(is_there(0..200));
        assert!(!is_there(200..256));
    }

    /// Not at the start of a block.
    const GIB_AND_A_BIT: u64 = (1 << 30) + 1_536;
}

//! Data that compresses and repeats to a degree, as storage with compression or
//! deduplication is measured.

use sokudo_model::Reducible;
use sokudo_stats::Random;

/// Contents that can come again. Enough that repeats are spread over what was
/// written lately, little enough to stay in the cache: 16 KiB.
const REMEMBERED_MAX: usize = 1024;

/// All of a chunk, or of the I/Os.
const PERCENT: u64 = 100;

/// Makes what each write contains: random bytes first, then filler, in every chunk.
///
/// Everything is made anew for every write, since data that is only marked compresses
/// together with what was written before it. That costs about 0.1 ns per byte, before
/// the I/O is issued.
pub(super) struct Reduced {
    compress_percent: u64,
    chunk: Option<usize>,
    filler: Box<[u8]>,
    dedupe_percent: u64,
    /// The last contents that were new, each written first at the index after the
    /// one before, around.
    remembered: Vec<IoContent>,
    oldest: usize,
    random: Random,
}

/// What an I/O contained: all of it follows from these.
#[derive(Clone, Copy)]
struct IoContent {
    seed: u64,
    length: usize,
}

impl Reduced {
    pub(super) fn new(reducible: &Reducible, random: Random) -> Self {
        Self {
            compress_percent: u64::from(reducible.compress_percent).min(PERCENT),
            chunk: reducible
                .chunk
                .and_then(|chunk| usize::try_from(chunk.0).ok())
                .filter(|chunk| *chunk > 0),
            filler: reducible.filler.as_slice().into(),
            dedupe_percent: u64::from(reducible.dedupe_percent).min(PERCENT),
            remembered: Vec::with_capacity(REMEMBERED_MAX),
            oldest: 0,
            random,
        }
    }

    /// Fills a buffer with what the next I/O writes. Out of line: what is usually
    /// written needs none of it.
    #[inline(never)]
    pub(super) fn fill(&mut self, buffer: &mut [u8]) {
        let content = self.next_content(buffer.len());
        // What repeats a shorter I/O repeats it over and over, so that all of it is
        // found again.
        for part in buffer.chunks_mut(content.length.max(1)) {
            self.fill_part(content, part);
        }
    }

    /// An earlier content as often as asked for, else a new one.
    fn next_content(&mut self, length: usize) -> IoContent {
        if self.dedupe_percent == 0 {
            let seed = self.random.next_u64();
            return IoContent { seed, length };
        }
        let repeats = self.random.below(PERCENT) < self.dedupe_percent;
        if repeats && !self.remembered.is_empty() {
            let drawn = self.random.below(self.remembered.len() as u64);
            return self.remembered[usize::try_from(drawn).unwrap_or(0)];
        }
        let seed = self.random.next_u64();
        let content = IoContent { seed, length };
        if self.remembered.len() < REMEMBERED_MAX {
            self.remembered.push(content);
        } else {
            self.remembered[self.oldest] = content;
            self.oldest = (self.oldest + 1) % REMEMBERED_MAX;
        }
        content
    }

    /// Fills a buffer, at most as long as the content, with its beginning.
    fn fill_part(&self, content: IoContent, buffer: &mut [u8]) {
        let mut random = Random::new(content.seed);
        let chunk = self.chunk.unwrap_or(content.length).min(content.length);
        for part in buffer.chunks_mut(chunk.max(1)) {
            let random_bytes = self.random_bytes(chunk).min(part.len());
            let (first, rest) = part.split_at_mut(random_bytes);
            random.fill(first);
            repeat(&self.filler, rest);
        }
    }

    /// How many bytes of a chunk do not compress.
    fn random_bytes(&self, chunk: usize) -> usize {
        let bytes = chunk as u64 * (PERCENT - self.compress_percent) / PERCENT;
        usize::try_from(bytes).unwrap_or(chunk)
    }
}

/// Fills a buffer with bytes, over and over; with zeros if there are none.
pub(super) fn repeat(bytes: &[u8], buffer: &mut [u8]) {
    match bytes {
        [] => buffer.fill(0),
        [byte] => buffer.fill(*byte),
        _ => {
            for part in buffer.chunks_mut(bytes.len()) {
                part.copy_from_slice(&bytes[..part.len()]);
            }
        }
    }
}

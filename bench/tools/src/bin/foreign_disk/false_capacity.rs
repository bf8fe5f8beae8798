//! Sticks and cards that announce more than they have, in the ways that f3 has found in the wild.
//!
//! f3's own file device (`create_file_device` in its libdevs.c) is followed to the letter: an
//! address is cut to its low bits, what then lies beyond the real size goes to a small cache or
//! nowhere. To it come what else people report there: reads of lost blocks that bring 0xFF, what
//! was transferred last, or something new each time (AltraMayor/f3#69, #204), and lost blocks
//! within an honest size. Contents are in memory, so sizes are small.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::model::{
    Draw, GIB, KIB, Kind, MIB, Model, Operation, Options, Outcome, Request, seconds,
};

const SOURCE: &str = "AltraMayor/f3 src/libdevs.c: create_file_device, dev_param_to_type";

pub(crate) const KINDS: &[Kind] = &[
    Kind {
        name: "fake-none",
        what: "a stick that has what it announces: --bytes",
        source: SOURCE,
        make: |draw, options| make(Fake::None, draw, options),
    },
    Kind {
        name: "fake-wraparound",
        what: "addresses beyond the real size begin again at its start: --bytes, --real",
        source: SOURCE,
        make: |draw, options| make(Fake::Wraparound, draw, options),
    },
    Kind {
        name: "fake-chain",
        what: "addresses begin again after a power of two, of which only the first part is real: \
               --bytes, --real, --filler zeros, ones, stale or random",
        source: SOURCE,
        make: |draw, options| make(Fake::Chain, draw, options),
    },
    Kind {
        name: "fake-limbo",
        what: "writes beyond the real size are lost: fake-chain's options",
        source: SOURCE,
        make: |draw, options| make(Fake::Limbo, draw, options),
    },
    Kind {
        name: "fake-cached",
        what: "limbo, but the last blocks written beyond the end are read back right from a cache: \
               fake-chain's options, --cache-blocks",
        source: SOURCE,
        make: |draw, options| make(Fake::Cached, draw, options),
    },
    Kind {
        name: "fake-damaged",
        what: "an honest size of which a few blocks lose what is written: --bytes, --lost N, --filler",
        source: "AltraMayor/f3 doc/usage.rst: f3probe's \"damaged\"",
        make: |draw, options| make(Fake::Damaged, draw, options),
    },
];

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fake {
    None,
    Wraparound,
    Chain,
    Limbo,
    Cached,
    Damaged,
}

/// What is read where nothing is kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Filler {
    Zeros,
    Ones,
    /// What the controller's buffer still holds from the last write.
    Stale,
    /// Something new each time.
    Random,
}

/// f3's default block; controllers are cut in these, too, as a rule.
const BLOCK: u64 = 4 * KIB;

/// Where another size was made up, the border is within a block.
const SECTOR: u64 = 512;

/// What is damaged goes in pages of flash and more, not in blocks of a file system.
const DAMAGED: u64 = 64 * KIB;

/// What a controller has is in whole erase blocks: 4 MiB as a rule (Bergmann, LWN 428584, 2011),
/// less in small chips.
const ERASE_BLOCK: u64 = MIB;

struct Stick {
    announced: u64,
    real: u64,
    /// Addresses begin again after so many bytes; `announced` where they do not.
    modulus: u64,
    /// Blocks that are kept beyond the end, as slots behind `modulus`; which block is in which.
    cache: Vec<Option<u64>>,
    /// Damaged pieces, by the number of their first byte through [`DAMAGED`].
    damaged: BTreeSet<u64>,
    filler: Filler,
    stale: Vec<u8>,
    fake: Fake,
    draw: Draw,
}

fn make(fake: Fake, draw: &mut Draw, options: &Options) -> Result<Box<dyn Model>, String> {
    let drawn = *draw.choice(&[256 * MIB, 512 * MIB, GIB, 2 * GIB]);
    let announced = options.bytes("bytes")?.unwrap_or(drawn);
    let drawn = match fake {
        Fake::None | Fake::Damaged => announced,
        // f3 knows wraparound at powers of two only; controllers can do others.
        Fake::Wraparound if draw.chance(0.6) => announced >> draw.whole(1..5),
        // Less than half, or the power of two above it would be all that is announced: limbo.
        Fake::Chain => {
            (announced as f64 * draw.uniform(0.08, 0.45)) as u64 / ERASE_BLOCK * ERASE_BLOCK
        }
        // Not a power of two: chips come with spare blocks, and a part is the controller's own.
        _ => (announced as f64 * draw.uniform(0.08, 0.7)) as u64 / ERASE_BLOCK * ERASE_BLOCK,
    };
    let real = options.bytes("real")?.unwrap_or(drawn);
    if real == 0 || real > announced || !real.is_multiple_of(SECTOR) {
        return Err(format!(
            "--real {real} is not in whole sectors of {SECTOR} from one up to --bytes {announced}"
        ));
    }
    let modulus = match fake {
        Fake::Wraparound => real,
        Fake::Chain => real.next_power_of_two(),
        _ => announced,
    };
    if fake == Fake::Chain && modulus >= announced {
        return Err(format!(
            "--real {real} is a chain only below half of --bytes {announced}"
        ));
    }
    let drawn = *draw.choice(&["zeros", "ones", "stale", "random"]);
    let filler = match options.word("filler").unwrap_or(drawn) {
        "zeros" => Filler::Zeros,
        "ones" => Filler::Ones,
        "stale" => Filler::Stale,
        "random" => Filler::Random,
        other => {
            return Err(format!(
                "--filler {other}: say zeros, ones, stale or random"
            ));
        }
    };
    let blocks = options.number("cache-blocks")?;
    let blocks = blocks.unwrap_or(1_usize << draw.whole(6..15));
    let lost = options.number("lost")?.unwrap_or(draw.whole(1..9));
    let mut damaged = BTreeSet::new();
    while fake == Fake::Damaged && (damaged.len() as u64) < lost.min(announced / DAMAGED) {
        damaged.insert(draw.whole(0..announced / DAMAGED));
    }
    Ok(Box::new(Stick {
        announced,
        real,
        modulus,
        cache: vec![None; if fake == Fake::Cached { blocks } else { 0 }],
        damaged,
        filler,
        stale: vec![0; BLOCK as usize],
        fake,
        draw: draw.split(),
    }))
}

impl Stick {
    /// Where the cache has a block, or would have it: f3 takes the low bits of its number.
    fn slot(&self, block: u64) -> usize {
        (block % self.cache.len() as u64) as usize
    }

    /// What the controller does with an address: its bytes lie here, or nowhere.
    fn place_of(&self, offset: u64) -> Option<u64> {
        let cut = offset % self.modulus;
        if cut >= self.real {
            let block = offset / BLOCK;
            if self.cache.is_empty() || self.cache[self.slot(block)] != Some(block) {
                return None;
            }
            return Some(self.announced + self.slot(block) as u64 * BLOCK + offset % BLOCK);
        }
        let lost = self.damaged.contains(&(cut / DAMAGED));
        (!lost).then_some(cut)
    }
}

impl Model for Stick {
    fn bytes(&self) -> u64 {
        self.announced
    }

    fn lanes(&self) -> usize {
        1
    }

    fn serve(&mut self, _now: Duration, request: &Request) -> (Duration, Outcome) {
        // Of the pace of a stick on USB 3; what it is does not matter here.
        let (command_us, mb_per_s) = match request.operation {
            Operation::Read => (self.draw.lognormal(150.0, 0.1), 200.0),
            Operation::Write => (self.draw.lognormal(300.0, 0.2), 150.0),
            Operation::Flush => (self.draw.lognormal(500.0, 0.2), 1.0),
        };
        if request.operation == Operation::Write && !self.cache.is_empty() {
            let end = request.offset + request.length;
            let blocks = request.offset / BLOCK..end.div_ceil(BLOCK);
            for block in blocks.filter(|block| block * BLOCK % self.modulus >= self.real) {
                let slot = self.slot(block);
                self.cache[slot] = Some(block);
            }
        }
        let transfer_us = request.length as f64 / mb_per_s;
        (seconds((command_us + transfer_us) * 1e-6), Outcome::Done)
    }

    fn place(&self, offset: u64, length: u64) -> (Option<u64>, u64) {
        let cut = offset % self.modulus;
        let ends = if cut < self.real {
            self.real
        } else {
            self.modulus
        };
        // All other borders lie between blocks.
        let piece = (ends - cut).min(BLOCK - offset % BLOCK);
        (self.place_of(offset), length.min(piece))
    }

    fn filler(&mut self, offset: u64, data: &mut [u8]) {
        match self.filler {
            Filler::Zeros => data.fill(0),
            Filler::Ones => data.fill(0xff),
            Filler::Stale => {
                let from = (offset % BLOCK) as usize;
                data.copy_from_slice(&self.stale[from..][..data.len()]);
            }
            Filler::Random => data.fill_with(|| self.draw.bits() as u8),
        }
    }

    fn spoil(&mut self, _offset: u64, data: &mut [u8]) {
        let length = data.len().min(self.stale.len());
        self.stale[..length].copy_from_slice(&data[data.len() - length..]);
    }

    fn keeps_contents(&self) -> bool {
        true
    }

    fn truth(&self) -> Value {
        let damaged = self.damaged.iter();
        let damaged = damaged.map(|it| json!({"offset": it * DAMAGED, "bytes": DAMAGED}));
        let loses = !matches!(self.fake, Fake::None | Fake::Wraparound);
        json!({
            "fake": !matches!(self.fake, Fake::None | Fake::Damaged),
            "kind": match self.fake {
                Fake::None => "good",
                Fake::Wraparound => "wraparound",
                Fake::Chain => "chain",
                Fake::Limbo | Fake::Cached => "limbo",
                Fake::Damaged => "damaged",
            },
            "announced_bytes": self.announced,
            "real_bytes": self.real,
            "wraps_at_bytes": (self.modulus < self.announced).then_some(self.modulus),
            "lost_reads_as": loses.then_some(format!("{:?}", self.filler).to_lowercase()),
            "cache_bytes": self.cache.len() as u64 * BLOCK,
            "damaged": damaged.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 16 * MIB;

    fn stick(fake: Fake, real: u64) -> Stick {
        Stick {
            announced: SIZE,
            real,
            modulus: match fake {
                Fake::Wraparound => real,
                Fake::Chain => real.next_power_of_two(),
                _ => SIZE,
            },
            cache: vec![None; if fake == Fake::Cached { 4 } else { 0 }],
            damaged: BTreeSet::new(),
            filler: Filler::Zeros,
            stale: vec![0; BLOCK as usize],
            fake,
            draw: Draw::new(1),
        }
    }

    fn write(stick: &mut Stick, block: u64) {
        let request = Request {
            operation: Operation::Write,
            offset: block * BLOCK,
            length: BLOCK,
            arrived: Duration::ZERO,
        };
        stick.serve(Duration::ZERO, &request);
    }

    #[test]
    fn each_real_block_is_under_as_many_addresses_as_its_fold_says() {
        let stick = stick(Fake::Wraparound, 3 * MIB);
        let mut uses = vec![0; (3 * MIB / BLOCK) as usize];
        for block in 0..SIZE / BLOCK {
            let place = stick.place_of(block * BLOCK).expect("nothing is lost");
            uses[(place / BLOCK) as usize] += 1;
        }
        // 16 MiB are five times 3 MiB, and 1 MiB.
        let (six, five) = uses.split_at((MIB / BLOCK) as usize);
        assert!(six.iter().all(|uses| *uses == 6) && five.iter().all(|uses| *uses == 5));
    }

    #[test]
    fn a_chain_loses_the_unreal_part_of_each_of_its_links() {
        let stick = stick(Fake::Chain, 3 * MIB);
        assert_eq!(stick.place_of(2 * MIB), Some(2 * MIB));
        assert_eq!(stick.place_of(3 * MIB), None);
        assert_eq!(stick.place_of(4 * MIB), Some(0));
        assert_eq!(stick.place_of(7 * MIB + 512), None);
    }

    #[test]
    fn a_border_within_a_block_tears_it() {
        let real = 3 * MIB - 512;
        let folds = stick(Fake::Wraparound, real);
        assert_eq!(folds.place(real - 512, BLOCK), (Some(real - 512), 512));
        assert_eq!(folds.place(real, BLOCK), (Some(0), 512));
        assert_eq!(folds.place(real + 512, BLOCK), (Some(512), BLOCK));
        let limbo = stick(Fake::Limbo, real);
        assert_eq!(limbo.place(real - 512, BLOCK), (Some(real - 512), 512));
        assert_eq!(limbo.place(real, BLOCK), (None, 512));
        let chain = stick(Fake::Chain, real);
        assert_eq!(chain.place(4 * MIB + real, BLOCK), (None, 512));
        assert_eq!(chain.place(8 * MIB, BLOCK), (Some(0), BLOCK));
    }

    #[test]
    fn a_cache_beyond_the_end_keeps_the_last_blocks_only() {
        let mut stick = stick(Fake::Cached, MIB);
        let beyond = MIB / BLOCK;
        for block in beyond..beyond + 5 {
            write(&mut stick, block);
        }
        // The fifth has taken the slot of the first.
        assert_eq!(stick.place_of(beyond * BLOCK), None);
        assert!((1..5).all(|it| stick.place_of((beyond + it) * BLOCK).is_some()));
        assert_eq!(stick.place_of(beyond * BLOCK - BLOCK), Some(MIB - BLOCK));
    }
}

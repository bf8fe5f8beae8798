//! Options about what a job does, in which order, in which sizes.

use sokudo_model::Distribution;

use super::super::criteria;
use super::super::job::FioAccess;
use super::super::numbers::{KiloBase, millionths, number, range, signed, three_of};
use super::super::option::{FioOption, OptionEffect, U32_MAX, full};

const PATTERNS: &[&str] = &[
    "read",
    "write",
    "trim",
    "randread",
    "randwrite",
    "randtrim",
    "rw",
    "readwrite",
    "randrw",
    "trimwrite",
    "randtrimwrite",
];

const PERCENT: &str = "a percentage from 0 to 100";

/// fio reads `30.5` as 30: it counts whole percents.
fn whole_percent(text: &str, base: KiloBase) -> Option<u32> {
    let whole = match text.contains('.') {
        true => millionths(text)? / 1_000_000,
        false => number(text, base)?,
    };
    u32::try_from(whole).ok().filter(|percent| *percent <= 100)
}

pub(super) const OPTIONS: &[FioOption] = &[
    full(
        "rw",
        &["readwrite"],
        "read",
        "which operations, in which order; :N skips N bytes, or stays N I/Os at a random place",
        OptionEffect::Word(PATTERNS, |j, word, more| {
            let what = word.strip_prefix("rand").unwrap_or(word);
            j.access = FioAccess {
                random: what != word,
                reads: matches!(what, "read" | "rw" | "readwrite"),
                writes: matches!(what, "write" | "rw" | "readwrite" | "trimwrite"),
                trims: matches!(what, "trim" | "trimwrite"),
            };
            j.access_number = match more {
                None => None,
                Some(text) => Some(signed(text, j.kilo_base).ok_or(
                    "an access pattern, perhaps with a number as in read:512k or randread:8",
                )?),
            };
            Ok(())
        }),
    ),
    full(
        "rwmixread",
        &[],
        "50",
        "percentage of reads in a mix; decimals are cut off, as by fio",
        OptionEffect::Text(PERCENT, |j, v| {
            j.read_percent = whole_percent(v, j.kilo_base).ok_or(PERCENT)?;
            Ok(())
        }),
    ),
    full(
        "rwmixwrite",
        &[],
        "50",
        "percentage of writes in a mix; decimals are cut off, as by fio",
        OptionEffect::Text(PERCENT, |j, v| {
            j.read_percent = 100 - whole_percent(v, j.kilo_base).ok_or(PERCENT)?;
            Ok(())
        }),
    ),
    full(
        "bs",
        &["blocksize"],
        "4096",
        "size of one I/O",
        OptionEffect::Three(1, U32_MAX, |j, three| {
            for (block, given) in j.block.iter_mut().zip(three) {
                *block = given.unwrap_or(*block);
            }
        }),
    ),
    full(
        "bsrange",
        &["blocksize_range"],
        "",
        "smallest and largest size of one I/O",
        OptionEffect::Text(
            "a range of block sizes such as 1k-4k, perhaps one each for read,write,trim",
            |j, v| {
                let base = j.kilo_base;
                let ranges = three_of(v, |part| range(part.trim(), base).filter(|r| r.0 > 0));
                let ranges = ranges.ok_or("a range of block sizes such as 1k-4k")?;
                for (own, given) in j.block_range.iter_mut().zip(ranges) {
                    *own = given.or(*own);
                }
                Ok(())
            },
        ),
    ),
    full(
        "bs_unaligned",
        &["blocksize_unaligned"],
        "",
        "sizes of any number of bytes within bsrange",
        OptionEffect::Flag(|j, on| j.unaligned = on),
    )
    .differs("an error with direct=1, where fio's I/O fails, and with verify, where whole blocks are checked"),
    full(
        "bssplit",
        &[],
        "",
        "block sizes with percentages",
        OptionEffect::Text(criteria::SPLIT, |j, v| {
            let base = j.kilo_base;
            let splits = three_of(v, |part| criteria::split(part, base)).ok_or(criteria::SPLIT)?;
            for (own, given) in j.block_split.iter_mut().zip(splits) {
                *own = given.unwrap_or_else(|| std::mem::take(own));
            }
            Ok(())
        }),
    ),
    full(
        "ba",
        &["blockalign"],
        "",
        "what random offsets are multiples of",
        OptionEffect::Three(1, U32_MAX, |j, three| {
            let own = j.alignment.unwrap_or(j.block);
            let mut each = own.into_iter().zip(three).map(|(own, given)| given.unwrap_or(own));
            j.alignment = Some(std::array::from_fn(|_| each.next().unwrap_or(1)));
        }),
    ),
    full(
        "norandommap",
        &[],
        "",
        "random offsets may repeat before all were visited",
        OptionEffect::Flag(|j, on| j.may_repeat = on),
    ),
    full(
        "softrandommap",
        &[],
        "0",
        "goes on without a map when memory for it is short",
        OptionEffect::Switch(|_, _| {}),
    )
    .no_effect("the map needs one bit per block, or none at all"),
    full(
        "random_generator",
        &[],
        "tausworthe",
        "which numbers chance is made of",
        OptionEffect::Word(&["tausworthe", "lfsr", "tausworthe64"], |j, word, _| {
            word.clone_into(&mut j.generator);
            Ok(())
        }),
    )
    .differs("one generator with 64 bits serves for all three; lfsr visits every block once, as a map does, with norandommap too"),
    full(
        "random_distribution",
        &[],
        "random",
        "how often each place is used",
        OptionEffect::Text(criteria::DISTRIBUTION, |j, v| {
            let (word, more) = v.split_once(':').unwrap_or((v, ""));
            let more = Some(more).filter(|more| !more.is_empty());
            if matches!(word, "zoned" | "zoned_abs") {
                let (absolute, base) = (word == "zoned_abs", j.kilo_base);
                let list = more.ok_or(criteria::DISTRIBUTION)?;
                let zones = three_of(list, |part| criteria::zones(part, absolute, base))
                    .ok_or(criteria::DISTRIBUTION)?;
                j.zones = zones.map(Option::unwrap_or_default);
                j.distribution = Distribution::Zoned;
            } else {
                let found = criteria::distribution(word, more).filter(|_| word != "gauss");
                j.distribution = found.ok_or(criteria::DISTRIBUTION)?;
            }
            Ok(())
        }),
    )
    .differs("zipf and pareto follow their formulas; fio's zipf is skewed otherwise than its theta says; normal is fio's, but with a centre it lies around that in order, where fio scatters it"),
    full(
        "percentage_random",
        &[],
        "100,100,100",
        "percentage of I/Os that go to a random place, the others continue after the last",
        OptionEffect::Three(0, 100, |j, three| {
            for (own, given) in j.random_percent.iter_mut().zip(three) {
                *own = given.unwrap_or(*own);
            }
        }),
    ),
    full(
        "randrepeat",
        &[],
        "1",
        "the same random places in every run",
        OptionEffect::Switch(|j, on| j.repeatable = on),
    ),
    full(
        "allrandrepeat",
        &[],
        "0",
        "the same chance in every run, for everything",
        OptionEffect::Switch(|j, on| j.repeatable |= on),
    ),
    full(
        "randseed",
        &[],
        "",
        "where chance starts from",
        OptionEffect::Text("a whole number", |j, v| {
            let number = super::super::numbers::number(v, j.kilo_base);
            let negative = v.parse::<i64>().ok().map(i64::cast_unsigned);
            j.seed = Some(number.or(negative).ok_or("a whole number")?);
            Ok(())
        }),
    )
    .differs("the offsets are others than fio's, for the generator is another; a plan has one seed, the first that is given"),
];

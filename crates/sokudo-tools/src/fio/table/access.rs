//! Options about what a job does, in which order, in which sizes.

use sokudo_model::Distribution;

use super::super::criteria;
use super::super::job::{FioAccess, Job};
use super::super::numbers::{Expected, KiloBase, number, percent, range, signed, three_of};
use super::super::option::OptionEffect::{Flag, Percent, Switch, Text, Three, Word};
use super::super::option::{FioOption, U32_MAX, choice, each, options};

/// fio 3.33, measured: `rwmixread=70%` reads always, `percentage_random=50%` is random always, and
/// with `%` nothing is compressed and all is repeated.
pub(super) const SIGN: &str = "70% means 70; fio 3.33 takes it, and does not mean 70";

pub(super) const OPTIONS: &[FioOption] = options! {
    "rw" | "readwrite" = "read",
        "which operations, in which order; :N skips N bytes, or stays N I/Os at a random place",
        Word(&["read", "write", "trim", "randread", "randwrite", "randtrim", "rw", "readwrite",
            "randrw", "trimwrite", "randtrimwrite"], access);
    "rwmixread" = "50", "percentage of reads in a mix; decimals are cut off, as by fio",
        Percent(|j, reads| j.read_percent = reads), differs(SIGN);
    "rwmixwrite" = "50", "percentage of writes in a mix; decimals are cut off, as by fio",
        Percent(|j, writes| j.read_percent = 100 - writes), differs(SIGN);
    "bs" | "blocksize" = "4096", "size of one I/O",
        Three(1, U32_MAX, |j, three| each(&mut j.block, three));
    "bsrange" | "blocksize_range" = "", "smallest and largest size of one I/O",
        Text("a range of block sizes such as 1k-4k, perhaps one each for read,write,trim",
            block_ranges);
    "bs_unaligned" | "blocksize_unaligned" = "", "sizes of any number of bytes within bsrange",
        Flag(|j, on| j.unaligned = on),
        differs("an error with direct=1, where fio's I/O fails, and with verify, where whole blocks are checked");
    "bssplit" = "", "block sizes with percentages",
        Text(criteria::SPLIT, |j, v| {
            let splits = three_of(v, |part| criteria::split(part, j.kilo_base));
            splits.map(|splits| each(&mut j.block_split, splits))
        });
    "ba" | "blockalign" = "", "what random offsets are multiples of",
        Three(1, U32_MAX, |j, three| each(j.alignment.get_or_insert(j.block), three));
    "norandommap" = "", "random offsets may repeat before all were visited",
        Flag(|j, on| j.may_repeat = on);
    "softrandommap" = "0", "goes on without a map when memory for it is short", Switch(|_, _| {}),
        no_effect("the map needs one bit per block, or none at all");
    "random_generator" = "tausworthe", "which numbers chance is made of",
        choice!(visits_once: "tausworthe" => false, "lfsr" => true, "tausworthe64" => false),
        differs("one generator with 64 bits serves for all three; lfsr visits every block once, as a map does, with norandommap too");
    "random_distribution" = "random", "how often each place is used",
        Text(criteria::DISTRIBUTION, distribution),
        differs("zipf and pareto follow their formulas; fio's zipf is skewed otherwise than its theta says; normal is fio's, but with a centre it lies around that in order, where fio scatters it");
    "percentage_random" = "100,100,100",
        "percentage of I/Os that go to a random place, the others continue after the last",
        Text("a percentage from 0 to 100, or one each for read,write,trim",
            |j, v| three_of(v, |part| percent(part, j.kilo_base).map(u64::from))
                .map(|three| each(&mut j.random_percent, three))),
        differs(SIGN);
    "randrepeat" = "1", "the same random places in every run", Switch(|j, on| j.repeatable = on);
    "allrandrepeat" = "0", "the same chance in every run, for everything",
        Switch(|j, on| j.repeatable |= on);
    "randseed" = "", "where chance starts from",
        Text("a whole number", |j, v| seed(v, j.kilo_base).map(|seed| j.seed = Some(seed))),
        differs("the offsets are others than fio's, for the generator is another; a plan has one seed, the first that is given");
};

fn access(job: &mut Job, word: &str, more: Option<&str>) -> Result<(), Expected> {
    let what = word.strip_prefix("rand").unwrap_or(word);
    job.access = FioAccess {
        random: what != word,
        reads: matches!(what, "read" | "rw" | "readwrite"),
        writes: matches!(what, "write" | "rw" | "readwrite" | "trimwrite"),
        trims: matches!(what, "trim" | "trimwrite"),
    };
    let number = more.map(|text| {
        let expected = "an access pattern, perhaps with a number as in read:512k or randread:8";
        signed(text, job.kilo_base).ok_or(expected)
    });
    job.access_number = number.transpose()?;
    Ok(())
}

fn block_ranges(job: &mut Job, text: &str) -> Option<()> {
    let range = |part: &str| range(part.trim(), job.kilo_base).filter(|range| range.0 > 0);
    let ranges = three_of(text, |part| range(part).map(Some))?;
    each(&mut job.block_range, ranges);
    Some(())
}

fn distribution(job: &mut Job, text: &str) -> Option<()> {
    let (word, more) = text.split_once(':').unwrap_or((text, ""));
    let more = Some(more).filter(|more| !more.is_empty());
    if matches!(word, "zoned" | "zoned_abs") {
        let (absolute, base) = (word == "zoned_abs", job.kilo_base);
        let zones = three_of(more?, |part| criteria::zones(part, absolute, base))?;
        job.plan.scatter.zones = zones.map(Option::unwrap_or_default);
        job.plan.scatter.distribution = Distribution::Zoned;
    } else {
        job.plan.scatter.distribution =
            criteria::distribution(word, more).filter(|_| word != "gauss")?;
    }
    Some(())
}

fn seed(text: &str, base: KiloBase) -> Option<u64> {
    let negative = || text.parse::<i64>().ok().map(i64::cast_unsigned);
    number(text, base).or_else(negative)
}

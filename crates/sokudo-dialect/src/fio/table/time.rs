//! Options about how much, how long and how fast.

use sokudo_model::{RateProcess, narrow};

use super::super::numbers::{Amount, time};
use super::super::option::{
    FioOption, MICROSECOND_NS, OptionEffect, SECOND_NS, U32_MAX, U64_MAX, full,
};

pub(super) const OPTIONS: &[FioOption] = &[
    full(
        "runtime",
        &["timeout"],
        "0",
        "time to run; 0 is no limit",
        OptionEffect::Time(SECOND_NS, |j, v| j.runtime = v),
    ),
    full(
        "time_based",
        &[],
        "",
        "runtime alone ends the job",
        OptionEffect::Flag(|j, on| j.time_based = on),
    ),
    full(
        "ramp_time",
        &[],
        "0",
        "time to run first without measuring",
        OptionEffect::Time(SECOND_NS, |j, v| j.ramp = v),
    ),
    full(
        "startdelay",
        &[],
        "0",
        "time to wait before the job starts, or shortest and longest",
        OptionEffect::Text("a time such as 5s, or a range such as 5s-10s", |j, v| {
            const FORM: &str = "a time such as 5s, or a range such as 5s-10s";
            j.delay = match v.split_once('-') {
                None => (time(v, SECOND_NS).ok_or(FORM)?, None),
                Some((low, high)) => {
                    let low = time(low.trim(), SECOND_NS).ok_or(FORM)?;
                    let high = time(high.trim(), SECOND_NS).ok_or(FORM)?;
                    (low.min(high), Some(high.max(low)))
                }
            };
            Ok(())
        }),
    ),
    full(
        "loops",
        &[],
        "1",
        "how often the job is done",
        OptionEffect::Number(0, U32_MAX, |j, v| j.loops = narrow(v.max(1))),
    ),
    full(
        "io_size",
        &["io_limit"],
        "",
        "bytes to move, instead of size",
        OptionEffect::Amount(|j, v| j.io_size = Some(v).filter(|v| *v != Amount::Bytes(0))),
    ),
    full(
        "number_ios",
        &[],
        "0",
        "I/Os to do; 0 is no limit",
        OptionEffect::Number(0, U64_MAX, |j, v| j.ios = Some(v).filter(|v| *v > 0)),
    ),
    full(
        "rate",
        &[],
        "",
        "bytes per second of reads, writes and trims",
        OptionEffect::Three(0, U64_MAX, |j, three| set(&mut j.rate, three)),
    ),
    full(
        "rate_iops",
        &[],
        "",
        "I/Os per second of reads, writes and trims",
        OptionEffect::Three(0, U32_MAX, |j, three| set(&mut j.rate_iops, three)),
    ),
    full(
        "rate_process",
        &[],
        "linear",
        "how I/Os are spaced at a rate",
        OptionEffect::Word(&["linear", "poisson"], |j, word, _| {
            j.rate_process = match word {
                "poisson" => RateProcess::Poisson,
                _ => RateProcess::Linear,
            };
            Ok(())
        }),
    ),
    full(
        "thinktime",
        &[],
        "0",
        "pause between I/Os",
        OptionEffect::Time(MICROSECOND_NS, |j, v| j.think = v),
    ),
    full(
        "thinktime_spin",
        &[],
        "0",
        "how much of thinktime is spent computing",
        OptionEffect::Time(MICROSECOND_NS, |j, v| j.think_spin = v),
    ),
    full(
        "thinktime_blocks",
        &[],
        "1",
        "I/Os between two pauses",
        OptionEffect::Number(0, U32_MAX, |j, v| j.think_ios = narrow(v.max(1))),
    ),
    full(
        "thinktime_blocks_type",
        &[],
        "complete",
        "whether those I/Os must have completed, or only been issued",
        OptionEffect::Word(&["complete", "issue"], |j, word, _| {
            j.think_on_issue = word == "issue";
            Ok(())
        }),
    ),
    full(
        "thinktime_iotime",
        &[],
        "0",
        "time of I/O between two pauses",
        OptionEffect::Unread,
    )
    .needs("pauses by time"),
    full(
        "rate_cycle",
        &["ratecycle"],
        "1000",
        "window over which rate_min is looked at",
        OptionEffect::Number(0, U32_MAX, |_, _| {}),
    )
    .no_effect("there is no rate_min"),
];

fn set(own: &mut [u64; 3], three: [Option<u64>; 3]) {
    for (own, given) in own.iter_mut().zip(three) {
        *own = given.unwrap_or(*own);
    }
}

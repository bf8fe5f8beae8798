//! Options about how much, how long and how fast.

use sokudo_model::{Nanos, RateProcess, narrow};

use super::super::numbers::{Amount, time};
use super::super::option::OptionEffect::{Flag, Number, Size, Text, Three, Time, Unread};
use super::super::option::{
    FioOption, MICROSECOND_NS, SECOND_NS, U32_MAX, U64_MAX, choice, each, options,
};

pub(super) const OPTIONS: &[FioOption] = options! {
    "runtime" | "timeout" = "0", "time to run; 0 is no limit",
        Time(SECOND_NS, |j, v| j.plan.limits.time = Some(v).filter(|v| v.0 > 0));
    "time_based" = "", "runtime alone ends the job", Flag(|j, on| j.time_based = on);
    "ramp_time" = "0", "time to run first without measuring", Time(SECOND_NS, |j, v| j.plan.timing.ramp = v);
    "startdelay" = "0", "time to wait before the job starts, or shortest and longest",
        Text("a time such as 5s, or a range such as 5s-10s", |j, v| delay(v).map(|it| j.delay = it));
    "loops" = "1", "how often the job is done",
        Number(0, U32_MAX, |j, v| j.plan.limits.repeats = narrow(v.saturating_sub(1)));
    "io_size" | "io_limit" = "", "bytes to move, instead of size",
        Size(|j, v| j.io_size = Some(v).filter(|v| *v != Amount::Bytes(0)));
    "number_ios" = "0", "I/Os to do; 0 is no limit",
        Number(0, U64_MAX, |j, v| j.plan.limits.ios = Some(v).filter(|v| *v > 0));
    "rate" = "", "bytes per second of reads, writes and trims",
        Three(0, U64_MAX, |j, three| each(&mut j.rate, three));
    "rate_iops" = "", "I/Os per second of reads, writes and trims",
        Three(0, U32_MAX, |j, three| each(&mut j.rate_iops, three));
    "rate_process" = "linear", "how I/Os are spaced at a rate",
        choice!(plan.pacing.rates.process: "linear" => RateProcess::Linear, "poisson" => RateProcess::Poisson);
    "thinktime" = "0", "pause between I/Os", Time(MICROSECOND_NS, |j, v| j.think = v);
    "thinktime_spin" = "0", "how much of thinktime is spent computing",
        Time(MICROSECOND_NS, |j, v| j.think_spin = v);
    "thinktime_blocks" = "1", "I/Os between two pauses",
        Number(0, U32_MAX, |j, v| j.think_ios = narrow(v.max(1)));
    "thinktime_blocks_type" = "complete",
        "whether those I/Os must have completed, or only been issued",
        choice!(think_on_issue: "complete" => false, "issue" => true);
    "thinktime_iotime" = "0", "time of I/O between two pauses", Unread, needs("pauses by time");
    "rate_cycle" | "ratecycle" = "1000", "window over which rate_min is looked at",
        Number(0, U32_MAX, |j, v| j.plan.pacing.least.cycle = Nanos::from_millis(v));
    "rate_min" | "ratemin" = "", "bytes per second below which the job fails, of reads, writes and trims",
        Three(0, U64_MAX, |j, three| each(&mut j.plan.pacing.least.bytes, three.map(|v| v.map(Some))));
    "rate_iops_min" = "", "I/Os per second below which it fails, likewise",
        Three(0, U32_MAX, |j, three| each(&mut j.plan.pacing.least.ios, three.map(|v| v.map(Some))));
};

/// A time, or the shortest and the longest.
fn delay(text: &str) -> Option<(Nanos, Option<Nanos>)> {
    let Some((low, high)) = text.split_once(['-', ':']) else {
        return Some((time(text, SECOND_NS)?, None));
    };
    let (low, high) = (time(low.trim(), SECOND_NS)?, time(high.trim(), SECOND_NS)?);
    Some((low.min(high), Some(high.max(low))))
}

//! Volumes of a cloud, which are fast for as long as they have credit.
//!
//! A bucket of credit fills at the baseline rate and is spent by what is done; while there is
//! some in it, the volume goes at the burst rate, then at the baseline. Real buckets last for half
//! an hour; these are smaller by a factor that the truth has, so that the end can be seen.

use std::time::Duration;

use serde_json::{Value, json};

use crate::flash::Serial;
use crate::model::{
    Draw, GIB, KIB, Kind, MIB, Model, Operation, Options, Outcome, Request, seconds,
};

const SOURCE: &str = "Amazon EBS User Guide, volume types: gp2, st1, gp3; latency: 709 durable \
                      writes a second and 2.67 ms at 99 % on gp2 (besthub.dev)";

pub(crate) const KINDS: &[Kind] = &[
    Kind {
        name: "credit",
        what: "gp2: credit of requests: --gib SIZE, --credits N, --balance SHARE at the start",
        source: SOURCE,
        make: gp2,
    },
    Kind {
        name: "credit-bytes",
        what: "st1: credit of bytes: --gib SIZE, --credits BYTES, --balance SHARE at the start",
        source: SOURCE,
        make: st1,
    },
    Kind {
        name: "credit-none",
        what: "gp3: a limit, but no credit: --gib SIZE",
        source: SOURCE,
        make: gp3,
    },
];

/// Requests on their way at a time; a volume has no bound of its own below the host's.
const LANES: usize = 64;

/// What a request is counted in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Unit {
    /// Requests of up to 256 KiB.
    Requests,
    /// Bytes; a request that does not go on where the last has ended counts as 1 MiB.
    Bytes,
}

struct Bucket {
    unit: Unit,
    /// Units per second, with credit and without.
    burst: f64,
    baseline: f64,
    /// Units; none where burst and baseline are the same.
    most: f64,
    balance: f64,
    /// When the balance was that.
    at: Duration,
    /// What the published bucket has been divided by.
    divisor: f64,
}

struct Volume {
    name: &'static str,
    bytes: u64,
    bucket: Bucket,
    mb_per_s: f64,
    read_ms: f64,
    write_ms: f64,
    sigma: f64,
    turn: Serial,
    transfer: Serial,
    last_end: u64,
    draw: Draw,
}

/// The size in GiB that is said, or one drawn from a range.
fn gib(from: f64, to: f64, draw: &mut Draw, options: &Options) -> Result<u64, String> {
    let drawn = draw.log_uniform(from, to) as u64;
    let gib = options.number("gib")?.unwrap_or(drawn);
    if gib == 0 {
        return Err("--gib 0 is no size".to_owned());
    }
    Ok(gib)
}

/// The share of its credit that a volume begins with.
fn balance(options: &Options) -> Result<f64, String> {
    let share: f64 = options.number("balance")?.unwrap_or(1.0);
    if !(0.0..=1.0).contains(&share) {
        return Err(format!("--balance {share} is no share: say 0 to 1"));
    }
    Ok(share)
}

fn gp2(draw: &mut Draw, options: &Options) -> Result<Box<dyn Model>, String> {
    let gib = gib(40.0, 600.0, draw, options)?;
    // 3 IOPS per GiB, at least 100; 3,000 with credit, of which there are 5.4 million.
    let baseline = (3.0 * gib as f64).clamp(100.0, 16_000.0);
    let burst = baseline.max(3_000.0);
    let drawn = draw.log_uniform(15.0, 60.0) * (burst - baseline).max(1.0);
    let most = options.number("credits")?.unwrap_or(drawn);
    Ok(Box::new(Volume {
        name: "gp2",
        bytes: gib * GIB,
        bucket: Bucket {
            unit: Unit::Requests,
            burst,
            baseline,
            most,
            balance: balance(options)? * most,
            at: Duration::ZERO,
            divisor: 5.4e6 / most,
        },
        // 128 MiB/s up to 170 GiB, 250 MiB/s beyond.
        mb_per_s: if gib <= 170 { 128.0 } else { 250.0 } * 1.048_576,
        // Single-digit milliseconds, as published: a durable write takes 1.4 ms.
        read_ms: draw.uniform(0.5, 0.9),
        write_ms: draw.uniform(1.1, 1.5),
        sigma: 0.25,
        turn: Serial::default(),
        transfer: Serial::default(),
        last_end: 0,
        draw: draw.split(),
    }))
}

fn st1(draw: &mut Draw, options: &Options) -> Result<Box<dyn Model>, String> {
    let gib = gib(500.0, 1_800.0, draw, options)?;
    let tib = gib as f64 / 1_024.0;
    let mib = MIB as f64;
    // 40 MiB/s and, with credit, 250 MiB/s per TiB; 1 TiB of credit per TiB. At most 500 MiB/s.
    let baseline = (40.0 * tib).min(500.0) * mib;
    let burst = (250.0 * tib).min(500.0) * mib;
    let drawn = draw.log_uniform(15.0, 45.0) * (burst - baseline);
    let most = options.bytes("credits")?.map_or(drawn, |it| it as f64);
    Ok(Box::new(Volume {
        name: "st1",
        bytes: gib * GIB,
        bucket: Bucket {
            unit: Unit::Bytes,
            burst,
            baseline,
            most,
            balance: balance(options)? * most,
            at: Duration::ZERO,
            divisor: tib * 1_024.0 * GIB as f64 / most,
        },
        mb_per_s: 500.0 * 1.048_576,
        read_ms: draw.uniform(3.0, 8.0),
        write_ms: draw.uniform(2.0, 5.0),
        sigma: 0.4,
        turn: Serial::default(),
        transfer: Serial::default(),
        last_end: 0,
        draw: draw.split(),
    }))
}

fn gp3(draw: &mut Draw, options: &Options) -> Result<Box<dyn Model>, String> {
    let gib = gib(40.0, 600.0, draw, options)?;
    Ok(Box::new(Volume {
        name: "gp3",
        bytes: gib * GIB,
        bucket: Bucket {
            unit: Unit::Requests,
            burst: 3_000.0,
            baseline: 3_000.0,
            most: 0.0,
            balance: 0.0,
            at: Duration::ZERO,
            divisor: 1.0,
        },
        mb_per_s: 125.0 * 1.048_576,
        read_ms: draw.uniform(0.4, 0.7),
        // 1,105 durable writes a second.
        write_ms: draw.uniform(0.7, 0.95),
        sigma: 0.2,
        turn: Serial::default(),
        transfer: Serial::default(),
        last_end: 0,
        draw: draw.split(),
    }))
}

impl Bucket {
    /// Spends units, of which the first is used at `now`; returns how many seconds they take.
    fn spend(&mut self, now: Duration, units: f64) -> f64 {
        let earned = now.saturating_sub(self.at).as_secs_f64() * self.baseline;
        self.balance = (self.balance + earned).min(self.most);
        self.at = self.at.max(now);
        let missing = (units - self.balance).max(0.0);
        self.balance -= units - missing;
        // What is earned while it waits for the rest is spent by that.
        let wait_s = missing / self.baseline;
        self.at += seconds(wait_s);
        wait_s.max(units / self.burst)
    }
}

impl Model for Volume {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn lanes(&self) -> usize {
        LANES
    }

    fn serve(&mut self, now: Duration, request: &Request) -> (Duration, Outcome) {
        let latency_ms = match request.operation {
            Operation::Read => self.draw.lognormal(self.read_ms, self.sigma),
            Operation::Write => self.draw.lognormal(self.write_ms, self.sigma),
            // Each write is kept at once.
            Operation::Flush => return (seconds(50e-6), Outcome::Done),
        };
        let goes_on = request.offset == self.last_end;
        self.last_end = request.offset + request.length;
        let units = match self.bucket.unit {
            Unit::Requests => request.length.div_ceil(256 * KIB) as f64,
            Unit::Bytes if goes_on => request.length as f64,
            Unit::Bytes => request.length.max(MIB) as f64,
        };
        let begins = now.max(self.turn.free());
        let time_s = self.bucket.spend(begins, units);
        let allowed = self.turn.take(now, time_s);
        let transfer_s = request.length as f64 / self.mb_per_s * 1e-6;
        let moved = self.transfer.take(now, transfer_s);
        let answered = now + seconds(latency_ms * 1e-3);
        (allowed.max(moved).max(answered) - now, Outcome::Done)
    }

    fn truth(&self) -> Value {
        let bucket = &self.bucket;
        let has_credit = bucket.most > 0.0 && bucket.burst > bucket.baseline;
        let per_second = match bucket.unit {
            Unit::Requests => "requests",
            Unit::Bytes => "bytes",
        };
        json!({
            "volume": self.name,
            "has_credit": has_credit,
            "unit": per_second,
            "burst_per_s": bucket.burst,
            "baseline_per_s": bucket.baseline,
            "credit": has_credit.then_some(bucket.most),
            "credit_at_start": has_credit.then_some(bucket.balance),
            "burst_s": has_credit
                .then_some(bucket.most / (bucket.burst - bucket.baseline).max(1.0)),
            "refill_s": has_credit.then_some(bucket.most / bucket.baseline),
            "credit_divisor": has_credit.then_some(bucket.divisor),
            "mb_per_s": self.mb_per_s,
            "read_latency_us": self.read_ms * 1e3,
            "write_latency_us": self.write_ms * 1e3,
            "lanes": LANES,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_bucket_lasts_as_long_as_it_says_and_then_gives_the_baseline() {
        let mut bucket = Bucket {
            unit: Unit::Requests,
            burst: 3_000.0,
            baseline: 300.0,
            most: 27_000.0,
            balance: 27_000.0,
            at: Duration::ZERO,
            divisor: 200.0,
        };
        let mut requests_in = |from: f64, to: f64, now: &mut f64| {
            let mut requests = 0;
            assert!(*now >= from - 0.01, "{now}");
            while *now < to {
                *now += bucket.spend(seconds(*now), 1.0);
                requests += 1;
            }
            f64::from(requests)
        };
        let mut now = 0.0;
        assert!((requests_in(0.0, 9.9, &mut now) - 29_700.0).abs() < 10.0);
        requests_in(9.9, 10.1, &mut now);
        assert!((requests_in(10.1, 20.1, &mut now) - 3_000.0).abs() < 30.0);
    }
}

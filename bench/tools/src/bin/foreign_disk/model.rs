//! What a modelled device is, and what it is made from: a seed and options.
//!
//! Nothing in this program knows sokudo, its simulator or its detectors. A model follows data
//! sheets, papers and published curves, and it is a witness only as long as that stays so.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;
use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use fuser::Errno;

pub(crate) const KIB: u64 = 1 << 10;
pub(crate) const MIB: u64 = 1 << 20;
pub(crate) const GIB: u64 = 1 << 30;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Operation {
    Read,
    Write,
    Flush,
}

/// `offset` and `length` are in bytes, and zero for a flush; `arrived` is in the device's time,
/// which begins at zero when it is mounted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub operation: Operation,
    pub offset: u64,
    pub length: u64,
    pub arrived: Duration,
}

/// How a request ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    Done,
    Failed(Errno),
    /// Only the first bytes, so many of them.
    Short(u64),
}

/// A device: `lanes` requests are served side by side, each for as long as `serve` says.
pub(crate) trait Model: Send {
    fn bytes(&self) -> u64;

    fn lanes(&self) -> usize;

    /// Which of the waiting requests is served next; the oldest unless the device knows better.
    fn choose(&mut self, _now: Duration, _waiting: &[Request]) -> usize {
        0
    }

    /// How long it takes from `now` on, and how it ends. What happens in idle time before `now`
    /// is the model's to work out from `now` and the end of the last request. `now` may be a
    /// little earlier than at the last call where there are several lanes.
    fn serve(&mut self, now: Duration, request: &Request) -> (Duration, Outcome);

    /// Where the bytes at `offset` lie, and how many of `length` lie there in one piece; None:
    /// nowhere (writes are lost, reads are `filler`).
    fn place(&self, offset: u64, length: u64) -> (Option<u64>, u64) {
        (Some(offset), length)
    }

    /// What is read where bytes lie nowhere. Without a word from the model: zeros.
    fn filler(&mut self, _offset: u64, data: &mut [u8]) {
        data.fill(0);
    }

    /// What becomes of the data of a write before it is kept, so that it can come out wrong.
    fn spoil(&mut self, _offset: u64, _data: &mut [u8]) {}

    /// Whether all contents are kept, and go where `place` says (capacity, verify). Else only the
    /// last that was written is kept, where it was written, and other reads are pseudo-random of
    /// the seed and the offset.
    fn keeps_contents(&self) -> bool {
        false
    }

    fn rotational(&self) -> bool {
        false
    }

    fn truth(&self) -> serde_json::Value;
}

/// Makes a device.
pub(crate) type Make = fn(&mut Draw, &Options) -> Result<Box<dyn Model>, String>;

/// A model by its name: what it stands for, where its figures come from, how one is made.
pub(crate) struct Kind {
    pub name: &'static str,
    pub what: &'static str,
    pub source: &'static str,
    pub make: Make,
}

/// A small seeded generator: splitmix64 (Steele, Lea and Flood, OOPSLA 2014, figure 10).
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    state: u64,
}

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Any 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.state)
    }

    /// From 0 up to, but without, 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn uniform(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.share()
    }

    /// A whole number from a range, which is not empty.
    pub(crate) fn whole(&mut self, range: Range<u64>) -> u64 {
        // The high half of the product is even but for 2^-64 times the range.
        let product = u128::from(self.bits()) * u128::from(range.end - range.start);
        range.start + (product >> 64) as u64
    }

    pub(crate) fn choice<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let index = self.whole(0..of.len() as u64);
        &of[index as usize]
    }

    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// Mean 0, standard deviation 1 (Box and Muller, 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.share()).ln()).sqrt();
        radius * (TAU * self.share()).cos()
    }

    /// `sigma` is the standard deviation of the logarithm; the mean is the median times
    /// exp(sigma² / 2).
    pub(crate) fn lognormal(&mut self, median: f64, sigma: f64) -> f64 {
        median * (sigma * self.normal()).exp()
    }

    /// From both, each as likely as its logarithm is near: for sizes and rates.
    pub(crate) fn log_uniform(&mut self, from: f64, to: f64) -> f64 {
        self.uniform(from.ln(), to.ln()).exp()
    }

    /// The first of two generators that have nothing to do with each other; the second goes on.
    pub(crate) fn split(&mut self) -> Self {
        Self::new(self.bits())
    }
}

/// The output function of splitmix64: each bit of it depends on every bit of `state`.
pub(crate) fn mixed(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What was said as `--KEY VALUE`. A key that no model asks for is an error.
#[derive(Default)]
pub(crate) struct Options {
    values: BTreeMap<String, String>,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl Options {
    pub(crate) fn new(values: BTreeMap<String, String>) -> Self {
        Self {
            values,
            asked: RefCell::default(),
        }
    }

    /// The value of a key as a word.
    pub(crate) fn word(&self, key: &'static str) -> Option<&str> {
        self.asked.borrow_mut().insert(key);
        self.values.get(key).map(String::as_str)
    }

    /// The value of a key as any number.
    pub(crate) fn number<T: FromStr<Err: Display>>(
        &self,
        key: &'static str,
    ) -> Result<Option<T>, String> {
        let parsed = self.word(key).map(str::parse).transpose();
        parsed.map_err(|error| format!("--{key}: {error}"))
    }

    /// The value of a key in bytes: a number, with K, M, G or T in powers of 1024.
    pub(crate) fn bytes(&self, key: &'static str) -> Result<Option<u64>, String> {
        let Some(word) = self.word(key) else {
            return Ok(None);
        };
        let wrong = || format!("--{key} {word} is no size; say bytes, or 64K, 16M, 2G, 8T");
        let factor = match word.chars().last() {
            Some('K') => KIB,
            Some('M') => MIB,
            Some('G') => GIB,
            Some('T') => GIB * KIB,
            _ => 1,
        };
        let digits = word.trim_end_matches(['K', 'M', 'G', 'T']);
        let number = digits.parse::<u64>().map_err(|_| wrong())?;
        number.checked_mul(factor).map(Some).ok_or_else(wrong)
    }

    /// Which of these words is the value of a key; the first where nothing is said.
    pub(crate) fn one_of<'a>(
        &self,
        key: &'static str,
        words: &[&'a str],
    ) -> Result<&'a str, String> {
        let Some(said) = self.word(key) else {
            return Ok(words[0]);
        };
        let known = words.iter().find(|word| **word == said);
        known
            .copied()
            .ok_or_else(|| format!("--{key} {said}: say one of {}", words.join(", ")))
    }

    /// An error where a key was said that nobody asked for.
    pub(crate) fn all_asked(&self) -> Result<(), String> {
        let asked = self.asked.borrow();
        match self.values.keys().find(|key| !asked.contains(key.as_str())) {
            Some(key) => Err(format!("this model has no --{key}")),
            None => Ok(()),
        }
    }
}

/// Seconds as a duration; zero where rounding made them a little less than that.
pub(crate) fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_splitmix64() {
        // The first values that Vigna's splitmix64.c gives for this seed.
        let mut draw = Draw::new(1_234_567);
        assert_eq!(draw.bits(), 6_457_827_717_110_365_317);
        assert_eq!(draw.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn a_lognormal_has_its_median_and_its_spread() {
        let mut draw = Draw::new(1);
        let values = (0..20_001).map(|_| draw.lognormal(100.0, 0.5));
        let mut values = values.collect::<Vec<_>>();
        values.sort_by(f64::total_cmp);
        assert!((values[10_000] / 100.0 - 1.0).abs() < 0.02);
        // 84.13 % lie below one standard deviation of the logarithm.
        assert!((values[16_826] / (100.0 * 0.5_f64.exp()) - 1.0).abs() < 0.03);
    }
}

//! Skewed choices among a number of places: how often each rank is drawn.
//!
//! Ranks count from 0, the first is the favourite. Where a rank lies is not decided
//! here.

use crate::random::Random;

/// Draws that are rejected before the last resort. Each is accepted with more than
/// one chance in three, so that none is ever rejected this often.
const ATTEMPTS_MAX: u32 = 256;

/// Zipf: rank k, counted from 1, in proportion to 1 / k^theta. Exact for every number
/// of places and every theta above 0, by rejection and inversion of the integral of
/// the density (Hörmann and Derflinger, "Rejection-inversion to generate variates
/// from monotone discrete distributions", 1996): constant time and no table.
#[derive(Clone, Copy, Debug)]
pub struct Zipf {
    places: f64,
    theta: f64,
    /// The integral at the upper edge of the first rank, less its weight.
    integral_first: f64,
    /// The integral at the upper edge of the last rank.
    integral_last: f64,
    /// Ranks no further than this below the drawn point are accepted unseen.
    accepted: f64,
}

impl Zipf {
    /// Over `places` ranks; 0 is taken for 1.
    #[expect(
        clippy::cast_precision_loss,
        reason = "above 2^53 places neighbours are equally likely anyway"
    )]
    pub fn new(places: u64, theta: f64) -> Self {
        let places = places.max(1) as f64;
        let first = integral(1.5, theta) - 1.0;
        let second = integral(2.5, theta) - weight(2.0, theta);
        Self {
            places,
            theta,
            integral_first: first,
            integral_last: integral(places + 0.5, theta),
            accepted: 2.0 - integral_inverse(second, theta),
        }
    }

    /// The next rank.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and the number of places"
    )]
    pub fn next(&self, random: &mut Random) -> u64 {
        let width = self.integral_first - self.integral_last;
        for _ in 0..ATTEMPTS_MAX {
            let drawn = self.integral_last + random.fraction() * width;
            let point = integral_inverse(drawn, self.theta);
            let rank = point.round().clamp(1.0, self.places);
            if rank - point <= self.accepted
                || drawn >= integral(rank + 0.5, self.theta) - weight(rank, self.theta)
            {
                return rank as u64 - 1;
            }
        }
        0
    }
}

/// x^-theta.
fn weight(x: f64, theta: f64) -> f64 {
    (-theta * x.ln()).exp()
}

/// The integral of x^-theta from 1, also where theta is 1 or close to it.
fn integral(x: f64, theta: f64) -> f64 {
    let logarithm = x.ln();
    exponential_slope((1.0 - theta) * logarithm) * logarithm
}

fn integral_inverse(value: f64, theta: f64) -> f64 {
    // Rounding must not lead below -1, where the logarithm ends.
    let argument = (value * (1.0 - theta)).max(-1.0);
    (logarithm_slope(argument) * value).exp()
}

/// Below this, a series of three terms is exact to the last bit.
const SERIES_BELOW: f64 = 1e-8;

/// (e^x - 1) / x.
fn exponential_slope(x: f64) -> f64 {
    if x.abs() > SERIES_BELOW {
        x.exp_m1() / x
    } else {
        1.0 + x / 2.0
    }
}

/// ln(1 + x) / x.
fn logarithm_slope(x: f64) -> f64 {
    if x.abs() > SERIES_BELOW {
        x.ln_1p() / x
    } else {
        1.0 - x / 2.0
    }
}

/// Pareto as storage people use it: with power h, a share h of the places gets 1 - h
/// of the draws (0.2 is "80 to 20"). Ranks below a share s of all get s^(1/a), where
/// a = ln h / ln (1 - h).
#[derive(Clone, Copy, Debug)]
pub struct Pareto {
    places: f64,
    exponent: f64,
}

impl Pareto {
    /// Over `places` ranks, with `power` above 0 and below 1.
    #[expect(clippy::cast_precision_loss, reason = "a place in 2^53 is lost")]
    pub fn new(places: u64, power: f64) -> Self {
        Self {
            places: places.max(1) as f64,
            exponent: power.ln() / (1.0 - power).ln(),
        }
    }

    /// The next rank.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the number of places"
    )]
    pub fn next(&self, random: &mut Random) -> u64 {
        let rank = (self.places * random.fraction().powf(self.exponent)).floor();
        rank.min(self.places - 1.0) as u64
    }
}

/// Normal around the middle of the places; what falls outside is drawn again. Here
/// the favourite is the middle one.
#[derive(Clone, Copy, Debug)]
pub struct Normal {
    places: f64,
    deviation: f64,
}

impl Normal {
    /// Over `places`, with a standard deviation that is a share of them.
    #[expect(clippy::cast_precision_loss, reason = "a place in 2^53 is lost")]
    pub fn new(places: u64, deviation: f64) -> Self {
        Self {
            places: places.max(1) as f64,
            deviation,
        }
    }

    /// The next place.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the number of places"
    )]
    pub fn next(&self, random: &mut Random) -> u64 {
        for _ in 0..ATTEMPTS_MAX {
            let share = 0.5 + self.deviation * standard_normal(random);
            if (0.0..1.0).contains(&share) {
                return (self.places * share).floor().min(self.places - 1.0) as u64;
            }
        }
        (self.places / 2.0) as u64
    }
}

/// By the method of Box and Muller (1958).
fn standard_normal(random: &mut Random) -> f64 {
    // Above 0, so that it has a logarithm.
    let radius = (-2.0 * (1.0 - random.fraction()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.fraction()).cos()
}

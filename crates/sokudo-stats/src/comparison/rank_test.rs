//! Mann–Whitney's U test and Wilcoxon's signed-rank test.
//!
//! Small samples get the exact permutation distribution of their own ranks, ties
//! included; larger ones the normal approximation with corrections for ties and
//! continuity.

use std::cell::Cell;
use std::rc::Rc;

/// Largest product of both sizes for which the distribution of U is computed exactly: 30
/// and 30 values take 200,000 additions, with ties 5 million. Above, the normal
/// approximation is closer than anybody reads p-values.
const EXACT_PRODUCT_MAX: usize = 900;

/// Most pairs for which the distribution of the signed ranks is computed exactly.
const EXACT_PAIRS_MAX: usize = 100;

/// What a test of ranks found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankTest {
    /// U of the second sample (pairs in which it is larger, ties count half), or the sum
    /// of the positive signed ranks.
    pub statistic: f64,
    /// Two-sided: how likely samples of the same distribution differ at least so much.
    pub p_value: f64,
    /// How likely the second of two such samples lies at least so far above the first, and
    /// how likely at least so far below.
    pub p_above_below: [f64; 2],
    /// Whether it comes from the permutation distribution itself.
    pub is_exact: bool,
}

/// Mann–Whitney's U test, two-sided (Mann and Whitney 1947). The exact p is twice the
/// smaller tail of U over all ways to part the joint ranks, mid-ranks where values are
/// equal. `None` when either is empty or a value is no number.
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Option<RankTest> {
    let joint: Vec<f64> = first.iter().chain(second).copied().collect();
    if first.is_empty() || second.is_empty() || joint.iter().any(|value| value.is_nan()) {
        return None;
    }
    let ranks = doubled_ranks(&joint);
    let count = second.len();
    let sum: usize = ranks[first.len()..].iter().sum();
    let least = count * (count + 1);
    let is_exact = first.len() * count <= EXACT_PRODUCT_MAX;
    let tails = match (is_exact, tie_term(&ranks) > 0.0) {
        (true, false) => tails(&u_without_ties(first.len(), count), (sum - least) / 2),
        (true, true) => tails(&subset_sums(&ranks, count), sum),
        (false, _) => approximate_u(&ranks, first.len(), count, sum),
    };
    Some(RankTest::new((sum - least) as f64 / 2.0, tails, is_exact))
}

/// Wilcoxon's signed-rank test of differences of pairs, two-sided (Wilcoxon 1945): the
/// exact p is twice the smaller tail over all ways to give the ranks signs. Pairs without
/// a difference say nothing and are left out, as Wilcoxon did. `None` for no differences
/// or one that is no number; p is 1 where all are zero.
///
/// Where a fair coin decided which of a pair is the first, the signs are fair under the
/// null hypothesis by that very coin, however the values hang together in time.
pub fn signed_rank(differences: &[f64]) -> Option<RankTest> {
    if differences.is_empty() || differences.iter().any(|value| value.is_nan()) {
        return None;
    }
    let kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = kept.iter().map(|difference| difference.abs()).collect();
    let ranks = doubled_ranks(&sizes);
    let positive = kept.iter().zip(&ranks).filter(|(d, _)| **d > 0.0);
    let sum: usize = positive.map(|(_, rank)| rank).sum();
    let is_exact = kept.len() <= EXACT_PAIRS_MAX;
    let tails = if is_exact {
        tails(&signed_sums(&ranks), sum)
    } else {
        approximate_signed(&ranks, sum)
    };
    Some(RankTest::new(sum as f64 / 2.0, tails, is_exact))
}

impl RankTest {
    /// The two-sided p is twice the smaller tail.
    fn new(statistic: f64, p_above_below: [f64; 2], is_exact: bool) -> Self {
        let [above, below] = p_above_below;
        Self {
            statistic,
            p_value: (2.0 * above.min(below)).min(1.0),
            p_above_below,
            is_exact,
        }
    }
}

/// The smallest p that [`mann_whitney`] can give without ties: 2 ÷ C(n + m, n).
pub fn mann_whitney_p_min(first: usize, second: usize) -> f64 {
    let ways: f64 = (1..=first)
        .map(|index| (second + index) as f64 / index as f64)
        .product();
    (2.0 / ways).min(1.0)
}

/// The smallest p that [`signed_rank`] can give: 2 ÷ 2ⁿ.
pub fn signed_rank_p_min(pairs: usize) -> f64 {
    (1.0 - pairs as f64).exp2().min(1.0)
}

/// How many of the ordered pairwise differences are cut off at each end of an interval
/// of the shift with at least `confidence`: the most for which twice the tail of U below
/// them is no more than what is left. With none cut off the confidence is not reached.
pub(super) fn cut_of_u(first: usize, second: usize, confidence: f64) -> Cut {
    if first * second <= EXACT_PRODUCT_MAX {
        return exact_cut(&u_without_ties(first, second), confidence);
    }
    let (product, sum) = ((first * second) as f64, (first + second) as f64);
    approximate_cut(
        product / 2.0,
        (product * (sum + 1.0) / 12.0).sqrt(),
        confidence,
    )
}

/// The same for the Walsh averages of so many pairs.
pub(super) fn cut_of_signed_ranks(pairs: usize, confidence: f64) -> Cut {
    if pairs <= EXACT_PAIRS_MAX {
        let ranks: Vec<usize> = (1..=pairs).collect();
        return exact_cut(&signed_sums(&ranks), confidence);
    }
    let n = pairs as f64;
    approximate_cut(
        n * (n + 1.0) / 4.0,
        (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt(),
        confidence,
    )
}

/// Where an interval begins among ordered differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    /// Differences outside at each end, the one at the end of the interval among them.
    pub(super) rank: usize,
    /// What the interval covers.
    pub(super) coverage: f64,
}

fn exact_cut(probabilities: &[f64], confidence: f64) -> Cut {
    let mut cut = Cut {
        rank: 0,
        coverage: 1.0,
    };
    let mut tail = 0.0;
    for probability in probabilities {
        tail += probability;
        // Sums of fractions that should be equal to the level may be off in the last bit.
        if 1.0 - 2.0 * tail < confidence - 1e-12 {
            break;
        }
        cut = Cut {
            rank: cut.rank + 1,
            coverage: 1.0 - 2.0 * tail,
        };
    }
    cut
}

#[expect(clippy::cast_possible_truncation, reason = "a small rank of 0 or more")]
fn approximate_cut(mean: f64, deviation: f64, confidence: f64) -> Cut {
    let z = normal_quantile(f64::midpoint(1.0, confidence));
    Cut {
        rank: (mean - 0.5 - z * deviation).floor().max(0.0) as usize + 1,
        coverage: confidence,
    }
}

/// Ranks times two, so that mid-ranks of equal values are whole.
fn doubled_ranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|left, right| values[*left].total_cmp(&values[*right]));
    let mut ranks = vec![0; values.len()];
    let mut before = 0;
    for tied in order.chunk_by(|left, right| values[*left] == values[*right]) {
        for index in tied {
            ranks[*index] = 2 * before + tied.len() + 1;
        }
        before += tied.len();
    }
    ranks
}

/// The probability of every U of two samples without equal values: in f(n, m, u) ways, of
/// which f(n − 1, m, u − m) have the largest value in the first sample, where it is above
/// all m of the second, and f(n, m − 1, u) in the second (Mann and Whitney 1947, with
/// the samples exchanged, which changes nothing: U is symmetric).
fn u_without_ties(first: usize, second: usize) -> Rc<[f64]> {
    let last = LAST_U.take().filter(|(sizes, _)| *sizes == (first, second));
    let (_, all) = last.unwrap_or_else(|| ((first, second), ways_of_u(first, second).into()));
    LAST_U.set(Some(((first, second), Rc::clone(&all))));
    all
}

/// Both sizes, and the probabilities.
type UOfSizes = ((usize, usize), Rc<[f64]>);

thread_local! {
    /// Thousands of rows that are compared have as many trials.
    static LAST_U: Cell<Option<UOfSizes>> = const { Cell::new(None) };
}

fn ways_of_u(first: usize, second: usize) -> Vec<f64> {
    let mut ways: Vec<Vec<f64>> = vec![vec![1.0]; second + 1];
    for of_first in 1..=first {
        for of_second in 1..=second {
            let mut sum = vec![0.0f64; of_first * of_second + 1];
            for (u, before) in ways[of_second].iter().enumerate() {
                sum[u + of_second] += before;
            }
            for (u, before) in ways[of_second - 1].iter().enumerate() {
                sum[u] += before;
            }
            ways[of_second] = sum;
        }
    }
    normalised(ways.swap_remove(second))
}

/// The probability of every sum of `count` of the ranks, drawn without replacement.
fn subset_sums(ranks: &[usize], count: usize) -> Vec<f64> {
    let mut largest = ranks.to_vec();
    largest.sort_unstable_by(|left, right| right.cmp(left));
    let width = largest.iter().take(count).sum::<usize>() + 1;
    // ways[k][s]: probability weight of k ranks that sum to s.
    let mut ways = vec![vec![0.0f64; width]; count + 1];
    ways[0][0] = 1.0;
    for (seen, rank) in ranks.iter().enumerate() {
        for chosen in (1..=count.min(seen + 1)).rev() {
            let (fewer, more) = ways.split_at_mut(chosen);
            let above = more[0].iter_mut().skip(*rank);
            above
                .zip(&fewer[chosen - 1])
                .for_each(|(weight, before)| *weight += before);
        }
    }
    normalised(ways.swap_remove(count))
}

/// The probability of every sum of ranks when each is taken or not by a fair coin.
fn signed_sums(ranks: &[usize]) -> Vec<f64> {
    let mut ways = vec![0.0f64; ranks.iter().sum::<usize>() + 1];
    ways[0] = 1.0;
    for rank in ranks {
        for sum in (*rank..ways.len()).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    normalised(ways)
}

fn normalised(mut weights: Vec<f64>) -> Vec<f64> {
    let all: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= all);
    weights
}

/// The probability of a sum so large and more, and of one so small and less.
fn tails(probabilities: &[f64], observed: usize) -> [f64; 2] {
    let below: f64 = probabilities[..=observed].iter().sum();
    let above: f64 = probabilities[observed..].iter().sum();
    [above, below]
}

/// Σ(t³ − t) over groups of equal ranks.
fn tie_term(ranks: &[usize]) -> f64 {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let sizes = sorted.chunk_by(|left, right| left == right);
    sizes
        .map(|tied| (tied.len() as f64).powi(3) - tied.len() as f64)
        .sum()
}

fn approximate_u(ranks: &[usize], first: usize, second: usize, sum: usize) -> [f64; 2] {
    let (n, m) = (first as f64, second as f64);
    let all = n + m;
    let statistic = (sum - second * (second + 1)) as f64 / 2.0;
    let variance = n * m / 12.0 * (all + 1.0 - tie_term(ranks) / (all * (all - 1.0)));
    approximate_tails(statistic - n * m / 2.0, variance)
}

fn approximate_signed(ranks: &[usize], sum: usize) -> [f64; 2] {
    let n = ranks.len() as f64;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tie_term(ranks) / 48.0;
    approximate_tails(sum as f64 / 2.0 - n * (n + 1.0) / 4.0, variance)
}

/// Above and below, half a step towards the middle for continuity.
fn approximate_tails(deviation: f64, variance: f64) -> [f64; 2] {
    if variance <= 0.0 {
        return [1.0; 2];
    }
    let beyond = |deviation: f64| {
        let z = (deviation - 0.5) / variance.sqrt();
        let beyond = 1.0 - normal_probability(z.abs());
        let tail = if z < 0.0 { 1.0 - beyond } else { beyond };
        tail.clamp(0.0, 1.0)
    };
    [beyond(deviation), beyond(-deviation)]
}

/// P(Z < z) of the standard normal distribution, within 1.5 · 10⁻⁷ for z ≥ 0
/// (Abramowitz and Stegun 1964, 7.1.26).
fn normal_probability(z: f64) -> f64 {
    const FACTORS: [f64; 5] = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let x = z / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let polynomial = FACTORS.iter().fold(0.0, |sum, factor| sum * t + factor) * t;
    1.0 - 0.5 * polynomial * (-x * x).exp()
}

/// The z ≥ 0 below which a standard normal value lies with this probability, by halving.
fn normal_quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if normal_probability(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests;

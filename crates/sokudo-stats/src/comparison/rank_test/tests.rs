//! Against published examples and scipy 1.17.1.

use super::*;

fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() < tolerance, "{value} {expected}");
}

/// Ages at a diagnosis, from the documentation of `scipy.stats.mannwhitneyu`.
const MALES: [f64; 5] = [19.0, 22.0, 16.0, 29.0, 24.0];
const FEMALES: [f64; 4] = [20.0, 11.0, 17.0, 12.0];

#[test]
fn u_of_small_samples_is_that_of_scipy() {
    let test = mann_whitney(&FEMALES, &MALES).unwrap();
    assert_eq!((test.statistic, test.is_exact), (17.0, true));
    close(test.p_value, 0.111_111_111_111_111_1, 1e-12);
    let turned = mann_whitney(&MALES, &FEMALES).unwrap();
    assert_eq!(turned.statistic, 3.0);
    close(turned.p_value, test.p_value, 1e-12);
}

#[test]
fn the_smallest_p_of_small_samples_is_that_of_the_tables() {
    for (count, p) in [(3, 0.1), (4, 0.028_571_428), (5, 0.007_936_507)] {
        let low: Vec<f64> = (0..count).map(f64::from).collect();
        let high: Vec<f64> = low.iter().map(|value| value + 100.0).collect();
        close(mann_whitney(&low, &high).unwrap().p_value, p, 1e-8);
        close(mann_whitney_p_min(low.len(), low.len()), p, 1e-8);
    }
    close(signed_rank_p_min(6), 0.031_25, 1e-15);
    assert_eq!(signed_rank_p_min(0), 1.0);
}

#[test]
fn ties_have_the_permutation_distribution_of_their_own_mid_ranks() {
    // All C(11, 6) partitions, counted one by one.
    let first = [1.1, 2.2, 2.2, 3.0, 4.1, 5.0];
    let second = [2.2, 3.0, 6.0, 7.5, 8.1];
    let test = mann_whitney(&first, &second).unwrap();
    assert_eq!(test.statistic, 30.0 - 6.5);
    close(test.p_value, 0.134_199_134_199_134_2, 1e-12);
}

#[test]
fn without_ties_both_ways_to_count_agree() {
    for (first, second) in [(1, 1), (4, 5), (7, 3), (12, 12)] {
        let ranks: Vec<usize> = (1..=first + second).collect();
        let sums = subset_sums(&ranks, second);
        let counted = u_without_ties(first, second);
        assert_eq!(counted.len(), first * second + 1);
        for (one, other) in counted.iter().zip(&sums[second * (second + 1) / 2..]) {
            close(*one, *other, 1e-14);
        }
    }
}

#[test]
fn equal_samples_differ_in_nothing() {
    assert_eq!(mann_whitney(&[3.0; 6], &[3.0; 6]).unwrap().p_value, 1.0);
    assert_eq!(mann_whitney(&[3.0; 60], &[3.0; 60]).unwrap().p_value, 1.0);
    assert_eq!(signed_rank(&[0.0; 6]).unwrap().p_value, 1.0);
}

#[test]
fn what_is_no_sample_has_no_test() {
    assert_eq!(mann_whitney(&[], &[1.0]), None);
    assert_eq!(mann_whitney(&[1.0], &[f64::NAN]), None);
    assert_eq!(signed_rank(&[]), None);
}

#[test]
fn large_samples_are_approximated_as_by_scipy() {
    let first: Vec<f64> = (1..=40).map(f64::from).collect();
    let second: Vec<f64> = first.iter().map(|value| value + 7.5).collect();
    let test = mann_whitney(&first, &second).unwrap();
    assert!(!test.is_exact);
    assert_eq!(test.statistic, 1_600.0 - 528.0);
    close(test.p_value, 0.008_988_007_122_138_847, 1e-6);
    // Many ties.
    let first: Vec<f64> = (0..50).map(|index| f64::from(index % 7)).collect();
    let second: Vec<f64> = (0..45).map(|index| f64::from(index % 7 + 1)).collect();
    let test = mann_whitney(&first, &second).unwrap();
    assert_eq!(test.statistic, 2_250.0 - 850.5);
    close(test.p_value, 0.039_308_920_205_658_83, 1e-6);
}

/// Heights of crossed and self-fertilised plants, after Darwin (an example in
/// the documentation of `scipy.stats.wilcoxon`).
const PLANTS: [f64; 15] = [
    6.0, 8.0, 14.0, 16.0, 23.0, 24.0, 28.0, 29.0, 41.0, -48.0, 49.0, 56.0, 60.0, -67.0, 75.0,
];

#[test]
fn signed_ranks_are_those_of_scipy() {
    let test = signed_rank(&PLANTS).unwrap();
    assert_eq!(test.statistic, 120.0 - 24.0);
    close(test.p_value, 0.041_259_765_625, 1e-12);
    // With zeros and equal sizes: all 2^7 signs, counted one by one.
    let test = signed_rank(&[0.5, -0.5, 1.0, 1.0, 2.0, -1.0, 3.0, 0.0]).unwrap();
    assert_eq!(test.statistic, 22.5);
    close(test.p_value, 0.203_125, 1e-12);
}

#[test]
fn many_signed_ranks_are_approximated_closely() {
    let differences: Vec<f64> = (1..=100)
        .map(|size| f64::from(size) * if size % 5 < 2 { -1.0 } else { 1.0 })
        .collect();
    let exact = signed_rank(&differences).unwrap();
    let ranks = doubled_ranks(&differences.iter().map(|d| d.abs()).collect::<Vec<_>>());
    let sum = (exact.statistic * 2.0) as usize;
    assert!(exact.is_exact);
    for (tail, exact) in approximate_signed(&ranks, sum)
        .into_iter()
        .zip(exact.p_above_below)
    {
        close(tail, exact, 1e-3);
    }
}

#[test]
fn intervals_are_cut_as_r_cuts_them() {
    // qwilcox(0.025, 10, 5) and qsignrank(0.025, 9) of R.
    assert_eq!(cut_of_u(10, 5, 0.95).rank, 9);
    assert_eq!(cut_of_signed_ranks(9, 0.95).rank, 6);
    // Three and three cannot give 95 %, nor can five pairs.
    assert_eq!(cut_of_u(3, 3, 0.95).rank, 0);
    assert_eq!(cut_of_signed_ranks(5, 0.95).rank, 0);
    let cut = cut_of_u(6, 6, 0.95);
    assert_eq!(cut.rank, 6);
    assert!((0.95..0.97).contains(&cut.coverage), "{cut:?}");
}

#[test]
fn exact_and_approximate_intervals_meet() {
    let exact = cut_of_u(30, 30, 0.95).rank as f64;
    let approximate = approximate_cut(450.0, (900.0f64 * 61.0 / 12.0).sqrt(), 0.95).rank as f64;
    assert!((exact - approximate).abs() <= 1.0, "{exact} {approximate}");
}

#[test]
fn the_normal_distribution_is_that_of_the_tables() {
    for (z, p) in [
        (0.0, 0.5),
        (1.0, 0.841_344_746),
        (1.959_963_985, 0.975),
        (3.0, 0.998_650_102),
    ] {
        close(normal_probability(z), p, 2e-7);
    }
    close(normal_quantile(0.975), 1.959_964, 1e-4);
}

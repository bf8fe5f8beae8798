//! The classes in which fio counts latencies.

/// fio tells classes apart by the 7 highest bits of a latency (`FIO_IO_U_PLAT_BITS` is 6,
/// beside the highest bit): those below this hold one value each.
const SINGLE: u64 = 128;
const BITS: u32 = 6;

/// The class that a value lies in, both ends included. fio tells a class by the value in
/// its middle.
pub(super) fn class_of(value: u64) -> [u64; 2] {
    if value < SINGLE {
        return [value, value];
    }
    let shift = 63 - value.leading_zeros() - BITS;
    let low = (value >> shift) << shift;
    [low, low + ((1 << shift) - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `plat_idx_to_val` of fio's `stat.c`.
    fn value_of(index: u32) -> u64 {
        if index < 128 {
            return index.into();
        }
        let error_bits = (index >> 6) - 1;
        let base = 1_u64 << (error_bits + 6);
        let bucket = f64::from(index % 64);
        #[expect(clippy::cast_possible_truncation, reason = "as fio")]
        let inside = ((bucket + 0.5) * 2f64.powi(error_bits as i32)) as u64;
        base + inside
    }

    #[test]
    fn classes_lie_beside_each_other_and_hold_their_own_values() {
        let mut next = 0;
        for index in 0..1_856 {
            let [low, high] = class_of(value_of(index));
            assert_eq!(low, next, "{index}");
            assert!((low..=high).contains(&value_of(index)));
            next = high + 1;
        }
        assert_eq!(class_of(u64::MAX)[1], u64::MAX);
    }
}

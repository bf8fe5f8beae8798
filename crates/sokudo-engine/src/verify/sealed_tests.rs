//! Sealed blocks: what passes, and that nothing else does.

use proptest::prelude::*;
use sokudo_model::MismatchKind;

use super::{BlockSeal as Seal, Found, PIECE_BYTES, WrongPieces};
use crate::usage::{used_since, used_so_far};

const PIECE: usize = PIECE_BYTES as usize;

fn sealed(number: u64, offset: u64, bytes: usize) -> Vec<u8> {
    let mut buffer = vec![0xA5; bytes];
    Seal::new(number).seal(&mut buffer, offset);
    buffer
}

fn wrong(number: u64, offset: u64, buffer: &[u8]) -> WrongPieces {
    Seal::new(number).judge(buffer, offset).unwrap()
}

#[test]
fn what_is_not_what_was_written_is_told_by_kind_and_place() {
    let at = 7 * PIECE_BYTES;
    let right = sealed(9, at, 4 * PIECE);
    assert_eq!(Seal::new(9).judge(&right, at), None);
    let first = |buffer: &[u8]| {
        let found = wrong(9, at, buffer);
        (found.fault.0, found.range)
    };
    let second = at + PIECE_BYTES..at + 2 * PIECE_BYTES;
    let mut flipped = right.clone();
    flipped[PIECE + 99] ^= 4;
    assert_eq!(first(&flipped), (MismatchKind::Checksum, second.clone()));
    let mut zeros = right.clone();
    zeros[PIECE..2 * PIECE].fill(0);
    assert_eq!(first(&zeros), (MismatchKind::NoHeader, second.clone()));
    let mut swapped = right.clone();
    swapped[PIECE..3 * PIECE].rotate_left(PIECE);
    let both = at + PIECE_BYTES..at + 3 * PIECE_BYTES;
    assert_eq!(first(&swapped), (MismatchKind::WrongOffset, both));
    let mut stale = right.clone();
    stale[PIECE..2 * PIECE].copy_from_slice(&sealed(8, second.start, PIECE));
    assert_eq!(first(&stale), (MismatchKind::Stale, second));
    // A write that was torn: its first sectors are there, the others are of the pass before.
    let mut torn = right.clone();
    torn[512..].copy_from_slice(&sealed(8, at, 4 * PIECE)[512..]);
    let all = at..at + 4 * PIECE_BYTES;
    assert_eq!(first(&torn), (MismatchKind::Checksum, all));
}

#[test]
fn no_flipped_bit_passes() {
    let at = 3 * PIECE_BYTES;
    let mut block = sealed(1, at, PIECE);
    let mut seal = Seal::new(1);
    for bit in 0..PIECE * 8 {
        block[bit / 8] ^= 1 << (bit % 8);
        assert!(seal.judge(&block, at).is_some(), "bit {bit}");
        block[bit / 8] ^= 1 << (bit % 8);
    }
    assert_eq!(seal.judge(&block, at), None);
}

#[test]
fn sectors_of_other_places_do_not_pass() {
    let two = sealed(1, 0, 2 * PIECE);
    for sector in (0..PIECE).step_by(512) {
        let mut mixed = two.clone();
        mixed.copy_within(PIECE + sector..PIECE + sector + 512, sector);
        assert!(Seal::new(1).judge(&mixed, 0).is_some(), "sector {sector}");
    }
}

#[test]
fn a_sector_tells_where_it_belongs_and_nothing_else_looks_like_it() {
    let mut seal = super::Seal::<512>::new(9);
    let mut sector = [0; 512];
    assert_eq!(seal.look(&sector, 0), Found::Nothing);
    seal.seal(&mut sector, 8192 + 512);
    assert_eq!(seal.look(&sector, 8192 + 512), Found::Own);
    assert_eq!(seal.look(&sector, 512), Found::Other(8192 + 512));
    let of_another = super::Seal::<512>::new(8);
    assert_eq!(of_another.look(&sector, 8192 + 512), Found::Nothing);
    sector[511] ^= 1;
    let flipped = seal.look(&sector, 8192 + 512);
    assert_eq!(flipped, Found::Nothing, "a flipped bit");
}

proptest! {
    #[test]
    fn however_it_is_cut_a_device_holds_the_same(
        number in any::<u64>(), start in 0..40u64, sectors in 1..60usize, cut in 0..60usize,
        byte in 0..60 * 512usize, other in 1..=255u8,
    ) {
        let (offset, bytes) = (start * 512, sectors * 512);
        let whole = sealed(number, offset, bytes);
        let cut = cut.min(sectors) * 512;
        let parts = [
            sealed(number, offset, cut),
            sealed(number, offset + cut as u64, bytes - cut),
        ];
        prop_assert_eq!(&parts.concat(), &whole);
        let mut seal = Seal::new(number);
        prop_assert_eq!(seal.judge(&whole, offset), None);
        prop_assert_eq!(seal.judge(&whole[cut..], offset + cut as u64), None);
        let mut damaged = whole.clone();
        let byte = byte % bytes;
        damaged[byte] ^= other;
        let found = seal.judge(&damaged, offset).unwrap();
        prop_assert!(found.range.contains(&(offset + byte as u64)));
        prop_assert!(seal.judge(&whole, offset + 512).is_some());
        prop_assert!(Seal::new(!number).judge(&whole, offset).is_some());
        prop_assert!(seal.judge(&vec![0; bytes], offset).is_some());
    }
}

/// `cargo test --release -p sokudo-engine --lib -- --ignored --nocapture one_thread_seals`.
#[test]
#[ignore = "a figure, not a check"]
fn one_thread_seals_and_checks_so_fast() {
    let mut seal = Seal::new(1);
    let mut buffer = vec![0; 1 << 20];
    let rate = |what: &str, work: &mut dyn FnMut(u64)| {
        let before = used_so_far();
        (0..1_024).for_each(|block| work(block << 20));
        let cpu = used_since(before).0;
        let bytes = f64::from(1 << 30);
        let rate = bytes / (cpu.user.0 + cpu.system.0) as f64;
        println!("{what}: {rate:.2} GB per second of a processor");
    };
    rate("seals", &mut |offset| seal.seal(&mut buffer, offset));
    seal.seal(&mut buffer, 0);
    rate("checks", &mut |_| assert_eq!(seal.judge(&buffer, 0), None));
}

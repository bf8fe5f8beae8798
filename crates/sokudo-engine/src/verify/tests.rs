use proptest::prelude::*;
use sokudo_model::{
    BlockSizes, Bytes, Check, MismatchKind, PatternPart, VerifyOutcome, WriteCheck,
};

use super::{ExpectedBlock, Verifier, VerifyError, check_verify};

pub(super) const CHECKS: [Check; 18] = [
    Check::Md5,
    Check::Crc64,
    Check::Crc32c,
    Check::Crc32,
    Check::Crc16,
    Check::Crc7,
    Check::Xxhash,
    Check::Sha512,
    Check::Sha256,
    Check::Sha1,
    Check::Sha3_224,
    Check::Sha3_256,
    Check::Sha3_384,
    Check::Sha3_512,
    Check::Header,
    Check::PatternHeader,
    Check::Pattern,
    Check::Null,
];

pub(super) fn verify(check: Check) -> WriteCheck {
    let needs_pattern = matches!(check, Check::Pattern | Check::PatternHeader);
    let pattern = vec![PatternPart::Bytes(b"sokudo".to_vec()), PatternPart::Offset];
    with!(
        WriteCheck::of(check),
        pattern = needs_pattern.then_some(pattern)
    )
}

pub(super) fn verifier(verify: &WriteCheck) -> Verifier {
    Verifier::new(verify, 1, vec!["first".to_owned(), "second".to_owned()], 7)
}

const BLOCK: u64 = 4096;

/// A device of a few blocks in memory, written and read as a worker does.
struct Device {
    verifier: Verifier,
    bytes: Vec<u8>,
}

impl Device {
    fn new(verify: &WriteCheck, blocks: u64) -> Self {
        Self {
            verifier: verifier(verify),
            bytes: vec![0; (blocks * BLOCK) as usize],
        }
    }

    fn block(&mut self, index: u64) -> &mut [u8] {
        let start = (index * BLOCK) as usize;
        &mut self.bytes[start..start + BLOCK as usize]
    }

    fn write(&mut self, index: u64) {
        let mut buffer = vec![0xEE; BLOCK as usize];
        let serial = self.verifier.seal(&mut buffer, 0, index * BLOCK);
        self.block(index).copy_from_slice(&buffer);
        self.verifier
            .written(0, index * BLOCK, BLOCK as u32, serial);
    }

    /// A write that the device says it has done, and has not.
    fn lose_write(&mut self, index: u64) {
        let mut buffer = vec![0; BLOCK as usize];
        let serial = self.verifier.seal(&mut buffer, 0, index * BLOCK);
        self.verifier
            .written(0, index * BLOCK, BLOCK as u32, serial);
    }

    fn read_back(mut self) -> VerifyOutcome {
        self.verifier.end_of_pass();
        while let Some(expected) = self.verifier.next() {
            let index = expected.offset / BLOCK;
            let block = self.block(index).to_vec();
            self.verifier.check(&block, expected);
        }
        self.verifier.finish()
    }
}

fn only_fault(outcome: &VerifyOutcome) -> (u64, MismatchKind, String) {
    assert_eq!(outcome.wrong, 1, "{:?}", outcome.mismatches);
    let mismatch = &outcome.mismatches[0];
    (mismatch.offset.0, mismatch.kind, mismatch.detail.clone())
}

/// Those with a sum, those with a header and those with a pattern: the table is in this order.
const SUMS: &[Check] = CHECKS.split_at(14).0;
const HEADERS: &[Check] = CHECKS.split_at(16).0;
const PATTERNS: &[Check] = CHECKS.split_at(17).0.split_at(15).1;

/// Two blocks are written, harmed and read back.
fn harmed(check: Check, harm: impl Fn(&mut Device)) -> VerifyOutcome {
    let mut device = Device::new(&verify(check), 2);
    (0..2).for_each(|index| device.write(index));
    harm(&mut device);
    device.read_back()
}

#[test]
fn what_was_written_is_right() {
    for check in CHECKS {
        let outcome = harmed(check, |_| ());
        let counts = (outcome.checked, outcome.wrong);
        assert_eq!(counts, (2, 0), "{check:?} {outcome:?}");
    }
}

#[test]
fn no_flipped_bit_is_missed() {
    // In the magic number, the header, the sum and the data.
    for byte in [0, 1, 5, 20, 34, 39, 300, 4095] {
        for check in SUMS {
            let outcome = harmed(*check, |device| device.block(1)[byte] ^= 0x10);
            let (offset, kind, detail) = only_fault(&outcome);
            assert_eq!((offset, kind), (BLOCK, MismatchKind::Checksum), "{check:?}");
            for words in ["expected", "found"] {
                assert!(detail.contains(words), "{detail}");
            }
            let named = format!("byte {byte} of the block");
            let is_named = detail.contains(&named) && detail.contains("(1 bits differ)");
            assert!(is_named || byte < 300, "{detail}");
        }
    }
}

/// With which checks, what happens, and what is told of which block.
type Harm = (
    &'static [Check],
    fn(&mut Device),
    &'static [(u64, MismatchKind, &'static str)],
);

/// The second block as another writer would leave it.
fn overwritten(device: &mut Device, check: WriteCheck, number: u32, seed: u64) {
    Verifier::new(&check, number, vec![], seed).seal(device.block(1), 0, BLOCK);
}

const HARMS: [Harm; 10] = [
    (
        HEADERS,
        |device| device.lose_write(1),
        &[(
            1,
            MismatchKind::Stale,
            "holds write 1 of this place, the last was write 2",
        )],
    ),
    (
        &[Check::Md5],
        |device| overwritten(device, verify(Check::Md5), 1, 99),
        &[(1, MismatchKind::Stale, "earlier run")],
    ),
    (
        HEADERS,
        |device| device.bytes.rotate_left(BLOCK as usize),
        &[
            (0, MismatchKind::WrongOffset, "of offset 4096:"),
            (1, MismatchKind::WrongOffset, "of offset 0:"),
        ],
    ),
    // A misdirected write is a wrong offset there and a lost write here.
    (
        &[Check::Sha1],
        |device| {
            let before = device.block(0).to_vec();
            device.write(0);
            device.bytes.rotate_left(BLOCK as usize);
            device.block(0).copy_from_slice(&before);
        },
        &[
            (
                0,
                MismatchKind::Stale,
                "holds write 0 of this place, the last was write 2",
            ),
            (1, MismatchKind::WrongOffset, "of offset 0:"),
        ],
    ),
    (
        HEADERS,
        |device| device.block(1).fill(0),
        &[(1, MismatchKind::NoHeader, "all zeros")],
    ),
    (
        HEADERS,
        |device| device.block(1).fill(0x5A),
        &[(1, MismatchKind::NoHeader, "overwritten")],
    ),
    (
        &[Check::Crc32c],
        |device| overwritten(device, verify(Check::Crc32c), 2, 7),
        &[(1, MismatchKind::WrongJob, "thread 2")],
    ),
    (
        &[Check::Crc32c],
        |device| overwritten(device, verify(Check::Md5), 1, 7),
        &[(1, MismatchKind::WrongJob, "md5, not crc32c")],
    ),
    (
        &[Check::Crc32c],
        |device| {
            let halves = with!(verify(Check::Crc32c), interval = Some(Bytes(2048)));
            overwritten(device, halves, 1, 7);
        },
        &[(1, MismatchKind::Length, "2048 bytes, not 4096")],
    ),
    (
        PATTERNS,
        |device| device.block(1)[777] ^= 0x01,
        &[(1, MismatchKind::Pattern, "byte 777")],
    ),
];

#[test]
fn each_harm_is_told_by_its_kind() {
    for (checks, harm, expected) in HARMS {
        for check in checks {
            let outcome = harmed(*check, harm);
            let mismatches = outcome.mismatches.iter();
            let found: Vec<_> = mismatches
                .map(|it| (it.offset.0 / BLOCK, it.kind))
                .collect();
            let wanted: Vec<_> = expected.iter().map(|(at, kind, _)| (*at, *kind)).collect();
            assert_eq!(found, wanted, "{check:?}");
            assert_eq!(outcome.wrong, found.len() as u64);
            for (mismatch, (.., words)) in outcome.mismatches.iter().zip(expected) {
                assert!(mismatch.detail.contains(words), "{}", mismatch.detail);
            }
        }
    }
}

#[test]
fn a_pattern_holds_the_blocks_offset() {
    let mut verifier = verifier(&verify(Check::Pattern));
    let mut block = vec![0; 32];
    verifier.seal(&mut block, 0, 0x1122);
    assert_eq!(&block[..14], b"sokudo\x22\x11\0\0\0\0\0\0");
    assert_eq!(&block[14..20], b"sokudo");
}

#[test]
fn a_block_overtaken_by_a_write_in_flight_is_not_wrong() {
    let mut device = Device::new(&verify(Check::Crc32c), 1);
    device.write(0);
    device.verifier.end_of_pass();
    let expected = device.verifier.next().unwrap();
    let mut newer = vec![0; BLOCK as usize];
    device.verifier.seal(&mut newer, 0, 0);
    // Half old, half new.
    device.bytes[..2048].copy_from_slice(&newer[..2048]);
    let bytes = device.bytes.clone();
    assert!(device.verifier.check(&bytes, expected));
    assert_eq!(device.verifier.finish().checked, 0);
}

#[test]
fn writes_that_raced_may_leave_either() {
    for last in [0, 1] {
        let mut device = Device::new(&verify(Check::Crc32c), 1);
        let mut buffers = [(); 2].map(|()| vec![0; BLOCK as usize]);
        let serials = [0, 1].map(|index: usize| device.verifier.seal(&mut buffers[index], 0, 0));
        for serial in serials.into_iter().rev() {
            device.verifier.written(0, 0, BLOCK as u32, serial);
        }
        device.block(0).copy_from_slice(&buffers[last]);
        assert_eq!(device.read_back().wrong, 0);
    }
}

#[test]
fn a_backlog_is_read_back_in_batches() {
    let backlog = with!(
        verify(Check::Crc32c),
        backlog = Some(4),
        backlog_batch = Some(3)
    );
    let mut device = Device::new(&backlog, 8);
    let mut read = Vec::new();
    for index in 0..8 {
        assert!(!device.verifier.is_due());
        device.write(index);
        while device.verifier.is_due() {
            let Some(expected) = device.verifier.next() else {
                break;
            };
            let block = device.block(expected.offset / BLOCK).to_vec();
            assert!(device.verifier.check(&block, expected));
            read.push((index, expected.offset / BLOCK));
        }
    }
    assert_eq!(read, [(3, 0), (3, 1), (3, 2), (7, 3), (7, 4), (7, 5)]);
    assert_eq!(device.read_back().checked, 8);
}

#[test]
fn without_reading_back_nothing_is_due() {
    let unread = with!(verify(Check::Md5), read_back = false, backlog = Some(1));
    let mut device = Device::new(&unread, 1);
    device.write(0);
    assert!(!device.verifier.is_due());
    assert_eq!(device.read_back().checked, 0);
}

#[test]
fn what_cannot_be_read_as_a_whole_is_wrong() {
    for length in [0, 10, 100, 4095] {
        let mut device = Device::new(&verify(Check::Sha512), 1);
        device.write(0);
        device.verifier.end_of_pass();
        let expected = device.verifier.next().unwrap();
        let bytes = device.bytes.clone();
        assert!(!device.verifier.check(&bytes[..length], expected));
        let (_, kind, detail) = only_fault(&device.verifier.finish());
        assert_eq!(kind, MismatchKind::Length);
        assert!(
            detail.contains(&format!("only {length} of 4096")),
            "{detail}"
        );
    }
}

#[test]
fn the_first_bad_block_is_fatal_when_asked() {
    let fatal = with!(verify(Check::Md5), fatal = true);
    let mut verifier = verifier(&fatal);
    assert!(!verifier.is_fatal());
    let expected = ExpectedBlock {
        file: 1,
        offset: 0,
        length: 4096,
        serial: None,
    };
    assert!(!verifier.check(&[0; 4096], expected));
    assert!(verifier.is_fatal());
    assert_eq!(verifier.finish().mismatches[0].file, "second");
}

#[test]
fn bad_blocks_are_dumped_as_they_were_and_as_they_should_be() {
    let directory = tempfile::tempdir().unwrap();
    let dump = with!(verify(Check::Crc7), dump = true);
    let mut device = Device::new(&dump, 2);
    device.verifier.dump_to = directory.path().to_owned();
    (0..2).for_each(|index| device.write(index));
    let written = device.block(1).to_vec();
    device.block(1)[99] ^= 1;
    let received = device.block(1).to_vec();
    let (_, _, detail) = only_fault(&device.read_back());
    assert!(detail.contains("first.4096.received"), "{detail}");
    let read = |name: &str| std::fs::read(directory.path().join(name)).unwrap();
    assert_eq!(read("first.4096.received"), received);
    assert_eq!(read("first.4096.expected"), written);
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let blocks = |bytes| BlockSizes::one(Bytes(bytes));
    for check in CHECKS {
        assert_eq!(
            check_verify(&verify(check), &blocks(512)),
            Ok(()),
            "{check:?}"
        );
    }
    let small = check_verify(&verify(Check::Sha512), &blocks(128));
    assert!(matches!(
        small,
        Err(VerifyError::TooSmall { needed: 168, .. })
    ));
    for offset in [1, 43, 500] {
        let moved = with!(verify(Check::Crc32c), offset = Bytes(offset));
        let refused = check_verify(&moved, &blocks(512));
        assert!(
            matches!(refused, Err(VerifyError::Offset { .. })),
            "{offset}"
        );
    }
    let none = with!(verify(Check::Pattern), pattern = None);
    assert_eq!(
        check_verify(&none, &blocks(512)),
        Err(VerifyError::NoPattern)
    );
}

mod many_draws {
    use super::*;
    use sokudo_testing::draws;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(draws(128)))]

        #[test]
        fn any_shape_is_right_until_a_byte_changes(
            check in proptest::sample::select(CHECKS.to_vec()),
            length in 512usize..20_000,
            interval in proptest::option::of(512u64..8192),
            moved in any::<bool>(),
            offset in 0u64..1 << 50,
            at in any::<proptest::sample::Index>(),
            bit in 0u8..8,
        ) {
            let moved_to = if moved { 200 } else { 0 };
            let shape = with!(verify(check), interval = interval.map(Bytes), offset = Bytes(moved_to));
            let mut verifier = verifier(&shape);
            let mut block = vec![0; length];
            let serial = verifier.seal(&mut block, 0, offset);
            let expected = ExpectedBlock { file: 0, offset, length: length as u32, serial: Some(serial) };
            let unknown = ExpectedBlock { serial: None, ..expected };
            prop_assert!(verifier.check(&block, expected));
            prop_assert!(verifier.check(&block, unknown));
            block[at.index(length)] ^= 1 << bit;
            // A header alone says nothing of the data, null nothing at all.
            if !matches!(check, Check::Header | Check::Null) {
                prop_assert!(!verifier.check(&block, expected));
                // Bits of a time that nobody checks are covered by the header's own sum.
                prop_assert!(!verifier.check(&block, unknown));
            }
        }
    }
}

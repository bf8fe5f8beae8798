use super::*;
use crate::sample;
use proptest::prelude::*;

/// A document that this way of packing has made, and what it is. To keep the next way:
/// `SOKUDO_BLESS=1 cargo test -p sokudo-report packed` writes `packed-3.bin` after the
/// name below was changed; older files and their tests stay.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept/packed-2");

#[test]
fn a_document_comes_back_the_same_and_is_small() {
    let document = RunDocument::from_run(&sample::run());
    let packed = document.pack();
    assert_eq!(packed[0], ZSTD_OF_BINARY);
    assert_eq!(RunDocument::unpack(&packed).unwrap(), document);
    let plain = document.pack_json();
    assert_eq!(RunDocument::unpack(&plain).unwrap(), document);
    assert!(
        packed.len() * 2 < plain.len(),
        "{} {}",
        packed.len(),
        plain.len()
    );
}

#[test]
fn figures_that_were_changed_by_hand_are_kept_as_they_are() {
    let mut document = RunDocument::from_run(&sample::run());
    for result in &mut document.results {
        result.fingerprint = "none".to_owned();
        result.histogram.push([1000, 1001, 5]);
        result.trials.truncate(2);
        if let Some(latency) = &mut result.latency_ns {
            latency.p50 = Some(1);
        }
    }
    assert_eq!(RunDocument::unpack(&document.pack()).unwrap(), document);
}

#[test]
fn what_was_packed_by_this_version_is_read_by_later_ones() {
    let (packed, json) = (format!("{KEPT}.bin"), format!("{KEPT}.json"));
    if std::env::var_os("SOKUDO_BLESS").is_some_and(|value| value == "1") {
        let document = RunDocument::from_run(&sample::run());
        std::fs::create_dir_all(std::path::Path::new(KEPT).parent().unwrap()).unwrap();
        std::fs::write(&packed, document.pack()).unwrap();
        std::fs::write(&json, document.to_json()).unwrap();
    }
    let document = RunDocument::unpack(&std::fs::read(packed).unwrap()).unwrap();
    assert_eq!(document.to_json(), std::fs::read_to_string(json).unwrap());
}

#[test]
fn a_newer_way_is_refused_by_its_number() {
    let error = RunDocument::unpack(&[3, 0, 0]).unwrap_err().to_string();
    assert!(error.contains("does not know (3)"), "{error}");
    assert!(RunDocument::unpack(&[]).is_err());
}

#[test]
fn bytes_that_were_changed_or_cut_are_an_error() {
    let document = RunDocument::from_run(&sample::run());
    let packed = document.pack();
    for length in 0..packed.len() {
        assert!(RunDocument::unpack(&packed[..length]).is_err(), "{length}");
    }
    for place in 0..packed.len() {
        let mut changed = packed.clone();
        changed[place] ^= 0x55;
        // What says of itself that it is the same is the same.
        if let Ok(again) = RunDocument::unpack(&changed) {
            assert_eq!(again, document, "{place}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Past the checksum: whatever is inside is read or refused.
    #[test]
    fn contents_that_were_changed_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)
    ) {
        let mut plain = RunDocument::from_run(&sample::run()).to_binary().unwrap();
        for (place, byte) in changes {
            let place = place.index(plain.len());
            plain[place] = byte;
        }
        let _ = RunDocument::of_binary(&plain);
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        way in 0_u8..4,
        bytes in prop::collection::vec(any::<u8>(), 0..512)
    ) {
        let _ = RunDocument::unpack(&[vec![way], bytes].concat());
    }

    #[test]
    fn any_histogram_and_trials_come_back(
        buckets in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 0..20),
        trials in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 0..6),
    ) {
        let mut document = RunDocument::from_run(&sample::run());
        let result = &mut document.results[0];
        result.histogram = buckets.into_iter().map(|(a, b, c)| [a, b, c]).collect();
        let mut trial = result.trials[0].clone();
        result.trials = trials
            .into_iter()
            .map(|(elapsed_ns, bytes, ios)| {
                trial = super::super::TrialDocument { elapsed_ns, bytes, ios, ..trial.clone() };
                trial.clone()
            })
            .collect();
        prop_assert_eq!(RunDocument::unpack(&document.pack()).unwrap(), document);
    }
}

#[test]
fn few_bytes_that_stand_for_many_are_refused_before_they_are_unpacked() {
    let many = vec![b' '; usize::try_from(JSON_BYTES_LEAST).unwrap() + 1];
    let mut packed = vec![ZSTD_OF_JSON];
    packed.extend(zstd::bulk::compress(&many, 1).unwrap());
    assert!(packed.len() < 64 << 10, "{}", packed.len());
    let error = RunDocument::unpack(&packed).unwrap_err().to_string();
    assert!(error.contains("more than any document"), "{error}");
    // Nor where they do not say how many they stand for.
    let mut packed = vec![ZSTD_OF_JSON];
    packed.extend(zstd::encode_all(&many[..], 1).unwrap());
    let error = RunDocument::unpack(&packed).unwrap_err().to_string();
    assert!(error.contains("more than any document"), "{error}");
}

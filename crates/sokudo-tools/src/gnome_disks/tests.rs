use sokudo_model::OperationMix;

use super::*;

macro_rules! corpus {
    ($name:literal) => {
        include_bytes!(concat!(
            "../../corpus/gnome-disks/",
            $name,
            ".gnome-disks-benchmark"
        )) as &[u8]
    };
}

/// Written by GLib 2.74.
const WHOLE: &[u8] = corpus!("_dev_sdb");

fn of(bytes: &[u8]) -> Import {
    read(&mut &bytes[..]).unwrap()
}

#[test]
fn what_glib_wrote_is_a_curve_and_access_times() {
    let import = of(WHOLE);
    assert_eq!(import.left_out, []);
    let run = &import.runs[0];
    assert_eq!(run.target.size, Some(Bytes(500_107_862_016)));
    assert_eq!(run.started_at, Some(Nanos(1_700_000_000_123_456_000)));
    assert_eq!(
        run.method,
        "TRANSFER × 100, TRANSFER × 100, ACCESS 4K × 1000"
    );
    let [read, write, access] = &run.rows[..] else {
        panic!("three rows");
    };
    assert_eq!(
        (
            read.reported.samples.len(),
            write.reported.samples.len(),
            access.reported.samples.len()
        ),
        (100, 100, 1000)
    );
    assert_eq!(read.reported.samples[1].offset, Bytes(5_001_076_736));
    let rate = read.reported.bandwidth.as_ref().unwrap();
    assert_eq!(rate.kind, "mean of 100 places");
    assert!((144e6..146e6).contains(&rate.value), "{rate:?}");
    let first = read.reported.samples[0];
    assert!((184e6..190e6).contains(&(10_485_760.0 / first.elapsed.as_secs_f64())));
    assert_eq!(
        write.workload.operations,
        OperationMix::only(Operation::Write)
    );
    let latency = access.reported.latency.as_ref().unwrap();
    assert!((13e6..15e6).contains(&latency.mean), "{latency:?}");
    assert_eq!(latency.count, Some(1000));
}

#[test]
fn a_cache_of_a_big_endian_machine_is_read_too() {
    let run = &of(corpus!("big-endian")).runs[0];
    assert_eq!(run.target.size, Some(Bytes(500_107_862_016)));
    let sample_counts: Vec<_> = run
        .rows
        .iter()
        .map(|row| row.reported.samples.len())
        .collect();
    assert_eq!(sample_counts, [5, 7]);
}

#[test]
fn impossible_samples_are_left_out_and_told() {
    let mut bytes = corpus!("small").to_vec();
    let start = bytes
        .windows(13)
        .position(|part| part == b"read-samples\0")
        .unwrap();
    let values = (start + 13).next_multiple_of(8) + 8;
    bytes[values..values + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    bytes[values + 16..values + 24].copy_from_slice(&(-1.0_f64).to_le_bytes());
    bytes[values + 32..values + 40].copy_from_slice(&0.0_f64.to_le_bytes());
    let import = of(&bytes);
    assert_eq!(import.runs[0].rows[0].reported.samples.len(), 2);
    assert_eq!(import.left_out.len(), 3);
}

#[test]
fn a_cut_or_damaged_cache_is_refused_and_never_panics() {
    let small = corpus!("small");
    for end in 0..small.len() {
        assert!(read(&mut &small[..end]).is_err(), "{end}");
    }
    for at in 0..small.len() {
        for value in [0, 1, 0x7F, 0xFF] {
            let mut bytes = small.to_vec();
            bytes[at] = value;
            let _ = read(&mut &bytes[..]);
        }
    }
    let error = read(&mut &WHOLE[..300]).unwrap_err().to_string();
    assert!(error.contains("cut off"), "{error}");
}

#[test]
fn a_newer_version_is_refused_by_its_number() {
    let mut bytes = corpus!("small").to_vec();
    bytes[8] = 2;
    let error = read(&mut &bytes[..]).unwrap_err().to_string();
    assert!(error.contains("version"), "{error}");
}

#[test]
fn other_files_are_not_taken_for_it() {
    assert!(recognise(&crate::results::text::decoded(WHOLE)));
    assert!(!recognise("version\0text"));
    assert!(!recognise(""));
}

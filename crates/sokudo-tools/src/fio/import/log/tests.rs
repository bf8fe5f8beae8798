use super::*;

macro_rules! corpus {
    ($name:literal) => {
        include_str!(concat!("../../../../corpus/fio-log/", $name))
    };
}

fn rows_of(name: &str, text: &str) -> Vec<ImportedRow> {
    assert!(recognise(text));
    let import = read(name, text).unwrap();
    assert_eq!(import.left_out, []);
    import.runs.into_iter().next().unwrap().rows
}

/// Of an issue of fio's (410).
#[test]
fn intervals_have_a_mean_for_each_direction() {
    let name = "consecoffsetlog_iops.1.log";
    let rows = rows_of(name, corpus!("consecoffsetlog_iops.1.log"));
    let found: Vec<_> = rows
        .iter()
        .map(|row| {
            let iops = row.reported.iops.as_ref().unwrap();
            (iops.value, iops.min, iops.max, iops.kind.english())
        })
        .collect();
    let of = |mean, min, max| (mean, Some(min), Some(max), "mean of 5 intervals".to_owned());
    assert_eq!(found, [of(4.6, 3.0, 6.0), of(5.2, 4.0, 7.0)]);
    assert!(rows.iter().all(|row| row.reported.bandwidth.is_none()));
    // Bandwidth is in KiB/s.
    let bandwidth = |text| rows_of("agg-read_bw.log", text)[0].reported.clone();
    let rate = bandwidth("500, 2048, 0, 0\n").bandwidth.unwrap();
    assert_eq!(
        (rate.value, rate.kind.english()),
        (2_097_152.0, String::new())
    );
    // Of lines of several jobs the mean is that of one.
    let shared = read("job_bw.log", "500, 2048, 0, 0\n").unwrap_err();
    assert!(shared.to_string().contains("per_job_logs=0"), "{shared}");
}

#[test]
fn single_ios_are_counted_and_their_latencies_summed_up() {
    let rows = rows_of("test1_lat.1.log", corpus!("test1_lat.1.log"));
    let reported = &rows[0].reported;
    let latency = reported.latency.as_ref().unwrap();
    assert_eq!(
        (latency.count, latency.min),
        (Some(12), Some(2_879_305_155.0))
    );
    assert_eq!(latency.max, Some(6_096_796_925.0));
    assert_eq!(latency.percentiles[0], (50.0, 4_308_587_707.0));
    let seconds = (13_650.0 - 5_731.0) / 1e3;
    let iops = reported.iops.as_ref().unwrap();
    assert_eq!(iops.value, 11.0 / seconds);
    assert_eq!(iops.kind, "counted from 12 logged I/Os");
    assert_eq!(rows[0].workload.blocks.single(), Some(Bytes::mib(4)));
    // The value 1 of each I/O is no rate.
    let rows = rows_of("single_iops.1.log", corpus!("single_iops.1.log"));
    assert_eq!(rows[0].reported.iops.as_ref().unwrap().value, 5.0 / 0.901);
}

#[test]
fn a_log_whose_name_does_not_tell_its_kind_is_refused_with_the_way_out() {
    let text = corpus!("single_iops.1.log");
    for name in ["-", "results.txt", "single.1.log", "a_hist.log"] {
        let error = read(name, text).unwrap_err().to_string();
        assert!(error.contains("JOB_bw.1.log"), "{name}: {error}");
    }
    assert_eq!(
        LogKind::of("a_b_slat.12.log"),
        Some(("a_b", LogKind::Submission))
    );
    let mut broken = text.to_owned();
    broken.push_str("1202, 1, 7, 4096\n");
    let import = read("x_iops.log", &broken).unwrap();
    assert_eq!(import.left_out[0].line, Some(12));
}

#[test]
fn other_lists_of_numbers_are_not_taken_for_a_log() {
    for text in [
        "",
        "1,2,1,4\n",
        "1, 2, 3\n",
        "1, 2, 9, 4096\n",
        "a, 1, 0, 0\n",
    ] {
        assert!(!recognise(text), "{text}");
    }
    assert!(recognise("0, 82732, 1, 4096, 0\n"));
    assert!(recognise("0, 82732, 1, 4096, 0, 0x0000\n"));
}

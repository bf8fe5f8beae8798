use sokudo_model::{Nanos, PlanPart};

use super::gathered::ROWS_MAX;
use super::*;

fn read_file(name: &str) -> Import {
    let path = format!("{}/corpus/fio/{name}", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::File::open(path).unwrap();
    crate::read(name, std::io::BufReader::new(file)).unwrap()
}

fn rows(import: &Import) -> Vec<String> {
    let rows = import.runs.iter().flat_map(|run| &run.rows);
    rows.map(|row| {
        let direction = row.workload.operations.direction();
        format!("{} {direction}", row.workload.name)
    })
    .collect()
}

#[test]
fn every_form_of_one_fio_tells_the_same_jobs() {
    for (name, format) in [
        ("normal.txt", "fio text"),
        ("terse3.txt", "fio terse"),
        ("json.json", "fio json"),
        ("json+.json", "fio json+"),
    ] {
        let import = read_file(name);
        assert_eq!(
            rows(&import),
            ["seq read", "mix read", "mix write"],
            "{name}"
        );
        assert_eq!(import.left_out, [], "{name}");
        let run = &import.runs[0];
        assert_eq!(
            (&*run.origin.format, run.origin.version.as_deref()),
            (format, Some("3.33"))
        );
        for row in &run.rows {
            let bandwidth = row.reported.bandwidth.as_ref().unwrap().value;
            let ios = row.reported.iops.as_ref().unwrap().value;
            let block = if row.workload.name == "seq" {
                1_048_576.0
            } else {
                4_096.0
            };
            assert!(
                (bandwidth / ios / block - 1.0).abs() < 0.01,
                "{name}: {bandwidth} {ios}"
            );
            let latency = row.reported.latency.as_ref().unwrap();
            assert!(latency.min.unwrap() <= latency.mean && latency.mean <= latency.max.unwrap());
            assert_eq!(latency.percentiles.len(), 17);
        }
    }
}

#[test]
fn a_json_tells_the_options_the_mix_and_the_time() {
    let import = read_file("json+.json");
    let run = &import.runs[0];
    assert_eq!(run.target.name, "f.dat");
    assert!(run.started_at.unwrap() > Nanos(1_700_000_000_000_000_000));
    let mix = &run.rows[1];
    assert_eq!(mix.reported.mix, sokudo_model::OperationMix::read_write(70));
    assert!(!mix.reported.unknown.contains(&PlanPart::Depth));
    let counted: u64 = mix.reported.histogram.iter().map(|class| class[2]).sum();
    assert_eq!(Some(counted), mix.reported.latency.as_ref().unwrap().count);
}

#[test]
fn a_mixture_of_forms_and_warnings_is_read_once() {
    let import = read_file("json,normal.txt");
    assert_eq!(rows(&import), ["a read"]);
    let row = &import.runs[0].rows[0];
    assert_eq!(import.runs[0].origin.format, "fio json");
    assert_eq!(row.workload.threads, 3);
}

#[test]
fn terse_lines_of_all_versions_hold_the_same() {
    for version in [2, 4, 5] {
        let import = read_file(&format!("terse{version}.txt"));
        assert_eq!(rows(&import), ["a read"], "{version}");
        let row = &import.runs[0].rows[0];
        let latency = row.reported.latency.as_ref().unwrap();
        assert!(
            (40_000.0..50_000.0).contains(&latency.min.unwrap()),
            "{version}"
        );
        assert!(row.reported.unknown.contains(&PlanPart::Depth));
    }
}

#[test]
fn an_old_text_calls_kibibytes_kilobytes() {
    let text = "old: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=32\n\
                fio-2.2.10\n\
                old: (groupid=0, jobs=4): err= 0: pid=7: Thu Jan  7 10:11:12 2016\n  \
                read : io=10240MB, bw=63317KB/s, iops=15829, runt=165607msec\n    \
                clat (usec): min=11, max=82k, avg=252.40, stdev=99.01\n";
    let import = crate::read("old", text.as_bytes()).unwrap();
    let run = &import.runs[0];
    let row = &run.rows[0];
    assert_eq!(
        row.reported.bandwidth.as_ref().unwrap().value,
        63_317.0 * 1_024.0
    );
    assert_eq!(row.reported.latency.as_ref().unwrap().max, Some(82e6));
    assert_eq!((row.workload.depth, row.workload.threads), (32, 4));
    assert!(
        run.origin.corrections[0]
            .what
            .english()
            .contains("63317KB/s are 64.8 MB/s")
    );
    assert_eq!(run.started_at, Some(Nanos(1_452_161_472_000_000_000)));
}

#[test]
fn what_is_too_much_is_told() {
    let job = r#"{"jobname":"j","read":{"bw":1,"iops":1,"total_ios":1,"clat_ns":{"mean":5,"bins":{"1":1}}}}"#;
    let jobs = vec![job; ROWS_MAX + 2].join(",");
    let text = format!("{{\"fio version\":\"fio-3.33\",\"jobs\":[{jobs}]}}");
    let import = crate::read("many", text.as_bytes()).unwrap();
    assert_eq!(import.runs[0].rows.len(), ROWS_MAX);
    assert!(import.left_out[0].why.english().contains("10000 rows"));
}

#[test]
fn figures_that_are_none_are_missing() {
    let text = r#"{"fio version":"fio-3.33","jobs":[{"jobname":"\u001b[31mred","read":
        {"bw":-5,"iops":"12","total_ios":1e400}}, {"jobname": 5, "read": {"bw_bytes": 1e300,
        "iops": 3, "clat_ns": {"mean": 7, "percentile": {"101": 3, "50": -2, "x": 1}}}}]}"#;
    let import = crate::read("odd", text.replace("1e400", "1").as_bytes()).unwrap();
    let rows = &import.runs[0].rows;
    assert_eq!(
        (rows[0].reported.bandwidth.as_ref(), &*rows[0].workload.name),
        (None, "[31mred")
    );
    assert_eq!(rows[1].reported.latency.as_ref().unwrap().percentiles, []);
}

/// A file proves nothing, so that what sokudo thought of it is told and no more.
#[test]
fn sokudos_own_fio_is_named_with_the_worst_of_its_verdicts() {
    let read = |verdicts: &str| {
        let text = format!(
            r#"{{"fio version":"fio-3.33","jobs":[{{"jobname":"j","read":{{"bw":1,"iops":1}}}}],
            "sokudo":{{"version":"0.1.0","verdicts":[{verdicts}],"findings":[]}}}}"#
        );
        let import = crate::read("own", text.as_bytes()).unwrap();
        import.runs[0].origin.clone()
    };
    let good = r#"{"jobname":"j","verdict":"VERIFIED"}"#;
    let origin = read(good);
    assert_eq!(origin.measurer(), "sokudo fio 0.1.0");
    assert_eq!(origin.remarks, ["sokudo said VERIFIED when it measured"]);
    for worse in [r#"{"verdict":"UNVERIFIED"}"#, r#"{"verdict":null}"#, "{}"] {
        let remarks = read(&format!("{good},{worse}")).remarks;
        assert_eq!(remarks, ["sokudo said UNVERIFIED when it measured"]);
    }
    assert_eq!(read("").remarks.len(), 0);
}

mod many_draws {
    use sokudo_testing::draws;

    #[test]
    fn several_texts_in_one_file_are_several_runs_and_what_is_cut_off_is_told() {
        let path = format!("{}/corpus/fio/json.json", env!("CARGO_MANIFEST_DIR"));
        let one = std::fs::read_to_string(path).unwrap();
        let text = format!("fio: warning\n{one}\n{one}\n{}", &one[..one.len() / 2]);
        let import = crate::read("several", text.as_bytes()).unwrap();
        assert_eq!(import.runs.len(), 3, "the third had its first job");
        assert_eq!(import.runs[2].rows.len(), 1);
        assert_eq!(import.left_out.len(), 1);
        assert_eq!(import.left_out[0].why, "the JSON is cut off");
        for cut in (0..one.len()).step_by((one.len() / draws(300) as usize).max(1)) {
            // Whatever is missing: no panic, and no figure that was not there.
            if let Ok(import) = crate::read("cut", &one.as_bytes()[..cut]) {
                assert!(import.runs.iter().map(|run| run.rows.len()).sum::<usize>() <= 3);
            }
        }
    }
}

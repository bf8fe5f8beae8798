use super::*;
use crate::sample;
use sokudo_model::{Bytes, Operation, OperationMix};

#[test]
fn a_document_reads_back_to_the_same_document_and_the_same_text() {
    for run in sample::all_shapes() {
        let mut document = RunDocument::from_run(&run);
        // Its sentences are read as names.
        document.disk_assessment = None;
        let text = document.to_json();
        let read = RunDocument::from_json(&text).unwrap();
        assert_eq!(read, document);
        assert_eq!(read.to_json(), text);
        assert!(text.ends_with("}\n"));
    }
}

#[test]
fn the_schema_refuses_what_is_no_run() {
    let validator = crate::kept_schema::validator("sokudo.run-1");
    let text = RunDocument::from_run(&sample::run()).to_json();
    let good: serde_json::Value = serde_json::from_str(&text).unwrap();
    let spoiled = |spoil: &dyn Fn(&mut serde_json::Value)| {
        let mut value = good.clone();
        spoil(&mut value);
        !validator.is_valid(&value)
    };
    assert!(validator.is_valid(&good));
    assert!(spoiled(&|value| value["schema"] = "sokudo.run/2".into()));
    assert!(spoiled(
        &|value| value["figures"][0]["verdict"] = "GOOD".into()
    ));
    assert!(spoiled(
        &|value| value["rows"][0]["trials"][0]["outcome"]["stopped"] = "bored".into()
    ));
    assert!(spoiled(
        &|value| value["figures"][0]["latency_ns"]["p50"] = "fast".into()
    ));
    assert!(spoiled(&|value| {
        value.as_object_mut().unwrap().remove("fingerprint");
    }));
}

#[test]
fn bytes_are_ios_times_block() {
    let document = RunDocument::from_run(&sample::run());
    for result in &document.results {
        let block = result.workload.blocks.single().unwrap().0;
        let bandwidth = &result.bandwidth_bytes_per_s.as_ref().unwrap().bytes_per_s;
        let iops = result.iops.as_ref().unwrap();
        assert!((bandwidth.median / iops.median / block as f64 - 1.0).abs() < 1e-12);
        for trial in &result.trials {
            assert_eq!(trial.bytes, trial.ios * block);
        }
        let ios: u64 = result.trials.iter().map(|trial| trial.ios).sum();
        assert_eq!(result.latency_ns.as_ref().unwrap().count, Some(ios));
        assert_eq!(
            result.histogram.iter().map(|bucket| bucket[2]).sum::<u64>(),
            ios
        );
    }
}

#[test]
fn a_mix_is_the_total_of_its_shares() {
    let document = sample::document("crystal");
    let mix = document.results.last().unwrap();
    let shares = mix.shares.as_ref().unwrap();
    let of = |operation| shares[&operation].bandwidth_bytes_per_s.as_ref().unwrap();
    let (read, write) = (of(Operation::Read), of(Operation::Write));
    let total = &mix.bandwidth_bytes_per_s.as_ref().unwrap().bytes_per_s;
    for ((read, write), total) in read
        .bytes_per_s
        .trials
        .iter()
        .zip(&write.bytes_per_s.trials)
        .zip(&total.trials)
    {
        assert!(((read + write) / total - 1.0).abs() < 1e-12);
    }
    assert_eq!(mix.direction, Direction::Mix);
    assert_eq!(
        (
            shares[&Operation::Read].percent,
            shares[&Operation::Write].percent
        ),
        (70, 30)
    );
    let count = |operation: Operation| {
        shares[&operation]
            .latency_ns
            .as_ref()
            .unwrap()
            .count
            .unwrap()
    };
    assert_eq!(
        mix.latency_ns.as_ref().unwrap().count.unwrap(),
        count(Operation::Read) + count(Operation::Write)
    );
    assert!(document.results[0].shares.is_none());
}

#[test]
fn flushes_are_no_ios_of_a_write_row_and_the_work_of_a_flush_row() {
    let mut run = sample::run();
    let write = &mut run.rows[1];
    let mut flushes = write.trials[0].outcome.operations[0].clone();
    let writes = flushes.ios;
    flushes.operation = Operation::Flush;
    flushes.bytes = Bytes(0);
    write.trials[0].outcome.operations.push(flushes.clone());
    let result = &RunDocument::from_run(&run).results[1];
    assert_eq!(result.trials[0].ios, writes);
    assert_eq!(
        result.flush_latency_ns.as_ref().unwrap().count,
        Some(writes)
    );

    let only = &mut run.rows[1];
    only.workload.operations = OperationMix::only(Operation::Flush);
    only.trials.truncate(1);
    only.trials[0].outcome.operations = vec![flushes];
    let result = &RunDocument::from_run(&run).results[1];
    assert_eq!(
        (result.direction, result.trials[0].ios),
        (Direction::Flush, writes)
    );
    assert_eq!(result.flush_latency_ns, None);
    assert!(result.iops.is_some());
}

#[test]
fn counters_that_one_trial_lacks_are_not_summed() {
    let mut run = sample::run();
    run.rows[0].trials[3].evidence.device = None;
    run.rows[0].trials[2].outcome.cpu = None;
    let document = RunDocument::from_run(&run);
    assert_eq!(
        (document.results[0].device, document.results[0].cpu),
        (None, None)
    );
    assert!(document.results[1].device.is_some());
}

#[test]
fn what_cannot_be_read_is_refused_with_the_way_out() {
    let error = |text: &str| RunDocument::from_json(text).unwrap_err().to_string();
    let whole = RunDocument::from_run(&sample::run()).to_json();
    assert!(error("").starts_with("is not valid JSON"), "{}", error(""));
    assert!(error(&whole[..whole.len() / 2]).starts_with("is not valid JSON"));
    assert!(
        error("[1]").starts_with("is not a run of sokudo"),
        "{}",
        error("[1]")
    );
    assert!(error("{}").starts_with("is not a run of sokudo"));
    assert!(error(r#"{"schema": "fio/3"}"#).contains("\"fio/3\""));
    assert!(error(r#"{"schema": "sokudo.run/0"}"#).starts_with("is not a run of sokudo"));
    assert!(error(r#"{"schema": "sokudo.run/2"}"#).starts_with("is sokudo.run/2, which comes"));
    let cut = error(r#"{"schema": "sokudo.run/1"}"#);
    assert!(
        cut.contains("sokudo_version") && cut.contains("original"),
        "{cut}"
    );
}

#[test]
fn more_values_than_a_run_has_are_refused_before_they_are_read() {
    let text = format!(
        "{{\"schema\":\"sokudo.run/1\",\"notes\":[{}0]}}",
        "0,".repeat(16_000_000)
    );
    let error = RunDocument::from_json(&text).unwrap_err();
    assert!(matches!(error, ReadDocumentError::TooLarge), "{error}");
}

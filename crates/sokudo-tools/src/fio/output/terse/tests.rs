use sokudo_model::Operation;

use crate::fio::output::sample::{Sample, installed_fio};

use super::*;

fn lines(sample: &Sample) -> Vec<String> {
    terse(&sample.report()).lines().map(str::to_owned).collect()
}

/// What a field is made of: digits become 9, so that `12.5%` is `99.9%`.
fn kind(field: &str) -> String {
    let digits: String = field
        .chars()
        .map(|c| if c.is_ascii_digit() { '9' } else { c })
        .collect();
    let mut kind = digits.clone();
    while kind.contains("99") {
        kind = kind.replace("99", "9");
    }
    kind
}

#[test]
fn fields_have_the_number_the_places_and_the_form_of_fio() {
    for version in [2u8, 3, 4, 5] {
        let mut sample = Sample::new(&["a"]);
        sample.session.output.terse_version = version;
        sample.session.jobs[0].description = Some("what it is".into());
        let ours = terse(&sample.report());
        let version = format!("--terse-version={version}");
        let Some(theirs) = installed_fio(&[
            "--output-format=terse",
            &version,
            "--name=a",
            "--ioengine=null",
            "--size=4m",
            "--rw=randrw",
            "--description=what it is",
        ]) else {
            return;
        };
        let kinds = |text: &str| text.split(';').map(kind).collect::<Vec<_>>();
        for (number, (ours, theirs)) in kinds(&ours).iter().zip(kinds(&theirs)).enumerate() {
            // Percentages and decimals differ in their digits only.
            assert_eq!(*ours, theirs, "field {} of {version}", number + 1);
        }
        assert_eq!(kinds(&ours).len(), kinds(&theirs).len(), "{version}");
    }
}

#[test]
fn scripts_find_what_they_look_for() {
    // Document 000: awk -F ';' '{print $3, ($7+$48) / 1000 }'.
    let mut sample = Sample::new(&["seq"]);
    let outcome = sample.outcome(0);
    outcome.elapsed = sokudo_model::Nanos::from_secs(2);
    for tally in &mut outcome.operations {
        tally.elapsed = sokudo_model::Nanos::from_secs(2);
    }
    let line = lines(&sample).remove(0);
    let fields: Vec<&str> = line.split(';').collect();
    let field = |number: usize| fields[number - 1];
    assert_eq!(field(3), "seq");
    assert_eq!(
        (field(7), field(48)),
        ("4000", "2000"),
        "KiB/s of reads and writes"
    );
    assert_eq!((field(8), field(49)), ("1000", "500"), "their IOPS");
    assert_eq!(field(5), "0");
    assert_eq!(field(88), "10.000000%");
    assert_eq!(fields.len(), 121);
}

#[test]
fn devices_and_the_description_come_last() {
    let mut sample = Sample::new(&["a;b"]);
    sample.session.jobs[0].description = Some("the end".into());
    sample.disks = vec![DiskUse {
        name: "sda".into(),
        ios: [1, 2],
        merges: [3, 4],
        ticks: [5, 6],
        in_queue: 7,
        busy: 500,
        elapsed: 1_000,
        parts: vec![],
    }];
    let line = lines(&sample).remove(0);
    assert!(
        line.ends_with(";sda;1;2;3;4;5;6;7;50.00%;the end"),
        "{line}"
    );
    assert!(line.starts_with("3;fio-3.33;a_b;0;0;"));
}

#[test]
fn one_direction_alone_leaves_the_other_empty() {
    let mut sample = Sample::new(&["a"]);
    sample
        .outcome(0)
        .operations
        .retain(|tally| tally.operation == Operation::Write);
    let line = lines(&sample).remove(0);
    let fields: Vec<&str> = line.split(';').collect();
    assert_eq!(fields[5..9], ["0", "0", "0", "0"]);
    assert_eq!(fields[46], "4000");
}

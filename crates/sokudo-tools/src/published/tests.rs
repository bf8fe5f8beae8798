use sokudo_model::{Bytes, DirectMode, Operation, OperationMix, PlanPart};

use super::*;

const HEADER: &str = "document,tool,method,target,metric,unit,value,note\n";

fn of_text(text: &str) -> Import {
    read(text).unwrap()
}

fn five_documents() -> Import {
    of_text(include_str!("../../corpus/published/five-documents.csv"))
}

fn run<'import>(
    import: &'import Import,
    tool: &str,
    method: &str,
    target: &str,
) -> &'import ImportedRun {
    let is_it = |run: &&ImportedRun| {
        run.origin.tool == tool && run.method == method && run.target.name == target
    };
    import.runs.iter().find(is_it).unwrap()
}

#[test]
fn every_published_figure_has_its_place() {
    let import = five_documents();
    assert_eq!(import.left_out, []);
    let figures = |row: &ImportedRow| {
        let rates = [&row.reported.bandwidth, &row.reported.iops]
            .into_iter()
            .flatten();
        let rates: usize = rates.map(|rate| rate.trials.len().max(1)).sum();
        rates + usize::from(row.reported.latency.is_some()) + row.reported.others.len()
    };
    let all: usize = import
        .runs
        .iter()
        .flat_map(|run| &run.rows)
        .map(figures)
        .sum();
    assert_eq!(all, 156);
}

#[test]
fn a_table_of_two_units_is_one_row_of_both() {
    let import = five_documents();
    let raid = run(&import, "fio", "direct", "RAID5 ext3");
    assert_eq!(raid.target.file_system.as_deref(), Some("ext3"));
    assert_eq!(raid.rows.len(), 8);
    let row = &raid.rows[6];
    assert_eq!(row.workload.name, "Random read 4K x32");
    assert_eq!(
        (row.workload.threads, row.workload.direct),
        (32, DirectMode::On)
    );
    assert_eq!(row.workload.blocks.single(), Some(Bytes::kib(4)));
    assert_eq!(
        row.reported.bandwidth.as_ref().unwrap().value,
        2812.0 * 1024.0
    );
    assert_eq!(row.reported.iops.as_ref().unwrap().value, 704.0);
    assert!(row.reported.unknown.contains(&PlanPart::Depth));
    assert!(!row.reported.unknown.contains(&PlanPart::Threads));
}

#[test]
fn a_crystaldiskmark_row_is_named_without_its_direction() {
    let import = five_documents();
    let fio = run(&import, "fio", "1 GiB runtime 60 n=1, Hyper-V", "SG");
    assert_eq!(fio.origin.version.as_deref(), Some("3.28"));
    assert_eq!(fio.origin.document.as_deref(), Some("000_a0a536936bcfe81f"));
    let names: Vec<_> = fio
        .rows
        .iter()
        .map(|row| row.workload.name.as_str())
        .collect();
    assert_eq!(names[..3], ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1"]);
    assert_eq!(
        fio.rows[4].workload.operations,
        OperationMix::only(Operation::Write)
    );
    assert_eq!(
        fio.rows[0].reported.bandwidth,
        Some(row::rate(174.21e6, ""))
    );
}

#[test]
fn known_wrong_units_are_put_right_and_it_is_said() {
    let import = five_documents();
    let hdparm = run(&import, "hdparm", "-t n=10", "SG");
    let bandwidth = hdparm.rows[0].reported.bandwidth.as_ref().unwrap();
    assert_eq!(bandwidth.value, 177.4 * 1_048_576.0);
    assert_eq!(bandwidth.kind, "mean of 10 runs");
    assert_eq!(hdparm.rows[0].reported.others[0].name, "range");
    assert_eq!(
        hdparm.origin.corrections[0].what,
        "every \"MB/s\": 177.4 are 186.0 MB/s, and so on"
    );
    let dd = run(&import, "dd", "1 MiB direct 1000 n=10", "SG");
    assert_eq!(
        dd.rows[0].reported.bandwidth.as_ref().unwrap().value,
        185.6e6
    );
    assert_eq!(dd.origin.corrections, []);
}

#[test]
fn what_a_collector_notes_is_told() {
    let import = five_documents();
    let diskspd = run(&import, "diskspd-for-linux", "1 GiB 5 s n=1", "WD2");
    assert_eq!(
        diskspd.origin.remarks[0],
        "SEQ1M Q8T1 read: not trustworthy: see engines.md"
    );
}

#[test]
fn numbered_targets_are_trials_of_one() {
    let import = five_documents();
    let hdparm = run(&import, "hdparm", "-t", "/dev/hda2");
    let bandwidth = hdparm.rows[0].reported.bandwidth.as_ref().unwrap();
    assert_eq!(bandwidth.trials.len(), 12);
    assert_eq!(bandwidth.trials[0], 222.6 * 1_048_576.0);
    assert_eq!(bandwidth.kind, "median of 12 runs");
}

#[test]
fn times_and_pure_numbers_have_their_places_too() {
    let import = five_documents();
    let gnome = run(&import, "GNOME Disks", "1000 samples n=10", "SG");
    assert_eq!(
        gnome.rows[0].reported.latency,
        Some(row::latency(16.1 * 1e6))
    );
    let text = format!("{HEADER}d,t,m,x,cpu usage,%,7.5,\n");
    assert_eq!(
        of_text(&text).runs[0].rows[0].reported.others,
        [row::figure("cpu usage", "%", 7.5)]
    );
}

#[test]
fn a_line_that_cannot_be_used_is_named_and_the_others_are_read() {
    let text = format!(
        "{HEADER}d,t,m,x,read,MB/s,1e999,\nd,t,m,x,read,MB/s,7,\nd,t,m,x,read,MB/s,8,\nd,t\n"
    );
    let import = of_text(&text);
    assert_eq!(import.runs.len(), 1);
    let lines: Vec<_> = import.left_out.iter().map(|part| part.line).collect();
    assert_eq!(lines, [Some(2), Some(4), Some(5)]);
    assert!(import.left_out[1].why.english().contains("given twice"));
}

#[test]
fn a_file_without_a_figure_is_broken() {
    let error = read(HEADER).unwrap_err().to_string();
    assert_eq!(
        error,
        "looks like published results (CSV), but no line follows the first"
    );
}

#[test]
fn other_tables_are_not_taken_for_it() {
    assert!(recognise(HEADER));
    assert!(recognise(
        "document,tool,method,target,metric,unit,value\r\n"
    ));
    assert!(!recognise("document,tool,method\n"));
    assert!(!recognise(
        "document,tool,method,target,metric,unit,value,other\n"
    ));
}

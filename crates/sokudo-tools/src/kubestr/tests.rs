use super::*;

macro_rules! corpus {
    ($name:literal) => {
        include_str!(concat!("../../corpus/kubestr/", $name, ".txt"))
    };
}

fn run_of(text: &str) -> ImportedRun {
    assert!(recognise(text));
    let import = read(text).unwrap();
    assert_eq!(import.left_out, []);
    import.runs.into_iter().next().unwrap()
}

#[test]
fn a_job_is_a_row_with_the_extremes_of_its_samples() {
    let run = run_of(corpus!("local-path"));
    assert_eq!(run.target.name, "local-path");
    assert_eq!(run.origin.version.as_deref(), Some("3.20"));
    let names: Vec<_> = run.rows.iter().map(|row| &*row.workload.name).collect();
    assert_eq!(names, ["read_iops", "write_iops", "read_bw", "write_bw"]);
    let row = &run.rows[3];
    assert_eq!(row.workload.blocks.single(), Some(Bytes::kib(128)));
    assert_eq!((row.workload.order, row.workload.depth), (RANDOM, 64));
    let bandwidth = row.reported.bandwidth.as_ref().unwrap();
    assert_eq!(bandwidth.value, 57_573.0 * 1_024.0);
    assert_eq!(bandwidth.min, Some(43_008.0 * 1_024.0));
    let iops = row.reported.iops.as_ref().unwrap();
    assert_eq!((iops.value, iops.max), (445.627_716, Some(544.0)));
    assert!(row.reported.unknown.contains(&PlanPart::Threads));
    assert_eq!(run_of(corpus!("nfs")).rows.len(), 2);
}

#[test]
fn what_a_file_of_its_own_does_not_tell_is_unknown() {
    let row = &run_of(corpus!("own-file")).rows[0];
    for part in [PlanPart::Blocks, PlanPart::Depth, PlanPart::Order] {
        assert!(row.reported.unknown.contains(&part), "{part:?}");
    }
    assert!(row.reported.unknown.contains(&PlanPart::Mix));
    assert!(!row.reported.unknown.contains(&PlanPart::Operations));
}

#[test]
fn rates_without_a_direction_or_a_figure_are_left_out() {
    let text = corpus!("local-path").replacen("read:\n", "\n", 1);
    let import = read(&text).unwrap();
    assert_eq!(
        (import.runs[0].rows.len(), import.left_out[0].line),
        (3, Some(13))
    );
    let text = corpus!("own-file").replace("=81202", "=-1");
    assert!(read(&text).is_err());
    assert!(!recognise("FIO test results:\nIOPS=1\n"));
}

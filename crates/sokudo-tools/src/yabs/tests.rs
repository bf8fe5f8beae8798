use sokudo_model::PlanPart;

use super::*;

macro_rules! corpus {
    ($name:literal) => {
        include_str!(concat!("../../corpus/yabs/", $name))
    };
}

fn run_of(text: &str) -> ImportedRun {
    assert!(recognise(text));
    let import = read(text).unwrap();
    assert_eq!(import.left_out, []);
    import.runs.into_iter().next().unwrap()
}

#[test]
fn rates_of_a_table_are_those_of_its_own_iops() {
    for (text, target) in [
        (corpus!("2020.txt"), ""),
        (corpus!("2024.txt"), "/dev/vda3"),
        (corpus!("example.json"), ""),
    ] {
        let run = run_of(text);
        assert_eq!(run.target.name, target);
        for row in &run.rows {
            let block = row.workload.blocks.single().unwrap().0 as f64;
            let bandwidth = row.reported.bandwidth.as_ref().unwrap().value;
            let iops = row.reported.iops.as_ref().unwrap().value;
            // Three digits of IOPS at most, which are cut off.
            let ratio = bandwidth / (iops * block);
            assert!((0.99..1.06).contains(&ratio), "{ratio} {row:?}");
        }
    }
}

#[test]
fn a_row_has_the_block_the_mix_and_what_the_script_gives_fio() {
    let run = run_of(corpus!("2024.txt"));
    assert_eq!(run.rows.len(), 8);
    let row = &run.rows[1];
    assert_eq!(row.workload.name, "RND64K Q64T2");
    let bandwidth = row.reported.bandwidth.as_ref().unwrap().value;
    assert!((bandwidth - 1.23 * 1.024e9).abs() < 1.0, "{bandwidth}");
    assert_eq!(row.reported.mix, OperationMix::read_write(50));
    assert!(!row.reported.unknown.contains(&PlanPart::Direct));
    assert_eq!(row.reported.others[0].name, "reads and writes together");
    assert_eq!(run.origin.corrections.len(), 1);
    let json = run_of(corpus!("example.json"));
    assert_eq!(json.origin.version.as_deref(), Some("v2022-08-17"));
    let rate = json.rows[0].reported.bandwidth.as_ref().unwrap();
    assert_eq!(rate.value, 165_590.0 * 1_024.0);
    assert_eq!(json.origin.corrections, []);
}

#[test]
fn what_is_no_figure_is_named() {
    let text = corpus!("2024.txt").replace("518.80 MB/s", "518.80 MBit");
    let import = read(&text).unwrap();
    assert_eq!(import.left_out[0].line, Some(11));
    assert_eq!(import.runs[0].rows.len(), 7);
    let json = corpus!("example.json");
    assert!(read(&json[..300]).is_err());
    let json = json.replace(
        "\"bs\": \"4k\"",
        "\"bs\": \"4k\", \"speed_units\": \"MBps\"",
    );
    assert_eq!(read(&json).unwrap().left_out.len(), 3);
}

use super::*;

fn of(text: &str) -> Import {
    assert!(recognise(text));
    read(text).unwrap()
}

fn row<'run>(run: &'run ImportedRun, name: &str) -> &'run ImportedRow {
    run.rows
        .iter()
        .find(|row| row.workload.name == name)
        .unwrap()
}

#[test]
fn a_line_that_version_2_wrote_is_read() {
    let import = of(include_str!("../../../corpus/bonnie/2.00.csv"));
    let run = &import.runs[0];
    assert_eq!(run.origin.version.as_deref(), Some("2.00a"));
    assert_eq!(run.environment.host.as_deref(), Some("vm"));
    assert_eq!(run.method, "size 64M, files 16");
    let names: Vec<_> = run.rows.iter().map(|row| &*row.workload.name).collect();
    assert_eq!(
        names,
        [
            "Per-char write",
            "Per-char read",
            "Sequential create",
            "Random create"
        ]
    );
    let write = row(run, "Per-char write");
    assert_eq!(
        write.reported.bandwidth,
        Some(row::rate(831.0 * 1024.0, ""))
    );
    assert_eq!(
        write.reported.others,
        [
            figure("CPU", "%", 64.0),
            figure("largest latency", "ms", 30.5)
        ]
    );
    let create = row(run, "Sequential create");
    assert_eq!(
        (&create.reported.bandwidth, &create.reported.iops),
        (&None, &Some(row::rate(27_557.0, "")))
    );
    assert_eq!(
        create.reported.others[1],
        figure("largest latency", "ms", 8.121)
    );
    assert!(run.origin.remarks[0].english().contains("Block write"));
    // Of the second line nothing could be measured; the machine's name has a comma.
    assert_eq!(import.left_out[0].line, Some(2));
}

#[test]
fn older_formats_have_fewer_fields() {
    let seven = of(include_str!("../../../corpus/bonnie/with-table.txt"));
    assert_eq!(seven.left_out, []);
    let run = &seven.runs[0];
    assert_eq!(run.origin.format, "Bonnie++ CSV 1.97");
    assert_eq!(row(run, "Rewrite").workload.rewritten_percent(), 100);
    let seeks = row(run, "Seeks");
    assert_eq!(seeks.reported.iops, Some(row::rate(528.7, "")));
    assert_eq!(
        seeks.reported.others[1],
        figure("largest latency", "ms", 190.0)
    );
    let three = of(include_str!("../../../corpus/bonnie/1.03.csv"));
    let run = &three.runs[0];
    assert_eq!((run.rows.len(), &*run.target.name), (10, "nas"));
    let read = row(run, "Block read");
    assert_eq!(
        read.reported.bandwidth,
        Some(row::rate(102_345.0 * 1024.0, ""))
    );
    assert!(read.reported.unknown.contains(&PlanPart::Threads));
}

#[test]
fn a_chunk_and_a_name_with_commas_are_read() {
    let line =
        include_str!("../../../corpus/bonnie/1.03.csv").replace("nas,4G", "rack 3, nas,4G:64k");
    let run = &of(&line).runs[0];
    assert_eq!(run.target.name, "rack 3, nas");
    let write = row(run, "Block write");
    assert_eq!(write.workload.blocks.single(), Some(Bytes::kib(64)));
}

#[test]
fn what_sokudo_writes_in_this_format_is_read_back() {
    let run = &of(include_str!("../../../corpus/bonnie/by-sokudo.csv")).runs[0];
    assert_eq!(run.origin.version.as_deref(), Some("sokudo-0.1.0"));
    let write = row(run, "Per-char write");
    assert_eq!(
        write.reported.bandwidth,
        Some(row::rate(218.0 * 1024.0, ""))
    );
    assert_eq!(run.rows.len(), 1);
}

#[test]
fn impossible_figures_and_cut_lines_are_told() {
    let line = include_str!("../../../corpus/bonnie/1.97.csv");
    let import = of(&format!(
        "{}{}",
        line.replace("283474", &"9".repeat(40)),
        &line[..100]
    ));
    assert_eq!(import.runs[0].rows.len(), 9);
    let lines: Vec<_> = import.left_out.iter().map(|part| part.line).collect();
    assert_eq!(lines, [Some(1), Some(2)]);
    for strange in ["NaN", "-1", "1e9"] {
        assert!(!recognise(&line.replace("283474", strange)), "{strange}");
    }
}

#[test]
fn other_tables_are_not_taken_for_it() {
    let columns = |field: &str| vec![field; 27].join(",");
    for text in ["a,b,c", &columns("1.5"), &columns("x"), &columns("")] {
        assert!(!recognise(text), "{text}");
    }
}

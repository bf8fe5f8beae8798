use sokudo_model::{DirectMode, ImportedRow, OperationMix, PlanPart};

use super::*;

fn of_text(text: &str) -> Import {
    read(text).unwrap()
}

/// dd's end, in the words of a language.
fn end(bytes: u64, copied: &str) -> String {
    format!("1000+0 records in\n1000+0 records out\n{bytes} bytes {copied}\n")
}

fn row_of(text: &str) -> ImportedRow {
    of_text(text).runs.remove(0).rows.remove(0)
}

#[test]
fn the_rate_is_of_bytes_and_seconds() {
    for copied in [
        "(1.0 GB, 1000 MiB) copied, 5.60273 s, 187 MB/s",
        "(1.0 GB) copied, 5.60273 s, 187 MB/s",
        "(1,0 GB, 1000 MiB) kopiert, 5,60273 s, 187 MB/s",
        "(1.0 GB, 1000 MiB) コピーされました、 5.60273 s、 187 MB/s",
        "copied, 5.60273 s, 187 MB/s",
        "transferred in 5.60273 secs (187154415 bytes/sec)",
        "(1000.0MB) copied, 5.60273 seconds, 178.5MB/s",
    ] {
        let row = row_of(&end(1_048_576_000, copied));
        let rate = row.reported.bandwidth.unwrap();
        assert_eq!(rate.value, 1_048_576_000.0 / 5.60273, "{copied}");
        assert_eq!(row.workload.blocks.single(), Some(Bytes::mib(1)));
        assert!(row.reported.unknown.contains(&PlanPart::Operations));
    }
}

#[test]
fn words_may_be_glued_to_numbers_by_spaces_that_do_not_break() {
    let row = row_of(include_str!("../../corpus/dd/dd-fr_FR.txt"));
    assert_eq!(
        row.reported.bandwidth.unwrap().value,
        104_857_600.0 / 0.012_255_2
    );
}

#[test]
fn very_short_copies_have_exponents() {
    let text = "1+0 records in\n1+0 records out\n1 byte copied, 4.726e-05 s, 21.2 kB/s\n";
    assert_eq!(
        row_of(text).reported.bandwidth.unwrap().value,
        1.0 / 4.726e-05
    );
}

#[test]
fn several_copies_are_trials_and_progress_is_none() {
    let copy = end(1_048_576_000, "(1.0 GB, 1000 MiB) copied, 5.6 s, 187 MB/s");
    let progress = "524288000 bytes (524 MB, 500 MiB) copied, 2 s, 262 MB/s\r1048576000 bytes (1.0 GB, 1000 MiB) copied, 5 s, 187 MB/s\n";
    let row = row_of(&format!("{progress}{copy}{progress}{copy}"));
    assert_eq!(row.reported.bandwidth.unwrap().trials.len(), 2);
}

#[test]
fn a_command_line_tells_what_was_done() {
    let import = of_text(include_str!("../../corpus/dd/bsd.txt"));
    let names: Vec<_> = import.runs[0]
        .rows
        .iter()
        .map(|row| row.workload.name.as_str())
        .collect();
    assert_eq!(names, ["write", "read"]);
    assert_eq!(import.runs[0].target.name, "/mnt/t/file");
    let through_cache = &import.runs[0].origin.remarks;
    let of_each = [
        "dd wrote without oflag=direct",
        "dd read without iflag=direct",
    ];
    assert_eq!(through_cache.len(), of_each.len());
    for (remark, words) in through_cache.iter().zip(of_each) {
        assert!(remark.english().starts_with(words), "{remark}");
    }
    let old = of_text(include_str!("../../corpus/dd/old-gnu.txt"));
    let row = &old.runs[0].rows[0];
    assert_eq!(row.workload.name, DIRECT);
    assert_eq!(old.runs[0].origin.remarks, [""; 0]);
    assert_eq!(old.runs[0].target.name, "/dev/sdb");
    assert_eq!(row.workload.direct, DirectMode::On);
    assert_eq!(row.workload.operations, OperationMix::only(Operation::Read));
}

#[test]
fn a_copy_that_waits_for_the_disk_is_not_said_to_be_one_of_memory() {
    let copied = end(1_048_576_000, "copied, 5.6 s, 187 MB/s");
    for (flags, is_remarked) in [
        ("", true),
        ("oflag=nonblock conv=notrunc", true),
        ("oflag=direct", false),
        ("oflag=dsync", false),
        ("conv=notrunc,fdatasync", false),
        ("conv=fsync", false),
    ] {
        let import = of_text(&format!(
            "$ dd if=/dev/zero of=file bs=1M {flags}\n{copied}"
        ));
        let remarks = &import.runs[0].origin.remarks;
        assert_eq!(!remarks.is_empty(), is_remarked, "{flags}: {remarks:?}");
    }
}

#[test]
fn rows_that_quick_has_too_have_its_names() {
    let copied = end(1_048_576_000, "copied, 5.6 s, 187 MB/s");
    for (flags, name) in [
        ("", "write"),
        ("oflag=direct", "direct (dd)"),
        ("oflag=direct,dsync", "write"),
        ("oflag=direct conv=fsync", "write"),
        ("conv=fdatasync", "fdatasync (dd)"),
        ("conv=notrunc,fsync", "fdatasync (dd)"),
    ] {
        let line = format!("$ dd if=/dev/zero of=file bs=1M {flags}\n{copied}");
        assert_eq!(row_of(&line).workload.name, name, "{flags}");
    }
}

#[test]
fn a_disk_copied_to_a_disk_is_neither_read_nor_written() {
    let text = format!(
        "# dd if=/dev/sda of=/dev/sdb bs=1M\n{}",
        end(1_048_576_000, "copied, 5.6 s, 1 MB/s")
    );
    assert!(
        row_of(&text)
            .reported
            .unknown
            .contains(&PlanPart::Operations)
    );
}

#[test]
fn what_is_not_whole_is_left_out_with_its_line() {
    let whole = end(1_048_576_000, "copied, 5.6 s, 187 MB/s");
    let import = of_text(&format!(
        "{whole}5+0 records in\n5+0 records out\n{whole}1+0 records in\n1+0 records out\n9 bytes copied, 0 s, Infinity B/s\n7+0 records in\n"
    ));
    assert_eq!(
        import.runs[0].rows[0]
            .reported
            .bandwidth
            .as_ref()
            .unwrap()
            .trials
            .len(),
        2
    );
    let lines: Vec<_> = import.left_out.iter().map(|part| part.line).collect();
    assert_eq!(lines, [Some(4), Some(11), Some(12)]);
}

/// The loop of an article: `for i in {1..10}; do dd … 2>&1 | grep 'MB/s'; sleep 5; done`.
#[test]
fn last_lines_alone_are_copies() {
    let text = "1048576000 bytes (1.0 GB, 1000 MiB) copied, 5.60273 s, 187 MB/s\n\
                1048576000 bytes (1.0 GB, 1000 MiB) copied, 5.61 s, 187 MB/s\n\
                1048576000 bytes (1.0 GB, 1000 MiB) copied, 6 s, 175 MB/s\n";
    assert!(recognise(text));
    let import = of_text(text);
    let row = &import.runs[0].rows[0];
    let trials = &row.reported.bandwidth.as_ref().unwrap().trials;
    assert_eq!(trials.len(), 3);
    assert_eq!(trials[0], 1_048_576_000.0 / 5.60273);
    assert_eq!(import.left_out, []);
    assert!(row.reported.unknown.contains(&PlanPart::Blocks));
    let import = crate::read("dd.log", text.as_bytes()).unwrap();
    assert_eq!(import.runs[0].origin.tool, "dd");
}

#[test]
fn progress_among_last_lines_is_left_out_and_said() {
    let text = "524288000 bytes (524 MB, 500 MiB) copied, 2 s, 262 MB/s\n\
                1048576000 bytes (1.0 GB, 1000 MiB) copied, 5.60273 s, 187 MB/s\n\
                9 bytes copied, 0 s, Infinity B/s\n";
    let import = of_text(text);
    let rate = |import: &Import| {
        import.runs[0].rows[0]
            .reported
            .bandwidth
            .as_ref()
            .unwrap()
            .value
    };
    assert_eq!(rate(&import), 1_048_576_000.0 / 5.60273, "one copy");
    let lines: Vec<_> = import.left_out.iter().map(|left| left.line).collect();
    assert_eq!(lines, [Some(1), Some(3)]);
    assert!(import.left_out[0].why.english().contains("progress"));
    // Beside copies with records it may be either.
    let whole = end(1_048_576_000, "copied, 5.6 s, 187 MB/s");
    let import = of_text(&format!("{text}{whole}"));
    assert_eq!(rate(&import), 1_048_576_000.0 / 5.6, "the other one");
    assert_eq!(import.left_out.len(), 3);
    assert!(import.left_out[0].why.english().contains("records"));
}

#[test]
fn a_partial_block_leaves_the_size_unknown() {
    let text = "0+1 records in\n0+1 records out\n700 bytes copied, 0.5 s, 1.4 kB/s\n";
    assert!(row_of(text).reported.unknown.contains(&PlanPart::Blocks));
}

#[test]
fn other_texts_are_not_taken_for_it() {
    assert!(recognise(&end(7, "copied, 5.6 s, 187 MB/s")));
    for text in [
        "1+0 records in\n1+0 records out\n",
        "7 bytes copied, 5 s\n",
        "7 (x), 5 s, 1 B/s\n",
        "2+2 is four\n7 x 1\n",
    ] {
        assert!(!recognise(text), "{text}");
    }
    assert!(read("1+0 records in\n1+0 records out\n").is_err());
}

/// GNU dd 9.1 in Ukrainian and Chinese, and old Chinese.
#[test]
fn words_may_stand_before_numbers_or_without_a_blank() {
    let records = "3+0 записів прочитано\n3+0 записів записано\n";
    let ukrainian = "скопійовано 3145728 байтів (3.1 MB, 3.0 MiB), 0.000913713 s, 3.4 GB/s\n";
    let new_records = "输入了 3+0 块记录\n输出了 3+0 块记录\n";
    let old_records = "记录了3+0 的读入\n记录了3+0 的写出\n";
    let old = "3145728字节(3.1 MB)已复制，0.000913713 秒，3.4 GB/秒\n";
    let new = "3145728 字节 (3.1 MB, 3.0 MiB) 已复制，0.000913713 s，3.4 GB/s\n";
    for text in [[records, ukrainian], [new_records, new], [old_records, old]] {
        let text = text.concat();
        assert!(recognise(&text), "{text}");
        let row = row_of(&text);
        let rate = row.reported.bandwidth.unwrap().value;
        assert_eq!(rate, 3_145_728.0 / 0.000_913_713, "{text}");
        assert_eq!(row.workload.blocks.single(), Some(Bytes::mib(1)), "{text}");
    }
    for text in ["x 3+0 records in", "3+0", "3+0,5 records", "a+b c", "+ x"] {
        assert_eq!(super::records(text), None, "{text}");
    }
}

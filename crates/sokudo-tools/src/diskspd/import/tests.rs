use sokudo_model::{Bytes, ImportedRow, Nanos, OperationMix, PlanPart};

use crate::diskspd::output::{profile_text, profile_xml};
use crate::diskspd::session::*;
use crate::results::Import;

fn text_of(name: &str) -> String {
    let folder = if name.ends_with("xml") {
        "diskspd-xml"
    } else {
        "diskspd"
    };
    let path = format!("{}/corpus/{folder}/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn import(name: &str) -> Import {
    crate::read(name, text_of(name).as_bytes()).unwrap()
}

#[test]
fn the_text_of_both_layouts_and_the_xml_tell_the_same() {
    for (name, format) in [
        ("linux-two.txt", "diskspd text"),
        ("windows-two.txt", "diskspd text"),
        ("two.xml", "DiskSpd XML"),
    ] {
        let import = import(name);
        assert_eq!(import.left_out, [], "{name}");
        let [run] = &import.runs[..] else {
            panic!("{name}: {import:?}")
        };
        assert_eq!(run.origin.format, format);
        let [read, write] = &run.rows[..] else {
            panic!("{name}: {run:?}")
        };
        assert_eq!(read.workload.name, "RND4K Q32T4", "{name}");
        assert_eq!(read.reported.mix, OperationMix::read_write(70), "{name}");
        let rate = read.reported.bandwidth.as_ref().unwrap().value;
        assert!((rate / 57_344_000.0 - 1.0).abs() < 0.001, "{name}: {rate}");
        let ios = write.reported.iops.as_ref().unwrap().value;
        assert!((ios / 2_400.0 - 1.0).abs() < 0.001, "{name}: {ios}");
        let latency = write.reported.latency.as_ref().unwrap();
        assert_eq!((latency.mean, latency.min), (250e3, Some(100e3)), "{name}");
        let p99 = latency
            .percentiles
            .iter()
            .find(|(percent, _)| *percent == 99.0);
        assert_eq!(p99, Some(&(99.0, 400e3)), "{name}");
        assert_eq!(run.origin.corrections, [], "{name}");
        assert_eq!(run.target.name, "one, two & <more>");
    }
    let run = &import("windows-two.txt").runs[0];
    assert_eq!(run.environment.host.as_deref(), Some("bench"));
    assert_eq!(run.started_at, Some(Nanos(1_795_226_288_000_000_000)));
}

#[test]
fn the_megabytes_and_the_latency_of_diskspd_for_linux_are_put_right_and_shown() {
    let import = import("linux-broken.txt");
    let run = &import.runs[0];
    assert_eq!(run.origin.tool, "diskspd-for-linux");
    let row = &run.rows[0];
    assert_eq!(
        row.reported.bandwidth.as_ref().unwrap().value,
        31.25 * 1_048_576.0
    );
    assert_eq!(row.reported.latency, None);
    let [unit, latency] = &run.origin.corrections[..] else {
        panic!("{:?}", run.origin.corrections)
    };
    assert!(
        unit.what.english().contains("31.25 are 32.8 MB/s"),
        "{unit:?}"
    );
    assert!(
        latency.what.english().contains("2432.032 s, are left out"),
        "{latency:?}"
    );
}

#[test]
fn a_latency_behind_a_warm_up_is_believed_unless_it_is_longer_than_the_test() {
    let text = text_of("linux-broken.txt").replace("warm up time: 0s", "warm up time: 5s");
    let import = crate::read("broken", text.as_bytes()).unwrap();
    assert_eq!(import.runs[0].rows[0].reported.latency, None);
    let text = text
        .replace("2432032.000", "12.000")
        .replace("2432027.000", "11.000");
    let import = crate::read("whole", text.as_bytes()).unwrap();
    let latency = import.runs[0].rows[0].reported.latency.as_ref().unwrap();
    assert_eq!(latency.max, Some(12e6));
}

#[test]
fn what_repeats_blocks_is_remarked() {
    let text = text_of("linux-broken.txt").replace(
        "using random I/O (alignment: 4096)",
        "using sequential I/O (stride: 4096)",
    );
    let import = crate::read("sequential", text.as_bytes()).unwrap();
    assert!(
        import.runs[0].origin.remarks[0]
            .english()
            .contains("32 times")
    );
    assert_eq!(import.runs[0].rows[0].workload.name, "SEQ4K Q32T1");
}

#[test]
fn an_old_windows_text_is_believed_by_its_bytes_and_seconds() {
    let text = text_of("windows-one.txt").replace("MiB/s", "MB/s");
    let import = crate::read("old", text.as_bytes()).unwrap();
    let run = &import.runs[0];
    assert_eq!(
        run.rows[0].reported.bandwidth.as_ref().unwrap().value,
        31.25 * 1_048_576.0
    );
    assert_eq!(run.origin.corrections.len(), 1);
    assert_eq!(run.rows[0].reported.latency.as_ref().unwrap().mean, 100e3);
}

#[test]
fn what_is_not_understood_of_a_text_is_unknown_and_in_no_name() {
    let text = text_of("windows-one.txt");
    for (line, instead, part, name) in [
        (
            "block size: 4096",
            "block size: 4X",
            PlanPart::Blocks,
            "RND Q32T1",
        ),
        (
            "block size: 4096",
            "size: 4096",
            PlanPart::Blocks,
            "RND Q32T1",
        ),
        (
            "operations: 32",
            "operations: many",
            PlanPart::Depth,
            "RND4K",
        ),
        (
            "using random I/O (alignment: 4096)",
            "using mixed random/sequential I/O (60% random) (alignment/stride: 4KiB)",
            PlanPart::Order,
            "IO4K Q32T1",
        ),
    ] {
        assert!(text.contains(line), "{line}");
        let import = crate::read("odd", text.replace(line, instead).as_bytes()).unwrap();
        let row = &import.runs[0].rows[0];
        assert_eq!(row.workload.name, name);
        assert!(row.reported.unknown.contains(&part), "{instead}: {row:?}");
    }
}

#[test]
fn percentiles_of_one_of_several_targets_are_never_those_of_all() {
    let path = "/corpus/cases/i55-diskspd-2.0.21-two-targets-L.txt";
    let path = [env!("CARGO_MANIFEST_DIR"), path].concat();
    let text = std::fs::read_to_string(path).unwrap();
    let (without_the_last, _) = text.rsplit_once("\ntotal:\n").unwrap();
    let import = crate::read("cut", without_the_last.as_bytes()).unwrap();
    let row = &import.runs[0].rows[0].reported;
    let latency = row.latency.as_ref().unwrap();
    assert_eq!((latency.mean, latency.max), (5.5e6, None));
    assert_eq!(latency.percentiles, []);
    assert_eq!(import.left_out.len(), 2);
}

/// What the rows of a result say was asked for.
fn asked(import: &Import) -> Vec<(&str, &[PlanPart], Option<&OperationMix>, String)> {
    let rows = import.runs[0].rows.iter();
    let asked = |row: &'_ ImportedRow| format!("{:?}", row.workload);
    rows.map(|row| {
        let reported = &row.reported;
        let mix = reported.mix.as_ref();
        (&*row.workload.name, &*reported.unknown, mix, asked(row))
    })
    .collect()
}

#[test]
fn a_profile_is_the_same_as_text_and_as_xml() {
    let target = |path: &str| DiskspdTarget {
        path: path.to_owned(),
        block: Bytes::kib(8),
        write_percent: 30,
        ..DiskspdTarget::default()
    };
    let random = |random_percent, path| DiskspdTarget {
        random_percent,
        unbuffered: true,
        write_through: DiskspdWriteThrough::Data,
        threads: 3,
        ..target(path)
    };
    let shared = DiskspdTarget {
        interlocked: true,
        ..target("shared")
    };
    let results = |text: &str, end: &str| text.split_once(end).unwrap().1.to_owned();
    for (targets, name) in [
        (vec![random(100, "one"), random(100, "two")], "RND8K Q2T6"),
        (vec![random(60, "part")], "IO8K Q2T3"),
        (vec![shared], "SEQ8K Q2T1"),
        (vec![target("own"), target("other")], "SEQ8K Q2T2"),
        (vec![target("one"), random(100, "else")], "IO"),
    ] {
        let span = DiskspdSpan {
            targets,
            ..DiskspdSpan::default()
        };
        let mut session = DiskspdSession::default();
        session.profile.spans = vec![span];
        let of_text = results(&text_of("windows-two.txt"), "System information:");
        let text = profile_text(&session) + "System information:" + &of_text;
        let of_xml = results(&text_of("two.xml"), "</Profile>");
        let xml = format!("<Results>{}{of_xml}", profile_xml(&session, 1));
        let text = crate::read("text", text.as_bytes()).unwrap();
        let xml = crate::read("xml", xml.as_bytes()).unwrap();
        assert_eq!(asked(&text), asked(&xml));
        assert_eq!(asked(&xml)[0].0, name);
        assert_eq!(text.runs[0].target, xml.runs[0].target);
    }
}

#[test]
fn a_profile_that_could_not_run_is_imported_as_far_as_it_is_understood() {
    let text = text_of("two.xml");
    let as_it_was = import("two.xml");
    for (element, instead) in [
        (
            "<Duration>",
            "<Newer><Duration>7</Duration></Newer><Duration>",
        ),
        ("<Targets>", "<Targets><Newer/>"),
        ("<BlockSize>", "<Newer Is=\"so\">1</Newer><BlockSize>"),
        ("<IOPriority>3<", "<IOPriority>1<"),
        ("<Weight>1<", "<Weight>2<"),
        (
            "<Path>one</Path>",
            "<Path>one</Path><DisableLocalCache>true</DisableLocalCache>",
        ),
    ] {
        assert!(text.contains(element), "{element}");
        let import = crate::read("two.xml", text.replace(element, instead).as_bytes()).unwrap();
        assert!(import.runs == as_it_was.runs, "{instead}: {import:?}");
    }
    let text = text.replace("<Path>one</Path>", "<Path>*1</Path>");
    let text = text.replace("<Path>two &amp; &lt;more&gt;</Path>", "");
    let import = crate::read("template", text.as_bytes()).unwrap();
    assert_eq!(import.runs[0].target.name, "*1");
}

#[test]
fn what_is_not_understood_of_xml_is_unknown_and_in_no_name() {
    let text = text_of("two.xml");
    for (element, instead, part, name) in [
        (
            "<BlockSize>4096<",
            "<BlockSize>4K<",
            PlanPart::Blocks,
            "RND Q32T4",
        ),
        (
            "<RequestCount>32<",
            "<RequestCount>0<",
            PlanPart::Depth,
            "RND4K",
        ),
        (
            "<ThreadsPerFile>2<",
            "<ThreadsPerFile>all<",
            PlanPart::Threads,
            "RND4K",
        ),
        (
            "<ThreadCount>0<",
            "<ThreadCount>many<",
            PlanPart::Threads,
            "RND4K",
        ),
        (
            "<WriteRatio>30<",
            "<WriteRatio>130<",
            PlanPart::Mix,
            "RND4K Q32T4",
        ),
        (
            "<Warmup>0<",
            "<Warmup>none<",
            PlanPart::Duration,
            "RND4K Q32T4",
        ),
        (
            "<Random>4096<",
            "<Random>yes<",
            PlanPart::Order,
            "IO4K Q32T4",
        ),
        (
            "</Random>",
            "</Random><RandomRatio>60</RandomRatio>",
            PlanPart::Order,
            "IO4K Q32T4",
        ),
        (
            "</Random>",
            "</Random><RandomRatio>most</RandomRatio>",
            PlanPart::Order,
            "IO4K Q32T4",
        ),
    ] {
        assert!(text.contains(element), "{element}");
        let import = crate::read("odd", text.replace(element, instead).as_bytes()).unwrap();
        let row = &import.runs[0].rows[0];
        assert_eq!(row.workload.name, name, "{instead}");
        assert!(row.reported.unknown.contains(&part), "{instead}: {row:?}");
    }
    let one_differs = text.replacen("<WriteRatio>30<", "<WriteRatio>50<", 1);
    let import = crate::read("mixed", one_differs.as_bytes()).unwrap();
    let row = &import.runs[0].rows[0];
    assert_eq!((&*row.workload.name, &row.reported.mix), ("IO", &None));
}

mod many_draws {
    use super::*;
    use sokudo_testing::draws;

    #[test]
    fn what_is_cut_off_is_told_wherever_it_was_cut() {
        for name in ["linux-two.txt", "windows-two.txt", "two.xml"] {
            let text = text_of(name);
            for end in (0..text.len())
                .step_by((text.len() / draws(80) as usize).max(1))
                .filter(|end| text.is_char_boundary(*end))
            {
                match crate::read(name, &text.as_bytes()[..end]) {
                    Ok(import) => assert!(!import.runs.is_empty()),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
        }
        let text = text_of("linux-one.txt");
        let twice = format!("{text}\n{}", &text[..text.find("Read IO").unwrap()]);
        let import = crate::read("twice", twice.as_bytes()).unwrap();
        assert_eq!((import.runs.len(), import.left_out.len()), (1, 1));
    }
}

mod cases;

use std::path::{Path, PathBuf};

use super::*;

/// Every file of the corpus that a format is for.
fn corpus() -> Vec<PathBuf> {
    let entries = |folder: PathBuf| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let formats = entries(folder).into_iter();
    let formats = formats.filter(|folder| !folder.ends_with("cases"));
    formats.flat_map(entries).collect()
}

/// The readers that know a text.
fn readers_of(bytes: &[u8]) -> Vec<&'static str> {
    let head = text::decoded(&bytes[..bytes.len().min(HEAD_BYTES)]);
    let known = READERS.iter().filter(|reader| (reader.recognise)(&head));
    known.map(|reader| reader.format).collect()
}

#[test]
fn every_file_of_the_corpus_is_known_to_one_reader_alone() {
    let files = corpus();
    assert!(files.len() > 30, "{}", files.len());
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let readers = readers_of(&bytes);
        assert_eq!(readers.len(), 1, "{}: {readers:?}", file.display());
        let import = read(&file.file_name().unwrap().to_string_lossy(), &bytes[..]).unwrap();
        assert!(!import.runs.is_empty(), "{}", file.display());
    }
}

#[test]
fn a_file_of_two_tools_is_read_by_the_readers_of_both() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let text = |file: &str| std::fs::read_to_string(corpus.join(file)).unwrap();
    let tools = |import: &Import| {
        let runs = import.runs.iter();
        runs.map(|run| run.origin.tool.clone()).collect::<Vec<_>>()
    };
    let mixed = [text("hdparm/two-timings.txt"), text("dd/old-gnu.txt")].concat();
    let import = read("notes.txt", mixed.as_bytes()).unwrap();
    assert_eq!(tools(&import), ["hdparm", "dd"]);
    assert_eq!(import.left_out, []);
    let long = [mixed, "\n".repeat(HEAD_BYTES)].concat();
    let import = read("notes.txt", long.as_bytes()).unwrap();
    assert_eq!(tools(&import), ["hdparm"]);
    let reason = import.left_out.last().unwrap().why.english();
    assert!(reason.contains("results of dd too"), "{reason}");
}

#[test]
fn what_is_of_no_tool_is_refused_and_never_read_to_its_end() {
    for byte in [0, b' ', b'\n', b'[', 0xFF] {
        let endless = std::io::BufReader::new(std::io::repeat(byte));
        assert!(matches!(read("x", endless), Err(ImportError::Unknown(_))));
    }
    let text = "HD Tune: X Benchmark\nAccess Time : 13.6 ms\n";
    let endless = std::io::Read::chain(text.as_bytes(), std::io::repeat(0));
    assert!(read("x", std::io::BufReader::new(endless)).is_err());
}

#[test]
fn what_counts_more_than_any_run_does_is_refused() {
    let row = r#"{"bw":1,"iops":1,"total_ios":1,"clat_ns":{"mean":5,"bins":{"1":COUNT}}}"#;
    let row = row.replace("COUNT", "9000000000000000000");
    let text = format!(r#"{{"fio version":"fio-3.33","jobs":[{{"jobname":"j","read":{row}}}]}}"#);
    let error = read("x", text.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("than any run does"), "{error}");
}

/// Beginnings by which a reader takes a text for its own.
const BEGINNINGS: [&str; 12] = [
    "document,tool,method,target,metric,unit,value\n",
    "version\0\u{1}\0\0\0\0i\u{8}\0",
    "CrystalDiskMark 9.0.1 x64 (C) 2007-2025 hiyohiyo\n[Mix] Read 70%/Write 30%\n",
    "KDiskMark (3.3.0): https://github.com/JonMagon/KDiskMark\n[Read]\n",
    "HD Tune Pro: X Random Access\n",
    "/dev/sda:\n Timing buffered disk reads: ",
    "1+0 records in\n1+0 records out\n7 bytes copied, 1 s, 7 B/s\n",
    "1.03,4G,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n",
    "4 KiB <<< . (ext4): request=2 time=190.7 us\n",
    "fio Disk Speed Tests (Mixed R/W 50/50):\nBlock Size | 4k (IOPS)\nRead | 1 MB/s (244)\n",
    "FIO test results:\nread:\nIOPS=1 BW(KiB/s)=4\n",
    "Block size 16KiB\nread, MiB/s: 1\nwritten, MiB/s: 2\n",
];

/// Words of all formats.
const WORDS: &str = "(SEQ    1MiB|RND    4KiB|Random Read 4KB) \\(Q= *[0-9]{1,12}, T= 1\\): [0-9.,eE+-]{1,30} MB/s \
    \\[ *[0-9.]{1,9} IOPS\\] <[0-9.]{1,9} us>|[0-9]{1,30}[+][0-9]{1,30} records in|[0-9]{1,25} bytes copied, [0-9.e-]{1,9} s|\
    4 KB [0-9.]{1,25} IOPS [0-9.]{1,25} ms [0-9]{1,3} ms|[0-9]{1,3} MB in 3 seconds = [0-9]{1,30} MB/sec|\
    --- [^\n]{0,9} ioping statistics ---|min/avg/max/mdev = [0-9]{1,20} us / 1 ms / 2 s / 3 ns|d,t n=[0-9]{1,12},m,x run [0-9]{1,12},\
    read Q[0-9]{1,12}T1 [0-9]{1,20}k mean,MB/s,[0-9]{1,30},\"?|[^\n]{0,60}|( *[0-9]{1,19}){8,10}";

proptest::proptest! {
    #[test]
    fn no_text_of_words_or_bytes_panics(
        beginning in proptest::sample::select(&BEGINNINGS),
        lines in proptest::collection::vec(WORDS, 0..12),
        bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200),
    ) {
        let mut text = beginning.as_bytes().to_vec();
        text.extend(lines.join("\n").into_bytes());
        text.extend(bytes);
        if let Ok(import) = read("x", &text[..]) {
            for row in import.runs.iter().flat_map(|run| &run.rows) {
                let rates = [&row.reported.bandwidth, &row.reported.iops].into_iter().flatten();
                for rate in rates {
                    assert!(rate.value.is_finite() && rate.value >= 0.0, "{rate:?}");
                }
                assert!(row.workload.depth >= 1 && row.workload.threads >= 1);
                assert!(row.workload.blocks.smallest().0 >= 1);
            }
        }
    }
}

#[test]
fn what_stays_unread_is_named_and_what_is_read_whole_names_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let cases = std::fs::read_dir(folder.join("cases")).unwrap();
    let files = corpus().into_iter();
    let files = files.chain(cases.map(|entry| entry.unwrap().path()));
    let mut named: Vec<String> = files
        .filter_map(|file| {
            let import = read("x", &std::fs::read(&file).unwrap()[..]).ok()?;
            let note = not_read(&import)?;
            Some(format!(
                "{} {note}",
                file.strip_prefix(&folder).unwrap().display()
            ))
        })
        .collect();
    named.sort();
    let expected = [
        "cases/i05-fio341-note.txt line 6: 1 (Jobs: 1 (f=1): [W(1)][100.0%][w=53.0MiB/s][w=53 IOPS][eta 00)",
        "cases/i06-fio-with-log-prefix.txt line 6: 1 (12:06:53 DEBUG| [stdout] Jobs: 1 (f=1): [W(1)][100.0%][w=53.)",
        "ioping/normal.txt line 9: 1 (generated 5 requests in 400.3 ms, 20 KiB, 12 iops, 50.0 KiB/)",
        "ioping/quiet.txt line 4: 1 (generated 5 requests in 40.3 ms, 20 KiB, 124 iops, 496.4 KiB)",
        "ioping/rapid.txt line 4: 1 (generated 467.4 k requests in 1.00 s, 1.78 GiB, 466.2 k iops)",
        "ioping/write.txt line 7: 1 (generated 3 requests in 203.8 ms, 24 KiB, 14 iops, 117.8 KiB)",
    ];
    assert_eq!(named, expected);
}

#[test]
fn figures_of_lines_that_no_reader_knows_are_named_in_one_note() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for file in [
        "fio/normal.txt",
        "fio/terse3.txt",
        "diskspd/windows-one.txt",
        "crystaldiskmark/9-mix.txt",
        "kdiskmark/2.txt",
        "hdparm/two-timings.txt",
        "dd/dd-gnu.txt",
        "bonnie/2.00.csv",
        "hdtune/free.txt",
    ] {
        let whole = std::fs::read_to_string(corpus.join(file)).unwrap();
        assert_eq!(
            not_read(&read("x", whole.as_bytes()).unwrap()),
            None,
            "{file}"
        );
        let whole = whole.trim_end();
        let line = whole.lines().count() + 1;
        let more =
            format!("{whole}\nouter zone  7100.5 MB/s\nno figure MB/s\nat depth 9: 7654321 IOPS\n");
        let note = not_read(&read("x", more.as_bytes()).unwrap());
        let expected =
            format!("line {line}: 2 (outer zone  7100.5 MB/s; at depth 9: 7654321 IOPS)");
        assert_eq!(note.as_deref(), Some(&*expected), "{file}");
    }
    let log = std::fs::read_to_string(corpus.join("hdparm/two-timings.txt")).unwrap();
    let long = [&log, &*"somewhere 7100.5 MB/s far away\n".repeat(1_500)].concat();
    let note = not_read(&read("x", long.as_bytes()).unwrap()).unwrap();
    assert!(note.contains(": 1500 (") && note.len() < 250, "{note}");
}

/// The note of what was not read, without its own words.
fn not_read(import: &Import) -> Option<String> {
    let mut notes = import.left_out.iter().filter_map(|left| {
        let reason = left.why.english();
        let reason = reason.strip_prefix("rates that were not read, lines from here on: ")?;
        Some(format!("line {}: {reason}", left.line?))
    });
    let note = notes.next();
    assert_eq!(notes.next(), None);
    note
}

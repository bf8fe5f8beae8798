use std::path::{Path, PathBuf};

use super::*;

/// Every file of the corpus.
fn corpus() -> Vec<PathBuf> {
    let entries = |folder: PathBuf| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    entries(folder).into_iter().flat_map(entries).collect()
}

/// The readers that know a text.
fn readers_of(bytes: &[u8]) -> Vec<&'static str> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let known = READERS
        .iter()
        .filter(|reader| (reader.recognise)("a file", head));
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
        let import = read("a file", &bytes[..]).unwrap();
        assert!(!import.runs.is_empty(), "{}", file.display());
    }
}

#[test]
fn a_file_of_two_tools_tells_what_was_not_read() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let text = |file: &str| std::fs::read_to_string(corpus.join(file)).unwrap();
    let mixed = [text("hdtune/free.txt"), text("hdparm/two-timings.txt")].concat();
    let import = read("notes.txt", mixed.as_bytes()).unwrap();
    assert_eq!(import.runs[0].origin.tool, "HD Tune");
    let told = &import.left_out.last().unwrap().why;
    assert!(told.contains("results of hdparm too"), "{told}");
}

#[test]
fn what_is_of_no_tool_is_refused_and_never_read_to_its_end() {
    for byte in [0, b' ', b'\n', b'[', 0xFF] {
        let endless = std::io::BufReader::new(std::io::repeat(byte));
        assert!(matches!(read("x", endless), Err(ImportError::Unknown)));
    }
    let text = "HD Tune: X Benchmark\nAccess Time : 13.6 ms\n";
    let endless = std::io::Read::chain(text.as_bytes(), std::io::repeat(0));
    assert!(read("x", std::io::BufReader::new(endless)).is_err());
}

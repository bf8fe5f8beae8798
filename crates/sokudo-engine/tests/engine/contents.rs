//! What is in a file that was laid out (invariant 14).

use std::collections::HashSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use sokudo_engine::{Control, TestFile, TestFileError, lay_out};
use sokudo_model::{Bytes, DataContent, Event};

use crate::setup::{OwnFile, skip};

#[test]
fn no_two_blocks_of_a_laid_out_file_are_alike() {
    let contents = OwnFile::laid_out(Bytes::mib(24), DataContent::Random).contents();
    let blocks: HashSet<&[u8]> = contents.chunks(4096).collect();
    assert_eq!(blocks.len(), contents.len() / 4096);
}

#[test]
fn bytes_of_a_laid_out_file_are_as_random_as_bytes_can_be() {
    let contents = OwnFile::laid_out(Bytes::mib(4), DataContent::Random).contents();
    let mut counts = [0u32; 256];
    contents
        .iter()
        .for_each(|byte| counts[usize::from(*byte)] += 1);
    let total = contents.len() as f64;
    let entropy: f64 = counts
        .iter()
        .map(|count| f64::from(*count) / total)
        .map(|share| -share * share.log2())
        .sum();
    assert!(entropy > 7.999, "{entropy} bits per byte");
}

#[test]
fn a_laid_out_file_does_not_compress() {
    let contents = OwnFile::laid_out(Bytes::mib(24), DataContent::Random).contents();
    let Some(compressed) = compressed_bytes(&contents) else {
        skip("zstd is not installed, so that compression was not tried");
        return;
    };
    let ratio = compressed as f64 / contents.len() as f64;
    assert!(ratio > 0.98, "zstd made it {ratio} of its size");
}

/// Size of what zstd makes of it at its default level.
fn compressed_bytes(contents: &[u8]) -> Option<usize> {
    let mut child = Command::new("zstd")
        .args(["--stdout", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(contents));
        child
            .wait_with_output()
            .ok()
            .map(|output| output.stdout.len())
    })
}

#[test]
fn a_file_of_zeros_is_zero_and_written() {
    let own = OwnFile::laid_out(Bytes::mib(4), DataContent::Zero);
    assert!(own.contents().iter().all(|byte| *byte == 0));
    let blocks = std::os::unix::fs::MetadataExt::blocks(&own.file.handle().metadata().unwrap());
    assert!(blocks * 512 >= 4 << 20, "it is no hole");
}

#[test]
fn different_seeds_lay_out_different_files() {
    let directory = tempfile::tempdir().unwrap();
    let file = TestFile::create(directory.path(), Bytes::mib(1)).unwrap();
    let mut contents = HashSet::new();
    for seed in 0..3 {
        lay_out(
            &file,
            DataContent::Random,
            seed,
            &Control::new(),
            &mut |_| {},
        )
        .unwrap();
        let mut written = vec![0; 1 << 20];
        std::os::unix::fs::FileExt::read_exact_at(file.handle(), &mut written, 0).unwrap();
        contents.insert(written);
    }
    assert_eq!(contents.len(), 3);
}

#[test]
fn progress_of_the_layout_never_passes_its_total() {
    let directory = tempfile::tempdir().unwrap();
    let size = Bytes::mib(96);
    let file = TestFile::create(directory.path(), size).unwrap();
    let mut last = Bytes(0);
    let mut listener = |event| match event {
        Event::LayoutProgress { written, total } => {
            assert!(last <= written && written <= total && total == size);
            last = written;
        }
        other => panic!("{other:?} is no progress of a layout"),
    };
    lay_out(
        &file,
        DataContent::Random,
        1,
        &Control::new(),
        &mut listener,
    )
    .unwrap();
}

#[test]
fn an_interrupted_layout_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let file = TestFile::create(directory.path(), Bytes::mib(16)).unwrap();
    let control = Control::new();
    control.cancel();
    let result = lay_out(&file, DataContent::Random, 1, &control, &mut |_| {});
    assert!(
        matches!(result, Err(TestFileError::Cancelled)),
        "{result:?}"
    );
    drop(file);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

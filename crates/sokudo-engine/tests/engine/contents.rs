//! What is in a file that was laid out (invariant 14).

use std::collections::HashSet;

use sokudo_engine::{Control, TestFile, TestFileError, lay_out};
use sokudo_model::{Bytes, DataContent, Event};

use crate::setup::OwnFile;

#[test]
fn a_file_of_zeros_is_zero_and_written() {
    let own = OwnFile::laid_out(Bytes::mib(4), DataContent::Zero);
    assert!(own.contents().iter().all(|byte| *byte == 0));
    let blocks = std::os::unix::fs::MetadataExt::blocks(&own.file.handle().metadata().unwrap());
    assert!(blocks * 512 >= 4 << 20, "it is no hole");
}

#[test]
fn different_seeds_lay_out_different_files() {
    let own = OwnFile::empty(Bytes::mib(1));
    let contents = (0..3).map(|seed| {
        let (random, control) = (DataContent::Random, Control::new());
        lay_out(&own.file, random, seed, &control, &mut |_| {}).unwrap();
        own.contents()
    });
    assert_eq!(contents.collect::<HashSet<_>>().len(), 3);
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

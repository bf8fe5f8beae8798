//! What fio wrote is right here, and what is written here is right for fio.

use std::path::{Path, PathBuf};
use std::process::Command;

use sokudo_model::{Bytes, Check, MismatchKind, PatternPart, WriteCheck};

use super::tests::{CHECKS, verifier, verify};
use super::{ExpectedBlock, Verifier};

const BLOCK: usize = 4096;
const BLOCKS: usize = 16;

fn name(check: Check) -> &'static str {
    match check {
        Check::Header => "meta",
        Check::PatternHeader => "pattern_hdr",
        Check::Pattern => "pattern",
        Check::Null => "null",
        _ => super::header::name_of(super::header::kind_of(check).unwrap()),
    }
}

/// Checks that fio 3.33 offers and that leave something to look at.
fn checks_of_fio() -> impl Iterator<Item = Check> {
    let without = [Check::PatternHeader, Check::Null];
    CHECKS
        .into_iter()
        .filter(move |check| !without.contains(check))
}

/// Runs fio once with a job for each file, since starting it takes longest; whether each job was
/// content, and what fio said. `None` without fio.
fn fio_jobs(jobs: &[(PathBuf, Vec<String>)]) -> Option<(Vec<bool>, String)> {
    let names: Vec<String> = (0..jobs.len()).map(|number| format!("v{number}")).collect();
    let mut command = Command::new("fio");
    command.current_dir(jobs[0].0.parent().unwrap());
    for (name, (file, arguments)) in names.iter().zip(jobs) {
        command
            .args([&format!("--name={name}"), "--bs=4k", "--size=64k"])
            .arg("--verify_state_save=0")
            .arg(format!("--filename={}", file.display()))
            .args(arguments);
    }
    let Ok(output) = command.output() else {
        eprintln!("SKIPPED: there is no fio here to compare with");
        return None;
    };
    let printed = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    let is_content = |name: &String| {
        let is_of_it = |line: &&str| line.starts_with(&format!("{name}: (groupid="));
        let line = printed.lines().find(is_of_it);
        line.unwrap_or_else(|| panic!("nothing of {name}: {printed}"))
            .contains("err= 0")
    };
    let content = names.iter().map(is_content).collect();
    Some((content, printed.into_owned()))
}

/// The same with one.
fn fio(file: &Path, arguments: &[&str]) -> Option<(bool, String)> {
    let arguments = arguments.iter().map(|it| (*it).to_owned()).collect();
    let (content, printed) = fio_jobs(&[(file.to_owned(), arguments)])?;
    Some((content[0], printed))
}

/// Writes a file block by block as a worker would.
fn write(verifier: &mut Verifier, file: &Path) {
    let mut bytes = vec![0; BLOCK * BLOCKS];
    for (index, block) in bytes.chunks_exact_mut(BLOCK).enumerate() {
        let offset = (index * BLOCK) as u64;
        let serial = verifier.seal(block, 0, offset);
        verifier.written(0, offset, BLOCK as u32, serial);
    }
    std::fs::write(file, bytes).unwrap();
}

fn check(verifier: &mut Verifier, bytes: &[u8]) -> bool {
    let mut right = true;
    for (index, block) in bytes.chunks_exact(BLOCK).enumerate() {
        let expected = ExpectedBlock {
            file: 0,
            offset: (index * BLOCK) as u64,
            length: BLOCK as u32,
            serial: None,
        };
        right &= verifier.check(block, expected);
    }
    right
}

#[test]
fn what_fio_wrote_is_right() {
    let directory = tempfile::tempdir().unwrap();
    let shapes = [(None, 0), (Some(1024), 0), (Some(2048), 200)];
    let shaped = checks_of_fio().flat_map(|kind| {
        shapes.map(|(interval, offset)| {
            let pattern = || vec![PatternPart::Bytes(b"\xffabc".to_vec()), PatternPart::Offset];
            with!(
                verify(kind),
                interval = interval.map(Bytes),
                offset = Bytes(offset),
                pattern = (kind == Check::Pattern).then(pattern)
            )
        })
    });
    let (mut shapes, mut jobs) = (Vec::new(), Vec::new());
    for (number, shape) in shaped.enumerate() {
        let mut arguments = vec!["--rw=randwrite".to_owned(), "--do_verify=0".to_owned()];
        arguments.push(format!("--verify={}", name(shape.check)));
        let interval = shape
            .interval
            .map(|it| format!("--verify_interval={}", it.0));
        arguments.extend(interval);
        if shape.offset.0 > 0 {
            arguments.push(format!("--verify_offset={}", shape.offset.0));
        }
        if shape.check == Check::Pattern {
            arguments.push("--verify_pattern=0xff\"abc\"%o".to_owned());
        }
        jobs.push((directory.path().join(number.to_string()), arguments));
        shapes.push(shape);
    }
    let Some((content, printed)) = fio_jobs(&jobs) else {
        return;
    };
    assert_eq!(content, vec![true; jobs.len()], "{printed}");
    for (shape, (file, arguments)) in shapes.iter().zip(&jobs) {
        assert_right_until_changed(shape, std::fs::read(file).unwrap(), arguments);
    }
}

fn assert_right_until_changed(shape: &WriteCheck, mut bytes: Vec<u8>, arguments: &[String]) {
    let mut of_fio = verifier(shape);
    let right = check(&mut of_fio, &bytes);
    assert!(right, "{arguments:?}: {:?}", of_fio.finish().mismatches);
    // fio's SHA-512 says nothing of most of a block.
    if matches!(shape.check, Check::Header | Check::Sha512) {
        return;
    }
    bytes[5 * BLOCK + 1500] ^= 4;
    let mut of_other = verifier(shape);
    assert!(!check(&mut of_other, &bytes), "{arguments:?}");
    let outcome = of_other.finish();
    let kind = if shape.check == Check::Pattern {
        MismatchKind::Pattern
    } else {
        MismatchKind::Checksum
    };
    assert_eq!((outcome.wrong, outcome.mismatches[0].kind), (1, kind));
}

#[test]
fn what_is_written_here_is_right_for_fio() {
    let directory = tempfile::tempdir().unwrap();
    let kinds: Vec<Check> = checks_of_fio().collect();
    let job = |kind: &Check| {
        // fio reads seeds that it would have drawn itself, unless there is a pattern.
        let shape = with!(
            verify(*kind),
            pattern = Some(vec![PatternPart::Bytes(vec![0xde, 0xad, 0xbe, 0xef])])
        );
        let file = directory.path().join(name(*kind));
        write(&mut verifier(&shape), &file);
        let method = format!("--verify={}", name(*kind));
        let arguments = ["--rw=read", &method, "--verify_pattern=0xdeadbeef"];
        (file, arguments.map(str::to_owned).to_vec())
    };
    let jobs: Vec<(PathBuf, Vec<String>)> = kinds.iter().map(job).collect();
    let Some((content, printed)) = fio_jobs(&jobs) else {
        return;
    };
    // Of SHA-512 it compares its work buffer, not a digest.
    let can_agree = |kind: &Check| *kind != Check::Sha512;
    assert_eq!(
        content,
        kinds.iter().map(can_agree).collect::<Vec<_>>(),
        "{printed}"
    );
    for (file, _) in &jobs {
        let mut bytes = std::fs::read(file).unwrap();
        bytes[3 * BLOCK + 1000] ^= 1;
        std::fs::write(file, bytes).unwrap();
    }
    let (content, printed) = fio_jobs(&jobs).unwrap();
    for (kind, is_content) in kinds.iter().zip(content) {
        let sees_data = *kind != Check::Header;
        assert!(!is_content || !sees_data, "{kind:?}: {printed}");
    }
}

#[test]
fn the_saved_state_is_fios_own() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    let arguments = ["--rw=write", "--verify=md5", "--do_verify=0"];
    let saving = [&arguments[..], &["--verify_state_save=1"]].concat();
    if fio(&file, &saving).is_none() {
        return;
    }
    let name = directory.path().join("local-v0-0-verify.state");
    let of_fio = std::fs::read(&name).unwrap();
    std::fs::remove_file(&name).unwrap();
    let shape = with!(verify(Check::Md5), save_state = true);
    let mut verifier = Verifier::new(&shape, 1, vec!["file".to_owned()], 7);
    verifier.dump_to = directory.path().to_owned();
    write(&mut verifier, &file);
    verifier.save_state("v0", 0).unwrap();
    assert_eq!(std::fs::read(&name).unwrap(), of_fio);
}

#[test]
fn fio_reads_headers_that_lie_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    let shape = with!(
        verify(Check::Crc32c),
        pattern = Some(vec![PatternPart::Bytes(b"abcde".to_vec())]),
        interval = Some(Bytes(1024)),
        offset = Bytes(256)
    );
    write(&mut verifier(&shape), &file);
    let arguments = [
        "--rw=read",
        "--verify=crc32c",
        "--verify_pattern=\"abcde\"",
        "--verify_interval=1024",
        "--verify_offset=256",
    ];
    if let Some((content, printed)) = fio(&file, &arguments) {
        assert!(content, "{printed}");
    }
}

#[test]
fn fio_does_not_look_at_most_of_a_sha512_block() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    let write = ["--rw=write", "--verify=sha512", "--do_verify=0"];
    let Some((content, printed)) = fio(&file, &write) else {
        return;
    };
    assert!(content, "{printed}");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[1000] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let (content, printed) = fio(&file, &["--rw=read", "--verify=sha512"]).unwrap();
    // If this fails, fio has been repaired, and so can `Sum::of_fio` be dropped for it.
    assert!(content, "{printed}");
}

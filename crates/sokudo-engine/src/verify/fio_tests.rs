//! What fio wrote is right here, and what is written here is right for fio.

use std::path::Path;
use std::process::Command;

use sokudo_model::{Bytes, Check, MismatchKind, PatternPart};

use super::tests::{CHECKS, verifier, verify};
use super::{Expected, Verifier};

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

/// Runs fio on a file; whether it was content, and what it said. `None` without fio.
fn fio(file: &Path, arguments: &[&str]) -> Option<(bool, String)> {
    let output = Command::new("fio")
        .current_dir(file.parent().unwrap())
        .args(["--name=v", "--bs=4k", "--verify_state_save=0", "--size=64k"])
        .arg(format!("--filename={}", file.display()))
        .args(arguments)
        .output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: there is no fio here to compare with");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    Some((output.status.success(), said.into_owned()))
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
        let expected = Expected {
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
    let file = directory.path().join("file");
    let shapes = [(None, 0), (Some(1024), 0), (Some(2048), 200)];
    for kind in checks_of_fio() {
        // Each run of fio takes a third of a second.
        let all = matches!(kind, Check::Crc32c | Check::Md5);
        let count = if all { shapes.len() } else { 1 };
        for (interval, offset) in shapes.into_iter().take(count) {
            let shape = with!(
                verify(kind),
                interval = interval.map(Bytes),
                offset = Bytes(offset),
                pattern = (kind == Check::Pattern).then(|| {
                    let text = PatternPart::Bytes(b"\xffabc".to_vec());
                    vec![text, PatternPart::Offset]
                })
            );
            let method = format!("--verify={}", name(kind));
            let interval = format!("--verify_interval={}", interval.unwrap_or(0));
            let moved = format!("--verify_offset={offset}");
            let mut arguments = vec!["--rw=randwrite", "--do_verify=0", &method];
            if shape.interval.is_some() {
                arguments.push(&interval);
            }
            if offset > 0 {
                arguments.push(&moved);
            }
            if kind == Check::Pattern {
                arguments.push("--verify_pattern=0xff\"abc\"%o");
            }
            let Some((content, said)) = fio(&file, &arguments) else {
                return;
            };
            assert!(content, "{said}");
            let mut bytes = std::fs::read(&file).unwrap();
            let mut verifier = verifier(&shape);
            let right = check(&mut verifier, &bytes);
            assert!(right, "{arguments:?}: {:?}", verifier.finish().mismatches);
            // fio's SHA-512 says nothing of most of a block.
            if matches!(kind, Check::Header | Check::Sha512) {
                continue;
            }
            bytes[5 * BLOCK + 1500] ^= 4;
            let mut verifier = super::tests::verifier(&shape);
            assert!(!check(&mut verifier, &bytes), "{arguments:?}");
            let outcome = verifier.finish();
            let kind = if kind == Check::Pattern {
                MismatchKind::Pattern
            } else {
                MismatchKind::Checksum
            };
            assert_eq!((outcome.wrong, outcome.mismatches[0].kind), (1, kind));
        }
    }
}

#[test]
fn what_is_written_here_is_right_for_fio() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    for kind in checks_of_fio() {
        // fio reads seeds that it would have drawn itself, unless there is a pattern.
        let shape = with!(
            verify(kind),
            pattern = Some(vec![PatternPart::Bytes(vec![0xde, 0xad, 0xbe, 0xef])])
        );
        write(&mut verifier(&shape), &file);
        let method = format!("--verify={}", name(kind));
        let arguments = ["--rw=read", &method, "--verify_pattern=0xdeadbeef"];
        let Some((content, said)) = fio(&file, &arguments) else {
            return;
        };
        // It compares its work buffer, not a digest.
        let can_agree = kind != Check::Sha512;
        assert_eq!(content, can_agree, "{kind:?}: {said}");
        if !can_agree {
            continue;
        }
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[3 * BLOCK + 1000] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        let (content, said) = fio(&file, &arguments).unwrap();
        let sees_data = kind != Check::Header;
        assert!(!content || !sees_data, "{kind:?}: {said}");
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
    let name = directory.path().join("local-v-0-verify.state");
    let of_fio = std::fs::read(&name).unwrap();
    std::fs::remove_file(&name).unwrap();
    let shape = with!(verify(Check::Md5), save_state = true);
    let mut verifier = Verifier::new(&shape, 1, vec!["file".to_owned()], 7);
    verifier.dump_to = directory.path().to_owned();
    write(&mut verifier, &file);
    verifier.save_state("v", 0).unwrap();
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
    if let Some((content, said)) = fio(&file, &arguments) {
        assert!(content, "{said}");
    }
}

#[test]
fn fio_does_not_look_at_most_of_a_sha512_block() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    let write = ["--rw=write", "--verify=sha512", "--do_verify=0"];
    let Some((content, said)) = fio(&file, &write) else {
        return;
    };
    assert!(content, "{said}");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[1000] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let (content, said) = fio(&file, &["--rw=read", "--verify=sha512"]).unwrap();
    // If this fails, fio has been repaired, and so can `Sum::of_fio` be dropped for it.
    assert!(content, "{said}");
}

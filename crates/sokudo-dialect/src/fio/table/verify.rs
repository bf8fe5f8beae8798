//! Options about reading back and checking what was written.

use sokudo_model::Check;

use super::super::option::{FioOption, OptionEffect, U32_MAX, U64_MAX, full};
use super::super::patterns;

const PATTERN: &str = "pieces such as \"text\", 0xdeadbeef, 123, %o or 'file', up to 512 bytes";

const CHECKS: &[&str] = &[
    "0",
    "md5",
    "crc64",
    "crc32",
    "crc32c-intel",
    "crc32c",
    "crc16",
    "crc7",
    "sha1",
    "sha256",
    "sha512",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "xxhash",
    "meta",
    "pattern",
    "pattern_hdr",
    "null",
];

pub(super) const OPTIONS: &[FioOption] = &[
    full(
        "verify",
        &[],
        "0",
        "what each written block carries so that it can be checked",
        OptionEffect::Word(CHECKS, |j, word, more| {
            if more.is_some() {
                return Err("a checksum's name alone".into());
            }
            j.verify.is_given = true;
            j.verify.check = match word {
                "md5" => Some(Check::Md5),
                "crc64" => Some(Check::Crc64),
                "crc32" => Some(Check::Crc32),
                "crc32c" | "crc32c-intel" => Some(Check::Crc32c),
                "crc16" => Some(Check::Crc16),
                "crc7" => Some(Check::Crc7),
                "sha1" => Some(Check::Sha1),
                "sha256" => Some(Check::Sha256),
                "sha512" => Some(Check::Sha512),
                "sha3-224" => Some(Check::Sha3_224),
                "sha3-256" => Some(Check::Sha3_256),
                "sha3-384" => Some(Check::Sha3_384),
                "sha3-512" => Some(Check::Sha3_512),
                "xxhash" => Some(Check::Xxhash),
                "meta" => Some(Check::Header),
                "pattern" => Some(Check::Pattern),
                "pattern_hdr" => Some(Check::PatternHeader),
                "null" => Some(Check::Null),
                _ => None,
            };
            Ok(())
        }),
    )
    .differs(
        "sokudo and fio 3.33 check each other's blocks, but for sha512, of which fio stores no digest, so that it rejects ours",
    ),
    full(
        "do_verify",
        &[],
        "1",
        "reads back and checks after writing",
        OptionEffect::Switch(|j, on| j.verify.after = on),
    ),
    full(
        "verify_interval",
        &["header_interval"],
        "",
        "bytes per header",
        OptionEffect::Number(80, U32_MAX, |j, v| j.verify.interval = Some(v)),
    ),
    full(
        "verify_offset",
        &[],
        "",
        "where in the interval the header lies",
        OptionEffect::Number(40, U32_MAX, |j, v| j.verify.offset = v),
    ),
    full(
        "verify_pattern",
        &[],
        "",
        "what fills blocks besides the header",
        OptionEffect::Text(PATTERN, |j, v| {
            j.verify.pattern = Some(patterns::pattern(v, &j.pattern_files).ok_or(PATTERN)?);
            // fio takes it for a check by itself.
            if !j.verify.is_given {
                j.verify.check = Some(Check::PatternHeader);
            }
            Ok(())
        }),
    ),
    full(
        "verifysort",
        &["verifysort_nr"],
        "",
        "sorts what is checked by offset",
        OptionEffect::Unread,
    )
    .no_effect("fio has given it up too: blocks are checked in the order of their offsets"),
    full(
        "verify_fatal",
        &[],
        "0",
        "the first bad block ends the job",
        OptionEffect::Switch(|j, on| j.verify.fatal = on),
    ),
    full(
        "verify_dump",
        &[],
        "0",
        "writes bad blocks to files beside the target",
        OptionEffect::Switch(|j, on| j.verify.dump = on),
    ),
    full(
        "verify_async",
        &[],
        "0",
        "threads that only check",
        OptionEffect::Number(0, U32_MAX, |_, _| {}),
    )
    .no_effect("the job's own thread checks; it is not measured meanwhile"),
    full(
        "verify_async_cpus",
        &[],
        "",
        "processors of threads that only check",
        OptionEffect::Unread,
    )
    .no_effect("see verify_async"),
    full(
        "verify_backlog",
        &[],
        "",
        "writes after which what was written since is checked",
        OptionEffect::Number(0, U64_MAX, |j, v| {
            j.verify.backlog = Some(v).filter(|v| *v > 0)
        }),
    ),
    full(
        "verify_backlog_batch",
        &[],
        "",
        "blocks that are then checked at a time",
        OptionEffect::Number(0, U32_MAX, |j, v| {
            j.verify.backlog_batch = Some(v).filter(|v| *v > 0);
        }),
    ),
    full(
        "verify_only",
        &[],
        "",
        "checks what an earlier run has written, and writes nothing",
        OptionEffect::Flag(|j, on| j.verify.only = on),
    ),
    full(
        "verify_state_save",
        &[],
        "1",
        "saves how far writing came, for a later check",
        OptionEffect::Switch(|j, on| j.verify.save_state = on),
    ),
    full(
        "verify_state_load",
        &[],
        "0",
        "checks only as far as a saved state says",
        OptionEffect::Switch(|_, _| {}),
    )
    .needs("reading fio's saved states"),
    full(
        "experimental_verify",
        &[],
        "0",
        "keeps what was written in memory for the check",
        OptionEffect::Switch(|_, _| {}),
    )
    .needs("another way to replay writes"),
];

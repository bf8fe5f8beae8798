//! Options about reading back and checking what was written.

use sokudo_model::{Bytes, Check};

use super::super::option::OptionEffect::{Flag, Number, Switch, Text, Unread};
use super::super::option::{FioOption, U32_MAX, U64_MAX, choice, options};
use super::super::patterns;

const PATTERN: &str = "pieces such as \"text\", 0xdeadbeef, 123, %o or 'file', up to 512 bytes";

pub(super) const OPTIONS: &[FioOption] = options! {
    "verify" = "0", "what each written block carries so that it can be checked",
        choice!(check, alone "a checksum's name alone":
            "0" => None,
            "md5" => Some(Check::Md5),
            "crc64" => Some(Check::Crc64),
            "crc32" => Some(Check::Crc32),
            "crc32c-intel" | "crc32c" => Some(Check::Crc32c),
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
            "null" => Some(Check::Null)),
        differs("sokudo and fio 3.33 check each other's blocks, but for sha512, of which fio stores no digest, so that it rejects ours");
    "do_verify" = "1", "reads back and checks after writing", Switch(|j, on| j.verify.read_back = on);
    "verify_interval" | "header_interval" = "", "bytes per header",
        Number(80, U32_MAX, |j, v| j.verify.interval = Some(Bytes(v)));
    "verify_offset" = "", "where in the interval the header lies",
        Number(40, U32_MAX, |j, v| j.verify.offset = Bytes(v));
    "verify_pattern" = "", "what fills blocks besides the header",
        Text(PATTERN, |j, v| {
            j.verify.pattern = Some(patterns::pattern(v, &j.pattern_files)?);
            // fio takes it for a check by itself.
            if !j.is_verify_given {
                j.check = Some(Check::PatternHeader);
            }
            Some(())
        });
    "verifysort" | "verifysort_nr" = "", "sorts what is checked by offset", Unread,
        no_effect("fio has given it up too: blocks are checked in the order of their offsets");
    "verify_fatal" = "0", "the first bad block ends the job", Switch(|j, on| j.verify.fatal = on);
    "verify_dump" = "0", "writes bad blocks to files beside the target",
        Switch(|j, on| j.verify.dump = on);
    "verify_async" = "0", "threads that only check", Number(0, U32_MAX, |_, _| {}),
        no_effect("the job's own thread checks; it is not measured meanwhile");
    "verify_async_cpus" = "", "processors of threads that only check", Unread,
        no_effect("see verify_async");
    "verify_backlog" = "", "writes after which what was written since is checked",
        Number(0, U64_MAX, |j, v| j.verify.backlog = Some(v).filter(|v| *v > 0));
    "verify_backlog_batch" = "", "blocks that are then checked at a time",
        Number(0, U32_MAX, |j, v| j.verify.backlog_batch = Some(v).filter(|v| *v > 0));
    "verify_only" = "", "checks what an earlier run has written, and writes nothing",
        Flag(|j, on| j.verify.only = on);
    "verify_state_save" = "1", "saves how far writing came, for a later check",
        Switch(|j, on| j.verify.save_state = on);
    "verify_state_load" = "0", "checks only as far as a saved state says", Switch(|_, _| {}),
        needs("reading fio's saved states");
    "experimental_verify" = "0", "keeps what was written in memory for the check", Switch(|_, _| {}),
        needs("another way to replay writes");
};

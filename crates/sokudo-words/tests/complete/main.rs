//! The Japanese catalogue has every text of the sources that it is made for, and none that
//! the sources have no longer.

mod texts;
mod tools;

use std::collections::BTreeSet;

use sokudo_words::Language;
use texts::{Text, texts_below};
use tools::OF_TOOLS;

/// Sources whose texts a person reads, in the language that was asked for.
const SPOKEN: [&str; 16] = [
    "crates/sokudo/src",
    "crates/sokudo-terminal/src",
    "crates/sokudo-history/src",
    "crates/sokudo-methods/src",
    "crates/sokudo-analysis/src",
    "crates/sokudo-device/src",
    "crates/sokudo-engine/src",
    "crates/sokudo-measure/src",
    "crates/sokudo-model/src",
    "crates/sokudo-page/src",
    "crates/sokudo-peers/src",
    "crates/sokudo-report/src",
    "crates/sokudo-store/src",
    "crates/sokudo-sys/src",
    "crates/sokudo-tools/src",
    "crates/sokudo-volume/src",
];

/// Sources whose texts stay English, and why.
const UNSPOKEN: [(&str, &str); 27] = [
    ("crates/sokudo-methods/src/documents.rs", "writes pages"),
    ("crates/sokudo-page/src/guard.rs", "headers"),
    ("crates/sokudo-page/src/message.rs", "what developers see"),
    ("crates/sokudo-page/src/routes", "headers and events"),
    (
        "crates/sokudo-report/src/csv",
        "a format that programs read",
    ),
    (
        "crates/sokudo-report/src/plot/svg/canvas.rs",
        "drawing, no words",
    ),
    ("crates/sokudo-report/src/plot/svg.rs", "drawing, no words"),
    (
        "crates/sokudo-analysis/src/method.rs",
        "reads sources and METHOD.md",
    ),
    (
        "crates/sokudo-report/src/report/html",
        "markup; a test beside it says that its texts are translated",
    ),
    (
        "crates/sokudo-tools/src/crystaldiskmark/output",
        "the layout of another tool",
    ),
    (
        "crates/sokudo-report/src/report/prometheus",
        "a format that programs read",
    ),
    (
        "crates/sokudo-page/src/view/metrics",
        "formats that programs read",
    ),
    (
        "crates/sokudo-report/src/check/monitoring",
        "formats that programs read",
    ),
    (
        "crates/sokudo-report/src/report/records",
        "a format that programs read",
    ),
    (
        "crates/sokudo-report/src/report/mask",
        "words in the place of serial numbers",
    ),
    (
        "crates/sokudo/src/frontends/fio",
        "what another tool prints",
    ),
    (
        "crates/sokudo/src/frontends/diskspd",
        "what another tool prints",
    ),
    (
        "crates/sokudo/src/frontends/hdparm",
        "what another tool prints",
    ),
    (
        "crates/sokudo-terminal/src/remedies",
        "options of other tools, by which ours are replaced",
    ),
    (
        "crates/sokudo-tools/src/bonnie/output",
        "what another tool prints",
    ),
    (
        "crates/sokudo-tools/src/fio",
        "fio's language, told at its door in fio's words",
    ),
    (
        "crates/sokudo-tools/src/diskspd",
        "diskspd's language, told at its door in diskspd's words",
    ),
    (
        "crates/sokudo-device/src/ata/features",
        "names of the ATA standard",
    ),
    ("crates/sokudo-sys/src/nvme", "names of the NVMe standard"),
    (
        "crates/sokudo-sys/src/scsi/command",
        "names of the SCSI standard",
    ),
    ("crates/sokudo-engine/src/verify/fio_tests", "a test"),
    ("crates/sokudo-volume/src/action.rs", "commands"),
];

/// What is spoken there all the same.
const SPOKEN_WITHIN: [&str; 2] = [
    "crates/sokudo-tools/src/fio/import",
    "crates/sokudo-tools/src/diskspd/import",
];

/// Single texts that stay English, and why.
const AS_IT_IS: [(&str, &str); 57] = [
    ("SUMMARY time", "looked for in what mdtest prints"),
    ("per Rank:", "looked for in what mdtest prints"),
    (
        "none meta md5 crc64 crc32 crc32c crc32c-intel crc16 crc7 sha256 sha512 sha3-224 sha3-256 sha3-384 sha3-512 xxhash sha1 pattern_hdr pattern null",
        "names",
    ),
    (
        "load rounds curve seek map access cache hosts host-bars bars heat cdf histogram time card",
        "names",
    ),
    (
        "bsrange bssplit sync fsync fdatasync end_fsync thinktime random_distribution zonemode verify buffer_pattern zero_buffers",
        "names of options",
    ),
    ("sokudo fio", "a command"),
    ("sokudo baseline", "a command"),
    ("sokudo mark --row RND4K", "a command"),
    (": min=", "looked for in what kubestr prints"),
    ("sokudo quick --trim", "a command"),
    ("median of", "looked for in a text of another language"),
    ("System V", "a name"),
    ("passes, self-test", "options of a form"),
    ("ssh -L {}:localhost:{} {}", "a command"),
    ("attachment; filename=\"{}\"", "a header"),
    (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
        "a header",
    ),
    ("light dark", "CSS"),
    ("true, false", "values"),
    ("{} · file {}", "what a device is known by"),
    ("{} · partition {}", "what a device is known by"),
    ("{} · partition", "what a device is known by"),
    ("partition table", "the end of a word"),
    ("; {} data dumped as {}", "only fio's front end says it"),
    ("; cannot write {}: {}", "only fio's front end says it"),
    (
        "; what was written is not known, so that it is not dumped",
        "only fio's front end says it",
    ),
    ("<path d=\"{}\"", "drawing"),
    ("sokudo write cache of {}", "a name among processes"),
    ("{} for {}", "a name of a workload"),
    ("{} {} {} {} unfinished {} {}", "the mark on a file of ours"),
    (
        "{} {} {} {} finished {} {} {}",
        "the mark on a file of ours",
    ),
    ("sokudo clean{} {}", "a command"),
    (", and {}", "joins reasons, which are known in pairs"),
    ("hdparm -W{} /dev/{}", "a command"),
    ("nvme set-feature /dev/{} -f 6 -V {}", "a command"),
    ("sdparm --clear=WCE /dev/{}", "a command"),
    ("sdparm --set=WCE /dev/{}", "a command"),
    ("sokudo show {}", "a command"),
    ("{} --seed {}", "a command"),
    ("temporary {}", "what is written into a file of the kernel"),
    (
        "const, hdd, smr, ssd, dramless, raid5, fake-capacity",
        "names",
    ),
    ("seconds =", "looked for in what hdparm prints"),
    ("For more information", "looked for in what clap says"),
    ("With --", "looked for in help"),
    ("such as", "looked for in help"),
    ("ulimit -f", "a command"),
    ("ulimit -n", "a command"),
    ("{bar:10} {percent:>3} %  {msg}", "a template"),
    ("sokudo {}", "a name"),
    ("sokudo info", "a command"),
    ("sokudo quick", "a command"),
    ("sokudo steady", "a command"),
    ("Linux {}", "a name"),
    ("label: gpt\n{}", "what sfdisk reads"),
    ("start=1MiB, name={}, uuid={}", "what sfdisk reads"),
    ("{} {}=max", "what is written into a file of the kernel"),
    ("```text\n{}\n```", "Markdown"),
    ("{}console\n$ {}\n{}", "Markdown"),
];

/// Names of commands, pages and abilities as the standards of ATA, SCSI and NVMe write them,
/// of makers and of rows, and words that are looked for in what the system says.
const OF_STANDARDS: [&str; 46] = [
    "Amazon EC2",
    "Amazon Elastic Block Store",
    "Ceph BlueStore",
    "GP log 00h",
    "GP log 04h page 0",
    "GP log 04h page {}",
    "General Purpose Logging feature set",
    "Identify Controller",
    "Identify Namespace",
    "LBA status",
    "Model Name",
    "Oracle ASM",
    "RANDOM mixed",
    "SATA II Extensions",
    "SEEK mixed",
    "SEQ inner",
    "SEQ middle",
    "SEQ outer",
    "SMART data",
    "SMART feature set",
    "SMART status",
    "SMART thresholds",
    "amazon elastic",
    "cpu model",
    "dataset management",
    "device self-test",
    "doorbell buffer",
    "feature 06h",
    "firmware download",
    "log 01h errors",
    "log 00h logs",
    "log 02h health",
    "log C0h extended health",
    "log 03h firmware",
    "log page 00h",
    "log page {}h",
    "management interface",
    "mode page 08h",
    "mode page 08h changeable",
    "model name",
    "namespace management",
    "save and select of features",
    "security send and receive",
    "virtualisation management",
    "write uncorrectable",
    "write zeroes",
];

/// Words that are the same in all languages: units, names of programs, of their options and
/// of parts of Linux.
const NAMES: [&str; 4] = ["Gbit", "IOPS", "rpm", "sokudo"];

fn is_spoken(text: &Text) -> bool {
    let file = text.file.to_string_lossy();
    let path = |folder: &str| file.strip_prefix(folder).is_some_and(ends_a_name);
    SPOKEN.into_iter().any(path)
        && (SPOKEN_WITHIN.into_iter().any(path) || !UNSPOKEN.iter().any(|(folder, _)| path(folder)))
        && !OF_STANDARDS.contains(&text.key.trim())
        && !OF_TOOLS.contains(&text.key.trim())
        && !AS_IT_IS.iter().any(|(key, _)| *key == text.key.trim())
        && !is_help(text)
        && !is_options(&text.key)
        && !is_sql(text)
}

/// Whether it is said to a database.
fn is_sql(text: &Text) -> bool {
    const BEGINS: [&str; 9] = [
        "CREATE", "DELETE", "DROP", "EXISTS", "INSERT", "SELECT", "SET", "UPDATE", "WHERE",
    ];
    const PARTS: [&str; 7] = [
        " = ?",
        " JOIN ",
        "started_at, ",
        "LIKE ?",
        "(SELECT ",
        "ORDER BY",
        "name, direction, fingerprint",
    ];
    let word = text.key.split_whitespace().next().unwrap_or_default();
    text.file.starts_with("crates/sokudo-store")
        && (BEGINS.contains(&word) || PARTS.iter().any(|part| text.key.contains(part)))
}

/// Whether it lists the options of a form, as `size, time, data=zero|random`.
fn is_options(key: &str) -> bool {
    let is_name = |sign: char| sign.is_ascii_lowercase() || sign == '-';
    let is_option = |part: &str| {
        let name = part.split_once('=').map_or(part, |(name, _)| name);
        !name.is_empty() && name.chars().all(is_name)
    };
    key.split(", ").count() > 2 && key.split(", ").all(is_option)
}

/// Examples and remarks of a command's help, which is said part by part; a test of the
/// program walks all of it.
fn is_help(text: &Text) -> bool {
    let folders = ["arguments", "arguments.rs", "definition"];
    let is_of_arguments = text
        .file
        .iter()
        .any(|part| folders.iter().any(|it| part == *it));
    let is_of_commands = [
        "sokudo/src/cli.rs",
        "sokudo/src/commands/choose.rs",
        "sokudo/src/commands/slow.rs",
    ];
    let is_of_commands = is_of_commands.iter().any(|it| text.file.ends_with(it));
    (is_of_arguments || is_of_commands) && text.key.contains('\n')
}

/// Whether what follows a path does not go on with its last name.
fn ends_a_name(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['/', '.'])
}

/// Whether there is an English word in what the catalogue does not know. An option is typed
/// so in every language.
fn is_english(unknown: &str) -> bool {
    if unknown.starts_with("--") {
        return false;
    }
    let mut words = unknown.split(|sign: char| !sign.is_ascii_alphabetic());
    words.any(|word| {
        let lower = word.chars().skip(1).all(|sign| sign.is_ascii_lowercase());
        word.len() >= 3 && lower && !NAMES.contains(&word)
    })
}

/// A sentence begins with a capital letter only where it stands first.
fn alike(key: &str) -> String {
    let mut signs = key.chars();
    let first = signs.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(signs).collect()
}

#[test]
fn every_text_that_a_person_reads_is_translated() {
    let texts = SPOKEN.iter().flat_map(|folder| texts_below(folder));
    let mut missing = BTreeSet::new();
    let mut seen = 0;
    for text in texts.filter(|text| text.has_words() && is_spoken(text)) {
        seen += 1;
        if is_english(&text.key) && !Language::Japanese.knows(&text.key) {
            missing.insert(format!(
                "#: {}\nmsgid {:?}\nmsgstr \"\"\n",
                text.file.display(),
                text.key.trim()
            ));
        }
    }
    assert!(seen > 500, "the sources were not found: {seen} texts");
    let missing: Vec<String> = missing.into_iter().collect();
    assert!(
        missing.is_empty(),
        "{} texts are not in crates/sokudo-words/ja:\n\n{}",
        missing.len(),
        missing.join("\n")
    );
}

/// Keys that are put together of several texts of the sources, so that they read well.
const PUT_TOGETHER: [&str; 18] = [
    "{} at {} % read",
    "{} at {} % write",
    "{} lacks {} of {} members",
    "{} lacks {} members",
    "{} of {} members with chunks of {}",
    "fixed buffers",
    "direct (dd) read",
    "direct (dd) write",
    "fdatasync (dd) write",
    "cached (hdparm -T) read",
    "buffered (hdparm -t) read",
    "unknown (the kernel says {})",
    "virtual disk of {}",
    "loop device of {}",
    "memory disk of {}",
    "device-mapper volume of {}",
    "disk of {}",
    "RAID of {}",
];

/// Catalogues whose every key stands in a source. Those of help and errors have texts of
/// clap's and of the system's, too; that of reports has a test of its own.
const OF_SOURCES: [(&str, &str); 3] = [
    ("findings.po", include_str!("../../ja/findings.po")),
    ("pictures.po", include_str!("../../ja/pictures.po")),
    ("tables.po", include_str!("../../ja/tables.po")),
];

#[test]
fn no_key_is_there_that_no_source_has() {
    let mut used = BTreeSet::new();
    for text in texts_below("crates") {
        used.insert(alike(&text.key));
    }
    let mut unused = Vec::new();
    for (file, text) in OF_SOURCES {
        let catalogue = polib::po_file::parse_from_reader(text.as_bytes()).unwrap();
        let keys = catalogue.messages().map(|message| message.msgid());
        let keys = keys.filter(|key| !used.contains(&alike(key)) && !PUT_TOGETHER.contains(key));
        unused.extend(keys.map(|key| format!("{file}: {key}")));
    }
    assert!(
        unused.is_empty(),
        "{} keys are used no longer:\n{}",
        unused.len(),
        unused.join("\n")
    );
}

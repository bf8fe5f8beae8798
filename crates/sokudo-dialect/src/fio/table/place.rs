//! Options about files: which, how large, how they are made ready.

use sokudo_model::{Distribution, FileOrder, narrow};

use super::super::criteria;
use super::super::files::path_list;
use super::super::numbers::{Amount, range};
use super::super::option::{FioOption, OptionEffect, U32_MAX, U64_MAX, full};
use super::super::planned::Fallocate;

/// More files than any job that people write; each costs a descriptor.
const FILES_MAX: u64 = 65_536;

pub(super) const OPTIONS: &[FioOption] = &[
    full(
        "directory",
        &[],
        "",
        "where files lie; several, in turn by clone, are separated by colons",
        OptionEffect::Text("a directory", |j, v| {
            j.directories = path_list(v);
            Ok(())
        }),
    )
    .differs("in the order of a command line, a filename before it is not put in it, as with fio"),
    full(
        "filename",
        &[],
        "",
        "the files or devices that are used, separated by colons; a colon in a name is \\:",
        OptionEffect::Text("one path or several", |j, v| {
            let prefix = j
                .directories
                .first()
                .map(|directory| format!("{directory}/"));
            let prefix = prefix.unwrap_or_default();
            let files: Vec<String> = path_list(v)
                .into_iter()
                .map(|path| format!("{prefix}{path}"))
                .collect();
            if files.is_empty() {
                return Err("one path or several".into());
            }
            j.file_count = narrow(files.len() as u64);
            j.files = files;
            Ok(())
        }),
    ),
    full(
        "filename_format",
        &[],
        "$jobname.$jobnum.$filenum",
        "how files without a filename are called",
        OptionEffect::Text("a name with $jobname, $jobnum, $filenum", |j, v| {
            v.clone_into(&mut j.name_format);
            Ok(())
        }),
    ),
    full(
        "unique_filename",
        &[],
        "1",
        "puts the address of a network client before names",
        OptionEffect::Switch(|_, _| {}),
    )
    .no_effect("there are no network clients"),
    full(
        "nrfiles",
        &["nr_files"],
        "1",
        "how many files a job has",
        OptionEffect::Number(1, FILES_MAX, |j, v| j.file_count = narrow(v)),
    ),
    full(
        "openfiles",
        &[],
        "",
        "files kept open at once; 0 is all",
        OptionEffect::Number(0, U32_MAX, |j, v| j.open_max = narrow(v)),
    ),
    full(
        "file_service_type",
        &[],
        "roundrobin",
        "which of several files is next; :N stays N I/Os",
        OptionEffect::Word(
            &[
                "random",
                "zipf",
                "pareto",
                "normal",
                "gauss",
                "roundrobin",
                "sequential",
            ],
            |j, word, more| {
                let spread = matches!(word, "zipf" | "pareto" | "normal" | "gauss");
                j.file_ios = match more {
                    Some(number) if !spread => number
                        .parse()
                        .ok()
                        .filter(|n| *n > 0)
                        .ok_or("a word, perhaps with a number above 0")?,
                    _ => 1,
                };
                j.file_order = match word {
                    "roundrobin" => FileOrder::RoundRobin,
                    "sequential" => FileOrder::Sequential,
                    "random" => FileOrder::Random(Distribution::Uniform),
                    _ => FileOrder::Random(
                        criteria::distribution(word, more).ok_or(criteria::DISTRIBUTION)?,
                    ),
                };
                Ok(())
            },
        ),
    ),
    full(
        "filesize",
        &[],
        "",
        "size of each file, or smallest and largest",
        OptionEffect::Text("a size such as 1m, or a range such as 1m-4m", |j, v| {
            let base = j.kilo_base;
            let one = super::super::numbers::number(v, base).map(|size| (size, size));
            let both = one.or_else(|| range(v, base)).filter(|(low, _)| *low > 0);
            j.file_size = Some(both.ok_or("a size such as 1m, or a range such as 1m-4m")?);
            Ok(())
        }),
    ),
    full(
        "size",
        &[],
        "",
        "how much of the files is used, all together, and moved unless io_size says",
        OptionEffect::Amount(|j, v| j.size = Some(v).filter(|v| *v != Amount::Bytes(0))),
    ),
    full(
        "offset",
        &["fileoffset"],
        "0",
        "where in the file the used part begins",
        OptionEffect::Amount(|j, v| j.offset = v),
    ),
    full(
        "offset_increment",
        &[],
        "0",
        "what each clone's offset is further than the one before",
        OptionEffect::Amount(|j, v| j.offset_step = v),
    ),
    full(
        "offset_align",
        &[],
        "0",
        "what an offset in percent is rounded up to; 0 is the block size",
        OptionEffect::Number(0, U64_MAX, |j, v| j.offset_alignment = v),
    ),
    full(
        "overwrite",
        &[],
        "0",
        "lays a file out in full before it is written",
        OptionEffect::Switch(|j, on| j.overwrite = on),
    )
    .differs("it is also consent to write an existing file that no job has laid out, or that was changed since; SOKUDO_OVERWRITE=files is such consent for all jobs"),
    full(
        "allow_file_create",
        &[],
        "1",
        "makes files that are missing",
        OptionEffect::Switch(|j, on| j.may_create = on),
    ),
    full(
        "allow_mounted_write",
        &[],
        "0",
        "allows writing to a mounted device",
        OptionEffect::Switch(|j, on| j.allow_mounted_write = on),
    )
    .differs("the device must be named by --destroy or SOKUDO_DESTROY as well"),
    full(
        "create_on_open",
        &[],
        "0",
        "makes files only when they are opened",
        OptionEffect::Switch(|j, on| j.create_on_open = on),
    ),
    full(
        "create_only",
        &[],
        "0",
        "lays files out and runs nothing",
        OptionEffect::Switch(|j, on| j.create_only = on),
    ),
    full(
        "create_serialize",
        &[],
        "1",
        "lays files out one after the other",
        OptionEffect::Switch(|_, _| {}),
    )
    .no_effect("files are always laid out one after the other, before anything is measured"),
    full(
        "create_fsync",
        &[],
        "1",
        "makes files durable when they are laid out",
        OptionEffect::Switch(|_, _| {}),
    )
    .no_effect("files that are laid out are always made durable"),
    full(
        "fallocate",
        &[],
        "native",
        "how space is reserved for files that are laid out",
        OptionEffect::Word(
            &["none", "native", "posix", "keep", "truncate", "0", "1"],
            |j, word, _| {
                j.fallocate = match word {
                    "none" | "0" => Fallocate::None,
                    "posix" | "1" => Fallocate::Posix,
                    "keep" => Fallocate::Keep,
                    "truncate" => Fallocate::Truncate,
                    _ => Fallocate::Native,
                };
                Ok(())
            },
        ),
    ),
    full(
        "unlink",
        &[],
        "0",
        "removes files at the end",
        OptionEffect::Switch(|j, on| j.unlink = on),
    ),
    full(
        "pre_read",
        &[],
        "0",
        "reads files before they are used",
        OptionEffect::Switch(|j, on| j.pre_read = on),
    ),
    full(
        "invalidate",
        &[],
        "1",
        "drops what the page cache holds of files before they are used",
        OptionEffect::Switch(|j, on| j.invalidate = on),
    ),
];

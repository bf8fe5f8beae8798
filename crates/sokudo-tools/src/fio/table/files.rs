//! Options about files: which, how large, how they are made ready.

use sokudo_model::{Allocation, Distribution, FileOrder, narrow};

use super::super::criteria;
use super::super::files::path_list;
use super::super::job::Job;
use super::super::numbers::{Amount, Expected, KiloBase, number, range};
use super::super::option::OptionEffect::{Any, Number, Size, Switch, Text, Word};
use super::super::option::{FioOption, U32_MAX, U64_MAX, above_0, choice, options};

/// More files than any job that people write; each costs a descriptor.
const FILES_MAX: u64 = 65_536;

pub(super) const OPTIONS: &[FioOption] = options! {
    "directory" = "", "where files lie; several, in turn by thread, are separated by colons",
        Any("a directory", |j, v| j.directories = path_list(v)),
        differs("in the order of a command line, a filename before it is not put in it, as with fio");
    "filename" = "",
        "the files or devices that are used, separated by colons; a colon in a name is \\:",
        Text("one path or several", file_names);
    "filename_format" = "$jobname.$jobnum.$filenum", "how files without a filename are called",
        Any("a name with $jobname, $jobnum, $filenum", |j, v| v.clone_into(&mut j.name_format));
    "unique_filename" = "1", "puts the address of a network client before names", Switch(|_, _| {}),
        no_effect("there are no network clients");
    "nrfiles" | "nr_files" = "1", "how many files a job has",
        Number(1, FILES_MAX, |j, v| j.file_count = narrow(v));
    "openfiles" = "", "files kept open at once; 0 is all",
        Number(0, U32_MAX, |j, v| j.plan.files.open_max = above_0(v));
    "file_service_type" = "roundrobin", "which of several files is next; :N stays N I/Os",
        Word(&["random", "zipf", "pareto", "normal", "gauss", "roundrobin", "sequential"],
            file_service);
    "filesize" = "", "size of each file, or smallest and largest",
        Text("a size such as 1m, or a range such as 1m-4m",
            |j, v| file_sizes(v, j.kilo_base).map(|sizes| j.file_size = Some(sizes)));
    "size" = "", "how much of the files is used, all together, and moved unless io_size says",
        Size(|j, v| j.size = Some(v).filter(|v| *v != Amount::Bytes(0)));
    "offset" | "fileoffset" = "0", "where in the file the used part begins",
        Size(|j, v| j.offset = v);
    "offset_increment" = "0", "what each thread's offset is further than the one before",
        Size(|j, v| j.offset_step = v);
    "offset_align" = "0", "what an offset in percent is rounded up to; 0 is the block size",
        Number(0, U64_MAX, |j, v| j.offset_alignment = v);
    "overwrite" = "0", "lays a file out in full before it is written",
        Switch(|j, on| j.file.overwrite_requested = on),
        differs("it is also consent to write an existing file that no job has laid out, or that was changed since; SOKUDO_OVERWRITE=files is such consent for all jobs");
    "allow_file_create" = "1", "makes files that are missing", Switch(|j, on| j.file.create = on);
    "allow_mounted_write" = "0", "allows writing to a mounted device",
        Switch(|j, on| j.file.allow_mounted_write = on),
        differs("the device must be named by --destroy or SOKUDO_DESTROY as well");
    "create_on_open" = "0", "makes files only when they are opened",
        Switch(|j, on| j.file.create_on_open = on);
    "create_only" = "0", "lays files out and runs nothing", Switch(|j, on| j.create_only = on);
    "create_serialize" = "1", "lays files out one after the other", Switch(|_, _| {}),
        no_effect("files are always laid out one after the other, before anything is measured");
    "create_fsync" = "1", "makes files durable when they are laid out", Switch(|_, _| {}),
        no_effect("files that are laid out are always made durable");
    "fallocate" = "native", "how space is reserved for files that are laid out",
        choice!(file.allocation: "none" | "0" => Allocation::None,
            "native" | "posix" | "1" => Allocation::Reserve, "keep" => Allocation::ReserveKeepSize,
            "truncate" => Allocation::Truncate);
    "unlink" = "0", "removes files at the end", Switch(|j, on| j.file.unlink = on);
    "pre_read" = "0", "reads files before they are used", Switch(|j, on| j.file.pre_read = on);
    "invalidate" = "1", "drops what the page cache holds of files before they are used",
        Switch(|j, on| j.file.invalidate = on);
};

fn file_names(job: &mut Job, text: &str) -> Option<()> {
    let directory = job.directories.first().map(|path| format!("{path}/"));
    let directory = directory.unwrap_or_default();
    let paths = path_list(text).into_iter();
    job.files = paths.map(|path| format!("{directory}{path}")).collect();
    job.file_count = narrow(job.files.len());
    (!job.files.is_empty()).then_some(())
}

fn file_service(job: &mut Job, word: &str, more: Option<&str>) -> Result<(), Expected> {
    let spread = matches!(word, "zipf" | "pareto" | "normal" | "gauss");
    let ios = more.filter(|_| !spread).map(str::parse);
    job.plan.files.service.ios = match ios {
        None => 1,
        Some(Ok(ios @ 1..)) => ios,
        Some(_) => return Err("a word, perhaps with a number above 0".into()),
    };
    job.plan.files.service.order = match word {
        "roundrobin" => FileOrder::RoundRobin,
        "sequential" => FileOrder::Sequential,
        "random" => FileOrder::Random(Distribution::Uniform),
        _ => FileOrder::Random(criteria::distribution(word, more).ok_or(criteria::DISTRIBUTION)?),
    };
    Ok(())
}

/// The smallest and the largest.
fn file_sizes(text: &str, base: KiloBase) -> Option<(u64, u64)> {
    let one = number(text, base).map(|size| (size, size));
    one.or_else(|| range(text, base))
        .filter(|(low, _)| *low > 0)
}

//! Options about how I/O is issued.

use sokudo_model::{BufferMemory, narrow};

use super::super::job::Job;
use super::super::numbers::Expected;
use super::super::option::OptionEffect::{Flag, Number, Switch, Text, Unread, Word};
use super::super::option::{FioOption, U32_MAX, options};

const RINGS: &[&str] = &["io_uring", "io_uring_cmd"];
const COMMANDS: &[&str] = &["io_uring_cmd"];
const POLLED: &[&str] = &["io_uring", "io_uring_cmd", "pvsync2"];
const CACHED: &[&str] = &["io_uring", "pvsync2"];
const ASYNC: &[&str] = &["io_uring", "libaio"];
const NOWAIT: &[&str] = &["io_uring", "libaio", "pvsync2"];
/// No backend takes more; each refuses what is too much for it.
const DEPTH_MAX: u64 = 1 << 16;

pub(super) const OPTIONS: &[FioOption] = options! {
    "ioengine" = "psync", "how I/O is issued",
        Word(&["io_uring", "io_uring_cmd", "libaio", "linuxaio", "posixaio", "psync", "sync", "vsync", "pvsync", "pvsync2",
            "mmap", "null"], engine),
        differs("posixaio runs on the fastest native backend and pvsync on pvsync2; engines for networks, clusters and special hardware are refused");
    "iodepth" = "1", "I/Os in flight", Number(1, DEPTH_MAX, |j, v| j.plan.depth = narrow(v));
    "iodepth_batch" | "iodepth_batch_submit" = "1", "I/Os submitted together; 0 is iodepth",
        Number(0, U32_MAX, |j, v| j.batch = narrow(v));
    "iodepth_batch_complete_min" | "iodepth_batch_complete" = "1",
        "completions waited for at once; 0 only looks",
        Number(0, U32_MAX, |j, v| j.complete_min = narrow(v));
    "iodepth_batch_complete_max" = "", "completions reaped at once at most",
        Number(0, U32_MAX, |j, v| j.complete_max = Some(narrow(v)).filter(|n| *n > 0));
    "iodepth_low" = "", "depth to which the queue drains before it is filled again",
        Number(0, U32_MAX, |j, v| j.low_depth = narrow(v));
    "direct" = "0", "bypasses the page cache", Switch(|j, on| j.plan.direct = on.into());
    "buffered" = "1", "the opposite of direct", Switch(|j, on| j.plan.direct = (!on).into());
    "mem" | "iomem" = "malloc", "what memory buffers lie in",
        Text("malloc, shm, mmap, mmapshared, or shmhuge, mmaphuge (each perhaps with :FILE)",
            |j, v| memory(v).map(|memory| j.plan.issuing.memory = memory)),
        differs("private memory of small pages, or huge pages; a file behind it is not used");
    "iomem_align" | "mem_align" = "0", "alignment of buffers in memory",
        Number(0, U32_MAX, |_, _| {}), no_effect("buffers are aligned to a page");
    "hugepage-size" = "2097152", "size of a huge page", Number(0, U32_MAX, |_, _| {}),
        no_effect("the kernel's default size of huge pages is used");
    "clocksource" = "", "where times come from",
        Word(&["gettimeofday", "clock_gettime", "cpu"], |_, _, _| Ok(())),
        no_effect("times come from the processor's counter, checked against the monotonic clock");
    "fadvise_hint" | "fadvise" = "1", "what the kernel is told of the access pattern",
        Word(&["0", "1", "random", "sequential"], |_, _, _| Ok(())),
        no_effect("the kernel is told nothing; it sees the pattern itself");
    "hipri" = "", "polls for completions", Flag(|j, on| j.plan.issuing.polled = on),
        of_engines(POLLED), differs("with io_uring and io_uring_cmd; with pvsync2 completions come by interrupt, and the run says so");
    "hipri_percentage" = "100", "percentage of I/Os that are polled for", Number(0, 100, |_, _| {}),
        of_engines(&["pvsync2"]), no_effect("pvsync2 does not poll");
    "cmd_type" = "nvme", "what commands io_uring_cmd passes", Word(&["nvme"], |_, _, _| Ok(())),
        of_engines(COMMANDS);
    "fixedbufs" = "", "registers buffers", Flag(|_, _| {}),
        of_engines(RINGS), no_effect("the ring registers its buffers wherever the kernel allows it");
    "registerfiles" = "", "registers files", Flag(|_, _| {}),
        of_engines(RINGS), no_effect("the ring registers its files wherever the kernel allows it");
    "sqthread_poll" = "", "lets a kernel thread submit", Flag(|_, _| {}),
        of_engines(RINGS), no_effect("the job's own thread submits; the run says so");
    "sqthread_poll_cpu" = "", "the processor of that thread", Number(0, U32_MAX, |_, _| {}),
        of_engines(RINGS), no_effect("see sqthread_poll");
    "nonvectored" = "", "plain reads and writes", Unread,
        of_engines(RINGS), no_effect("the ring always uses plain reads and writes");
    "userspace_reap" = "", "reaps completions without a system call", Flag(|_, _| {}),
        of_engines(&["libaio"]), no_effect("completions are always looked for in memory first");
    "libaio_vectored" = "", "uses vectors with libaio", Flag(|_, _| {}),
        of_engines(&["libaio"]), no_effect("libaio always uses plain reads and writes");
    "uncached" = "0", "drops what was read from the cache", Unread,
        of_engines(CACHED), needs("RWF_DONTCACHE in the backends");
    "nowait" = "0", "fails an I/O that would block", Unread,
        of_engines(NOWAIT), needs("RWF_NOWAIT in the backends");
    "force_async" = "0", "sends I/Os to a worker thread", Unread,
        of_engines(RINGS), needs("IOSQE_ASYNC in the ring");
    "cmdprio_percentage" = "0", "I/Os with a high priority", Unread,
        of_engines(ASYNC), needs("priorities of single I/Os");
    "cmdprio_class" = "", "class of that priority", Unread,
        of_engines(ASYNC), needs("priorities of single I/Os");
    "cmdprio" = "", "that priority", Unread, of_engines(ASYNC), needs("priorities of single I/Os");
    "cmdprio_bssplit" = "", "that priority by size", Unread,
        of_engines(ASYNC), needs("priorities of single I/Os");
    "cmdprio_split" = "", "that priority by size", Unread,
        of_engines(ASYNC), needs("priorities of single I/Os");
    "thp" = "0", "asks for huge pages in the mapping", Unread,
        of_engines(&["mmap"]), needs("huge pages in mappings of files");
};

fn engine(job: &mut Job, word: &str, more: Option<&str>) -> Result<(), Expected> {
    // fio's other name for it, which its manual gives.
    let word = if word == "linuxaio" { "libaio" } else { word };
    word.clone_into(&mut job.engine);
    more.map_or(Ok(()), |_| Err("the engine's name alone".into()))
}

fn memory(text: &str) -> Option<BufferMemory> {
    match text.split_once(':').map_or(text, |(word, _)| word) {
        "malloc" | "shm" | "mmap" | "mmapshared" => Some(BufferMemory::SmallPages),
        "shmhuge" | "mmaphuge" => Some(BufferMemory::HugePages),
        _ => None,
    }
}

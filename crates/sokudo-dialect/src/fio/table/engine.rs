//! Options about how I/O is issued.

use sokudo_model::narrow;

use super::super::option::{FioOption, OptionEffect, U32_MAX, full};

const RINGS: &[&str] = &["io_uring"];
const POLLED: &[&str] = &["io_uring", "pvsync2"];
const ASYNC: &[&str] = &["io_uring", "libaio"];
const NOWAIT: &[&str] = &["io_uring", "libaio", "pvsync2"];
/// No backend takes more; each refuses what is too much for it.
const DEPTH_MAX: u64 = 1 << 16;

pub(super) const OPTIONS: &[FioOption] = &[
    full(
        "ioengine",
        &[],
        "psync",
        "how I/O is issued",
        OptionEffect::Word(
            &[
                "io_uring", "libaio", "posixaio", "psync", "sync", "vsync", "pvsync", "pvsync2",
                "mmap", "null",
            ],
            |j, word, more| {
                word.clone_into(&mut j.engine);
                match more {
                    Some(_) => Err("the engine's name alone".into()),
                    None => Ok(()),
                }
            },
        ),
    )
    .differs("posixaio runs on the fastest native backend and pvsync on pvsync2; engines for networks, clusters and special hardware are refused"),
    full(
        "iodepth",
        &[],
        "1",
        "I/Os in flight",
        OptionEffect::Number(1, DEPTH_MAX, |j, v| j.depth = narrow(v)),
    ),
    full(
        "iodepth_batch",
        &["iodepth_batch_submit"],
        "1",
        "I/Os submitted together; 0 is iodepth",
        OptionEffect::Number(0, U32_MAX, |j, v| j.batch = narrow(v)),
    ),
    full(
        "iodepth_batch_complete_min",
        &["iodepth_batch_complete"],
        "1",
        "completions waited for at once; 0 only looks",
        OptionEffect::Number(0, U32_MAX, |j, v| j.complete_min = narrow(v)),
    ),
    full(
        "iodepth_batch_complete_max",
        &[],
        "",
        "completions reaped at once at most",
        OptionEffect::Number(0, U32_MAX, |j, v| j.complete_max = Some(narrow(v)).filter(|n| *n > 0)),
    ),
    full(
        "iodepth_low",
        &[],
        "",
        "depth to which the queue drains before it is filled again",
        OptionEffect::Number(0, U32_MAX, |j, v| j.low_depth = narrow(v)),
    ),
    full(
        "direct",
        &[],
        "0",
        "bypasses the page cache",
        OptionEffect::Switch(|j, on| j.direct = on),
    ),
    full(
        "buffered",
        &[],
        "1",
        "the opposite of direct",
        OptionEffect::Switch(|j, on| j.direct = !on),
    ),
    full(
        "mem",
        &["iomem"],
        "malloc",
        "what memory buffers lie in",
        OptionEffect::Text(
            "malloc, shm, mmap, mmapshared, or shmhuge, mmaphuge (each perhaps with :FILE)",
            |j, v| {
                const WORDS: [&str; 6] =
                    ["malloc", "shm", "shmhuge", "mmap", "mmaphuge", "mmapshared"];
                let word = v.split_once(':').map_or(v, |(word, _)| word);
                if !WORDS.contains(&word) {
                    return Err(WORDS.join(", ").into());
                }
                word.clone_into(&mut j.memory);
                Ok(())
            },
        ),
    )
    .differs("private memory of small pages, or huge pages; a file behind it is not used"),
    full(
        "iomem_align",
        &["mem_align"],
        "0",
        "alignment of buffers in memory",
        OptionEffect::Number(0, U32_MAX, |_, _| {}),
    )
    .no_effect("buffers are aligned to a page"),
    full(
        "hugepage-size",
        &[],
        "2097152",
        "size of a huge page",
        OptionEffect::Number(0, U32_MAX, |_, _| {}),
    )
    .no_effect("the kernel's default size of huge pages is used"),
    full(
        "clocksource",
        &[],
        "",
        "where times come from",
        OptionEffect::Word(&["gettimeofday", "clock_gettime", "cpu"], |_, _, _| Ok(())),
    )
    .no_effect("times come from the processor's counter, checked against the monotonic clock"),
    full(
        "fadvise_hint",
        &["fadvise"],
        "1",
        "what the kernel is told of the access pattern",
        OptionEffect::Word(&["0", "1", "random", "sequential"], |_, _, _| Ok(())),
    )
    .no_effect("the kernel is told nothing; it sees the pattern itself"),
    full("hipri", &[], "", "polls for completions", OptionEffect::Flag(|_, _| {}))
        .of_engines(POLLED)
        .no_effect("completions come by interrupt; the run says so"),
    full(
        "hipri_percentage",
        &[],
        "100",
        "percentage of I/Os that are polled for",
        OptionEffect::Number(0, 100, |_, _| {}),
    )
    .of_engines(&["pvsync2"])
    .no_effect("see hipri"),
    full("fixedbufs", &[], "", "registers buffers", OptionEffect::Flag(|_, _| {}))
        .of_engines(RINGS)
        .no_effect("the ring registers its buffers wherever the kernel allows it"),
    full("registerfiles", &[], "", "registers files", OptionEffect::Flag(|_, _| {}))
        .of_engines(RINGS)
        .no_effect("the ring registers its files wherever the kernel allows it"),
    full(
        "sqthread_poll",
        &[],
        "",
        "lets a kernel thread submit",
        OptionEffect::Flag(|_, _| {}),
    )
    .of_engines(RINGS)
    .no_effect("the job's own thread submits; the run says so"),
    full(
        "sqthread_poll_cpu",
        &[],
        "",
        "the processor of that thread",
        OptionEffect::Number(0, U32_MAX, |_, _| {}),
    )
    .of_engines(RINGS)
    .no_effect("see sqthread_poll"),
    full("nonvectored", &[], "", "plain reads and writes", OptionEffect::Unread)
        .of_engines(RINGS)
        .no_effect("the ring always uses plain reads and writes"),
    full(
        "userspace_reap",
        &[],
        "",
        "reaps completions without a system call",
        OptionEffect::Flag(|_, _| {}),
    )
    .of_engines(&["libaio"])
    .no_effect("completions are always looked for in memory first"),
    full(
        "libaio_vectored",
        &[],
        "",
        "uses vectors with libaio",
        OptionEffect::Flag(|_, _| {}),
    )
    .of_engines(&["libaio"])
    .no_effect("libaio always uses plain reads and writes"),
    full("uncached", &[], "0", "drops what was read from the cache", OptionEffect::Unread)
        .of_engines(POLLED)
        .needs("RWF_DONTCACHE in the backends"),
    full("nowait", &[], "0", "fails an I/O that would block", OptionEffect::Unread)
        .of_engines(NOWAIT)
        .needs("RWF_NOWAIT in the backends"),
    full("force_async", &[], "0", "sends I/Os to a worker thread", OptionEffect::Unread)
        .of_engines(RINGS)
        .needs("IOSQE_ASYNC in the ring"),
    full("cmdprio_percentage", &[], "0", "I/Os with a high priority", OptionEffect::Unread)
        .of_engines(ASYNC)
        .needs("priorities of single I/Os"),
    full("cmdprio_class", &[], "", "class of that priority", OptionEffect::Unread)
        .of_engines(ASYNC)
        .needs("priorities of single I/Os"),
    full("cmdprio", &[], "", "that priority", OptionEffect::Unread)
        .of_engines(ASYNC)
        .needs("priorities of single I/Os"),
    full("cmdprio_bssplit", &[], "", "that priority by size", OptionEffect::Unread)
        .of_engines(ASYNC)
        .needs("priorities of single I/Os"),
    full("cmdprio_split", &[], "", "that priority by size", OptionEffect::Unread)
        .of_engines(ASYNC)
        .needs("priorities of single I/Os"),
    full("thp", &[], "0", "asks for huge pages in the mapping", OptionEffect::Unread)
        .of_engines(&["mmap"])
        .needs("huge pages in mappings of files"),
];

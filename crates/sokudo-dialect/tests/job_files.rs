//! What job files mean, and what is wrong with those that are refused.

#![allow(
    clippy::unwrap_used,
    reason = "a failed test may panic, and a skipped one must say so"
)]

use proptest::prelude::*;
use sokudo_dialect::crystal::{Profile, job_file};
use sokudo_dialect::fio::method::options;
use sokudo_dialect::fio::{JobFileError, parse, pragmas, read};
use sokudo_model::{
    BackendKind, Bytes, DataContent, DirectMode, Nanos, Operation, OperationMix, Order, Plan, Rate,
    SequentialOffset, Span, Workload,
};

fn plan(text: &str) -> Plan {
    parse(text, "test.fio").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The only workload of `[job]` with these lines and an end.
fn workload(lines: &str) -> Workload {
    let plan = plan(&format!("[job]\nsize=1g\n{lines}"));
    plan.stages[0].workloads[0].clone()
}

fn error(text: &str) -> String {
    parse(text, "test.fio").unwrap_err().to_string()
}

fn of_lines(lines: &str) -> String {
    error(&format!("[job]\nsize=1g\n{lines}\n"))
}

fn names(plan: &Plan) -> Vec<Vec<&str>> {
    let stages = plan.stages.iter();
    stages
        .map(|stage| stage.workloads.iter().map(|w| w.name.as_str()).collect())
        .collect()
}

#[test]
fn a_bare_job_has_fios_defaults() {
    let found = workload("");
    let mut expected = Workload::new("job", Bytes::kib(4));
    expected.backend = BackendKind::Psync;
    expected.direct = DirectMode::Off;
    expected.limits.bytes = Some(Bytes::gib(1));
    assert_eq!(found, expected);
    assert_eq!(plan("[job]\nsize=1g\n").seed, 0xb189_9bed);
    assert_eq!(plan("[job]\nsize=1g\n").method, "fio/test.fio");
}

#[test]
fn the_job_file_of_document_000_is_eight_stages() {
    let mut text =
        "[global]\nioengine=libaio\nsize=1g\ndirect=1\nruntime=60\nstonewall\n".to_owned();
    for (name, rw, bs, depth) in [
        ("SEQ1M_Q8T1_READ", "read", "1m", 8),
        ("SEQ1M_Q8T1_WRITE", "write", "1m", 8),
        ("RND4K_Q32T1_READ", "randread", "4k", 32),
    ] {
        text += &format!("[{name}]\nrw={rw}\nbs={bs}\niodepth={depth}\n");
    }
    let plan = plan(&text);
    assert_eq!(
        names(&plan),
        [
            ["SEQ1M_Q8T1_READ"],
            ["SEQ1M_Q8T1_WRITE"],
            ["RND4K_Q32T1_READ"]
        ]
    );
    let last = &plan.stages[2].workloads[0];
    assert_eq!(last.order, Order::Random { map: true });
    assert_eq!(last.backend, BackendKind::Libaio);
    assert_eq!(last.direct, DirectMode::On);
    assert_eq!(last.limits.time, Some(Nanos::from_secs(60)));
    assert_eq!(last.limits.bytes, Some(Bytes::gib(1)));
    assert_eq!(last.span, None);
}

#[test]
fn later_globals_add_to_earlier_ones_for_later_jobs() {
    let plan =
        plan("[global]\nsize=1g\nbs=8k\n[a]\n[global]\niodepth=4\n[a]\nstonewall\n[b]\nbs=1m\n");
    assert_eq!(names(&plan), [vec!["a"], vec!["a", "b"]]);
    let of = |stage: usize, index: usize| {
        let workload = &plan.stages[stage].workloads[index];
        (workload.blocks.largest(), workload.depth)
    };
    assert_eq!(of(0, 0), (Bytes::kib(8), 1));
    assert_eq!(of(1, 0), (Bytes::kib(8), 4));
    assert_eq!(of(1, 1), (Bytes::mib(1), 4));
}

#[test]
fn a_stonewall_under_global_can_be_taken_back() {
    let plan = plan("[global]\nsize=1m\nstonewall\n[a]\n[b]\nstonewall=0\n[c]\n");
    assert_eq!(names(&plan), [vec!["a", "b"], vec!["c"]]);
}

#[test]
fn every_option_reaches_the_workload() {
    let found = workload(
        "name=other\nreadwrite=randrw\nrwmixwrite=30\nbssplit=4k/60:64k/40\niodepth=8\nnumjobs=3\n\
         norandommap\nioengine=io_uring\nbuffered=0\ncpus_allowed=0-1\ncpus_allowed_policy=split\n\
         io_size=2g\nruntime=1m\nramp_time=500ms\nrate=7m,3m\nthinktime=10\nthinktime_blocks=4\n\
         fsync=32\nfdatasync=16\nend_fsync=1\nsync=dsync\nzero_buffers\n",
    );
    assert_eq!(found.name, "other");
    assert_eq!(Some(found.operations), OperationMix::read_write(70));
    assert_eq!(found.order, Order::Random { map: false });
    let shares: Vec<_> = found
        .blocks
        .shares()
        .unwrap()
        .iter()
        .map(|s| (s.bytes.0, s.weight))
        .collect();
    assert_eq!(shares, [(4096, 60), (65_536, 40)]);
    assert_eq!((found.depth, found.clones), (8, 3));
    assert_eq!(found.backend, BackendKind::IoUring);
    assert_eq!(found.direct, DirectMode::On);
    assert_eq!(found.cpus, [0, 1]);
    assert_eq!(found.limits.time, Some(Nanos::from_secs(60)));
    assert_eq!(found.limits.bytes, Some(Bytes::gib(2)));
    assert_eq!(found.ramp, Nanos::from_millis(500));
    assert_eq!(found.rate, Some(Rate::BytesPerSecond(10 << 20)));
    let think = found.think.unwrap();
    assert_eq!((think.time, think.after_ios), (Nanos::from_micros(10), 4));
    let durability = found.durability;
    assert_eq!(
        (durability.fsync_every, durability.fdatasync_every),
        (Some(32), Some(16))
    );
    assert!(durability.write_through && durability.final_flush);
    assert_eq!(found.data, DataContent::Zero);
}

#[test]
fn every_access_pattern_is_known() {
    let sequential = Order::Sequential {
        offset: SequentialOffset::Own,
    };
    let random = Order::Random { map: true };
    let half = OperationMix::read_write(50).unwrap();
    for (word, order, operations) in [
        ("read", sequential, OperationMix::only(Operation::Read)),
        ("write", sequential, OperationMix::only(Operation::Write)),
        ("trim", sequential, OperationMix::only(Operation::Trim)),
        ("randread", random, OperationMix::only(Operation::Read)),
        ("randwrite", random, OperationMix::only(Operation::Write)),
        ("randtrim", random, OperationMix::only(Operation::Trim)),
        ("rw", sequential, half.clone()),
        ("readwrite", sequential, half.clone()),
        ("randrw", random, half),
    ] {
        let found = workload(&format!("rw={word}"));
        assert_eq!(
            (found.order, found.operations),
            (order, operations),
            "{word}"
        );
    }
}

#[test]
fn time_based_jobs_end_by_time_alone() {
    let limits = workload("runtime=5\ntime_based\nio_size=1m").limits;
    assert_eq!(
        (limits.time, limits.bytes),
        (Some(Nanos::from_secs(5)), None)
    );
    let limits = workload("runtime=5\nio_size=1m").limits;
    assert_eq!(
        (limits.time, limits.bytes),
        (Some(Nanos::from_secs(5)), Some(Bytes::mib(1)))
    );
    // fio ignores time_based without a runtime.
    assert_eq!(workload("time_based").limits.bytes, Some(Bytes::gib(1)));
    assert_eq!(
        workload("; sokudo: stop=never").limits,
        sokudo_model::Limits::default()
    );
}

#[test]
fn the_target_reaches_as_far_as_the_furthest_job() {
    let plan = plan(
        "[global]\ntime_based\nruntime=1\n[whole]\nsize=1g\n[part]\nsize=100m\n\
         [shifted]\noffset=512m\nsize=512m\n[to-end]\noffset=512m\nsize=1m\nfilesize=1g\n",
    );
    let spans: Vec<_> = plan.stages[0].workloads.iter().map(|w| w.span).collect();
    let span = |offset, length| {
        Some(Span {
            offset: Bytes::mib(offset),
            length: Bytes::mib(length),
        })
    };
    assert_eq!(spans, [None, span(0, 100), span(512, 512), span(512, 512)]);
}

#[test]
fn kb_base_holds_for_its_whole_section() {
    assert_eq!(
        workload("bs=4k\nkb_base=1000\n").blocks.largest(),
        Bytes(4000)
    );
    assert_eq!(workload("bs=4kib\n").blocks.largest(), Bytes(4000));
    assert_eq!(
        workload("bs=4kib\nkb_base=1000\n").blocks.largest(),
        Bytes(4096)
    );
}

#[test]
fn pragmas_say_what_fio_cannot() {
    let text = "; sokudo: method=mark/x\n# sokudo: seed=18446744073709551615\n; sokudo: interval=30s\n\
                [job]\nsize=1g\nioengine=io_uring\ndirect=1\n; sokudo: name=SEQ1M Q8;T1\n\
                ; sokudo: engine=auto\n; sokudo: direct=auto\n; sokudo: offset=interlocked\n\
                ; sokudo: clock=exact\n; sokudo: span=1m+2m\n";
    let file = read(text, "x").unwrap();
    assert_eq!(file.interval, Some(Nanos::from_secs(30)));
    assert_eq!(
        (file.plan.method.as_str(), file.plan.seed),
        ("mark/x", u64::MAX)
    );
    let found = &file.plan.stages[0].workloads[0];
    assert_eq!(found.name, "SEQ1M Q8;T1");
    assert_eq!(
        (found.backend, found.direct),
        (BackendKind::Auto, DirectMode::Auto)
    );
    let offset = SequentialOffset::Interlocked;
    assert_eq!(found.order, Order::Sequential { offset });
    assert!(found.exact_clock);
    let span = Span {
        offset: Bytes::mib(1),
        length: Bytes::mib(2),
    };
    assert_eq!(found.span, Some(span));
}

#[test]
fn errors_name_file_line_and_column() {
    let found = parse("[job]\n  iodeph=4\n", "a.fio").unwrap_err();
    assert_eq!((found.line, found.column), (2, 3));
    assert_eq!(
        found.to_string(),
        "a.fio:2:3: sokudo does not know the option \"iodeph\"; the nearest it knows is \"iodepth\""
    );
    let found = parse("[job]\niodepth=0\n", "a.fio").unwrap_err();
    assert_eq!((found.line, found.column), (2, 9));
}

#[test]
fn every_error_says_what_to_do() {
    for (text, expected) in [
        (
            "",
            "test.fio:1:1: no job in it; add a section such as [read-test]",
        ),
        (
            "[global]\nbs=4k\n",
            "test.fio:1:1: no job in it; add a section such as [read-test]",
        ),
        (
            "[a\n",
            "test.fio:1:1: a section is written [name], alone on its line",
        ),
        (
            "rw=read\n",
            "test.fio:1:1: \"rw\" stands before the first section; put it under [global] or a [job]",
        ),
        (
            "; sokudo: engine=auto\n",
            "test.fio:1:11: \"sokudo: engine\" stands before the first section; put it under [global] or a [job]",
        ),
        (
            "; sokudo: enginee=auto\n",
            "test.fio:1:11: there is no pragma \"enginee\"; the nearest is \"engine\"",
        ),
        (
            "[a]\nrw=read\n",
            "test.fio:1:1: job \"a\" has no end; give it time_based with runtime=, or size=, or io_size=",
        ),
        (
            "[a]\noffset=1g\nio_size=1g\n",
            "test.fio:1:1: job \"a\" starts at offset 1073741824; add a size= or filesize= that ends after it",
        ),
        (
            "[a]\noffset=1g\nfilesize=1g\nsize=1g\n",
            "test.fio:1:1: job \"a\" starts at offset 1073741824; add a size= or filesize= that ends after it",
        ),
        (
            "[a]\nsize=1m\nfilename=x\n[b]\nsize=1m\nfilename=y\n",
            "test.fio:4:1: job \"b\" uses another filename or directory than the first job; sokudo runs a file on one target, so split it",
        ),
        (
            "[a]\nsize=1m\nrandseed=1\n[b]\nsize=1m\nrandseed=2\n",
            "test.fio:4:1: job \"b\" has another randseed than an earlier job; a plan has one, so put it under [global]",
        ),
    ] {
        assert_eq!(error(text), expected);
    }
}

/// Lines of a job, and what they are answered with.
const BAD_VALUES: &[(&str, &str)] = &[
    (
        "bs=4x",
        "3:4: bs=4x is not valid: bs is a size above 0 such as 4k or 1m, the same for all directions",
    ),
    (
        "size=10%",
        "3:6: size=10% is not valid: size is a size in bytes such as 4096, 4k or 1m, above 0",
    ),
    (
        "size=1.5g",
        "3:6: size=1.5g is not valid: size is a size in bytes such as 4096, 4k or 1m, above 0",
    ),
    (
        "offset=-1",
        "3:8: offset=-1 is not valid: offset is a size in bytes such as 4096, 4k or 1m",
    ),
    (
        "iodepth=0",
        "3:9: iodepth=0 is not valid: iodepth is a whole number from 1 to 65536",
    ),
    (
        "numjobs=0",
        "3:9: numjobs=0 is not valid: numjobs is a whole number from 1 to 4096",
    ),
    (
        "rwmixread=101",
        "3:11: rwmixread=101 is not valid: rwmixread is a whole number from 0 to 100",
    ),
    ("direct=2", "3:8: direct=2 is not valid: direct is 0 or 1"),
    ("direct", "3:1: direct needs a value: 0 or 1"),
    (
        "stonewall=yes",
        "3:11: stonewall=yes is not valid: stonewall is 0 or 1",
    ),
    (
        "runtime=1h30m",
        "3:9: runtime=1h30m is not valid: runtime is a time such as 30s, 500ms or 100us",
    ),
    (
        "thinktime=2h",
        "3:11: thinktime=2h is not valid: thinktime is a time below 4295 s such as 500, 100us or 1ms",
    ),
    (
        "rw=seq",
        "3:4: rw=seq is not valid: rw is one of read, write, trim, randread, randwrite, randtrim, rw, readwrite, randrw",
    ),
    (
        "ioengine=sync",
        "3:10: ioengine=sync is not valid: ioengine is one of io_uring, libaio, psync, null",
    ),
    (
        "sync=1",
        "3:6: sync=1 is not valid: sync is none or dsync; sync, which also waits for the file's times, is not offered",
    ),
    (
        "randseed=x",
        "3:10: randseed=x is not valid: randseed is a whole number from 0 to 9223372036854775807",
    ),
    (
        "kb_base=512",
        "3:9: kb_base=512 is not valid: kb_base is 1024 or 1000",
    ),
    (
        "cpus_allowed=3-1",
        "3:14: cpus_allowed=3-1 is not valid: cpus_allowed is a list of processors such as 0,2 or 0-3",
    ),
    (
        "filename=a:b",
        "3:10: filename=a:b is not valid: filename is one path, with a colon in a name written as \\:",
    ),
    (
        "bssplit=4k/60",
        "3:9: bssplit=4k/60 is not valid: bssplit is block sizes with percentages that sum up to 100, such as 4k/60:64k/40, the same for all directions",
    ),
    (
        "rate=1,2,3,4",
        "3:6: rate=1,2,3,4 is not valid: rate is a number such as 1000 or 10m, or one each for read,write,trim",
    ),
    (
        "fallocate=maybe",
        "3:11: fallocate=maybe is not valid: fallocate is one of none, 0, native, posix, 1, keep, truncate, default",
    ),
    (
        "; sokudo: span=1m",
        "3:16: span=1m is not valid: span is all, or an offset and a length such as 1g+512m",
    ),
    (
        "; sokudo: clock",
        "3:11: clock needs a value: one of exact, batch",
    ),
    (
        "; sokudo: blocks=4k",
        "3:18: blocks=4k is not valid: blocks is block sizes with weights such as 4k/3:64k/1",
    ),
    (
        "cpus_allowed=0,1",
        "1:1: job \"job\" allows several processors to each clone; add cpus_allowed_policy=split to bind each to one",
    ),
    (
        "rw=rw\nrate=1m",
        "1:1: job \"job\" mixes reads and writes, which fio limits each by itself; give both, as in rate=70m,30m",
    ),
    (
        "rw=rw\nrate_iops=10,",
        "1:1: job \"job\" mixes reads and writes, which fio limits each by itself; give both, as in rate_iops=70m,30m",
    ),
    (
        "rate=1m\nrate_iops=10",
        "1:1: job \"job\" has rate and rate_iops; keep one of them",
    ),
];

#[test]
fn every_bad_value_says_what_is_good() {
    for (line, expected) in BAD_VALUES {
        assert_eq!(of_lines(line), format!("test.fio:{expected}"));
    }
}

#[test]
fn text_beyond_all_bounds_is_refused() {
    let long = " ".repeat((1 << 20) + 1);
    assert_eq!(
        error(&long),
        "test.fio:1:1: the file has 1048577 bytes; a job file has at most 1048576"
    );
    let many = "[a]\n".repeat(4097);
    assert_eq!(
        error(&many),
        "test.fio:4097:1: more than 4096 jobs; split the file"
    );
}

#[test]
fn every_option_and_pragma_is_explained() {
    assert!(options().iter().all(|option| !option.meaning.is_empty()));
    assert!(pragmas().iter().all(|pragma| !pragma.meaning.is_empty()));
}

/// An error points into the text, or just behind it.
fn points_into(error: &JobFileError, text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let width = lines
        .get(error.line - 1)
        .map_or(0, |line| line.chars().count());
    error.line <= lines.len().max(1) && (1..=width + 1).contains(&error.column)
}

fn some_line() -> impl Strategy<Value = String> {
    let names = || {
        let options = options().iter().map(|option| option.name);
        options
            .chain(pragmas().iter().map(|pragma| pragma.name))
            .collect::<Vec<_>>()
    };
    let junk = "[\\PC\t]{0,12}";
    let value = "[0-9]{0,20}[a-z%,:/.+-]{0,6}[0-9]{0,3}";
    prop_oneof![
        junk.prop_map(String::from),
        (proptest::sample::select(names()), value)
            .prop_map(|(name, value)| format!("{name}={value}")),
        (proptest::sample::select(names()), junk)
            .prop_map(|(name, junk)| format!("; sokudo: {name}={junk}")),
        proptest::sample::select(names()).prop_map(str::to_owned),
        "\\[[a-z\\[\\] ]{0,6}\\]?".prop_map(String::from),
        Just("[global]".to_owned()),
    ]
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_at_a_place_in_it(text in "[\\PC\n\r\t]{0,200}") {
        if let Err(error) = parse(&text, "x") {
            prop_assert!(points_into(&error, &text), "{error}");
        }
    }

    #[test]
    fn any_lines_are_read_or_refused_at_a_place_in_them(
        lines in proptest::collection::vec(some_line(), 0..20),
    ) {
        let text = format!("[job]\nsize=1m\n{}", lines.join("\n"));
        if let Err(error) = parse(&text, "x") {
            prop_assert!(points_into(&error, &text), "{error}\n{text}");
        }
    }

    #[test]
    fn a_damaged_method_is_read_or_refused(
        which in 0..Profile::ALL.len(),
        at in 0usize..4000,
        junk in "[\\PC\n]{0,8}",
    ) {
        let mut text = job_file(Profile::ALL[which]).to_owned();
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.insert_str(at, &junk);
        if let Err(error) = parse(&text, "x") {
            prop_assert!(points_into(&error, &text), "{error}");
        }
    }
}

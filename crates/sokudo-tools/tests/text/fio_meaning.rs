//! What fio's jobs come to: files, sizes, groups, limits.

use sokudo_model::{
    BackendKind, Batching, Bytes, CpuPolicy, DataContent, EndsOthers, FileUse, JobTargetKind,
    Nanos, OperationMix, Rate, Span, Workload,
};
use sokudo_tools::fio::{FioError, FioPlan, Host, HostPathKind, invocation};

use crate::host::Made;

/// A job file beside a device of 100 MiB.
fn disk(text: &str) -> Made<'_> {
    Made::with(HostPathKind::BlockDevice, "/dev/disk", Bytes::mib(100)).file("job.fio", text)
}

fn read(arguments: &[&str], text: &str) -> Result<FioPlan, FioError> {
    let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
    invocation(&arguments, &disk(text))?.plan(&disk(text))
}

fn planned(text: &str) -> FioPlan {
    read(&["job.fio"], text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn workload(lines: &str) -> Workload {
    let planned = planned(&format!("[job]\nsize=16m\n{lines}\n"));
    planned.plan.stages[0].workloads[0].clone()
}

fn located_error(text: &str) -> String {
    read(&["job.fio"], text).unwrap_err().to_string()
}

fn error(text: &str) -> String {
    read(&["job.fio"], text).unwrap_err().problem.to_string()
}

fn paths(planned: &FioPlan) -> Vec<&str> {
    planned.targets.iter().map(|t| t.path.as_str()).collect()
}

const fn used(target: u32, offset: u64, length: u64) -> FileUse {
    FileUse {
        target,
        span: Some(Span {
            offset: Bytes(offset),
            length: Bytes(length),
        }),
    }
}

#[test]
fn every_clone_has_a_file_of_its_own() {
    let found = planned("[a]\nsize=1m\nnumjobs=2\nnrfiles=2\ndirectory=x:y\n");
    assert_eq!(paths(&found), ["x/a.0.0", "x/a.0.1", "y/a.1.0", "y/a.1.1"]);
    let second = &found.plan.stages[0].workloads[1];
    let half = 1 << 19;
    assert_eq!(second.files.uses, [used(2, 0, half), used(3, 0, half)]);
    assert_eq!(second.limits.bytes, Some(Bytes::mib(1)));
    assert_eq!((found.session.jobs[1].job_number, second.threads), (1, 1));
    assert_eq!(found.session.jobs[1].files, ["y/a.1.0", "y/a.1.1"]);
}

#[test]
fn names_follow_the_format_and_filenames_are_shared() {
    let found = planned("[a]\nsize=1m\nnumjobs=2\nfilename_format=f-$JobName/$jobnum-$filenum\n");
    assert_eq!(paths(&found), ["f-a/0-0", "f-a/1-0"]);
    let found = planned("[a]\nsize=2m\nnumjobs=2\nfilename=p:q\\:r\noffset_increment=1m\n");
    assert_eq!(paths(&found), ["p", "q:r"]);
    let mib = 1 << 20;
    let second = &found.plan.stages[0].workloads[1];
    assert_eq!(second.files.uses, [used(0, mib, mib), used(1, mib, mib)]);
    assert_eq!(found.targets[0].bytes, Bytes::mib(2));
    // The directory is put before the name even if that begins with a slash.
    let found = planned("[a]\nsize=1m\nfilename=/p\ndirectory=d\n");
    assert_eq!(paths(&found), ["d//p"]);
}

#[test]
fn sizes_may_be_parts_of_a_device() {
    let found = planned("[a]\nfilename=/dev/disk\nsize=80%\noffset=10%\nio_size=50%\n");
    let place = found.plan.stages[0].workloads[0].files.uses[0];
    let (ten, eighty) = (10 << 20, 80 << 20);
    assert_eq!(place, used(0, ten, eighty));
    assert_eq!(found.targets[0].kind, JobTargetKind::BlockDevice);
    let limits = found.plan.stages[0].workloads[0].limits;
    assert_eq!(limits.bytes, Some(Bytes(40 << 20)));
    // A job called as a device uses it.
    let found = planned("[/dev/disk]\nrw=read\n");
    assert_eq!(found.targets[0].bytes, Bytes::mib(100));
    assert!(error("[a]\nfilename=/dev/disk\noffset=200m\n").contains("behind the end"));
    assert!(error("[a]\nfilename=nothing\n").contains("does not exist"));
    assert!(error("[a]\nsize=1k\nbs=4k\n").contains("less than one block"));
}

#[test]
fn what_an_earlier_job_lays_out_is_there_for_a_later_one() {
    let found =
        planned("[a]\nrw=write\nsize=4m\nfilename=x\n[b]\nstonewall\nrw=read\nfilename=x\n");
    let second = &found.plan.stages[1].workloads[0];
    assert_eq!(second.files.uses, [used(0, 0, 4 << 20)]);
    assert!(found.targets[0].written && found.targets[0].read);
}

#[test]
fn stonewalls_begin_stages_and_groups_and_new_groups_only_groups() {
    let found = planned(
        "[global]\nsize=1m\n[a]\nstonewall\n[b]\nnumjobs=2\n[c]\nnew_group\n[d]\nstonewall\nnumjobs=2\n",
    );
    let lengths: Vec<usize> = found
        .plan
        .stages
        .iter()
        .map(|s| s.workloads.len())
        .collect();
    assert_eq!(lengths, [4, 2]);
    let groups: Vec<u32> = found.session.jobs.iter().map(|job| job.group).collect();
    assert_eq!(groups, [0, 0, 0, 1, 2, 2]);
    let sections: Vec<u32> = found.session.jobs.iter().map(|job| job.section).collect();
    assert_eq!(sections, [0, 1, 1, 2, 3, 3]);
}

#[test]
fn limits_are_fios() {
    let limits = workload("runtime=5\ntime_based\nio_size=1m\nloops=3").limits;
    assert_eq!(
        (limits.time, limits.bytes),
        (Some(Nanos::from_secs(5)), None)
    );
    let limits = workload("loops=3\nnumber_ios=7").limits;
    assert_eq!(
        (limits.bytes, limits.ios, limits.repeats),
        (Some(Bytes::mib(16)), Some(7), 2)
    );
}

#[test]
fn rates_are_of_the_directions_that_are_used() {
    let found = workload("rw=randrw\nrate=10m,5m").pacing.rates.each;
    assert_eq!(found[0], Some(Rate::BytesPerSecond(10 << 20)));
    assert_eq!(found[1], Some(Rate::BytesPerSecond(5 << 20)));
    assert_eq!(found[2], None);
    assert_eq!(
        workload("rw=read\nrate_iops=,9").pacing.rates.each,
        [None; 3]
    );
}

#[test]
fn synchronous_engines_have_no_depth_and_processors_are_dealt_out() {
    assert_eq!(workload("iodepth=32").depth, 1);
    assert_eq!(workload("iodepth=32\nioengine=libaio").depth, 32);
    let found = planned("[a]\nsize=1m\nnumjobs=3\ncpus_allowed=1,3\ncpus_allowed_policy=split\n");
    let cpus: Vec<_> = found.plan.stages[0]
        .workloads
        .iter()
        .map(|w| w.issuing.cpus[0])
        .collect();
    assert_eq!(cpus, [1, 3, 1]);
    assert_eq!(
        workload("cpus_allowed=0-1").issuing.cpu_policy,
        CpuPolicy::Shared
    );
}

#[test]
fn exitall_ends_its_group() {
    let ends = |text: &str| planned(text).plan.stages[0].workloads[0].timing.ends_others;
    assert_eq!(
        ends("[a]\nsize=1m\nexitall\n[b]\nsize=1m\n"),
        EndsOthers::Stage
    );
    assert_eq!(
        ends("[a]\nsize=1m\nexitall\nexit_what=all\n[b]\nsize=1m\n"),
        EndsOthers::Always
    );
    assert_eq!(
        ends("[a]\nsize=1m\nexitall\n[b]\nsize=1m\nstonewall\n"),
        EndsOthers::Never
    );
    assert_eq!(
        ends("[global]\nsize=1m\nexitall\n[a]\n[b]\n[c]\nstonewall\n"),
        EndsOthers::Stage
    );
    let text = "[global]\nsize=1m\nexitall\n[a]\n[b]\n[c]\nnew_group\n";
    assert!(error(text).contains("exit_what=all"));
}

#[test]
fn unsupported_options_are_refused_or_left_out() {
    let text = "[a]\nsize=1m\nlatency_target=5ms\n";
    assert_eq!(
        error(text),
        "option latency_target is not supported: it would need a search for a depth; leave it out, or run with --lenient"
    );
    let found = read(&["--lenient", "job.fio"], text).unwrap();
    assert_eq!(found.session.left_out, ["latency_target"]);
    let found = planned("[a]\nsize=1m\nthread\nzonemode=none\n");
    assert_eq!(
        found.session.notes,
        ["thread has no effect: jobs are always threads"]
    );
}

#[test]
fn errors_name_file_line_and_column() {
    for (text, start) in [
        (
            "[a]\n  iodeph=4\n",
            "job.fio:2:3: there is no option \"iodeph\"; the nearest is \"iodepth\"",
        ),
        ("[a]\nbs = 4x\n", "job.fio:2:6: bs= 4x is not valid"),
        // Of a whole job: the line of its section.
        (
            "[global]\nrw=read\n\n [a]\n",
            "job.fio:4:2: job \"a\": a.0.0 does not exist, or is empty;",
        ),
    ] {
        let found = located_error(text);
        assert!(found.starts_with(start), "{found}");
    }
}

/// fio 3.33's `io_getevents`: (1, 1) without options, (4, 4) and (0, 1) with that minimum.
#[test]
fn as_many_completions_are_taken_at_once_as_fio_takes() {
    let taken = |lines: &str| {
        let Batching {
            complete_min,
            complete_max,
            ..
        } = workload(&format!("ioengine=libaio\niodepth=8\n{lines}"))
            .issuing
            .batching;
        (complete_min, complete_max)
    };
    assert_eq!(taken(""), (Some(1), Some(1)));
    assert_eq!(taken("iodepth_batch_complete_min=4"), (Some(4), Some(4)));
    assert_eq!(taken("iodepth_batch_complete_min=0"), (Some(0), Some(1)));
    assert_eq!(taken("iodepth_batch_complete_max=6"), (Some(1), Some(6)));
    assert_eq!(workload("iodepth=1").issuing.batching.complete_max, None);
}

#[test]
fn what_is_no_whole_block_is_left_out() {
    let bytes = |lines: &str| workload(lines).limits.bytes;
    assert_eq!(bytes("size=10001"), Some(Bytes(8192)));
    assert_eq!(
        bytes("size=100k\nbs=3k\nrw=randread"),
        Some(Bytes(33 * 3072))
    );
    assert_eq!(bytes("size=300001\nnrfiles=3"), Some(Bytes(72 * 4096)));
    assert_eq!(bytes("io_size=10001"), Some(Bytes(10001)), "as it is given");
}

#[test]
fn a_walk_with_holes_ends_where_one_ends_exactly_with_the_file() {
    let bytes = |lines: &str| workload(lines).limits.bytes;
    // Measured with fio 3.33.
    assert_eq!(bytes("size=1m\nrw=read:8k"), Some(Bytes(86 * 4096)));
    assert_eq!(bytes("size=1m\nrw=write:12k"), Some(Bytes::mib(1)));
}

#[test]
fn clones_are_numbered_downward_as_in_fio() {
    let found = planned("[a]\nsize=1m\nnumjobs=3\n");
    assert_eq!(paths(&found), ["a.0.0", "a.2.0", "a.1.0"]);
}

#[test]
fn words_that_are_wrong_come_with_the_nearest() {
    for (line, nearest) in [
        ("rw=raed", Some("read")),
        ("rw=RandRead", Some("randread")),
        ("ioengine=iouring", Some("io_uring")),
        ("ioengine=aio", Some("libaio")),
        ("verify=md-5", Some("md5")),
        ("rate_process=poison:3", Some("poisson")),
        ("unit_base=3", None),
    ] {
        let found = error(&format!("[a]\nsize=1m\n{line}\n"));
        let said = found.split_once("; the nearest is ").map(|(_, word)| word);
        assert_eq!(said, nearest, "{found}");
    }
    let found = read(&["--iodeph=4"], "").unwrap_err().to_string();
    let expected = "command line: there is no option \"--iodeph\"; the nearest is \"--iodepth\"";
    assert_eq!(found, expected);
}

#[test]
fn chance_comes_from_the_machine_only_where_it_may() {
    let seed = |lines: &str| planned(&format!("[a]\nsize=1m\n{lines}\n")).plan.seed;
    let of_machine = disk("").seed();
    assert_eq!(seed("randrepeat=0"), of_machine);
    assert_eq!(seed("randrepeat=0\nrandseed=5"), 5);
    assert_eq!(seed("randrepeat=1"), seed(""));
    assert_ne!(seed(""), of_machine);
}

#[test]
fn a_job_for_another_machine_can_be_read_without_its_devices() {
    let job = ["--name=a", "--filename=/dev/elsewhere", "--rw=read"];
    assert!(read(&job, "").is_err());
    assert!(read(&[&["--parse-only"], &job[..]].concat(), "").is_ok());
}

#[test]
fn values_are_computed_without_parentheses_too() {
    let found = workload("ioengine=libaio\niodepth=128*8\nruntime=30*5\ntime_based\nbs=2*4k");
    assert_eq!(found.depth, 1024);
    assert_eq!(found.limits.time, Some(Nanos::from_secs(150)));
    assert_eq!(found.blocks.single(), Some(Bytes::kib(8)));
}

#[test]
fn an_lfsr_needs_no_map_to_visit_every_block_once() {
    let order = |lines: &str| workload(&format!("rw=randread\n{lines}")).order;
    let once = sokudo_model::Order::Random { map: true };
    assert_eq!(order("random_generator=lfsr\nnorandommap"), once);
    assert_ne!(order("norandommap"), once);
}

#[test]
fn sizes_of_any_bytes_are_a_range_of_their_own() {
    let any = sokudo_model::BlockChoice::AnyBytes {
        smallest: Bytes(1000),
        largest: Bytes(5000),
    };
    let found = workload("rw=write\nbsrange=1000-5000\nbs_unaligned");
    assert_eq!(*found.blocks.of(sokudo_model::Operation::Write), any);
    let job = "[job]\nsize=16m\nrw=write\nbsrange=1000-5000\nbs_unaligned\n";
    assert!(error(&format!("{job}direct=1\n")).contains("direct=1"));
    assert!(error(&format!("{job}verify=crc32c\n")).contains("verify"));
}

#[test]
fn decimals_of_a_mix_are_cut_off_as_fio_cuts_them_off() {
    let writes = |lines: &str| {
        let mix = workload(&format!("rw=randrw\n{lines}")).operations;
        mix.percent(sokudo_model::Operation::Write)
    };
    assert_eq!(writes("rwmixwrite=30.5"), 30);
    assert_eq!(writes("rwmixread=70.9"), 30);
    assert!(error("[job]\nsize=1m\nrwmixwrite=100.5.1\n").contains("from 0 to 100"));
}

/// Of `70%` fio 3.33 makes other figures; they are known by their names.
#[test]
fn percentages_are_what_they_say() {
    for sign in ["", "%"] {
        let mixed = workload(&format!("rw=randrw\nrwmixread=70{sign}"));
        assert_eq!(mixed.operations, OperationMix::read_write(70).unwrap());
        let mixed = workload(&format!("rw=randrw\nrwmixwrite=70{sign}"));
        assert_eq!(mixed.operations, OperationMix::read_write(30).unwrap());
        let random = workload(&format!("rw=randread\npercentage_random=50{sign},60{sign}"));
        assert_eq!(random.scatter.random_percent, Some([50, 60, 60]));
        let reduced = format!("buffer_compress_percentage=57{sign}\ndedupe_percentage=30{sign}");
        let DataContent::Reducible(reduced) = workload(&format!("rw=write\n{reduced}")).data else {
            panic!("{reduced} is what it writes");
        };
        assert_eq!((reduced.compress_percent, reduced.dedupe_percent), (57, 30));
    }
}

#[test]
fn a_delay_by_chance_has_either_sign_between_its_ends() {
    for delay in ["1-3", "1:3", "1s : 3s", "3:1"] {
        let starts_after = workload(&format!("startdelay={delay}")).timing.starts_after;
        assert!(
            (Nanos::from_secs(1)..=Nanos::from_secs(3)).contains(&starts_after),
            "{delay}: {starts_after:?}"
        );
    }
}

#[test]
fn linuxaio_is_fios_other_name_for_libaio() {
    let found = workload("ioengine=linuxaio\niodepth=4");
    assert_eq!((found.backend, found.depth), (BackendKind::Libaio, 4));
}

/// fio 3.33, by its log of offsets: how many I/Os there are depends on how large the file is.
#[test]
fn reading_with_holes_ends_where_fio_ends() {
    let ios = |size: &str, rw: &str, offset: &str, file: u64| {
        let text = format!("[a]\nfilename=f\nbs=4k\nsize={size}\nrw={rw}\noffset={offset}\n");
        let host = Made::with(HostPathKind::File, "f", Bytes(file)).file("job.fio", &text);
        let read = invocation(&["job.fio".to_owned()], &host).unwrap();
        let planned = read.plan(&host).unwrap();
        planned.plan.stages[0].workloads[0].limits.bytes.unwrap().0 / 4096
    };
    for (size, rw, offset, file, fio) in [
        ("32k", "read:4k", "0", 0, 8),
        ("32k", "read:4k", "0", 36 << 10, 4),
        ("32k", "read:4k", "4k", 0, 4),
        ("32k", "read:4k", "1k", 0, 4),
        ("32k", "read:4k", "0", 1 << 20, 4),
        ("32k", "read:8k", "0", 1 << 20, 3),
        ("32k", "read:8k", "0", 0, 8),
        ("30k", "read:8k", "0", 0, 8),
        ("34k", "read:8k", "0", 0, 9),
        ("36k", "read:8k", "0", 0, 9),
    ] {
        assert_eq!(
            ios(size, rw, offset, file),
            fio,
            "{size} {rw} {offset} {file}"
        );
    }
}

/// Who uses it first makes it.
#[test]
fn a_file_that_an_earlier_job_makes_need_not_be_made_by_a_later_one() {
    let jobs = |first: &str, second: &str| {
        let text = format!(
            "[global]\nfilename=f\nsize=1m\n[w]\nrw=write\n{first}\n[r]\nstonewall\n{second}\n"
        );
        planned(&text).targets[0].create
    };
    assert!(jobs("", "allow_file_create=0"));
    assert!(!jobs("allow_file_create=0", ""));
}

#[test]
fn options_that_another_fio_has_are_told_by_whose_they_are() {
    for (option, whose) in [
        ("fdp=1", "fio 3.34 and later"),
        ("plids=0,1", "fio 3.34 and later"),
        ("ramp_size=1m", "fio 3.34 and later"),
        ("spr_cs=1m", "fio 3.34 and later"),
        ("write_zone_remainder=1", "fio 3.34 and later"),
        ("dp_scheme=f", "fio 3.34 and later"),
        ("hostname=x", "engines net, netsplice and rdma"),
        ("rbdname=x", "engines rados and rbd"),
        ("http_host=x", "engine http"),
    ] {
        let name = option.split_once('=').unwrap().0;
        let told = format!("\"{name}\" is an option of fio");
        let error = error(&format!("[a]\nsize=1m\n{option}\n"));
        assert!(error.starts_with(&told) && error.contains(whose), "{error}");
        let on_line = read(&["--name=a", &format!("--{option}")], "").unwrap_err();
        assert!(on_line.to_string().contains(whose), "{on_line}");
    }
}

#[test]
fn a_directory_is_no_file_and_a_divided_name_gets_a_hint() {
    let host = Made::with(HostPathKind::Directory, "d", Bytes(4096));
    let plan = |name: &str, host: &Made<'_>| {
        let line = ["--name=a", "--size=1m", "--filename"].map(str::to_owned);
        let line = line
            .into_iter()
            .chain([name.to_owned()])
            .collect::<Vec<_>>();
        invocation(&line, host).unwrap().plan(host)
    };
    let error = plan("d", &host).unwrap_err().to_string();
    assert!(
        error.contains("d is a directory; use directory=d"),
        "{error}"
    );
    let host = Made::with(HostPathKind::File, "usb-X_0:0", Bytes(4096));
    let hints = |name: &str| plan(name, &host).unwrap().hints;
    assert!(hints("usb-X_0:0")[0].contains("usb-X_0\\:0"));
    for other in ["usb-X_0\\:0", "a:b", "usb-X_0"] {
        assert_eq!(hints(other), Vec::<String>::new(), "{other}");
    }
}

/// One is refused before any file is made: what fio lays out and never uses stays behind.
#[test]
fn files_that_hold_no_block_each_are_refused() {
    let error = error("[a]\nrw=write\nbs=128k\nsize=375k\nfilename=a:b:c\n");
    assert!(error.contains("a has 128000 bytes of size"), "{error}");
}

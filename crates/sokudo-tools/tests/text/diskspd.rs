//! diskspd's command lines and profiles, as people write them.

use sokudo_model::{
    BackendKind, BufferMemory, Bytes, DataContent, DirectMode, Distribution, JobTargetKind, Nanos,
    Operation, Order, Rate, SequentialOffset, Workload, ZoneLength,
};
use sokudo_tools::diskspd::session::DiskspdLayout;
use sokudo_tools::diskspd::{
    DiskspdAction, DiskspdError, DiskspdInvocation, DiskspdPlan, PrintedTarget, command_lines,
    help, invocation,
};
use sokudo_tools::language::host::HostPathKind;

use crate::host::Made;

mod fuzz;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn read_on(line: &str, host: &Made<'_>) -> Result<DiskspdInvocation, DiskspdError> {
    invocation(&words(line), host)
}

fn plan_on(line: &str, host: &Made<'_>) -> DiskspdPlan {
    read_on(line, host).unwrap().plan(host).unwrap()
}

/// The plan of a line that makes its own file.
fn planned(line: &str) -> DiskspdPlan {
    plan_on(line, &Made::default())
}

fn only(planned: &DiskspdPlan) -> &Workload {
    assert_eq!(planned.plan.stages.len(), 1);
    let workloads = &planned.plan.stages[0].workloads;
    assert_eq!(workloads.len(), 1);
    &workloads[0]
}

/// The only workload of a line for a file of 1 GiB that it makes itself.
fn workload(options: &str) -> Workload {
    only(&planned(&format!("-c1G {options} FILE"))).clone()
}

fn refusal(line: &str) -> String {
    refusal_on(line, &Made::default())
}

fn refusal_on(line: &str, host: &Made<'_>) -> String {
    let read = read_on(line, host).and_then(|invocation| invocation.plan(host));
    read.expect_err(line).to_string()
}

fn spans(planned: &DiskspdPlan) -> Vec<(u64, u64)> {
    let stages = planned.plan.stages.iter();
    let workloads = stages.flat_map(|stage| &stage.workloads);
    let span = |workload: &Workload| {
        let span = workload.files.uses[0].span.unwrap();
        (span.offset.0, span.length.0)
    };
    workloads.map(span).collect()
}

#[test]
fn a_line_without_options_has_the_defaults_of_diskspd() {
    let host = Made::with(HostPathKind::File, "file", Bytes::gib(1));
    let planned = plan_on("file", &host);
    let workload = only(&planned);
    assert_eq!(workload.blocks.single(), Some(Bytes::kib(64)));
    assert_eq!((workload.depth, workload.threads), (2, 1));
    assert_eq!(workload.limits.time, Some(Nanos::from_secs(10)));
    assert_eq!(workload.timing.ramp, Nanos::from_secs(5));
    assert_eq!(workload.operations.single(), Some(Operation::Read));
    let offset = SequentialOffset::Own;
    assert_eq!(workload.order, Order::Sequential { offset });
    assert_eq!(workload.scatter.stride, 0);
    assert_eq!(workload.direct, DirectMode::Off);
    assert_eq!(workload.backend, BackendKind::Auto);
    assert_eq!(workload.issuing.memory, BufferMemory::SmallPages);
    assert_eq!(workload.issuing.cpus, [0]);
    assert_eq!(workload.data, DataContent::Pattern((0..=255).collect()));
    assert_eq!(planned.plan.seed, 0);
    assert_eq!(planned.session.layout, DiskspdLayout::Linux);
    assert_eq!(spans(&planned), [(0, 1 << 30)]);
    let target = &planned.targets[0];
    assert_eq!(
        (target.kind, target.bytes),
        (JobTargetKind::File, Bytes::gib(1))
    );
    assert!(!target.create && !target.written && target.read);
}

/// The script of document 000, line by line.
#[test]
fn the_eight_lines_of_document_000_read_as_they_are() {
    let table = [
        ("-b1M -d5 -o8 -t1 -W0 -Sd -w0 -L", 1 << 20, 8, false, 0),
        ("-b1M -d5 -o1 -t1 -W0 -Sd -w0 -L", 1 << 20, 1, false, 0),
        ("-b4K -d5 -o32 -t1 -W0 -r -Sd -w0 -L", 4096, 32, true, 0),
        ("-b4K -d5 -o1 -t1 -W0 -r -Sd -w0 -L", 4096, 1, true, 0),
        ("-b1M -d5 -o8 -t1 -W0 -Sd -w100 -L", 1 << 20, 8, false, 100),
        ("-b1M -d5 -o1 -t1 -W0 -Sd -w100 -L", 1 << 20, 1, false, 100),
        ("-b4K -d5 -o32 -t1 -W0 -r -Sd -w100 -L", 4096, 32, true, 100),
        ("-b4K -d5 -o1 -t1 -W0 -r -Sd -w100 -L", 4096, 1, true, 100),
    ];
    for (options, block, depth, random, writes) in table {
        let planned = planned(&format!("-c1G -Zr {options} FILE"));
        let workload = only(&planned);
        assert_eq!(workload.blocks.single(), Some(Bytes(block)), "{options}");
        assert_eq!(workload.depth, depth);
        assert_eq!(workload.order == Order::Random { map: false }, random);
        // Random places are multiples of the block.
        assert_eq!(workload.scatter.alignment, None);
        assert_eq!(workload.operations.percent(Operation::Write), writes);
        assert_eq!(workload.timing.ramp, Nanos(0));
        assert_eq!(workload.limits.time, Some(Nanos::from_secs(5)));
        assert_eq!(workload.direct, DirectMode::Auto);
        assert_eq!(workload.data, DataContent::Random);
        assert_eq!(planned.session.layout, DiskspdLayout::Linux);
        assert!(planned.session.profile.spans[0].measure_latency);
        assert!(planned.targets[0].create);
        assert_eq!(planned.targets[0].written, writes > 0);
    }
}

#[test]
fn threads_are_rows_per_target_on_processors_in_turn() {
    let planned = planned("-c1G -t3 -o4 one two");
    let rows = planned.session.rows.iter();
    let rows: Vec<_> = rows
        .map(|row| [row.thread, row.thread_of_target, row.targets[0]])
        .collect();
    let first = [[0, 0, 0], [1, 1, 0], [2, 2, 0]];
    assert_eq!(rows[..3], first);
    assert_eq!(rows[3..], [[3, 0, 1], [4, 1, 1], [5, 2, 1]]);
    let workloads = &planned.plan.stages[0].workloads;
    let cpus: Vec<_> = workloads
        .iter()
        .map(|workload| workload.issuing.cpus[0])
        .collect();
    assert_eq!(cpus, [0, 1, 2, 3, 0, 1]);
    assert!(workloads.iter().all(|w| w.threads == 1 && w.depth == 4));
    assert_eq!(planned.targets.len(), 2);
}

#[test]
fn total_threads_are_each_on_every_target() {
    let planned = planned("-c1G -F2 one two");
    let rows = planned.session.rows.iter();
    let pairs: Vec<_> = rows.map(|row| (row.thread, &row.targets[..])).collect();
    let expected = [(0, &[0][..]), (0, &[1]), (1, &[0]), (1, &[1])];
    assert_eq!(pairs, expected);
    let both = self::planned("-c1G -F2 -O8 one two");
    assert_eq!(both.session.rows[0].targets, [0, 1]);
    let workload = &both.plan.stages[0].workloads[0];
    assert_eq!((workload.depth, workload.files.uses.len()), (8, 2));
}

#[test]
fn threads_that_share_a_position_are_one_workload() {
    let shared = planned("-c1G -t4 -si -b32K FILE");
    let workload = only(&shared);
    assert_eq!(workload.threads, 4);
    let offset = SequentialOffset::Interlocked;
    assert_eq!(workload.order, Order::Sequential { offset });
    assert_eq!(workload.issuing.cpus, [0, 1, 2, 3]);
    assert_eq!(shared.session.rows[0].threads, 4);
    let alone = planned("-c1G -si FILE");
    assert!(alone.session.notes[0].contains("-si changes nothing"));
}

#[test]
fn every_thread_starts_its_stride_further() {
    let planned = planned("-c1G -t3 -T100M -b1M -B1M -f1000M FILE");
    let mib = 1 << 20;
    let parts = [(1, 999), (101, 899), (201, 799)].map(|(at, long)| (at * mib, long * mib));
    assert_eq!(spans(&planned), parts);
}

#[test]
fn parts_of_a_target_are_in_bytes_or_blocks() {
    let whole = planned("-c100b -b8K -B10b FILE");
    assert_eq!(spans(&whole), [(81_920, 737_280)]);
    let part = planned("-c1M -b4K -B64K:128K FILE");
    assert_eq!(spans(&part), [(65_536, 131_072)]);
    let device = Made::with(HostPathKind::BlockDevice, "/dev/sdz", Bytes::gib(4));
    let device = plan_on("-f2G -r /dev/sdz", &device);
    assert_eq!(spans(&device), [(0, 2 << 30)]);
    assert_eq!(device.targets[0].kind, JobTargetKind::BlockDevice);
}

#[test]
fn random_places_have_an_alignment_a_share_and_ranges() {
    let aligned = workload("-b8K -r4K");
    assert_eq!(aligned.scatter.alignment, Some([Bytes(4096); 3]));
    assert_eq!(aligned.scatter.random_percent, None);
    let mixed = workload("-b8K -rs30 -r16K");
    assert_eq!(mixed.order, Order::Random { map: false });
    assert_eq!(mixed.scatter.random_percent, Some([30; 3]));
    assert_eq!(mixed.scatter.alignment, Some([Bytes(16_384); 3]));
    assert_eq!(workload("-rs100").scatter.random_percent, None);
}

#[test]
fn ranges_cover_the_whole_target_with_all_io() {
    let zones = |line: &str| -> Vec<(u64, ZoneLength)> {
        let planned = planned(line);
        let scatter = &only(&planned).scatter;
        assert_eq!(scatter.distribution, Distribution::Zoned);
        assert_eq!(scatter.zones[0], scatter.zones[1]);
        let zone = |zone: &sokudo_model::Zone| (zone.access / 1_000_000, zone.length);
        scatter.zones[0].iter().map(zone).collect()
    };
    let share = |percent: u64| ZoneLength::Share(percent * 1_000_000);
    let size = |gib: u64| ZoneLength::Size(Bytes::gib(gib));
    for (line, expected) in [
        (
            "-c1G -r -rdpct90/10:0/10:5/20 FILE",
            &[
                (90, share(10)),
                (0, share(10)),
                (5, share(20)),
                (5, share(60)),
            ][..],
        ),
        (
            "-c60G -r -rdabs90/10G:0/10G:5/20G FILE",
            &[(90, size(10)), (0, size(10)), (5, size(20)), (5, size(20))],
        ),
        // The target ends within the ranges: those that fit get all of the I/O.
        (
            "-c20G -r -rdabs90/10G:0/10G:5/20G FILE",
            &[(100, size(10)), (0, size(10))],
        ),
        (
            "-c1G -r -rdpct100/10 FILE",
            &[(100, share(10)), (0, share(90))],
        ),
    ] {
        assert_eq!(zones(line), expected, "{line}");
    }
}

#[test]
fn a_stride_counts_from_start_to_start() {
    // The last is the same block again and again.
    for (options, stride) in [
        ("-b4K -s64K", 61_440),
        ("-b4K -s4K", 0),
        ("-b8K -s4K", -4096),
        ("-b8K -s0", -8192),
    ] {
        assert_eq!(workload(options).scatter.stride, stride, "{options}");
    }
}

#[test]
fn io_from_one_offset_in_parallel_is_a_thread_each() {
    let parallel = planned("-c1G -p -o4 -g1000 FILE");
    let workload = only(&parallel);
    assert_eq!((workload.threads, workload.depth), (4, 1));
    assert_eq!(workload.pacing.rate, Some(Rate::BytesPerSecond(250_000)));
    assert_eq!(parallel.session.rows[0].threads, 1);
    assert_eq!(workload.issuing.cpus, [0]);
}

#[test]
fn caching_is_of_both_languages() {
    let of = |options: &str| {
        let workload = workload(&format!("-w50 {options}"));
        let durability = workload.durability;
        let through = (durability.write_through, durability.with_metadata);
        (workload.direct, through.0, through.1)
    };
    use DirectMode::{Auto, Off};
    for (options, expected) in [
        ("", (Off, false, false)),
        ("-Sb", (Off, false, false)),
        ("-S", (Auto, false, false)),
        ("-Su", (Auto, false, false)),
        ("-Sd", (Auto, false, false)),
        ("-Sw", (Off, true, false)),
        ("-Ss", (Off, true, true)),
        ("-Suw", (Auto, true, false)),
        ("-Swu", (Auto, true, false)),
        ("-Sds", (Auto, true, true)),
        // O_SYNC in a line of Linux, write through in one of Windows.
        ("-Sh", (Auto, true, true)),
        ("-Sh -Rtext", (Auto, true, false)),
        ("-h", (Auto, true, false)),
    ] {
        assert_eq!(of(options), expected, "{options}");
    }
    let mapped = workload("-w50 -Sm -Nv");
    assert_eq!(mapped.backend, BackendKind::Mmap);
    assert!(mapped.durability.write_through);
}

#[test]
fn rates_pauses_content_and_memory() {
    for (options, rate) in [
        ("-g1024", Rate::BytesPerSecond(1_024_000)),
        ("-g1K", Rate::BytesPerSecond(1_024_000)),
        ("-g500i", Rate::Iops(500)),
    ] {
        assert_eq!(workload(options).pacing.rate, Some(rate), "{options}");
    }
    let endless = planned("-c1G -i10 FILE");
    assert_eq!(only(&endless).pacing.think, None);
    assert!(endless.session.notes[0].contains("-i changes nothing without -j"));
    let think = workload("-i10 -j250").pacing.think.unwrap();
    assert_eq!((think.time, think.after_ios), (Nanos::from_millis(250), 10));
    for (options, data) in [
        ("-Z", DataContent::Zero),
        ("-Zz", DataContent::Zero),
        ("-Zr", DataContent::Random),
        ("-Zrs", DataContent::Random),
        ("-Z1M", DataContent::Repeated),
    ] {
        assert_eq!(
            workload(&format!("-w100 {options}")).data,
            data,
            "{options}"
        );
    }
    let host = Made::default().file("source", "abc");
    let sourced = plan_on("-c1G -w100 -Z64K,source FILE", &host);
    assert_eq!(only(&sourced).data, DataContent::Pattern(b"abc".to_vec()));
    assert_eq!(workload("-l").issuing.memory, BufferMemory::HugePages);
    assert_eq!(workload("-xk").backend, BackendKind::Libaio);
}

#[test]
fn a_cool_down_is_a_stage_that_is_not_reported() {
    let planned = planned("-c1G -d5 -W2 -C3 -t2 FILE");
    assert_eq!(planned.plan.stages.len(), 2);
    let cool = &planned.plan.stages[1].workloads[0];
    assert_eq!(cool.timing.ramp, Nanos(0));
    assert_eq!(cool.limits.time, Some(Nanos::from_secs(3)));
    let rows = planned.session.rows.iter();
    let cooldown: Vec<_> = rows.map(|row| row.cooldown).collect();
    assert_eq!(cooldown, [false, false, true, true]);
}

#[test]
fn processors_are_listed_in_both_languages() {
    let cpus = |options: &str| -> Vec<u32> {
        let planned = planned(&format!("-c1G -t3 {options} FILE"));
        let workloads = &planned.plan.stages[0].workloads;
        workloads
            .iter()
            .flat_map(|w| w.issuing.cpus.clone())
            .collect()
    };
    assert_eq!(cpus("-a2,3"), [2, 3, 2]);
    assert_eq!(cpus("-a1-2"), [1, 2, 1]);
    assert_eq!(cpus("-ag0,3,1"), [3, 1, 3]);
    assert_eq!(cpus("-ag"), [0, 1, 2]);
    assert_eq!(cpus("-n"), Vec::<u32>::new());
}

#[test]
fn a_slash_is_a_dash_as_on_windows_where_nothing_has_that_path() {
    let planned = plan_on("/c8M /b8K /w100 /Sh /d1 FILE", &Made::default());
    let workload = only(&planned);
    assert_eq!(planned.session.layout, DiskspdLayout::Windows);
    assert_eq!(workload.blocks.largest(), Bytes(8 << 10));
    assert_ne!(workload.direct, DirectMode::Off);
    assert_eq!(spans(&planned), [(0, 8 << 20)]);
    let device = Made::with(HostPathKind::File, "/b8K", Bytes::mib(1));
    assert_eq!(
        only(&plan_on("-d1 /b8K", &device)).blocks.largest(),
        Bytes(64 << 10)
    );
    assert!(refusal("-d1 /data").contains("there is no such file"));
}

#[test]
fn hints_change_nothing_with_the_page_cache_either() {
    for hint in ["-fr", "-fs", "-frs", "-fst"] {
        assert_eq!(workload(hint), workload(""), "{hint}");
    }
}

#[test]
fn the_layout_follows_the_language_of_the_line() {
    for (options, layout) in [
        ("-L -Sh -D", DiskspdLayout::Linux),
        ("-L -Su -D", DiskspdLayout::Windows),
        ("-rs50", DiskspdLayout::Windows),
        ("-g100i", DiskspdLayout::Windows),
        ("-Rtext", DiskspdLayout::Windows),
        ("-Rxml", DiskspdLayout::Xml),
        ("-Su -Rlinux", DiskspdLayout::Linux),
    ] {
        let planned = planned(&format!("-c1G {options} FILE"));
        assert_eq!(planned.session.layout, layout, "{options}");
    }
    let host = Made::default();
    let profile = read_on("-Rpxml FILE", &host).unwrap();
    assert_eq!(profile.action, DiskspdAction::PrintProfile);
    assert_eq!(read_on("-?", &host).unwrap().action, DiskspdAction::Help);
    assert_eq!(
        read_on("--help", &host).unwrap().action,
        DiskspdAction::Help
    );
}

#[test]
fn intervals_are_recorded_when_they_are_asked_for() {
    let recording = |options: &str| workload(options).recording;
    let second = Some(Nanos::from_secs(1));
    assert_eq!(recording("").series_interval, None);
    assert_eq!(recording("-D").series_interval, second);
    assert_eq!(recording("-D0").series_interval, second);
    let quarter = recording("-D250 -Rxml");
    assert_eq!(quarter.series_interval, Some(Nanos::from_millis(250)));
    assert_eq!(quarter.histogram_interval, Some(Nanos::from_millis(250)));
}

#[test]
fn a_bare_seed_is_drawn_when_it_runs() {
    let mut planned = planned("-c1G -z FILE");
    assert!(planned.wants_random_seed());
    planned.set_seed(77);
    assert_eq!(planned.plan.seed, 77);
    assert_eq!(planned.session.profile.spans[0].seed, 77);
    assert!(!plan_on("-c1G -z5 FILE", &Made::default()).wants_random_seed());
}

#[test]
fn refusals_name_the_argument_and_the_way_out() {
    let lines = [
        "",
        "-b0 FILE",
        "-b4X FILE",
        "-b",
        "-q4 FILE",
        "--depth=4 FILE",
        "-d0 FILE",
        "-w101 FILE",
        "-o0 FILE",
        "-t FILE",
        "-t0 FILE",
        "-g0 FILE",
        "-r0 FILE",
        "-rs0 FILE",
        "-rd90/10 FILE",
        "-r -rdpct90/10:20/10 FILE",
        "-rdpct90/10 FILE",
        "-sX FILE",
        "-Sq FILE",
        "-Sr FILE",
        "-Nn FILE",
        "-ePROCESS FILE",
        "-ysevent FILE",
        "-I1 FILE",
        "-ag1,0 FILE",
        "-a4-2 FILE",
        "-Zx FILE",
        "-xq FILE",
        "-Rjson FILE",
        "-c1G -t2 -F4 FILE",
        "-n -a1 FILE",
        "-O4 FILE",
        "-j10 FILE",
        "-s -r FILE",
        "-T4K -r -t2 FILE",
        "-p -r FILE",
        "-si -p FILE",
        "-Sm -Su FILE",
        "-Nv FILE",
        "-x -g100 FILE",
        "-Sbd FILE",
        "-c1G -Sd -b1000 FILE",
        "-b64K -Z4K FILE",
        "-c1G -t256 -p -o100 FILE",
        "FILE",
        "-c4K FILE",
        "-c1G -f2G FILE",
        "-c1M -b64K -t64 -T64K FILE",
        "-Xmissing.xml",
        "#1",
        "c:",
        "-c1G C:\\file",
    ];
    let refusals: Vec<_> = lines
        .iter()
        .map(|line| format!("{line}\n    {}", refusal(line)))
        .collect();
    insta::assert_snapshot!(refusals.join("\n"));
}

#[test]
fn targets_must_be_files_or_devices() {
    let directory = Made::with(HostPathKind::Directory, "dir", Bytes(0));
    assert!(refusal_on("dir", &directory).contains("name a file in it"));
    assert!(refusal_on("-c1G dir", &directory).contains("name a file in it"));
    let device = Made::with(HostPathKind::BlockDevice, "/dev/sdz", Bytes::gib(1));
    assert!(refusal_on("-c1G /dev/sdz", &device).contains("leave out -c"));
    let null = planned("-c1G null:");
    assert_eq!(null.targets[0].kind, JobTargetKind::Null);
}

#[test]
fn notes_say_what_changes_nothing() {
    let planned = planned("-c1G -v -Zs -xp -o4 -o8 FILE");
    insta::assert_snapshot!(planned.session.notes.join("\n"));
    assert_eq!(only(&planned).depth, 8);
}

const PROFILE: &str = r#"<Profile>
  <Progress>0</Progress>
  <ResultFormat>xml</ResultFormat>
  <Verbose>false</Verbose>
  <TimeSpans>
    <TimeSpan>
      <CompletionRoutines>false</CompletionRoutines>
      <MeasureLatency>true</MeasureLatency>
      <CalculateIopsStdDev>true</CalculateIopsStdDev>
      <DisableAffinity>false</DisableAffinity>
      <Duration>30</Duration>
      <Warmup>3</Warmup>
      <Cooldown>0</Cooldown>
      <ThreadCount>0</ThreadCount>
      <RequestCount>0</RequestCount>
      <IoBucketDuration>500</IoBucketDuration>
      <RandSeed>7</RandSeed>
      <Affinity>
        <AffinityGroupAssignment Group="0" Processor="1"/>
        <AffinityGroupAssignment Group="0" Processor="3"/>
      </Affinity>
      <Targets>
        <Target>
          <Path>*1</Path>
          <BlockSize>8192</BlockSize>
          <BaseFileOffset>0</BaseFileOffset>
          <SequentialScan>false</SequentialScan>
          <DisableOSCache>true</DisableOSCache>
          <WriteThrough>true</WriteThrough>
          <WriteBufferContent>
            <Pattern>random</Pattern>
            <RandomDataSource><SizeInBytes>1048576</SizeInBytes></RandomDataSource>
          </WriteBufferContent>
          <FileSize>1073741824</FileSize>
          <Random>8192</Random>
          <RandomRatio>80</RandomRatio>
          <Distribution><Percent><Range IO="90">10</Range><Range IO="10">90</Range></Percent></Distribution>
          <ThreadStride>0</ThreadStride>
          <MaxFileSize>0</MaxFileSize>
          <RequestCount>32</RequestCount>
          <WriteRatio>30</WriteRatio>
          <Throughput unit="IOPS">1000</Throughput>
          <ThreadsPerFile>2</ThreadsPerFile>
          <IOPriority>3</IOPriority>
          <Weight>1</Weight>
        </Target>
      </Targets>
    </TimeSpan>
    <TimeSpan>
      <Duration>10</Duration>
      <Targets><Target><Path>*1</Path><FileSize>1073741824</FileSize><StrideSize>131072</StrideSize></Target></Targets>
    </TimeSpan>
  </TimeSpans>
</Profile>
"#;

#[test]
fn a_profile_of_several_time_spans_is_read() {
    let host = Made::default().file("p.xml", PROFILE);
    let planned = plan_on("-Xp.xml FILE", &host);
    assert_eq!(planned.session.layout, DiskspdLayout::Xml);
    assert_eq!(planned.plan.stages.len(), 2);
    assert_eq!(planned.plan.seed, 7);
    assert_eq!(planned.targets.len(), 1);
    let first = &planned.plan.stages[0].workloads;
    assert_eq!(first.len(), 2);
    let workload = &first[1];
    assert_eq!(workload.blocks.single(), Some(Bytes(8192)));
    assert_eq!(workload.depth, 32);
    assert_eq!(workload.issuing.cpus, [3]);
    assert_eq!(workload.pacing.rate, Some(Rate::Iops(1000)));
    assert_eq!(workload.scatter.random_percent, Some([80; 3]));
    assert_eq!(workload.scatter.zones[1].len(), 2);
    assert_eq!(workload.data, DataContent::Repeated);
    assert_eq!(workload.direct, DirectMode::Auto);
    assert!(workload.durability.write_through && !workload.durability.with_metadata);
    assert_eq!(workload.operations.percent(Operation::Write), 30);
    let half = Some(Nanos::from_millis(500));
    assert_eq!(workload.recording.series_interval, half);
    let second = &planned.plan.stages[1].workloads[0];
    assert_eq!(second.scatter.stride, 65_536);
    assert_eq!(second.timing.ramp, Nanos::from_secs(5));
}

#[test]
fn a_profile_takes_times_seed_and_format_from_the_line() {
    let host = Made::default().file("p.xml", PROFILE);
    let planned = plan_on("-Xp.xml -d1 -W0 -z9 -Rtext FILE", &host);
    assert_eq!(planned.session.layout, DiskspdLayout::Windows);
    assert_eq!(planned.plan.seed, 9);
    for stage in &planned.plan.stages {
        assert_eq!(stage.workloads[0].limits.time, Some(Nanos::from_secs(1)));
        assert_eq!(stage.workloads[0].timing.ramp, Nanos(0));
    }
    let drawn = PROFILE.replace("<RandSeed>7", "<RandSeed>18446744073709551615");
    let drawn = plan_on("-Xp.xml FILE", &Made::default().file("p.xml", &drawn));
    assert_eq!(drawn.plan.seed, u64::MAX);
    assert!(refusal_on("-Xp.xml -b4K FILE", &host).contains("-b4K"));
    assert!(refusal_on("-Xp.xml", &host).contains("names 0"));
    assert!(refusal_on("-Xp.xml FILE more", &host).contains("no target *2"));
}

#[test]
fn what_is_wrong_with_a_profile_is_named_with_its_place() {
    let changed = |from: &str, to: &str| {
        assert!(PROFILE.contains(from), "{from}");
        let profile = PROFILE.replacen(from, to, 1);
        let host = Made::default().file("p.xml", &profile);
        refusal_on("-Xp.xml FILE", &host)
    };
    let refusals = [
        ("<Profile>", "<Profil>"),
        ("</Profile>", "</Profil>"),
        ("<BlockSize>8192", "<BlockSize>0"),
        ("<Duration>30</Duration>", "<Durations>30</Durations>"),
        ("<WriteRatio>30", "<WriteRatio>130"),
        ("Group=\"0\"", "Group=\"1\""),
        ("<Weight>1", "<Weight>2"),
        ("<Path>*1</Path>", ""),
        ("<Random>8192", "<Random>0"),
        ("<Range IO=\"90\">10", "<Range IO=\"95\">10"),
        ("<WriteThrough>true", "<WriteThrough>maybe"),
        ("<Throughput unit=\"IOPS\"", "<Throughput unit=\"knots\""),
        ("<IOPriority>3", "<IOPriority>1"),
    ]
    .map(|(from, to)| changed(from, to));
    insta::assert_snapshot!(refusals.join("\n"));
}

#[test]
fn a_profile_of_any_size_and_depth_is_bounded() {
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    let host = Made::default().file("p.xml", &deep);
    assert!(refusal_on("-Xp.xml", &host).contains("nearest is <Profile>"));
    let target = "<Target><Path>null:</Path><FileSize>1048576</FileSize><ThreadsPerFile>256</ThreadsPerFile></Target>";
    let span = format!("<TimeSpan><Targets>{target}</Targets></TimeSpan>");
    let long = format!(
        "<Profile><TimeSpans>{}</TimeSpans></Profile>",
        span.repeat(200)
    );
    let host = Made::default().file("p.xml", &long);
    assert!(refusal_on("-Xp.xml", &host).contains("51200 threads"));
    let host = Made::default().file("source", "abc");
    assert!(refusal_on("-c1G -t256 -Z2M,source FILE", &host).contains("256M"));
}

#[test]
fn lines_repeat_the_plan_they_are_printed_from() {
    for line in [
        "-c1G -b1M -d5 -W0 -t1 -o8 -w0 -Sd -Zr -n -z42 -L /mnt/file",
        "-c1G -b4K -d5 -W2 -t1 -o32 -r -w100 -Sh -Zr -n -z42 -L /mnt/file",
        "-c1G -b4K -d5 -W2 -t1 -o32 -r8K -rs30 -w30 -Suw -Zz -g500i -i5 -j10 -n -z1 -L /mnt/file",
        "-c1G -b64K -d5 -W2 -t1 -o2 -s128K -w0 -Ss -n -z1 -L /mnt/file",
        "-c1G -b4K -d5 -W2 -t1 -o2 -B1M -f512M -r -rdpct90/10:10/90 -w0 -n -z1 -L /mnt/file",
        "-c1G -b4K -d5 -W2 -t1 -o2 -r -rdabs90/10M:0/100M:10/914M -w0 -n -z1 -L /mnt/file",
    ] {
        let first = planned(line);
        let place = PrintedTarget {
            path: "/mnt/file".into(),
            create: Some(Bytes::gib(1)),
        };
        let printed = command_lines(&first.plan, &place);
        assert_eq!(printed, [format!("diskspd {line}")]);
    }
}

#[test]
fn what_diskspd_cannot_do_stands_before_the_line() {
    let mut workload = Workload::new("skewed", Bytes::kib(4));
    workload.order = Order::Random { map: true };
    workload.scatter.distribution = Distribution::Zipf {
        theta: 1_200_000,
        center: None,
    };
    workload.limits.time = Some(Nanos::from_millis(1_500));
    workload.durability.fsync_every = Some(1);
    let plan = sokudo_model::Plan {
        method: "test".into(),
        seed: 1,
        stages: vec![sokudo_model::Stage {
            workloads: vec![workload.clone(), workload],
        }],
    };
    let place = PrintedTarget {
        path: "file".into(),
        create: None,
    };
    insta::assert_snapshot!(command_lines(&plan, &place).join("\n"));
}

#[test]
fn profiles_of_crystal_print_as_lines() {
    let plan = sokudo_tools::crystaldiskmark::Profile::Default.plan();
    let place = PrintedTarget {
        path: "/mnt/my disk/file".into(),
        create: Some(Bytes::gib(1)),
    };
    insta::assert_snapshot!(command_lines(&plan, &place).join("\n"));
}

#[test]
fn help_has_every_option() {
    insta::assert_snapshot!(help("diskspd"));
}

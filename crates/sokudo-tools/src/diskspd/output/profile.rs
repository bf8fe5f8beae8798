//! What was asked for, as diskspd 2.2 says it: as text above results, as XML among them.

use sokudo_report::number::float;

use crate::diskspd::session::{
    DiskspdContent, DiskspdLayout, DiskspdSession, DiskspdSpan, DiskspdTarget, DiskspdThroughput,
    DiskspdWriteThrough,
};

/// The profile as text: command line and input parameters.
pub fn profile_text(session: &DiskspdSession) -> String {
    let mut text = format!(
        "\nCommand Line: {}\n\nInput parameters:\n\n",
        session.command_line
    );
    if session.profile.verbose {
        text.push_str("\tusing verbose mode\n");
    }
    for (number, span) in session.profile.spans.iter().enumerate() {
        text.push_str(&format!("\ttimespan: {:3}\n\t-------------\n", number + 1));
        text.push_str(&span_text(span));
        for target in &span.targets {
            text.push_str(&target_text(span, target));
        }
        text.push('\n');
    }
    text
}

fn span_text(span: &DiskspdSpan) -> String {
    let interval = span.iops_interval.map(|interval| {
        let milliseconds = interval.0 / 1_000_000;
        format!("gathering IOPS at intervals of {milliseconds}ms")
    });
    let cpus: Vec<String> = span.affinity.iter().map(|cpu| format!("0/{cpu}")).collect();
    let cpus = (!cpus.is_empty()).then(|| cpus.join(", "));
    let flag = |is_so: bool, words: &str| is_so.then(|| words.to_owned());
    let lines = [
        Some(format!("duration: {}s", span.duration_s)),
        Some(format!("warm up time: {}s", span.warmup_s)),
        Some(format!("cool down time: {}s", span.cooldown_s)),
        flag(span.disable_affinity, "affinity disabled"),
        flag(span.measure_latency, "measuring latency"),
        interval,
        Some(format!("random seed: {}", span.seed)),
        cpus.map(|cpus| format!("advanced affinity round robin (group/core): {cpus}")),
        flag(
            span.random_write_data,
            "generating random data for each write IO",
        ),
    ];
    let lines = lines.into_iter().flatten();
    lines.map(|line| format!("\t{line}\n")).collect()
}

fn target_text(span: &DiskspdSpan, target: &DiskspdTarget) -> String {
    let mut lines = vec![
        format!("think time: {}ms", target.think_ms),
        format!("burst size: {}", target.burst),
    ];
    lines.extend(caching(target));
    match &target.content {
        DiskspdContent::Zero => lines.push("zeroing write buffers".into()),
        DiskspdContent::Source { bytes, file } => {
            let source = file.as_ref().map(|file| format!("'{file}'"));
            let source = source.unwrap_or_else(|| "random fill".into());
            lines.push(format!("write buffer size: {}", sized(bytes.0)));
            lines.push(format!("write buffer source: {source}"));
        }
        DiskspdContent::Sequence | DiskspdContent::Random => {}
    }
    if target.parallel {
        lines.push("using parallel async I/O".into());
    }
    lines.push(match target.write_percent {
        0 => "performing read test".into(),
        100.. => "performing write test".into(),
        writes => {
            let reads = 100 - writes;
            format!("performing mix test (read/write ratio: {reads}/{writes})")
        }
    });
    lines.push(format!("block size: {}", sized(target.block.0)));
    let stride = sized(target.stride_or_block().0);
    lines.push(order(target, target.random_percent, &stride));
    lines.push(match span.thread_count == 0 || span.request_count == 0 {
        true => format!(
            "number of outstanding I/O operations per thread: {}",
            target.requests
        ),
        false => "relative IO weight in thread pool: 1".into(),
    });
    for (name, bytes) in [
        ("base file offset", target.base.0),
        ("max file size", target.max.map_or(0, |max| max.0)),
        ("thread stride size", target.thread_stride.0),
    ] {
        if bytes > 0 {
            lines.push(format!("{name}: {}", sized(bytes)));
        }
    }
    for (hint, name) in [
        (target.sequential_hint, "FILE_FLAG_SEQUENTIAL_SCAN"),
        (target.random_hint, "FILE_FLAG_RANDOM_ACCESS"),
        (target.temporary_hint, "FILE_ATTRIBUTE_TEMPORARY"),
    ] {
        if hint {
            lines.push(format!("{name} hint has no effect on Linux"));
        }
    }
    if span.thread_count == 0 {
        lines.push(format!("threads per file: {}", target.threads));
    }
    lines.push("IO priority: normal".into());
    lines.extend(target.throughput.map(|throughput| match throughput {
        DiskspdThroughput::BytesPerMillisecond(bytes) => {
            format!("throughput rate-limited to {bytes} B/ms")
        }
        DiskspdThroughput::Iops(iops) => format!("throughput rate-limited to {iops} IOPS"),
    }));
    lines.extend(distribution(target));
    let lines: Vec<String> = lines.iter().map(|line| format!("\t\t{line}\n")).collect();
    format!("\tpath: '{}'\n{}", target.path, lines.concat())
}

fn caching(target: &DiskspdTarget) -> Vec<String> {
    let durable = target.write_through != DiskspdWriteThrough::Off;
    let cache = match target.unbuffered {
        true => "software cache disabled",
        false => "using software cache",
    };
    let through = match (durable, target.unbuffered) {
        (true, true) => "hardware write cache disabled, writethrough on",
        (true, false) => "hardware and software write caches disabled, writethrough on",
        (false, _) => "using hardware write cache, writethrough off",
    };
    let mut lines = vec![cache.to_owned(), through.to_owned()];
    if target.mapped {
        let flush = match target.flush_mapped {
            true => ", flush mode: FlushViewOfFile",
            false => "",
        };
        lines.push(format!("memory mapped I/O enabled{flush}"));
    }
    lines
}

/// In which order, with so many percent of I/Os at random places.
pub(super) fn order(target: &DiskspdTarget, random_percent: u8, stride: &str) -> String {
    match (random_percent, target.interlocked) {
        (0, true) => format!("using interlocked sequential I/O (stride: {stride})"),
        (0, false) => format!("using sequential I/O (stride: {stride})"),
        (100.., _) => format!("using random I/O (alignment: {stride})"),
        (percent, _) => format!(
            "using mixed random/sequential I/O ({percent}% random) (alignment/stride: {stride})"
        ),
    }
}

/// Each share of the I/Os with the range that it goes to.
fn distribution(target: &DiskspdTarget) -> Vec<String> {
    let Some(distribution) = &target.distribution else {
        return Vec::new();
    };
    let mut lines = vec!["IO Distribution:".to_owned()];
    let mut start = 0;
    for (share, length) in &distribution.ranges {
        let end = start + length;
        let range = match distribution.absolute {
            true => format!("[{:>9} - {:>9})", sized(start), sized(end)),
            false => format!("[{start:2}% - {end:3}%) of target"),
        };
        lines.push(format!("   {share:3}% of IO => {range}"));
        start = end;
    }
    lines
}

/// In the largest unit that it fills, with two decimals at most where it is no whole number of them.
pub(super) fn sized(bytes: u64) -> String {
    let units = [
        (50, "PiB"),
        (40, "TiB"),
        (30, "GiB"),
        (20, "MiB"),
        (10, "KiB"),
    ];
    let Some((power, unit)) = units.into_iter().find(|(power, _)| bytes >> power > 0) else {
        return format!("{bytes}B");
    };
    let number = format!("{:.2}", float(bytes) / float(1 << power));
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number}{unit}")
}

/// XML with two spaces per level.
pub(super) struct Xml {
    pub(super) text: String,
    depth: usize,
}

impl Xml {
    pub(super) fn new(depth: usize) -> Self {
        let text = String::new();
        Self { text, depth }
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(&"  ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// An element with others inside; `name` may have attributes.
    pub(super) fn inside(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        self.line(&format!("<{name}>"));
        self.depth += 1;
        fill(self);
        self.depth -= 1;
        let tag = name.split(' ').next().unwrap_or(name);
        self.line(&format!("</{tag}>"));
    }

    /// An element with a value inside, where there is something to say.
    fn value_if(&mut self, is_so: bool, name: &str, value: impl std::fmt::Display) {
        if is_so {
            self.value(name, value);
        }
    }

    /// An element with a value inside.
    pub(super) fn value(&mut self, name: &str, value: impl std::fmt::Display) {
        let value = escaped(&value.to_string());
        self.line(&format!("<{name}>{value}</{name}>"));
    }
}

/// Text that cannot be taken for markup. Control characters have no place in XML.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(character),
            control if control.is_control() => escaped.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The profile as XML that `-X` reads again, `depth` levels deep.
pub fn profile_xml(session: &DiskspdSession, depth: usize) -> String {
    let mut xml = Xml::new(depth);
    let profile = &session.profile;
    xml.inside("Profile", |xml| {
        xml.value("Progress", profile.progress);
        let format = match session.layout {
            DiskspdLayout::Xml => "xml",
            DiskspdLayout::Linux | DiskspdLayout::Windows => "text",
        };
        xml.value("ResultFormat", format);
        xml.value("Verbose", profile.verbose);
        if let Some(precreate) = &profile.precreate {
            xml.value("PrecreateFiles", precreate);
        }
        xml.inside("TimeSpans", |xml| {
            for span in &profile.spans {
                span_xml(xml, span);
            }
        });
    });
    xml.text
}

fn span_xml(xml: &mut Xml, span: &DiskspdSpan) {
    xml.inside("TimeSpan", |xml| {
        xml.value("CompletionRoutines", span.completion_routines);
        xml.value("MeasureLatency", span.measure_latency);
        xml.value("CalculateIopsStdDev", span.iops_interval.is_some());
        xml.value("DisableAffinity", span.disable_affinity);
        xml.value("Duration", span.duration_s);
        xml.value("Warmup", span.warmup_s);
        xml.value("Cooldown", span.cooldown_s);
        xml.value("ThreadCount", span.thread_count);
        xml.value("RequestCount", span.request_count);
        let milliseconds = span.iops_interval.map_or(1_000, |i| i.0 / 1_000_000);
        xml.value("IoBucketDuration", milliseconds);
        xml.value("RandSeed", span.seed);
        xml.value("RandomWriteData", span.random_write_data);
        if !span.affinity.is_empty() {
            xml.inside("Affinity", |xml| {
                for cpu in &span.affinity {
                    xml.line(&format!(
                        "<AffinityGroupAssignment Group=\"0\" Processor=\"{cpu}\"/>"
                    ));
                }
            });
        }
        xml.inside("Targets", |xml| {
            for target in &span.targets {
                xml.inside("Target", |xml| target_xml(xml, target));
            }
        });
    });
}

fn target_xml(xml: &mut Xml, target: &DiskspdTarget) {
    xml.value("Path", &target.path);
    xml.value("BlockSize", target.block.0);
    xml.value("BaseFileOffset", target.base.0);
    xml.value("SequentialScan", target.sequential_hint);
    xml.value("RandomAccess", target.random_hint);
    xml.value("TemporaryFile", target.temporary_hint);
    xml.value("UseLargePages", target.large_pages);
    xml.value_if(target.unbuffered, "DisableOSCache", true);
    let is_durable = target.write_through != DiskspdWriteThrough::Off;
    xml.value_if(is_durable, "WriteThrough", true);
    xml.value_if(target.mapped, "MemoryMappedIo", true);
    xml.value_if(target.flush_mapped, "FlushType", "ViewOfFile");
    xml.inside("WriteBufferContent", |xml| {
        content_xml(xml, &target.content)
    });
    xml.value("ParallelAsyncIO", target.parallel);
    xml.value_if(target.burst > 0, "BurstSize", target.burst);
    xml.value_if(target.think_ms > 0, "ThinkTime", target.think_ms);
    if let Some(bytes) = target.create {
        xml.value("FileSize", bytes.0);
    }
    order_xml(xml, target);
    xml.value("ThreadStride", target.thread_stride.0);
    xml.value("MaxFileSize", target.max.map_or(0, |max| max.0));
    xml.value("RequestCount", target.requests);
    xml.value("WriteRatio", target.write_percent);
    match target.throughput {
        Some(DiskspdThroughput::Iops(iops)) => {
            xml.line(&format!("<Throughput unit=\"IOPS\">{iops}</Throughput>"));
        }
        Some(DiskspdThroughput::BytesPerMillisecond(bytes)) => xml.value("Throughput", bytes),
        None => xml.value("Throughput", 0),
    }
    xml.value("ThreadsPerFile", target.threads);
    xml.value("IOPriority", 3);
    xml.value("Weight", 1);
}

fn content_xml(xml: &mut Xml, content: &DiskspdContent) {
    match content {
        DiskspdContent::Sequence => xml.value("Pattern", "sequential"),
        DiskspdContent::Zero => xml.value("Pattern", "zero"),
        DiskspdContent::Random => xml.value("Pattern", "random"),
        DiskspdContent::Source { bytes, file } => {
            xml.value("Pattern", "random");
            xml.inside("RandomDataSource", |xml| {
                xml.value("SizeInBytes", bytes.0);
                if let Some(file) = file {
                    xml.value("FilePath", file);
                }
            });
        }
    }
}

fn order_xml(xml: &mut Xml, target: &DiskspdTarget) {
    let stride = target.stride_or_block().0;
    if target.random_percent == 0 {
        xml.value("StrideSize", stride);
        xml.value("InterlockedSequential", target.interlocked);
        return;
    }
    xml.value("Random", stride);
    let percent = target.random_percent;
    xml.value_if(percent < 100, "RandomRatio", percent);
    if let Some(distribution) = &target.distribution {
        let kind = match distribution.absolute {
            true => "Absolute",
            false => "Percent",
        };
        xml.inside("Distribution", |xml| {
            xml.inside(kind, |xml| {
                for (share, length) in &distribution.ranges {
                    xml.line(&format!("<Range IO=\"{share}\">{length}</Range>"));
                }
            });
        });
    }
}

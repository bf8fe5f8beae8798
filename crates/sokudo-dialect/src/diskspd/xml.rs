//! XML profiles in the shape of diskspd's schema.
//!
//! Elements that the schema does not know are refused with the nearest that it does, so
//! that a misspelt one is not silently left out. Entities and document types are not read.

use roxmltree::{Document, Node};
use sokudo_model::diskspd::{
    DiskspdContent, DiskspdDistribution, DiskspdProfile, DiskspdSpan, DiskspdTarget,
    DiskspdThroughput, DiskspdWriteThrough,
};
use sokudo_model::{Bytes, Nanos};

use super::error::{DiskspdError, DiskspdProblem};
use super::options::NO_GROUPS;
use super::scan::Line;
use super::value;
use crate::crystal::{DEPTH_MAX_IO_URING, THREADS_MAX};
use crate::fio::nearest::nearest;
use crate::host::Host;

/// Elements of a profile that are no time spans.
const OF_PROFILE: &[&str] = &[
    "Progress",
    "ResultFormat",
    "Verbose",
    "PrecreateFiles",
    "ETW",
    "TimeSpans",
];
/// Elements of a time span.
const OF_SPAN: &[&str] = &[
    "CompletionRoutines",
    "MeasureLatency",
    "CalculateIopsStdDev",
    "DisableAffinity",
    "Duration",
    "Warmup",
    "Cooldown",
    "ThreadCount",
    "RequestCount",
    "IoBucketDuration",
    "RandSeed",
    "RandomWriteData",
    "GroupAffinity",
    "Affinity",
    "Targets",
];
/// Elements of a target.
const OF_TARGET: &[&str] = &[
    "Path",
    "BlockSize",
    "StrideSize",
    "InterlockedSequential",
    "BaseFileOffset",
    "SequentialScan",
    "RandomAccess",
    "TemporaryFile",
    "UseLargePages",
    "RequestCount",
    "Random",
    "RandomRatio",
    "Distribution",
    "DisableAllCache",
    "DisableLocalCache",
    "DisableOSCache",
    "WriteThrough",
    "MemoryMappedIo",
    "FlushType",
    "WriteBufferContent",
    "BurstSize",
    "ThinkTime",
    "Throughput",
    "ThreadsPerFile",
    "FileSize",
    "MaxFileSize",
    "WriteRatio",
    "ParallelAsyncIO",
    "ThreadStride",
    "IOPriority",
    "Weight",
    "ThreadTargets",
];

/// A profile that has been read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) profile: DiskspdProfile,
    /// Results are wanted as XML.
    pub(super) xml_results: bool,
    pub(super) notes: Vec<String>,
}

/// Reads the profile of `-X`; targets of the command line stand for `*1`, `*2`, ….
pub(super) fn profile_of(
    path: &str,
    option: &str,
    line: &Line,
    host: &dyn Host,
) -> Result<Read, DiskspdError> {
    let unreadable = |cause| DiskspdError::new(option, DiskspdProblem::Unreadable { cause });
    let text = host.read_text(path).map_err(unreadable)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let not_xml = |error: roxmltree::Error| {
        let cause = error.to_string();
        DiskspdError::new(path, DiskspdProblem::NotXml { cause })
    };
    let document = Document::parse(text).map_err(not_xml)?;
    let mut reader = Reader {
        path,
        document: &document,
        templates: &line.targets,
        used: vec![false; line.targets.len()],
        notes: Vec::new(),
    };
    let (profile, xml_results) = reader.profile(document.root_element())?;
    if let Some(unused) = reader.used.iter().position(|used| !used) {
        let number = unused + 1;
        let problem = DiskspdProblem::UnusedTemplate { number };
        return Err(DiskspdError::new(&line.targets[unused], problem));
    }
    Ok(Read {
        profile,
        xml_results,
        notes: reader.notes,
    })
}

struct Reader<'a> {
    path: &'a str,
    document: &'a Document<'a>,
    templates: &'a [String],
    used: Vec<bool>,
    notes: Vec<String>,
}

type Element<'a> = Node<'a, 'a>;

impl<'a> Reader<'a> {
    fn error(&self, node: Element<'a>, problem: DiskspdProblem) -> DiskspdError {
        let at = self.document.text_pos_at(node.range().start);
        let name = node.tag_name().name();
        DiskspdError::new(
            format!("{}:{}:{}: <{name}>", self.path, at.row, at.col),
            problem,
        )
    }

    fn bad(&self, node: Element<'a>, expected: &'static str) -> DiskspdError {
        self.error(node, DiskspdProblem::Bad { expected })
    }

    fn unknown(&self, node: Element<'a>, names: &'static [&'static str]) -> DiskspdError {
        let nearest = nearest(node.tag_name().name(), names.iter().copied());
        self.error(node, DiskspdProblem::UnknownElement { nearest })
    }

    fn refused(&self, node: Element<'a>, needs: &'static str) -> DiskspdError {
        self.error(node, DiskspdProblem::Refused { needs })
    }

    fn number(&self, node: Element<'a>, least: u32, most: u32) -> Result<u32, DiskspdError> {
        value::number_within(text(node), least, most)
            .ok_or_else(|| self.bad(node, "a whole number that its option allows too"))
    }

    fn bytes(&self, node: Element<'a>) -> Result<Bytes, DiskspdError> {
        value::number(text(node))
            .map(Bytes)
            .ok_or_else(|| self.bad(node, "a whole number of bytes"))
    }

    fn boolean(&self, node: Element<'a>) -> Result<bool, DiskspdError> {
        match text(node) {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(self.bad(node, "true or false")),
        }
    }

    fn profile(&mut self, root: Element<'a>) -> Result<(DiskspdProfile, bool), DiskspdError> {
        if root.tag_name().name() != "Profile" {
            return Err(self.unknown(root, &["Profile"]));
        }
        let mut profile = DiskspdProfile::default();
        let mut xml_results = false;
        for node in elements(root) {
            match node.tag_name().name() {
                "Progress" => profile.progress = self.number(node, 0, u32::MAX)?,
                "ResultFormat" => {
                    xml_results = match text(node) {
                        "xml" => true,
                        "text" => false,
                        _ => return Err(self.bad(node, "text or xml")),
                    }
                }
                "Verbose" => profile.verbose = self.boolean(node)?,
                "PrecreateFiles" => profile.precreate = Some(text(node).to_owned()),
                "ETW" => self.no_tracing(node)?,
                "TimeSpans" => {
                    for node in elements(node) {
                        if node.tag_name().name() != "TimeSpan" {
                            return Err(self.unknown(node, &["TimeSpan"]));
                        }
                        profile.spans.push(self.span(node)?);
                    }
                }
                _ => return Err(self.unknown(node, OF_PROFILE)),
            }
        }
        if profile.spans.is_empty() {
            let (element, expected) = ("TimeSpan", "one at least, in <TimeSpans>");
            let problem = DiskspdProblem::MissingElement { element, expected };
            return Err(self.error(root, problem));
        }
        Ok((profile, xml_results))
    }

    /// Event tracing that is switched off is what everybody has.
    fn no_tracing(&self, node: Element<'a>) -> Result<(), DiskspdError> {
        for node in elements(node) {
            let how = [
                "UsePagedMemory",
                "UsePerfTimer",
                "UseSystemTimer",
                "UseCyclesCounter",
            ];
            if !how.contains(&node.tag_name().name()) && self.boolean(node)? {
                let needs = "event tracing is a service of Windows; on Linux run perf or bpftrace beside it";
                return Err(self.refused(node, needs));
            }
        }
        Ok(())
    }

    fn span(&mut self, parent: Element<'a>) -> Result<DiskspdSpan, DiskspdError> {
        let mut span = DiskspdSpan::default();
        let (mut deviation, mut interval_ms) = (false, 1_000);
        for node in elements(parent) {
            match node.tag_name().name() {
                "CompletionRoutines" => span.completion_routines = self.boolean(node)?,
                "MeasureLatency" => span.measure_latency = self.boolean(node)?,
                "CalculateIopsStdDev" => deviation = self.boolean(node)?,
                "DisableAffinity" => span.disable_affinity = self.boolean(node)?,
                "Duration" => span.duration_s = self.number(node, 1, u32::MAX)?,
                "Warmup" => span.warmup_s = self.number(node, 0, u32::MAX)?,
                "Cooldown" => span.cooldown_s = self.number(node, 0, u32::MAX)?,
                "ThreadCount" => span.thread_count = self.number(node, 0, THREADS_MAX)?,
                "RequestCount" => span.request_count = self.number(node, 0, DEPTH_MAX_IO_URING)?,
                "IoBucketDuration" => interval_ms = self.number(node, 1, u32::MAX)?,
                "RandSeed" => span.seed = u64::from(self.number(node, 0, u32::MAX)?),
                "RandomWriteData" => span.random_write_data = self.boolean(node)?,
                // It has been so since diskspd 2.0.16, and Linux has no groups.
                "GroupAffinity" => {
                    self.boolean(node)?;
                }
                "Affinity" => span.affinity = self.affinity(node)?,
                "Targets" => {
                    for node in elements(node) {
                        if node.tag_name().name() != "Target" {
                            return Err(self.unknown(node, &["Target"]));
                        }
                        span.targets.push(self.target(node)?);
                    }
                }
                _ => return Err(self.unknown(node, OF_SPAN)),
            }
        }
        if span.targets.is_empty() {
            let (element, expected) = ("Target", "one at least, in <Targets>");
            let problem = DiskspdProblem::MissingElement { element, expected };
            return Err(self.error(parent, problem));
        }
        span.iops_interval = deviation.then(|| Nanos::from_millis(u64::from(interval_ms)));
        if span.random_write_data {
            let sequence = |target: &&mut DiskspdTarget| target.content == DiskspdContent::Sequence;
            for target in span.targets.iter_mut().filter(sequence) {
                target.content = DiskspdContent::Random;
            }
        }
        Ok(span)
    }

    fn affinity(&self, parent: Element<'a>) -> Result<Vec<u32>, DiskspdError> {
        /// Linux has at most 8192.
        const PROCESSOR_MAX: u32 = 8_191;
        let mut processors = Vec::new();
        for node in elements(parent) {
            let number = match node.tag_name().name() {
                "AffinityAssignment" => self.number(node, 0, PROCESSOR_MAX)?,
                "AffinityGroupAssignment" => {
                    if node.attribute("Group").is_some_and(|group| group != "0") {
                        return Err(self.refused(node, NO_GROUPS));
                    }
                    let number = node.attribute("Processor").unwrap_or_default();
                    value::number_within(number, 0, PROCESSOR_MAX)
                        .ok_or_else(|| self.bad(node, "the number of a processor"))?
                }
                _ => {
                    let names = &["AffinityAssignment", "AffinityGroupAssignment"];
                    return Err(self.unknown(node, names));
                }
            };
            processors.push(number);
        }
        Ok(processors)
    }

    fn target(&mut self, parent: Element<'a>) -> Result<DiskspdTarget, DiskspdError> {
        let mut target = DiskspdTarget::new("");
        // Without <Random>, <StrideSize> counts, wherever it stands.
        let (mut random, mut stride, mut ratio) = (None, None, None);
        for node in elements(parent) {
            match node.tag_name().name() {
                "Path" => target.path = self.substituted(node)?,
                "StrideSize" => stride = Some(self.bytes(node)?),
                "Random" => random = Some(self.bytes(node)?),
                "RandomRatio" => ratio = u8::try_from(self.number(node, 1, 100)?).ok(),
                "BlockSize" => target.block = Bytes(u64::from(self.number(node, 1, u32::MAX)?)),
                "Distribution" => target.distribution = Some(self.distribution(node)?),
                "WriteBufferContent" => target.content = self.content(node)?,
                "Throughput" => target.throughput = self.throughput(node)?,
                _ if self.caching(node, &mut target)? => {}
                _ => self.plain(node, &mut target)?,
            }
        }
        if target.path.is_empty() {
            let (element, expected) = ("Path", "the file or device of the target");
            let problem = DiskspdProblem::MissingElement { element, expected };
            return Err(self.error(parent, problem));
        }
        target.stride = random.or(stride);
        if target.stride == Some(Bytes(0)) {
            return Err(self.bad(parent, "a stride or an alignment above 0"));
        }
        if random.is_some() || ratio.is_some() {
            target.random_percent = ratio.unwrap_or(100);
        }
        Ok(target)
    }

    /// What is one number or switch.
    fn plain(&mut self, node: Element<'a>, target: &mut DiskspdTarget) -> Result<(), DiskspdError> {
        let some = |bytes: Bytes| (bytes > Bytes(0)).then_some(bytes);
        match node.tag_name().name() {
            "InterlockedSequential" => target.interlocked = self.boolean(node)?,
            "BaseFileOffset" => target.base = self.bytes(node)?,
            "SequentialScan" => target.sequential_hint = self.boolean(node)?,
            "RandomAccess" => target.random_hint = self.boolean(node)?,
            "TemporaryFile" => target.temporary_hint = self.boolean(node)?,
            "UseLargePages" => target.large_pages = self.boolean(node)?,
            "RequestCount" => target.requests = self.number(node, 1, DEPTH_MAX_IO_URING)?,
            "BurstSize" => target.burst = self.number(node, 0, u32::MAX)?,
            "ThinkTime" => target.think_ms = self.number(node, 0, u32::MAX)?,
            "ThreadsPerFile" => target.threads = self.number(node, 1, THREADS_MAX)?,
            "FileSize" => target.create = some(self.bytes(node)?),
            "MaxFileSize" => target.max = some(self.bytes(node)?),
            "WriteRatio" => {
                let percent = self.number(node, 0, 100)?;
                target.write_percent = u8::try_from(percent).unwrap_or(100);
            }
            "ParallelAsyncIO" => target.parallel = self.boolean(node)?,
            "ThreadStride" => target.thread_stride = self.bytes(node)?,
            "IOPriority" => {
                if matches!(self.number(node, 0, 3)?, 1 | 2) {
                    let needs = "priorities 1 and 2 need the scheduler's help; run it under `ionice`, which every thread inherits";
                    return Err(self.refused(node, needs));
                }
            }
            "Weight" => {
                if self.number(node, 0, u32::MAX)? != 1 {
                    let needs = "targets of a thread are drawn alike; leave out <Weight>, or give each target threads of its own";
                    return Err(self.refused(node, needs));
                }
            }
            "ThreadTargets" => {
                let needs =
                    "every thread of <ThreadCount> uses every target; use <ThreadsPerFile> instead";
                return Err(self.refused(node, needs));
            }
            _ => return Err(self.unknown(node, OF_TARGET)),
        }
        Ok(())
    }

    /// What `-S` is on the command line; `false` if it is something else.
    fn caching(&self, node: Element<'a>, target: &mut DiskspdTarget) -> Result<bool, DiskspdError> {
        match node.tag_name().name() {
            "DisableAllCache" if self.boolean(node)? => {
                target.unbuffered = true;
                target.write_through = DiskspdWriteThrough::Data;
            }
            "DisableOSCache" if self.boolean(node)? => target.unbuffered = true,
            "WriteThrough" if self.boolean(node)? => {
                target.write_through = DiskspdWriteThrough::Data;
            }
            "DisableLocalCache" if self.boolean(node)? => {
                let needs = "no file system of Linux can bypass the local cache alone; use <DisableOSCache>";
                return Err(self.refused(node, needs));
            }
            "MemoryMappedIo" => target.mapped = self.boolean(node)?,
            "FlushType" => match text(node) {
                "ViewOfFile" => target.flush_mapped = true,
                "NonVolatileMemory" | "NonVolatileMemoryNoDrain" => {
                    let needs = "it needs memory that is persistent itself; ViewOfFile flushes through the system";
                    return Err(self.refused(node, needs));
                }
                _ => return Err(self.bad(node, "ViewOfFile")),
            },
            "DisableAllCache" | "DisableOSCache" | "WriteThrough" | "DisableLocalCache" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn substituted(&mut self, node: Element<'a>) -> Result<String, DiskspdError> {
        let path = node.text().unwrap_or_default();
        let Some(number) = path.strip_prefix('*') else {
            return Ok(path.to_owned());
        };
        let expected = "a path, or *1, *2, … for a target of the command line";
        let number =
            value::number_within(number, 1, u32::MAX).and_then(|n| usize::try_from(n).ok());
        let number = number.ok_or_else(|| self.bad(node, expected))?;
        match self.templates.get(number - 1) {
            Some(path) => {
                self.used[number - 1] = true;
                Ok(path.clone())
            }
            None => {
                let named = self.templates.len();
                Err(self.error(node, DiskspdProblem::NoTemplate { number, named }))
            }
        }
    }

    fn throughput(&self, node: Element<'a>) -> Result<Option<DiskspdThroughput>, DiskspdError> {
        let number = u64::from(self.number(node, 0, u32::MAX)?);
        Ok(match (number, node.attribute("unit")) {
            (0, _) => None,
            (number, Some("IOPS")) => Some(DiskspdThroughput::Iops(number)),
            (number, None | Some("BPMS")) => Some(DiskspdThroughput::BytesPerMillisecond(number)),
            _ => return Err(self.bad(node, "the unit IOPS or BPMS")),
        })
    }

    fn distribution(&self, parent: Element<'a>) -> Result<DiskspdDistribution, DiskspdError> {
        let expected = "<Absolute> or <Percent> with <Range IO=\"percent\">length</Range>";
        let kind = elements(parent)
            .next()
            .ok_or_else(|| self.bad(parent, expected))?;
        let absolute = match kind.tag_name().name() {
            "Absolute" => true,
            "Percent" => false,
            _ => return Err(self.unknown(kind, &["Absolute", "Percent"])),
        };
        let mut ranges = Vec::new();
        for node in elements(kind) {
            let share = node.attribute("IO").unwrap_or_default();
            let share = value::number_within(share, 0, 100).and_then(|io| u8::try_from(io).ok());
            let share = share.ok_or_else(|| self.bad(node, expected))?;
            ranges.push((share, self.bytes(node)?.0));
        }
        match ranges.is_empty() {
            true => Err(self.bad(parent, expected)),
            false => Ok(DiskspdDistribution { absolute, ranges }),
        }
    }

    fn content(&self, parent: Element<'a>) -> Result<DiskspdContent, DiskspdError> {
        let mut pattern = None;
        let mut source = None;
        for node in elements(parent) {
            match node.tag_name().name() {
                "Pattern" => pattern = Some((node, text(node))),
                "RandomDataSource" => source = Some(self.source(node)?),
                _ => return Err(self.unknown(node, &["Pattern", "RandomDataSource"])),
            }
        }
        match pattern {
            None | Some((_, "sequential")) => Ok(DiskspdContent::Sequence),
            Some((_, "zero")) => Ok(DiskspdContent::Zero),
            Some((_, "random")) => Ok(source.unwrap_or(DiskspdContent::Random)),
            Some((node, _)) => Err(self.bad(node, "sequential, zero or random")),
        }
    }

    fn source(&self, parent: Element<'a>) -> Result<DiskspdContent, DiskspdError> {
        let (mut bytes, mut file) = (Bytes(0), None);
        for node in elements(parent) {
            match node.tag_name().name() {
                "SizeInBytes" => bytes = self.bytes(node)?,
                "FilePath" => file = node.text().map(str::to_owned),
                _ => return Err(self.unknown(node, &["SizeInBytes", "FilePath"])),
            }
        }
        match bytes {
            Bytes(0) => Err(self.bad(parent, "<SizeInBytes> above 0")),
            bytes => Ok(DiskspdContent::Source { bytes, file }),
        }
    }
}

fn elements<'a>(node: Element<'a>) -> impl Iterator<Item = Element<'a>> {
    node.children().filter(Node::is_element)
}

fn text<'a>(node: Element<'a>) -> &'a str {
    node.text().unwrap_or_default().trim()
}

//! XML profiles in the shape of diskspd's schema.
//!
//! Elements that the schema does not know are refused with the nearest that it does, so
//! that a misspelt one is not silently left out. Entities and document types are not read.

use roxmltree::{Document, Node, ParsingOptions};
use sokudo_model::diskspd::{
    DiskspdContent, DiskspdProfile, DiskspdSpan, DiskspdTarget, XML_NODES_MAX, xml_excess,
};
use sokudo_model::{Bytes, Nanos};

use super::error::{DiskspdError, DiskspdProblem};
use super::options::NO_GROUPS;
use super::scan::DiskspdCommandLine;
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
/// A profile that has been read.
#[derive(Debug)]
pub(super) struct ParsedProfile {
    pub(super) profile: DiskspdProfile,
    /// Results are wanted as XML.
    pub(super) xml_results: bool,
    pub(super) notes: Vec<String>,
}

/// Reads the profile of `-X`; targets of the command line stand for `*1`, `*2`, ….
pub(super) fn profile_of(
    path: &str,
    option: &str,
    line: &DiskspdCommandLine,
    host: &dyn Host,
) -> Result<ParsedProfile, DiskspdError> {
    let unreadable = |cause| DiskspdError::new(option, DiskspdProblem::Unreadable { cause });
    let text = host.read_text(path).map_err(unreadable)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let not_xml = |cause: String| DiskspdError::new(path, DiskspdProblem::NotXml { cause });
    if let Some(excess) = xml_excess(text) {
        return Err(not_xml(excess.to_owned()));
    }
    let options = ParsingOptions {
        nodes_limit: XML_NODES_MAX,
        ..ParsingOptions::default()
    };
    let document =
        Document::parse_with_options(text, options).map_err(|error| not_xml(error.to_string()))?;
    let mut reader = ProfileReader {
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
    Ok(ParsedProfile {
        profile,
        xml_results,
        notes: reader.notes,
    })
}

pub(super) struct ProfileReader<'a> {
    path: &'a str,
    document: &'a Document<'a>,
    pub(super) templates: &'a [String],
    pub(super) used: Vec<bool>,
    notes: Vec<String>,
}

pub(super) type Element<'a> = Node<'a, 'a>;

impl<'a> ProfileReader<'a> {
    pub(super) fn error(&self, node: Element<'a>, problem: DiskspdProblem) -> DiskspdError {
        let at = self.document.text_pos_at(node.range().start);
        let name = node.tag_name().name();
        DiskspdError::new(
            format!("{}:{}:{}: <{name}>", self.path, at.row, at.col),
            problem,
        )
    }

    pub(super) fn bad(&self, node: Element<'a>, expected: &'static str) -> DiskspdError {
        self.error(node, DiskspdProblem::Bad { expected })
    }

    pub(super) fn unknown(
        &self,
        node: Element<'a>,
        names: &'static [&'static str],
    ) -> DiskspdError {
        let nearest = nearest(node.tag_name().name(), names.iter().copied());
        self.error(node, DiskspdProblem::UnknownElement { nearest })
    }

    pub(super) fn refused(&self, node: Element<'a>, needs: &'static str) -> DiskspdError {
        self.error(node, DiskspdProblem::Refused { needs })
    }

    pub(super) fn number(
        &self,
        node: Element<'a>,
        least: u32,
        most: u32,
    ) -> Result<u32, DiskspdError> {
        value::number_within(text(node), least, most)
            .ok_or_else(|| self.bad(node, "a whole number that its option allows too"))
    }

    pub(super) fn bytes(&self, node: Element<'a>) -> Result<Bytes, DiskspdError> {
        value::number(text(node))
            .map(Bytes)
            .ok_or_else(|| self.bad(node, "a whole number of bytes"))
    }

    pub(super) fn boolean(&self, node: Element<'a>) -> Result<bool, DiskspdError> {
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
                "RandSeed" => {
                    let seed = value::number(text(node));
                    span.seed = seed.ok_or_else(|| self.bad(node, "a whole number"))?;
                }
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
}

pub(super) fn elements<'a>(node: Element<'a>) -> impl Iterator<Item = Element<'a>> {
    node.children().filter(Node::is_element)
}

pub(super) fn text<'a>(node: Element<'a>) -> &'a str {
    node.text().unwrap_or_default().trim()
}

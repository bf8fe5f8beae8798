//! XML profiles in the shape of diskspd's schema.
//!
//! Elements that the schema does not know are refused with the nearest that it does, so
//! that a misspelt one is not silently left out. Entities and document types are not read.

use roxmltree::{Document, Node, ParsingOptions};
use sokudo_model::{Bytes, Nanos};

use crate::diskspd::session::{DiskspdContent, DiskspdProfile, DiskspdSpan, DiskspdTarget};
use crate::diskspd::xml_bounds::{XML_NODES_MAX, xml_excess};
use crate::language::host::Host;
use crate::language::limits::{DEPTH_MAX_IO_URING, THREADS_MAX};
use crate::language::nearest::nearest;

use super::error::{DiskspdError, DiskspdProblem};
use super::options::{NO_GROUPS, NO_TRACING, PROCESSOR_MAX};
use super::scan::{DiskspdCommandLine, WrittenOption};
use super::value;

/// Does what the name of an element says; of another name, says which of these is nearest.
macro_rules! by_name {
    ($reader:ident, $node:ident: $($name:literal => $does:expr,)+) => {
        match $node.tag_name().name() {
            $($name => $does,)+
            _ => return Err($reader.unknown($node, &[$($name),+])),
        }
    };
}
pub(super) use by_name;

/// Reads the profile of `-X`, and whether it wants results as XML; targets of the command line
/// stand for `*1`, `*2`, ….
pub(super) fn profile_of(
    option: &WrittenOption,
    line: &DiskspdCommandLine,
    host: &dyn Host,
) -> Result<(DiskspdProfile, bool), DiskspdError> {
    let path = &option.value;
    let unreadable = |cause| DiskspdError::new(&option.text, DiskspdProblem::Unreadable { cause });
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
    };
    let read = reader.profile(document.root_element())?;
    if let Some(unused) = reader.used.iter().position(|used| !used) {
        let number = unused + 1;
        let problem = DiskspdProblem::UnusedTemplate { number };
        return Err(DiskspdError::new(&line.targets[unused], problem));
    }
    Ok(read)
}

pub(super) struct ProfileReader<'a> {
    path: &'a str,
    document: &'a Document<'a>,
    pub(super) templates: &'a [String],
    pub(super) used: Vec<bool>,
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

    /// What stands for something that cannot be done, unless it asks for none of it.
    pub(super) fn idle(
        &self,
        node: Element<'a>,
        is_idle: bool,
        needs: &'static str,
    ) -> Result<(), DiskspdError> {
        match is_idle {
            true => Ok(()),
            false => Err(self.error(node, DiskspdProblem::Refused { needs })),
        }
    }

    pub(super) fn missing(
        &self,
        parent: Element<'a>,
        element: &'static str,
        expected: &'static str,
    ) -> DiskspdError {
        self.error(parent, DiskspdProblem::MissingElement { element, expected })
    }

    fn profile(&mut self, root: Element<'a>) -> Result<(DiskspdProfile, bool), DiskspdError> {
        by_name! { self, root: "Profile" => (), }
        let mut profile = DiskspdProfile::default();
        let mut xml_results = false;
        for node in elements(root) {
            by_name! { self, node:
                "Progress" => profile.progress = self.number(node, 0, u32::MAX)?,
                "ResultFormat" => xml_results = match text(node) {
                    "xml" => true,
                    "text" => false,
                    _ => return Err(self.bad(node, "text or xml")),
                },
                "Verbose" => profile.verbose = self.boolean(node)?,
                "PrecreateFiles" => profile.precreate = Some(text(node).to_owned()),
                "ETW" => self.no_tracing(node)?,
                "TimeSpans" => for node in elements(node) {
                    by_name! { self, node: "TimeSpan" => profile.spans.push(self.span(node)?), }
                },
            }
        }
        match profile.spans.is_empty() {
            true => Err(self.missing(root, "TimeSpan", "one at least, in <TimeSpans>")),
            false => Ok((profile, xml_results)),
        }
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
            let is_idle = how.contains(&node.tag_name().name()) || !self.boolean(node)?;
            self.idle(node, is_idle, NO_TRACING)?;
        }
        Ok(())
    }

    fn span(&mut self, parent: Element<'a>) -> Result<DiskspdSpan, DiskspdError> {
        let mut span = DiskspdSpan::default();
        let (mut deviation, mut interval_ms) = (false, 1_000);
        for node in elements(parent) {
            by_name! { self, node:
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
                },
                "RandomWriteData" => span.random_write_data = self.boolean(node)?,
                // It has been so since diskspd 2.0.16, and Linux has no groups.
                "GroupAffinity" => drop(self.boolean(node)?),
                "Affinity" => span.affinity = self.affinity(node)?,
                "Targets" => for node in elements(node) {
                    by_name! { self, node: "Target" => span.targets.push(self.target(node)?), }
                },
            }
        }
        if span.targets.is_empty() {
            return Err(self.missing(parent, "Target", "one at least, in <Targets>"));
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
        let processor = |node: Element<'a>| {
            let number = by_name! { self, node:
                "AffinityAssignment" => self.number(node, 0, PROCESSOR_MAX)?,
                "AffinityGroupAssignment" => {
                    let is_first = node.attribute("Group").is_none_or(|group| group == "0");
                    self.idle(node, is_first, NO_GROUPS)?;
                    let number = node.attribute("Processor").unwrap_or_default();
                    value::number_within(number, 0, PROCESSOR_MAX)
                        .ok_or_else(|| self.bad(node, "the number of a processor"))?
                },
            };
            Ok(number)
        };
        elements(parent).map(processor).collect()
    }
}

pub(super) fn elements<'a>(node: Element<'a>) -> impl Iterator<Item = Element<'a>> {
    node.children().filter(Node::is_element)
}

pub(super) fn text<'a>(node: Element<'a>) -> &'a str {
    node.text().unwrap_or_default().trim()
}

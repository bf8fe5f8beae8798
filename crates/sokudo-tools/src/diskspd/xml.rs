//! XML profiles in the shape of diskspd's schema.
//!
//! Elements that the schema does not know are refused with the nearest that it does, so
//! that a misspelt one is not silently left out. Entities and document types are not read.

use std::collections::HashSet;

use roxmltree::{Document, Node, NodeId, ParsingOptions};
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

/// Does what the name of each element in another one says; a tolerant reader passes over
/// those that it refuses.
macro_rules! each_by_name {
    ($reader:ident, $parent:expr, $node:ident: $($arms:tt)+) => {{
        let most = if $reader.is_tolerant { ProfileReader::ELEMENTS_MAX } else { usize::MAX };
        for $node in elements($parent).take(most) {
            let mut read = || -> Result<(), Refusal<'_>> {
                by_name! { $reader, $node: $($arms)+ }
                Ok(())
            };
            match read() {
                Ok(()) => drop($reader.understood.insert($node.id())),
                Err(_) if $reader.is_tolerant => {}
                Err(refusal) => return Err(refusal),
            }
        }
    }};
}
pub(super) use each_by_name;

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
        templates: &line.targets,
        used: vec![false; line.targets.len()],
        ..ProfileReader::default()
    };
    let read = reader.profile(document.root_element());
    let read = read.map_err(|(node, problem)| {
        let at = document.text_pos_at(node.range().start);
        let name = node.tag_name().name();
        DiskspdError::new(format!("{path}:{}:{}: <{name}>", at.row, at.col), problem)
    })?;
    if let Some(unused) = reader.used.iter().position(|used| !used) {
        let number = unused + 1;
        let problem = DiskspdProblem::UnusedTemplate { number };
        return Err(DiskspdError::new(&line.targets[unused], problem));
    }
    Ok(read)
}

#[derive(Default)]
pub(super) struct ProfileReader<'a> {
    pub(super) templates: &'a [String],
    pub(super) used: Vec<bool>,
    /// It reads the profile in a result, which is not to be run.
    pub(super) is_tolerant: bool,
    /// Elements of time spans and targets that it has not passed over.
    pub(super) understood: HashSet<NodeId>,
}

pub(super) type Element<'a> = Node<'a, 'a>;

/// An element, and what is wrong with it.
pub(super) type Refusal<'a> = (Element<'a>, DiskspdProblem);
pub(super) type Reading<'a, T> = Result<T, Refusal<'a>>;

impl<'a> ProfileReader<'a> {
    /// Of so many elements in another one, such as targets, a tolerant reader has enough.
    pub(super) const ELEMENTS_MAX: usize = 1_000;

    pub(super) fn bad(&self, node: Element<'a>, expected: &'static str) -> Refusal<'a> {
        (node, DiskspdProblem::Bad { expected })
    }

    pub(super) fn unknown(&self, node: Element<'a>, names: &'static [&'static str]) -> Refusal<'a> {
        // A search for each of very many would take long.
        let names = names.iter().filter(|_| !self.is_tolerant);
        let nearest = nearest(node.tag_name().name(), names.copied());
        (node, DiskspdProblem::UnknownElement { nearest })
    }

    pub(super) fn number(&self, node: Element<'a>, least: u32, most: u32) -> Reading<'a, u32> {
        value::number_within(text(node), least, most)
            .ok_or_else(|| self.bad(node, "a whole number that its option allows too"))
    }

    pub(super) fn bytes(&self, node: Element<'a>) -> Reading<'a, Bytes> {
        value::number(text(node))
            .map(Bytes)
            .ok_or_else(|| self.bad(node, "a whole number of bytes"))
    }

    pub(super) fn boolean(&self, node: Element<'a>) -> Reading<'a, bool> {
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
    ) -> Reading<'a, ()> {
        match is_idle {
            true => Ok(()),
            false => Err((node, DiskspdProblem::Refused { needs })),
        }
    }

    pub(super) fn missing(
        &self,
        parent: Element<'a>,
        element: &'static str,
        expected: &'static str,
    ) -> Refusal<'a> {
        (parent, DiskspdProblem::MissingElement { element, expected })
    }

    fn profile(&mut self, root: Element<'a>) -> Reading<'a, (DiskspdProfile, bool)> {
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
    fn no_tracing(&self, node: Element<'a>) -> Reading<'a, ()> {
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

    pub(super) fn span(&mut self, parent: Element<'a>) -> Reading<'a, DiskspdSpan> {
        let mut span = DiskspdSpan::default();
        let (mut deviation, mut interval_ms) = (false, 1_000);
        each_by_name! { self, parent, node:
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
            "Targets" => each_by_name! { self, node, node:
                "Target" => span.targets.push(self.target(node)?),
            },
        }
        if span.targets.is_empty() && !self.is_tolerant {
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

    fn affinity(&self, parent: Element<'a>) -> Reading<'a, Vec<u32>> {
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

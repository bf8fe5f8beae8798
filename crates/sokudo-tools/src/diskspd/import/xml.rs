//! `DiskSpd`'s XML (`-Rxml`): results behind the profile that asked for them.

use roxmltree::{Document, Node, ParsingOptions};
use sokudo_model::{ImportedLatency, ImportedRun, Nanos};
use sokudo_words::{Text, text};

use crate::diskspd::session::{DiskspdTarget, DiskspdWriteThrough};
use crate::diskspd::xml::{Element, ProfileReader};
use crate::diskspd::xml_bounds::{XML_NODES_MAX, xml_excess};
use crate::results::number::{date_time, number};
use crate::results::row::RANDOM;
use crate::results::text::{label, leave_out};
use crate::results::{Import, ImportError, LeftOut, Reader, Source};

use super::timespan::{
    self, DiskspdDirection, TargetParameters, TimeSpanParameters, TimeSpanResult, rows, sequential,
};

pub(crate) const READER: Reader = Reader::new("DiskSpd XML", recognise, Source::Text(read));

const SPANS_MAX: usize = 1_000;
const PERCENTILES_MAX: usize = 256;
const NANOS_PER_MS: f64 = 1e6;

fn recognise(head: &str) -> bool {
    head.trim_start().starts_with('<') && head.contains("<Results>") && head.contains("<TimeSpan")
}

fn read(whole: &str) -> Result<Import, ImportError> {
    let broken = |why: Text| ImportError::Broken {
        format: READER.format,
        why,
    };
    let mut left_out = Vec::new();
    let text = without_trailer(whole, &mut left_out);
    if let Some(excess) = xml_excess(text) {
        return Err(broken(text!(
            "{excess}, but DiskSpd never writes such files",
            excess = Text::from(excess)
        )));
    }
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: XML_NODES_MAX,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| broken(text!("it is not complete XML: {error}")))?;
    if !document.root_element().has_tag_name("Results") {
        return Err(broken("it is a profile without results".into()));
    }
    let runs = run(&document, &mut left_out).into_iter().collect();
    let nothing = "no time span of it has moved anything";
    Import::of(READER.format, runs, left_out, nothing)
}

/// Up to the end of the results: a shell or another program may have written behind it.
fn without_trailer<'text>(text: &'text str, left_out: &mut Vec<LeftOut>) -> &'text str {
    const END: &str = "</Results>";
    let (xml, behind) = text.split_at(text.find(END).map_or(text.len(), |at| at + END.len()));
    if let Some(at) = behind.find(|sign: char| !sign.is_whitespace()) {
        let before = &text.as_bytes()[..xml.len() + at];
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        leave_out(left_out, line, text!("what follows {END}"));
    }
    xml
}

fn run<'a>(document: &'a Document<'a>, left_out: &mut Vec<LeftOut>) -> Option<ImportedRun> {
    let root = document.root_element();
    let mut reader = ProfileReader {
        is_tolerant: true,
        ..ProfileReader::default()
    };
    let system = child(root, "System");
    let profile = child(root, "Profile").and_then(|profile| child(profile, "TimeSpans"));
    let profile = profile.into_iter();
    let mut profile = profile.flat_map(|spans| children(spans, "TimeSpan"));
    let (mut found, mut spans) = (Vec::new(), Vec::new());
    for (number, span) in children(root, "TimeSpan").enumerate() {
        let parameters = profile.next().map(|span| parameters_of(&mut reader, span));
        let parameters = parameters.unwrap_or_default();
        let rows = rows(&parameters, &done(span));
        if rows.is_empty() || number >= SPANS_MAX {
            let position = document.text_pos_at(span.range().start);
            left_out.push(LeftOut {
                line: Some(position.row.into()),
                why: match rows.is_empty() {
                    true => "this time span has moved nothing".into(),
                    false => {
                        text!("this time span and what follows: at most {SPANS_MAX} are read")
                    }
                },
            });
        }
        if number >= SPANS_MAX {
            break;
        }
        spans.push(parameters);
        found.extend(rows);
    }
    let version = system.and_then(|system| text(child(system, "Tool")?, "Version"));
    let started_at = system.and_then(|system| text(system, "RunTime"));
    let mut run = timespan::run("DiskSpd", READER.format, &spans, found)?;
    run.started_at = started_at.and_then(|time| date_time(time.strip_suffix(" UTC")?));
    run.environment.host = system.and_then(|system| label(text(system, "ComputerName")?));
    run.origin.version = version.and_then(label);
    Some(run)
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn children<'a, 'input: 'a>(
    node: Node<'a, 'input>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children()
        .filter(move |child| child.has_tag_name(name))
}

fn text<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name)?.text().map(str::trim)
}

fn figure(node: Node<'_, '_>, name: &str) -> Option<f64> {
    text(node, name).and_then(number)
}

fn parameters_of<'a>(reader: &mut ProfileReader<'a>, node: Element<'a>) -> TimeSpanParameters {
    let span = reader.span(node).unwrap_or_default();
    let is_understood = |node: Node<'_, '_>| reader.understood.contains(&node.id());
    let knows = |node, name| child(node, name).is_some_and(is_understood);
    let counts = child(node, "ThreadCount").is_none_or(is_understood);
    let nodes = children(node, "Targets").flat_map(|targets| children(targets, "Target"));
    let parameters = |(node, target): (Element<'a>, &DiskspdTarget)| {
        let knows = |name| knows(node, name);
        let order = match target.random_percent {
            0 => Some(sequential(target.interlocked)),
            100 => Some(RANDOM),
            _ => None,
        };
        let random = ["Random", "RandomRatio"].map(|name| child(node, name));
        TargetParameters {
            size: target.create,
            threads: (counts && knows("ThreadsPerFile")).then_some(target.threads),
            block: knows("BlockSize").then_some(target.block),
            order: order.filter(|_| random.into_iter().flatten().all(is_understood)),
            depth: knows("RequestCount").then_some(target.requests),
            read_percent: knows("WriteRatio").then(|| 100 - u32::from(target.write_percent)),
            is_direct: target.unbuffered,
            is_written_through: target.write_through != DiskspdWriteThrough::Off,
        }
    };
    let targets = span.targets.iter();
    TimeSpanParameters {
        paths: targets.filter_map(|target| label(&target.path)).collect(),
        targets: nodes.zip(&span.targets).map(parameters).collect(),
        threads_in_all: Some(span.thread_count).filter(|count| *count > 0),
        duration: knows(node, "Duration").then(|| Nanos::from_secs(span.duration_s.into())),
        warm_up: knows(node, "Warmup").then(|| Nanos::from_secs(span.warmup_s.into())),
    }
}

fn done(span: Node<'_, '_>) -> TimeSpanResult {
    let seconds = figure(span, "TestTimeSeconds").filter(|seconds| *seconds > 0.0);
    let latency = child(span, "Latency");
    let average = child(span, "CpuUtilization").and_then(|all| child(all, "Average"));
    let cpu = average
        .and_then(|average| figure(average, "UserPercent").zip(figure(average, "KernelPercent")));
    let iops = child(span, "Iops");
    let side = |direction: &str| {
        let sum = |what: &str| {
            let name = format!("{direction}{what}");
            let targets = children(span, "Thread").flat_map(|it| children(it, "Target"));
            targets
                .filter_map(|target| figure(target, &name))
                .sum::<f64>()
        };
        let per_second = |amount: f64| seconds.map_or(0.0, |seconds| amount / seconds);
        let bytes = sum("Bytes");
        DiskspdDirection {
            bytes,
            bytes_per_s: per_second(bytes),
            ios_per_s: per_second(sum("Count")),
            latency: latency.and_then(|latency| self::latency(latency, direction)),
            ios_deviation: iops.and_then(|iops| figure(iops, &format!("{direction}IopsStdDev"))),
        }
    };
    TimeSpanResult {
        seconds,
        // Without the time there is no rate.
        read: seconds.map(|_| side("Read")).unwrap_or_default(),
        write: seconds.map(|_| side("Write")).unwrap_or_default(),
        cpu,
    }
}

fn latency(node: Node<'_, '_>, direction: &str) -> Option<ImportedLatency> {
    let nanos = |node: Node<'_, '_>, name: &str| figure(node, name).map(|ms| ms * NANOS_PER_MS);
    let mut latency = ImportedLatency {
        mean: nanos(node, &format!("Average{direction}Milliseconds"))?,
        stdev: nanos(node, &format!("{direction}LatencyStdev")),
        ..ImportedLatency::default()
    };
    let name = format!("{direction}Milliseconds");
    for bucket in children(node, "Bucket").take(PERCENTILES_MAX) {
        let (Some(percent), Some(value)) = (figure(bucket, "Percentile"), nanos(bucket, &name))
        else {
            continue;
        };
        match percent {
            0.0 => latency.min = Some(value),
            100.0 => latency.max = Some(value),
            0.0..100.0 => latency.percentiles.push((percent, value)),
            _ => {}
        }
    }
    latency
        .percentiles
        .sort_by(|left, right| left.0.total_cmp(&right.0));
    Some(latency)
}

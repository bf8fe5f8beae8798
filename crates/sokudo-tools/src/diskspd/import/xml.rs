//! `DiskSpd`'s XML (`-Rxml`): results behind the profile that asked for them.

use roxmltree::{Document, Node, ParsingOptions};
use sokudo_model::{Bytes, ImportedLatency, ImportedRun, Nanos, Order};
use sokudo_words::{Text, text};

use crate::diskspd::xml_bounds::{XML_NODES_MAX, xml_excess};
use crate::results::number::{block, date_time, depth, number};
use crate::results::text::{label, leave_out};
use crate::results::{Import, ImportError, LeftOut, Reader, Source};

use super::timespan::{
    self, DiskspdDirection, TimeSpanParameters, TimeSpanResult, rows, sequential,
};

pub(crate) const READER: Reader = Reader::new("DiskSpd XML", recognise, Source::Text(read));

const SPANS_MAX: usize = 1_000;
const TARGETS_MAX: usize = 1_000;
const PERCENTILES_MAX: usize = 256;
const NANOS_PER_MS: f64 = 1e6;
const NANOS_PER_S: u64 = 1_000_000_000;

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
            "{excess}, and DiskSpd writes none such",
            excess = Text::from(excess)
        )));
    }
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: XML_NODES_MAX,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| broken(text!("it is no whole XML: {error}")))?;
    let root = document.root_element();
    if !root.has_tag_name("Results") {
        return Err(broken("it is a profile without results".into()));
    }
    let runs = run(root, &document, &mut left_out).into_iter().collect();
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

fn run(
    root: Node<'_, '_>,
    document: &Document<'_>,
    left_out: &mut Vec<LeftOut>,
) -> Option<ImportedRun> {
    let system = child(root, "System");
    let profile = child(root, "Profile").and_then(|profile| child(profile, "TimeSpans"));
    let parameter_sets: Vec<TimeSpanParameters> = profile
        .map(|spans| {
            children(spans, "TimeSpan")
                .take(SPANS_MAX)
                .map(parameters_of)
                .collect()
        })
        .unwrap_or_default();
    let mut found = Vec::new();
    let mut paths = Vec::new();
    for (number, span) in children(root, "TimeSpan").enumerate() {
        let parameters = parameter_sets.get(number).cloned().unwrap_or_default();
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
        paths.extend(parameters.paths);
        found.extend(rows);
    }
    let version = system.and_then(|system| text(child(system, "Tool")?, "Version"));
    let started_at = system.and_then(|system| text(system, "RunTime"));
    let size = parameter_sets
        .first()
        .and_then(|parameters| parameters.size);
    let mut run = timespan::run("DiskSpd", READER.format, (&paths, size), found)?;
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

fn parameters_of(span: Node<'_, '_>) -> TimeSpanParameters {
    let seconds = |name: &str| {
        let seconds: u64 = text(span, name)?.parse().ok()?;
        seconds.checked_mul(NANOS_PER_S).map(Nanos)
    };
    let mut parameters = TimeSpanParameters {
        duration: seconds("Duration"),
        warm_up: seconds("Warmup"),
        ..TimeSpanParameters::default()
    };
    let targets = child(span, "Targets");
    let targets = targets.map(|targets| children(targets, "Target").take(TARGETS_MAX));
    let targets: Vec<Node<'_, '_>> = targets.into_iter().flatten().collect();
    let Some(first) = targets.first() else {
        return parameters;
    };
    let of = |target: Node<'_, '_>| {
        [
            "BlockSize",
            "Random",
            "RequestCount",
            "WriteRatio",
            "DisableOSCache",
            "WriteThrough",
        ]
        .map(|name| text(target, name).map(str::to_owned))
    };
    parameters.is_mixed = targets.iter().any(|target| of(*target) != of(*first));
    parameters.paths = targets
        .iter()
        .filter_map(|target| label(text(*target, "Path")?))
        .collect();
    parameters.block = text(*first, "BlockSize").and_then(|size| block(size, 1));
    parameters.size = text(*first, "FileSize")
        .and_then(|size| block(size, 1))
        .filter(|size| *size > Bytes(0));
    parameters.depth = text(*first, "RequestCount").and_then(depth);
    parameters.order = Some(match text(*first, "Random") {
        Some(_) => Order::Random { map: false },
        None => sequential(text(*first, "InterlockedSequential") == Some("true")),
    });
    let writes = text(*first, "WriteRatio").and_then(|ratio| ratio.parse::<u32>().ok());
    parameters.read_percent = writes.and_then(|writes| 100_u32.checked_sub(writes));
    parameters.is_direct = text(*first, "DisableOSCache") == Some("true")
        || text(*first, "DisableAllCache") == Some("true");
    parameters.is_written_through = text(*first, "WriteThrough") == Some("true")
        || text(*first, "DisableAllCache") == Some("true");
    let threads = targets
        .iter()
        .map(|target| text(*target, "ThreadsPerFile").and_then(depth));
    let threads = threads.collect::<Option<Vec<u32>>>();
    let threads = threads.map(|each| each.into_iter().fold(0, u32::saturating_add));
    let shared = text(span, "ThreadCount").and_then(depth);
    parameters.threads = shared.or(threads);
    parameters
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

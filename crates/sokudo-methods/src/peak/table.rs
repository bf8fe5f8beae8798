//! The most that a device gives, for people: one sentence, then a line per load that was tried.

use sokudo_model::Inference;
use sokudo_report::article::{Article, Element};
use sokudo_report::document::{ResultDocument, RunDocument};
use sokudo_report::number::{self, exact_time};
use sokudo_report::shortfall::verdict_cell;
use sokudo_report::style::BandwidthUnit;
use sokudo_report::table::{Cell, Table, left, right};
use sokudo_report::unique::unique;
use sokudo_report::view::{ShownBehind, ShownView};
use sokudo_words::{Text, text};

use crate::peak::view::{Peak, PeakLimit, PeakRow};

/// A line: a step, its place, and its result.
type Line<'a> = (usize, &'a PeakRow, &'a ResultDocument);

const LEGEND: &str = "Depth: I/Os in flight per thread. CPUs: what the row's threads used, on average; per CPU: I/Os per second of that time. A load that was only tried has one trial. The load with the highest rate, and one that came near it with less in flight, were then measured again alternately. The knee is the smallest of these within 5 % of the maximum.";

impl ShownView for Peak {
    fn add_figures<'a>(
        &'a self,
        article: &mut Article<'a>,
        document: &'a RunDocument,
        _: BandwidthUnit,
    ) -> ShownBehind {
        let inference = limit(document);
        article.paragraph(sentence(self, inference));
        if let Some(inference) = inference {
            let seen = ("seen".into(), inference.evidence.clone().into());
            article.add(Element::Facts(vec![seen]));
        }
        article.add(Element::Table(table(document, self)));
        article.paragraph(LEGEND);
        ShownBehind::NoRows
    }

    fn fact(&self, label: &'static str, document: &RunDocument) -> Option<Option<Text>> {
        (label == "Trials").then(|| Some(trials(document, self)))
    }

    fn shows(&self, inference: &Inference) -> bool {
        PeakLimit::of_code(&inference.code).is_some()
    }
}

/// How often each load was measured.
fn trials(document: &RunDocument, peak: &Peak) -> Text {
    let results = document.results.iter();
    let times = unique(results.map(|result| result.workload.limits.time));
    let again = peak.steps.get(peak.best).map(|step| step.result);
    let again = again.and_then(|result| document.results.get(result));
    let again = again.filter(|_| peak.is_confirmed);
    let again = again.map(|it| text!("{} per load that was measured again", it.trials.len()));
    let time = times.first().copied().flatten().map(exact_time);
    let once = text!("1 × {} per load", time.unwrap_or_default());
    let end = document.interrupted.then(|| Text::from("interrupted"));
    Text::list(std::iter::once(once).chain(again).chain(end), "; ")
}

/// What was concluded of the peak.
fn limit(document: &RunDocument) -> Option<&Inference> {
    let mut inferences = document.inferences.iter();
    inferences.find(|inference| PeakLimit::of_code(&inference.code).is_some())
}

fn sentence(peak: &Peak, limit: Option<&Inference>) -> Text {
    let [best, knee] = [peak.best, peak.knee].map(|index| &peak.steps[index]);
    let rate = number::rate(best.step.ios_per_s);
    if !peak.is_confirmed {
        return text!(
            "{rate} IOPS with {}, the most so far; the search did not finish, so what limits it is not known.",
            best.step.load.description()
        );
    }
    if let Some(most) = peak.refuted_by() {
        return text!(
            "CANNOT SAY: {} gave {} IOPS, but the best load that was measured again gave {rate}; the disk or other load changed meanwhile, so measure again.",
            most.load.description(),
            number::rate(most.ios_per_s)
        );
    }
    let most = match peak.best == peak.knee {
        true => text!("{rate} IOPS, with {}", best.step.load.description()),
        false => text!(
            "{rate} IOPS, with {}; {} of it already with {}",
            best.step.load.description(),
            number::percent(knee.share),
            knee.step.load.description()
        ),
    };
    let inferred = limit.and_then(|it| Some((PeakLimit::of_code(&it.code)?, it.confidence)));
    let limit = match inferred {
        None => "what limits it is not known".into(),
        Some((limit, confidence)) => text!(
            "{} ({} confidence)",
            Text::from(match limit {
                PeakLimit::Processor => "the CPU was the limit",
                PeakLimit::Kernel => "the kernel was the limit",
                PeakLimit::Disk => "the disk was the limit",
                PeakLimit::NotFound => "the limit was not found",
            }),
            Text::from(confidence.name())
        ),
    };
    text!("{}.", Text::list([most, limit], "; "))
}

fn table(document: &RunDocument, peak: &Peak) -> Table {
    let steps = peak.steps.iter().enumerate();
    let lines: Vec<Line<'_>> = steps
        .filter_map(|(index, step)| Some((index, step, document.results.get(step.result)?)))
        .collect();
    // Virtual time has no processors.
    let is_real = peak.steps.iter().any(|step| step.processors_user.is_some());
    let processors = |title| right(title).under("CPUs");
    let latency = |title| right(title).under("latency");
    Table::of(&lines)
        .column(right("Threads"), |(_, step, _)| {
            Some(step.step.load.threads.to_string())
        })
        .column(right("Depth"), |(_, step, _)| {
            Some(step.step.load.depth.to_string())
        })
        .column(right("median").under("IOPS"), |(_, step, _)| {
            Some(Cell::rate(step.step.ios_per_s))
        })
        .column(right("95 %").under("IOPS").rank(4), |(_, _, result)| {
            let spread = result.iops.as_ref()?.spread(1.0)?;
            Some(spread.replace("± ", "±"))
        })
        .column(right("median").under("MB/s").rank(5), |(_, _, result)| {
            Some(Cell::rate(
                result.bandwidth_bytes_per_s.as_ref()?.median_mb_per_s,
            ))
        })
        .column(latency("mean"), |(_, _, result)| {
            let mean = number::nanos(result.latency_ns.as_ref()?.mean);
            Some(mean.to_string())
        })
        .column(latency("p95").rank(6), |(_, _, result)| {
            Cell::time(result.latency_ns.as_ref()?.p95)
        })
        .column(latency("p99").rank(1), |(_, _, result)| {
            Cell::time(result.latency_ns.as_ref()?.p99)
        })
        .column_if(is_real, processors("user").rank(2), |(_, step, _)| {
            Some(format!("{:.2}", step.processors_user?))
        })
        .column_if(is_real, processors("kernel").rank(2), |(_, step, _)| {
            Some(format!("{:.2}", step.processors_system?))
        })
        .column_if(
            is_real,
            right("per CPU").under("IOPS").rank(3),
            |(_, step, _)| Some(Cell::rate(step.ios_per_processor_s?)),
        )
        .column(left(""), |(index, _, _)| Some(remark(peak, *index)))
        .column(left("Verdict"), |(_, _, result)| {
            Some(verdict_cell(result, document.schedule.trials))
        })
        .table()
}

/// What a load is.
fn remark(peak: &Peak, index: usize) -> Text {
    let remarks = [(peak.knee, "knee"), (peak.best, "maximum")];
    let words = remarks
        .into_iter()
        .filter(|_| peak.refuted_by().is_none())
        .filter_map(|(of, word)| (of == index).then_some(word.into()));
    Text::list(words, ", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_report::{RunDocument, sample, text};

    fn shown(change: impl Fn(&mut sokudo_model::Run)) -> String {
        let mut run = sample::kept("peak");
        change(&mut run);
        text::render(&RunDocument::from_run(&run), &sample::style(120))
    }

    #[test]
    fn a_search_that_was_cut_off_says_so() {
        let text = shown(|run| {
            run.inferences.clear();
            run.rows.iter_mut().for_each(|row| row.trials.truncate(1));
        });
        assert!(text.contains("the search did not finish"), "{text}");
        assert!(!text.contains("was the limit"), "{text}");
    }

    #[test]
    fn a_peak_that_the_table_refutes_is_none() {
        let text = shown(|run| {
            let tried = run.rows.iter_mut().find(|row| row.trials.len() == 1);
            let outcome = &mut tried.unwrap().trials[0].outcome;
            outcome.operations[0].ios *= 1_000;
        });
        assert!(text.contains("\nCANNOT SAY: "), "{text}");
        for word in ["maximum\n", "knee  ", "was the limit"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }

    #[test]
    fn a_limit_that_was_not_found_is_told_as_that() {
        let text = shown(|run| run.inferences[0].code = PeakLimit::NotFound.code().to_owned());
        assert!(text.contains("the limit was not found"), "{text}");
    }
}

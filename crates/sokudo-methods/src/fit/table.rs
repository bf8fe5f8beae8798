//! Whether a disk is fast enough, for people: the answer in a sentence, then a line per figure.

use sokudo_model::{Durability, FitCriterion, FitLimit, FitMetric, FitSide, RunAnswer};
use sokudo_report::article::{Article, Element};
use sokudo_report::document::{ResultDocument, RunDocument};
use sokudo_report::grouping::row_name;
use sokudo_report::number::{self, BYTES_PER_MB, exact_time, grouped};
use sokudo_report::shortfall::verdict_cell;
use sokudo_report::style::BandwidthUnit;
use sokudo_report::table::{Cell, Table, Tone, left, right};
use sokudo_report::view::{ShownBehind, ShownView};
use sokudo_report::wording::{phrase, row};
use sokudo_words::{Text, text};

use crate::fit::view::{FitAnswer, FitDocument, FitFigure, FitStanding};

/// A line: what was asked, what was measured, and its row.
type Line<'a> = (&'a FitCriterion, &'a FitFigure, &'a ResultDocument);

impl From<FitAnswer> for RunAnswer {
    fn from(answer: FitAnswer) -> Self {
        match answer {
            FitAnswer::FastEnough => Self::FastEnough,
            FitAnswer::TooSlow => Self::TooSlow,
            FitAnswer::CannotSay => Self::CannotSay,
        }
    }
}

impl ShownView for FitDocument {
    /// The answer, the table, who has published what was asked, and how fio shows the same.
    fn add_answer<'a>(
        &'a self,
        article: &mut Article<'a>,
        document: &'a RunDocument,
    ) -> Option<RunAnswer> {
        let fit = self.answer.map(RunAnswer::from);
        let tone = fit.map_or(Tone::None, Tone::of_answer);
        article.add(Element::Answer(tone, answer(document, self)));
        article.add(Element::Table(table(document, self)));
        let question = &self.question;
        let details = [
            ("source", Text::name(&*question.source)),
            ("date", Text::name(&*question.date)),
            ("leaves open", phrase(&question.remark)),
        ];
        let details = details.into_iter().filter(|(_, text)| !text.is_empty());
        let facts = details.map(|(label, text)| (label.into(), text.into()));
        article.add(Element::Facts(facts.collect()));
        article.add(Element::Commands("With fio:", &question.fio));
        fit
    }

    fn add_figures<'a>(
        &'a self,
        _: &mut Article<'a>,
        _: &'a RunDocument,
        _: BandwidthUnit,
    ) -> ShownBehind {
        ShownBehind::Nothing
    }
}

fn lines<'a>(document: &'a RunDocument, fit: &'a FitDocument) -> Vec<Line<'a>> {
    let each = fit.each();
    each.filter_map(|(criterion, figure)| {
        Some((criterion, figure, document.result_at(criterion.row)?))
    })
    .collect()
}

/// The sentence that says what it comes to.
pub(crate) fn answer(document: &RunDocument, fit: &FitDocument) -> Text {
    let name = &*fit.question.name;
    let lines = lines(document, fit);
    let Some((criterion, figure, result)) = lines.get(fit.decisive.unwrap_or(0)).copied() else {
        return text!("CANNOT SAY for {name}: nothing was measured.");
    };
    let measured = measured(document, (criterion, figure, result));
    let Some((answer, limit)) = fit.answer.zip(criterion.limit) else {
        return text!("No threshold is known for {name}: {measured}.");
    };
    let requirement = requirement_of(criterion.metric, limit);
    match answer {
        FitAnswer::FastEnough => text!("FAST ENOUGH for {name}: {measured}; {requirement}."),
        FitAnswer::TooSlow => text!("TOO SLOW for {name}: {measured}; {requirement}."),
        FitAnswer::CannotSay => {
            let why = why(figure, result);
            text!("CANNOT SAY for {name}: {measured}; {requirement}; {why}.")
        }
    }
}

/// Why a figure decides nothing.
fn why(figure: &FitFigure, result: &ResultDocument) -> Text {
    match figure.standing {
        Some(FitStanding::NotVerified) => {
            let findings = result.findings.iter();
            let codes = findings.map(|finding| Text::name(&*finding.code));
            let verdict = result
                .verdict
                .map_or("not judged", |verdict| verdict.name());
            let code = codes.take(1).next().unwrap_or_default();
            text!("the row is {} ({code})", Text::from(verdict))
        }
        Some(FitStanding::Incomplete) => "not all of its trials were made".into(),
        Some(FitStanding::TooLittle) => {
            "too little was measured for a 95 % interval; make it longer (--runs, --time)".into()
        }
        _ => "its 95 % interval is on both sides of that".into(),
    }
}

/// A row's name, with what it does where another is called the same.
fn name_of(document: &RunDocument, result: &ResultDocument) -> Text {
    let others = document.results.iter();
    match others.filter(|other| other.name == result.name).count() {
        1 => Text::name(&*result.name),
        _ => row(&row_name(result)),
    }
}

/// A figure with its interval, as part of a sentence.
fn measured(document: &RunDocument, (criterion, figure, result): Line<'_>) -> Text {
    let names_row = document.results.len() > 1;
    let metric = criterion.metric;
    let Some(value) = figure.measured.or(figure.at_least) else {
        return "its figure could not be measured".into();
    };
    let what = what(metric, &result.workload.durability);
    let clause = match (metric, figure.of_ios) {
        _ if figure.measured.is_none() => {
            text!("{what} is {} at least (95 %)", shown(metric, value))
        }
        (FitMetric::Dropped, Some(all)) => text!(
            "{} of {} frames dropped",
            shown(metric, value),
            grouped(&all.to_string())
        ),
        (metric, _) if metric.is_latency() => text!("{what} is {}", shown(metric, value)),
        _ => text!("{} {what}", shown(metric, value)),
    };
    let clause = match figure.interval_95 {
        None => clause,
        Some([low, high]) => text!(
            "{clause} (95 %: {} to {})",
            shown(metric, low),
            shown(metric, high)
        ),
    };
    match names_row {
        true => text!("{}: {clause}", name_of(document, result)),
        false => clause,
    }
}

/// What a figure is called.
pub(super) fn what(metric: FitMetric, durability: &Durability) -> Text {
    match metric {
        FitMetric::SyncLatency(percentile) if durability.fdatasync_every.is_some() => {
            text!("{} of fdatasync", percentile.name())
        }
        FitMetric::SyncLatency(percentile) => text!("{} of fsync", percentile.name()),
        FitMetric::Latency(percentile) => text!("{} of the latency", percentile.name()),
        FitMetric::Commits => "commits per second".into(),
        FitMetric::Iops => "I/Os per second".into(),
        FitMetric::Bandwidth => "MB/s".into(),
        FitMetric::Dropped => "frames dropped".into(),
    }
}

/// A figure without what its unit is called.
pub(super) fn shown(metric: FitMetric, value: f64) -> String {
    match metric {
        FitMetric::SyncLatency(_) | FitMetric::Latency(_) => number::nanos(value).to_string(),
        FitMetric::Commits | FitMetric::Iops => number::rate(value),
        FitMetric::Bandwidth => number::rate(value / BYTES_PER_MB),
        FitMetric::Dropped => grouped(&format!("{value:.0}")),
    }
}

/// A threshold as it was written, or with the digits of a rate where it was computed.
fn threshold(metric: FitMetric, limit: FitLimit) -> String {
    let value = match metric {
        FitMetric::SyncLatency(_) | FitMetric::Latency(_) => {
            return exact_time(sokudo_model::Nanos(limit.value));
        }
        FitMetric::Bandwidth => number::float(limit.value) / BYTES_PER_MB,
        FitMetric::Commits | FitMetric::Iops | FitMetric::Dropped => number::float(limit.value),
    };
    match value.fract() > 0.0 {
        true => number::rate(value),
        false => grouped(&value.to_string()),
    }
}

fn requirement_of(metric: FitMetric, limit: FitLimit) -> Text {
    let value = threshold(metric, limit);
    match limit.must_be {
        FitSide::Below => text!("it must be below {value}"),
        FitSide::AtMost => text!("it must be at most {value}"),
        FitSide::Above => text!("it must be above {value}"),
        FitSide::AtLeast => text!("it must be at least {value}"),
    }
}

/// A threshold with its sign, such as `< 10 ms`.
pub(super) fn signed(metric: FitMetric, limit: FitLimit) -> String {
    let sign = match limit.must_be {
        FitSide::Below => "<",
        FitSide::AtMost => "≤",
        FitSide::Above => ">",
        FitSide::AtLeast => "≥",
    };
    format!("{sign} {}", threshold(metric, limit))
}

const fn unit(metric: FitMetric) -> &'static str {
    match metric {
        FitMetric::Commits | FitMetric::Iops => "/s",
        FitMetric::Bandwidth => " MB/s",
        FitMetric::SyncLatency(_) | FitMetric::Latency(_) | FitMetric::Dropped => "",
    }
}

/// The threshold of a criterion that has one, with what it is of.
pub(crate) fn threshold_of(criterion: &FitCriterion) -> Option<Text> {
    let metric = criterion.metric;
    let limit = signed(metric, criterion.limit?);
    Some(Text::name(format!("{metric} {limit}{}", unit(metric))))
}

fn table(document: &RunDocument, fit: &FitDocument) -> Table {
    let lines = lines(document, fit);
    let commits = |(criterion, ..): &Line<'_>| criterion.metric == FitMetric::Commits;
    let limited = |(criterion, ..): &Line<'_>| criterion.limit.is_some();
    let has_limits = lines.iter().any(limited);
    Table::of(&lines)
        .column(left("Row"), |(_, _, result)| {
            Some(name_of(document, result))
        })
        .column(left("Figure").rank(2), |(criterion, _, result)| {
            Some(match criterion.metric {
                FitMetric::Commits => "commits/s".into(),
                FitMetric::Iops => "IOPS".into(),
                metric => what(metric, &result.workload.durability),
            })
        })
        .column(right("Measured"), |(criterion, figure, _)| {
            let least = figure.at_least.filter(|_| figure.measured.is_none());
            let least = least.map(|least| format!("≥ {}", shown(criterion.metric, least)));
            let measured = figure.measured.map(|it| shown(criterion.metric, it));
            measured.or(least)
        })
        .column(right("95 %").rank(1), |(criterion, figure, _)| {
            let [low, high] = figure.interval_95?.map(|end| shown(criterion.metric, end));
            Some(text!("{low} to {high}"))
        })
        .column_if(
            lines.iter().any(commits),
            right("each").rank(4),
            |(criterion, figure, _)| {
                let measured = figure.measured.filter(|it| *it > 0.0)?;
                let each = number::nanos(1e9 / measured).to_string();
                (criterion.metric == FitMetric::Commits).then_some(each)
            },
        )
        .column_if(has_limits, right("Asked for"), |(criterion, ..)| {
            Some(signed(criterion.metric, criterion.limit?))
        })
        .column_if(has_limits, left(""), |(_, figure, _)| {
            figure.standing.map(standing)
        })
        .column(left("Verdict").rank(3), |(_, _, result)| {
            Some(verdict_cell(result, document.schedule.trials))
        })
        .table()
}

fn standing(standing: FitStanding) -> Cell {
    let (tone, word) = match standing {
        FitStanding::Met => (Tone::Good, "met"),
        FitStanding::Missed => (Tone::Bad, "missed"),
        _ => (Tone::Doubtful, "open"),
    };
    Cell::Judged(tone, word.into())
}

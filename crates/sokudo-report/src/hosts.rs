//! Hosts that measured together: how long, and what each of them did of the row that stands for
//! the run. Pictures choose their hosts here, too.

use sokudo_model::{HostLost, Nanos};
use sokudo_stats::Summary;
use sokudo_words::{Text, text};

use crate::document::{
    HostDocument, HostRowDocument, ResultDocument, RunDocument, TogetherDocument,
    TrialTogetherDocument,
};
use crate::grouping::row_name;
use crate::number::{self, float, percent};
use crate::style::BandwidthUnit;
use crate::table::{Cell, Table, Tone, left, point, right, verdict_name};
use crate::wording::row;

/// With more hosts only some are shown.
pub(crate) const HOSTS_MAX: usize = 16;
/// Of so many, the slowest tell most.
const SLOWEST: usize = 8;
const FASTEST: usize = 2;
/// The finding that a host is slower than chance allows; what it means is in `sokudo_analysis::Code`.
const STRAGGLER: &str = "straggler";

/// A name is cut no shorter than this, so that a host can still be recognised.
const NAME_COLUMNS_MIN: usize = 8;
const NAME_COLUMNS_MAX: usize = 32;

/// What is shown of a run's hosts.
pub(crate) struct HostFigures<'a> {
    pub(crate) together: &'a TogetherDocument,
    /// The row that stands for the run, and its place.
    pub(crate) result: &'a ResultDocument,
    pub(crate) row_index: usize,
}

/// A host and what it did of the row.
#[derive(Clone, Copy)]
pub(crate) struct HostLine<'a> {
    /// Its place among all.
    pub(crate) index: usize,
    pub(crate) host: &'a HostDocument,
    pub(crate) row: &'a HostRowDocument,
    /// Whether it is slower than chance allows.
    pub(crate) is_straggler: bool,
}

impl HostLine<'_> {
    /// What sets it apart: how it was lost, or that it is slow.
    pub(crate) fn mark(&self) -> Option<(Tone, Text)> {
        Some(match self.host.lost {
            Some(HostLost::Silent) => (Tone::Bad, "lost: silent".into()),
            Some(HostLost::Ended) => (Tone::Bad, "lost: ended".into()),
            None if self.is_straggler => (Tone::Doubtful, "straggler".into()),
            None => return None,
        })
    }
}

impl<'a> HostFigures<'a> {
    /// `None` of a run that one process measured alone, or in which nothing was moved.
    pub(crate) fn of(document: &'a RunDocument) -> Option<Self> {
        let together = document.together()?;
        let results = || document.results.iter().enumerate();
        let has_trials = |row_index: usize| together.trials_of(row_index).next().is_some();
        let mut measured = results().filter(|(row_index, _)| has_trials(*row_index));
        let of_disk = measured.clone().find(|(_, it)| it.stands_for_disk());
        let (row_index, result) = of_disk.or_else(|| measured.next())?;
        Some(Self {
            together,
            result,
            row_index,
        })
    }

    pub(crate) fn trials(&self) -> impl Iterator<Item = &'a TrialTogetherDocument> {
        self.together.trials_of(self.row_index)
    }

    /// How many there were, and how long they ran together.
    pub(crate) fn sentence(&self) -> Text {
        let hosts = match self.together.hosts.len() {
            1 => text!("1 host"),
            count => text!("{count} hosts"),
        };
        let threads = match self.result.workload.threads {
            1 => text!("1 thread"),
            count => text!("{count} threads"),
        };
        let windows = || self.trials().filter_map(TrialTogetherDocument::window);
        let longest = |of: fn(&TrialTogetherDocument) -> u64| {
            Nanos(self.trials().map(of).max().unwrap_or_default())
        };
        let whole = longest(|it| it.last_ended_ns.saturating_sub(it.first_began_ns));
        let whole = exact_seconds(self.result.workload.limits.time.unwrap_or(whole));
        let clocks = text!(
            "start within {}; clocks ± {}",
            longest(|it| it.skew_ns),
            longest(|it| it.clock_uncertainty_ns)
        );
        let Some(least) = windows().min() else {
            return text!("{hosts}, {threads}, never all at the same time ({clocks})");
        };
        let least = exact_seconds(least);
        match windows().count() {
            1 => text!("{hosts}, {threads}, together for {least} of {whole} ({clocks})"),
            _ => text!("{hosts}, {threads}, together for at least {least} of {whole} ({clocks})"),
        }
    }

    /// Every host, in the order of the run.
    pub(crate) fn lines(&self) -> Vec<HostLine<'a>> {
        let hosts = self.together.hosts.iter().enumerate();
        let lines = hosts.filter_map(|(index, host)| {
            let row = host.rows.get(self.row_index)?;
            Some(HostLine {
                index,
                host,
                row,
                is_straggler: row.findings.iter().any(|it| it.code == STRAGGLER),
            })
        });
        lines.collect()
    }

    /// The hosts that are shown, and how many are left out between the slowest and the fastest.
    pub(crate) fn shown(&self) -> (Vec<HostLine<'a>>, usize) {
        let mut lines = self.lines();
        if lines.len() <= HOSTS_MAX {
            return (lines, 0);
        }
        let share = |line: &HostLine<'_>| line.row.share_of_median.unwrap_or(0.0);
        lines.sort_by(|one, other| share(one).total_cmp(&share(other)));
        let fastest = lines.split_off(lines.len() - FASTEST);
        let left_out = lines.split_off(SLOWEST).len();
        lines.extend(fastest);
        (lines, left_out)
    }

    /// What each host did.
    pub(crate) fn table(&self, unit: BandwidthUnit) -> Table {
        let (lines, left_out) = self.shown();
        let rate = |line: &HostLine<'_>| rate_in(line.row, unit);
        let most = lines.iter().filter_map(rate).fold(0.0, f64::max);
        let name = left("Host").at_most(NAME_COLUMNS_MAX, NAME_COLUMNS_MIN);
        let has_latencies = lines.iter().any(|it| it.row.latency_ns.is_some());
        let table = Table::of(&lines)
            .column(name, |line| Some(line.host.name.clone()))
            .column(right("Ranks").rank(3), |line| {
                Some(line.host.ranks.to_string())
            })
            .column(point("median").under(unit.name()), |line| {
                let value = rate(line)?;
                Some(Cell::Figure {
                    text: number::rate(value),
                    signs: String::new(),
                    share: value / most.max(f64::MIN_POSITIVE),
                })
            })
            .column(right("of the median").rank(2), |line| {
                line.row.share_of_median.map(percent)
            })
            .column_if(
                has_latencies,
                right("p99").under("latency").rank(4),
                |line| Cell::time(line.row.latency_ns.as_ref()?.p99),
            )
            .column(left("Verdict").rank(1), |line| {
                let verdict = line.row.verdict;
                Some(Cell::Judged(
                    Tone::of(verdict),
                    verdict_name(verdict).into(),
                ))
            })
            .column_if(
                lines.iter().any(|line| line.mark().is_some()),
                left(""),
                |line| {
                    let mark = line.mark().map(|(tone, mark)| Cell::Judged(tone, mark));
                    Some(mark.unwrap_or_else(|| Text::default().into()))
                },
            )
            .table();
        let title = text!("Hosts, {}", row(&row_name(self.result)));
        table.titled(title).noted(self.note(unit, left_out))
    }

    /// Who was the slowest, who was done first and last.
    fn note(&self, unit: BandwidthUnit, left_out: usize) -> Text {
        let left_out = (left_out > 0).then(|| {
            text!("{left_out} hosts between these are left out; CSV and JSON have all of them.")
        });
        let sentences = [
            Some(text!(
                "{}: what a host moved while all of them ran, the median of its trials.",
                unit.name()
            )),
            self.slowest(unit),
            self.ends(),
            self.slowest_rank(),
            left_out,
        ];
        Text::list(sentences.into_iter().flatten(), " ")
    }

    fn slowest(&self, unit: BandwidthUnit) -> Option<Text> {
        let mut rates: Vec<(f64, &str)> = self
            .lines()
            .iter()
            .filter_map(|line| Some((rate_in(line.row, unit)?, line.host.name.as_str())))
            .collect();
        rates.sort_by(|one, other| one.0.total_cmp(&other.0));
        let [(slowest, host), others @ ..] = &rates[..] else {
            return None;
        };
        let ([(least, _), ..], [.., (most, _)]) = (others, others) else {
            return None;
        };
        let [slowest, least, most] = [*slowest, *least, *most].map(number::rate);
        Some(match least == most {
            true => text!("Slowest host {host}: {slowest}, the others {least}."),
            false => text!("Slowest host {host}: {slowest}, the others {least} to {most}."),
        })
    }

    /// Who was done first and last, of the trial in which that differs most.
    fn ends(&self) -> Option<Text> {
        let ends = |trial: &'a TrialTogetherDocument| {
            let first = trial.hosts.iter().min_by_key(|it| it.ended_ns)?;
            let last = trial.hosts.iter().max_by_key(|it| it.ended_ns)?;
            (first.host != last.host).then_some((trial, first, last))
        };
        let (trial, first, last) = self
            .trials()
            .filter_map(ends)
            .max_by_key(|(_, first, last)| last.ended_ns.saturating_sub(first.ended_ns))?;
        Some(text!(
            "First done: {}; last: {}, {} later (trial {}).",
            self.name(first.host)?,
            self.name(last.host)?,
            Nanos(last.ended_ns.saturating_sub(first.ended_ns)),
            trial.trial
        ))
    }

    /// Where the slowest process ran, if hosts had several.
    fn slowest_rank(&self) -> Option<Text> {
        if self.together.hosts.iter().all(|host| host.ranks <= 1) {
            return None;
        }
        let of_trial = |trial: &'a TrialTogetherDocument| {
            let seconds = trial.window()?.as_secs_f64();
            let slowest = trial.hosts.iter().min_by_key(|it| it.slowest_rank_bytes)?;
            Some((float(slowest.slowest_rank_bytes) / seconds, slowest.host))
        };
        let rates: Vec<(f64, u32)> = self.trials().filter_map(of_trial).collect();
        let (rate, host) = rates
            .into_iter()
            .min_by(|one, other| one.0.total_cmp(&other.0))?;
        let host = self.name(host)?;
        let rate = number::rate(rate / number::BYTES_PER_MB);
        (rate != "0").then(|| text!("Slowest process: {rate} MB/s, on {host}."))
    }

    fn name(&self, host: u32) -> Option<&'a str> {
        let host = self.together.hosts.get(usize::try_from(host).ok()?)?;
        Some(&host.name)
    }

    /// The median of the hosts' rates in a unit.
    pub(crate) fn median(&self, unit: BandwidthUnit) -> Option<f64> {
        let lines = self.lines();
        let rates: Vec<f64> = lines
            .iter()
            .filter_map(|it| rate_in(it.row, unit))
            .collect();
        Summary::of(&rates).map(|it| it.median)
    }
}

/// The rate of a host in a unit.
pub(crate) fn rate_in(row: &HostRowDocument, unit: BandwidthUnit) -> Option<f64> {
    match unit {
        BandwidthUnit::IosPerSecond => row.ios_per_s,
        _ => row.bytes_per_s.map(|rate| rate / unit.bytes()),
    }
}

/// A time of some seconds by hundredths: of the planned time, the window lacks little.
fn exact_seconds(time: Nanos) -> String {
    const SECOND: u64 = 1_000_000_000;
    match time.0 {
        whole if whole >= SECOND && whole.is_multiple_of(SECOND) => number::exact_time(time),
        // A window is not told to be longer than it was.
        more if more >= SECOND => {
            let hundredths = more / (SECOND / 100);
            format!("{}.{:02} s", hundredths / 100, hundredths % 100)
        }
        _ => time.to_string(),
    }
}

#[cfg(test)]
mod tests;

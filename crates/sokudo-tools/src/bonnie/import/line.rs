//! The fields of one CSV line.

use sokudo_model::Bytes;

use crate::bonnie::phase::BonniePhase;
use crate::results::number;

/// What stands for a figure of too little time.
const TOO_FAST: &str = "+++++";
/// Phases, of which each has a rate and a share of processor time.
const PHASES: usize = PHASES_ON_ONE_FILE + BonniePhase::ON_FILES.len();
/// Those on one file come first.
const PHASES_ON_ONE_FILE: usize = BonniePhase::ON_ONE_FILE.len();

/// What stands in the place of a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Quantity {
    /// Bytes, seeks or files per second.
    Known(f64),
    TooFast,
    NotRun,
    Impossible,
}

/// The figures of a phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhaseFigure {
    pub(super) rate: Quantity,
    pub(super) cpu_percent: Option<f64>,
    pub(super) latency_max_ns: Option<f64>,
}

/// How a format arranges its fields.
struct FieldLayout {
    format: &'static str,
    /// Fields before the first phase, those in the name's commas not counted.
    head: usize,
    /// Fields between the phases on one file and those on many, the number of files first.
    between: usize,
    /// Whether the phases' largest latencies follow.
    latencies: bool,
}

const LAYOUTS: [FieldLayout; 4] = [
    FieldLayout::new("1.98", 9, 5, true),
    FieldLayout::new("1.97", 7, 5, true),
    FieldLayout::new("1.96", 7, 5, true),
    FieldLayout::new("1.03", 2, 1, false),
];

impl FieldLayout {
    const fn new(format: &'static str, head: usize, between: usize, latencies: bool) -> Self {
        Self {
            format,
            head,
            between,
            latencies,
        }
    }

    fn fields(&self) -> usize {
        let latencies = if self.latencies { PHASES } else { 0 };
        self.head + 2 * PHASES + self.between + latencies
    }
}

/// Fields of one line of CSV output, as texts or figures.
pub(super) struct Fields<'line> {
    pub(super) format: &'static str,
    pub(super) version: &'line str,
    pub(super) machine: String,
    pub(super) size: &'line str,
    pub(super) files: &'line str,
    pub(super) chunk: Option<Bytes>,
    pub(super) concurrency: Option<u32>,
    pub(super) figures: Vec<(BonniePhase, PhaseFigure)>,
}

impl<'line> Fields<'line> {
    /// `None` where it is no such line.
    pub(super) fn read(line: &'line str) -> Option<Self> {
        let fields: Vec<&str> = line.trim().split(',').collect();
        let named = LAYOUTS.iter().find(|layout| layout.format == fields[0]);
        let layout = named.unwrap_or(&LAYOUTS[3]);
        // A machine's name may hold commas, which nothing escapes.
        let extra = fields.len().checked_sub(layout.fields())?;
        let (name_at, is_old) = match named {
            Some(_) => (2, false),
            None => (0, true),
        };
        let machine = fields.get(name_at..=name_at + extra)?.join(",");
        let head = layout.head + extra;
        let size_at = if is_old { 1 + extra } else { 5 + extra };
        let size = *fields.get(size_at)?;
        let (size, chunk) = match size.split_once(':') {
            Some((size, chunk)) => (size, Some(chunk)),
            None => (size, fields.get(size_at + 1).filter(|_| !is_old).copied()),
        };
        let files_at = head + 2 * PHASES_ON_ONE_FILE;
        let fields = Self {
            format: layout.format,
            version: if is_old { "1.03" } else { fields[1] },
            machine,
            size,
            files: fields.get(files_at)?,
            chunk: chunk.and_then(chunk_size),
            concurrency: (!is_old)
                .then(|| number::depth(fields[3 + extra]))
                .flatten(),
            figures: figures(layout, &fields, head)?,
        };
        fields.is_plausible().then_some(fields)
    }

    /// Whether sizes are sizes and every figure is one: other tables of as many columns
    /// are none of Bonnie++'s.
    fn is_plausible(&self) -> bool {
        let is_size = |text: &str| {
            let digits = text.trim_end_matches(['M', 'G', 'k', 'K', 'T']);
            digits.bytes().all(|sign| sign.is_ascii_digit()) && text.len() <= digits.len() + 1
        };
        let is_empty = |figure: &(BonniePhase, PhaseFigure)| figure.1.rate == Quantity::NotRun;
        is_size(self.size) && !self.figures.iter().all(is_empty)
    }
}

fn figures(
    layout: &FieldLayout,
    fields: &[&str],
    head: usize,
) -> Option<Vec<(BonniePhase, PhaseFigure)>> {
    let latencies_at = head + 2 * PHASES + layout.between;
    let figure = |(index, phase): (usize, BonniePhase)| {
        let on_files = index >= PHASES_ON_ONE_FILE;
        let at = head + 2 * index + if on_files { layout.between } else { 0 };
        let (rate, cpu) = (fields.get(at)?, fields.get(at + 1)?);
        let is_figure = |text: &str| {
            let signs = text.chars();
            signs.clone().all(|sign| sign == '+')
                || signs.clone().all(|s| s.is_ascii_digit() || s == '.')
        };
        let latency = fields
            .get(latencies_at + index)
            .filter(|_| layout.latencies);
        (is_figure(rate) && is_figure(cpu)).then(|| {
            let figure = PhaseFigure {
                rate: quantity(
                    rate,
                    if phase.counted().is_none() {
                        1024.0
                    } else {
                        1.0
                    },
                ),
                cpu_percent: number::number(cpu),
                latency_max_ns: latency.and_then(|text| latency_ns(text)),
            };
            (phase, figure)
        })
    };
    let phases = BonniePhase::ON_ONE_FILE.into_iter();
    let phases = phases.chain(BonniePhase::ON_FILES);
    phases.enumerate().map(figure).collect()
}

fn quantity(text: &str, scale: f64) -> Quantity {
    match text {
        "" => Quantity::NotRun,
        TOO_FAST => Quantity::TooFast,
        _ => match number::rate(text, scale) {
            Some(rate) if rate > 0.0 => Quantity::Known(rate),
            _ => Quantity::Impossible,
        },
    }
}

/// Reads a latency such as `30500us`, `402ms` or `3s`, in nanoseconds.
fn latency_ns(text: &str) -> Option<f64> {
    let unit_at = text.find(|sign: char| !sign.is_ascii_digit())?;
    let (time, unit) = text.split_at(unit_at);
    number::nanos(time, number::time_scale(unit)?)
}

/// Reads a size in KiB or bytes, such as `8k`, `64k` or `8192`.
fn chunk_size(text: &str) -> Option<Bytes> {
    match text.strip_suffix(['k', 'K']) {
        Some(kib) => number::block(kib, 1 << 10),
        None => number::block(text, 1),
    }
}

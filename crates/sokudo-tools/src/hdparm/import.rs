//! hdparm's timings: `-t`, `-T`, `--direct` and `--offset`, of one or many runs.
//!
//! hdparm prints the device on a line of its own and then, for each timing,
//! ` Timing buffered disk reads: 1122 MB in  3.00 seconds = 373.66 MB/sec`; a slow device
//! in `kB/sec`. Errors that it writes meanwhile can stand between the colon and the
//! figures.

use sokudo_model::{BackendKind, Bytes, Correction, ImportedRun, Measures, PlanPart, Span};
use sokudo_words::text;

use super::{BLOCK, CACHED_READS, DEVICE_READS};
use crate::results::row::{self, ACCESS, LOAD, ROWS_MAX, WorkloadDescription, entry};
use crate::results::text::{self, Line, label, leave_out};
use crate::results::wrong_unit::{HDPARM, HDPARM_KB};
use crate::results::{Import, ImportError, LeftOut, Reader, Source, number};

const FORMAT: &str = "hdparm";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Text(read));
/// Each timing as hdparm calls it, whether it reads the page cache, and whether directly;
/// `buffer-cache reads` are those of old versions (2003).
const TIMINGS: [(&str, bool, bool); 6] = [
    ("cached reads", true, false),
    ("buffer-cache reads", true, false),
    ("O_DIRECT cached reads", true, true),
    ("buffered disk reads", false, false),
    ("disk reads", false, false),
    ("O_DIRECT disk reads", false, true),
];
/// Whether it has a line that only hdparm prints.
fn recognise(head: &str) -> bool {
    text::lines(head).any(|line| timing(line.text).is_some())
}

fn read(text: &str) -> Result<Import, ImportError> {
    let mut log = HdparmLog::default();
    for line in text::lines(text) {
        if !log.read(line) {
            break;
        }
    }
    log.end()
}

/// The devices so far, and what the next line may belong to.
#[derive(Default)]
struct HdparmLog {
    runs: Vec<ImportedRun>,
    device: String,
    /// A timing whose figures have not been seen yet.
    open: Option<(u64, Timing)>,
    timings: usize,
    left_out: Vec<LeftOut>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Timing {
    /// As hdparm calls it, such as `buffered disk reads`.
    name: String,
    direct: bool,
    cached: bool,
    offset_gib: u64,
}

impl HdparmLog {
    /// Reads a line; `false` when there is too much.
    fn read(&mut self, line: Line<'_>) -> bool {
        let mut figures_of = line.text;
        if let Some((timing, rest)) = timing(line.text) {
            self.close();
            self.open = Some((line.number, timing));
            figures_of = rest;
        } else if let Some(device) = device(line.text) {
            self.close();
            self.device = device;
            return true;
        }
        let Some(rate) = figures(figures_of) else {
            return true;
        };
        let Some((_, timing)) = self.open.take() else {
            if is_timed(line.text) {
                let why = "a timing of which it is not known what was timed";
                leave_out(&mut self.left_out, line.number, why);
            }
            return true;
        };
        if self.timings >= ROWS_MAX {
            let why = text!("there are more than {ROWS_MAX} timings; split the file");
            leave_out(&mut self.left_out, line.number, why);
            return false;
        }
        self.timings += 1;
        self.add(timing, rate);
        true
    }

    /// A timing that has no figures.
    fn close(&mut self) {
        if let Some((line, timing)) = self.open.take() {
            let why = text!(
                "`{}` has no figures: hdparm was stopped, or failed",
                timing.name
            );
            leave_out(&mut self.left_out, line, why);
        }
    }

    fn add(&mut self, timing: Timing, rate: f64) {
        let device = &self.device;
        let is_it = |run: &ImportedRun| run.target.name == *device;
        let run = entry(&mut self.runs, is_it, || ImportedRun {
            target: row::target(device),
            ..row::run("hdparm", FORMAT)
        });
        row::add_trial(run, workload(timing), rate);
    }

    fn end(mut self) -> Result<Import, ImportError> {
        self.close();
        for run in &mut self.runs {
            let mut rates = run
                .rows
                .iter()
                .filter_map(|row| row.reported.bandwidth.as_ref());
            let correction = rates.next().map(|rate| unit(rate.value));
            run.origin.corrections.extend(correction);
            let names: Vec<&str> = run.rows.iter().map(|it| &*it.workload.name).collect();
            run.method = names.join(", ");
            row::sum_up(run);
        }
        let nothing = "no timing in it has figures";
        Import::of(FORMAT, self.runs, self.left_out, nothing)
    }
}

/// What its units are, shown on a rate that it printed: below 1 MB/sec it prints kB/sec.
fn unit(rate: f64) -> Correction {
    let (unit, name) = match rate < HDPARM.scale {
        true => (HDPARM_KB, "kB/sec"),
        false => (HDPARM, "MB/sec"),
    };
    unit.correction(name, rate / unit.scale)
}

/// As hdparm's source has every timing.
fn workload(timing: Timing) -> WorkloadDescription {
    let offset = Bytes(timing.offset_gib.saturating_mul(Bytes::GIB));
    // What `quick` does in the same way has one name, so that both are compared.
    let name = match (timing.direct, timing.offset_gib) {
        (false, 0) if timing.cached => CACHED_READS.to_owned(),
        (false, 0) => DEVICE_READS.to_owned(),
        _ => timing.name,
    };
    let mut description = WorkloadDescription::new(name, BLOCK)
        .parts(LOAD)
        .parts(ACCESS)
        .parts(&[PlanPart::Backend, PlanPart::Data, PlanPart::Durability])
        .direct(Some(timing.direct));
    description.workload.backend = BackendKind::Sync;
    if timing.cached {
        // `-T` reads the first block again and again; how far `-t` comes is not told.
        description.workload.span = Some(Span {
            offset,
            length: BLOCK,
        });
        description.workload.measures = Measures::CACHE;
    }
    description.parts_if(timing.cached, &[PlanPart::Span])
}

/// `/dev/sda:` on a line of its own.
fn device(line: &str) -> Option<String> {
    let device = line.trim().strip_suffix(':')?;
    let is_path = device.starts_with('/') || device.starts_with("./");
    is_path.then(|| label(device)).flatten()
}

/// The timing that a line begins, and what follows its colon.
fn timing(line: &str) -> Option<(Timing, &str)> {
    let (_, rest) = line.split_once("Timing ")?;
    let (name, rest) = rest.split_once(':')?;
    let (plain, offset) = match name.split_once(" (offset ") {
        Some((plain, offset)) => (plain, offset.strip_suffix(" GB)")?.trim().parse().ok()?),
        None => (name, 0),
    };
    let known = TIMINGS
        .into_iter()
        .find(|(known, ..)| *known == plain.trim());
    known.map(|(_, cached, direct)| {
        let timing = Timing {
            name: name.trim().to_owned(),
            direct,
            cached,
            offset_gib: offset,
        };
        (timing, rest)
    })
}

/// Whether a line has the figures of a timing, of whatever name.
fn is_timed(line: &str) -> bool {
    line.trim_start().starts_with("Timing ") && figures(line).is_some()
}

/// Bytes per second of `1122 MB in  3.00 seconds = 373.66 MB/sec`.
fn figures(text: &str) -> Option<f64> {
    // In old versions nothing stood between the sign and a rate of three digits.
    let (_, rate) = text.split_once(" seconds =")?;
    let (rate, unit) = rate.trim().split_once(' ')?;
    match unit.trim() {
        "MB/sec" => number::rate(rate, HDPARM.scale),
        "kB/sec" => number::rate(rate, HDPARM_KB.scale),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::DirectMode;

    fn of_text(text: &str) -> Import {
        read(text).unwrap()
    }

    const TWO_RUNS: &str = "
/dev/sda:
 Timing cached reads:   2172 MB in  2.00 seconds = 1086.71 MB/sec
 Timing buffered disk reads: 898 MB in  3.02 seconds = 297.27 MB/sec

/dev/sda:
 Timing cached reads:   2170 MB in  2.00 seconds = 1085.71 MB/sec
 Timing buffered disk reads: 900 MB in  3.02 seconds = 299.27 MB/sec
";

    #[test]
    fn runs_of_one_device_are_trials_in_mib() {
        let import = of_text(TWO_RUNS);
        assert_eq!(import.left_out, []);
        let [run] = &import.runs[..] else {
            panic!("one device is one run");
        };
        assert_eq!(run.target.name, "/dev/sda");
        assert_eq!(run.method, "cached (hdparm -T), buffered (hdparm -t)");
        let disk = run.rows[1].reported.bandwidth.as_ref().unwrap();
        assert_eq!(disk.trials, [297.27 * 1_048_576.0, 299.27 * 1_048_576.0]);
        assert_eq!(disk.kind, "median of 2 runs");
        assert_eq!(
            run.origin.corrections[0].what,
            "every \"MB/sec\": 1086.71 are 1139.5 MB/s, and so on"
        );
        assert!(run.rows[1].reported.unknown.contains(&PlanPart::Span));
        assert!(!run.rows[0].reported.unknown.contains(&PlanPart::Span));
    }

    #[test]
    fn direct_offset_and_slow_devices_are_read() {
        let text = "/dev/sdb:\n Timing O_DIRECT disk reads (offset 500 GB):   2 MB in 19.21 seconds = 106.63 kB/sec\n";
        let run = &of_text(text).runs[0];
        assert_eq!(
            run.origin.corrections[0].what,
            "every \"kB/sec\": 106.63 are 0.1 MB/s, and so on"
        );
        let row = &run.rows[0];
        assert_eq!(row.workload.name, "O_DIRECT disk reads (offset 500 GB)");
        assert_eq!(row.workload.direct, DirectMode::On);
        assert_eq!(
            row.reported.bandwidth.as_ref().unwrap().value,
            106.63 * 1024.0
        );
    }

    #[test]
    fn figures_are_found_behind_errors_and_missing_ones_are_named() {
        let text = "f:\n Timing cached reads:   BLKFLSBUF failed: Inappropriate ioctl for device\n\
            19998 MB in  2.00 seconds = 10022.52 MB/sec\n\
            Timing buffered disk reads: read() hit EOF - device too small\n";
        let import = of_text(text);
        assert_eq!(import.runs[0].rows.len(), 1);
        assert_eq!(import.left_out[0].line, Some(4));
        let other = " Timing tape reads: 64 MB in  2.22 seconds = 28.83 MB/sec\n";
        let import = of_text(&[TWO_RUNS, other].concat());
        assert_eq!(import.runs[0].rows.len(), 2);
        assert_eq!(import.left_out[0].line, Some(9));
    }

    #[test]
    fn other_texts_are_not_taken_for_it() {
        assert!(recognise(TWO_RUNS));
        for text in [
            "Timing: 3 seconds = 4 MB/sec",
            "disk reads: 1 MB in 3 seconds = 4 MB/sec",
        ] {
            assert!(!recognise(text), "{text}");
        }
        let empty = " Timing disk reads: 1 MB in 3 seconds = NaN MB/sec";
        assert!(read(empty).is_err());
    }
}

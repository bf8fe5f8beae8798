//! What the size of pages does to a row's figure: short trials in small pages and in huge ones,
//! by turns, where a block has more small pages than a device takes pieces at once.

use sokudo_analysis::threshold::HUGE_PAGES_RATIO_MIN;
use sokudo_device::{System, segments_max};
use sokudo_engine::Control;
use sokudo_model::{
    BufferMemory, Event, MethodTrait, Nanos, PagesCompared, Plan, Probe, Row, Schedule, Workload,
};

use crate::error::MeasureError;
use crate::run_time::has_time;
use crate::subject::PreparedTargets;
use crate::turns::{AlternatingTrials, PAIRS, bytes_per_second};

/// Pages of ordinary memory.
const PAGE_BYTES: u64 = 4096;

/// A row's check takes a second in all, and moves what the row moves in that time.
const TIME: Nanos = Nanos::from_millis(100);

/// Tries both where it matters, while there is time. What goes wrong is left to the row itself, which has been
/// measured.
pub(crate) fn compare(
    plan: &Plan,
    schedule: &Schedule,
    rows: &mut [Row],
    subject: &mut PreparedTargets,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) {
    // Of several disks each has a limit of its own, and rows are more than stages.
    let is_of_one = subject.infos().count() == 1;
    let is_wanted = plan.method.is(MethodTrait::ComparesPages) && is_of_one;
    let Some(most) = segments_max(&System::host(), subject.info()).filter(|_| is_wanted) else {
        return;
    };
    let needed = Nanos(TIME.0 * 2 * u64::from(PAIRS));
    for (index, row) in rows.iter_mut().enumerate() {
        if is_cut(row, most) && has_time(schedule, needed, subject) {
            listener(Event::Probing(Probe::HugePages));
            row.pages = pairs(plan, index, subject, control).ok().flatten();
        }
    }
}

/// Whether small pages make the row's blocks more pieces than fit into a request.
fn is_cut(row: &Row, most: u64) -> bool {
    let pieces = row.workload.blocks.largest().0.div_ceil(PAGE_BYTES);
    let is_direct = row.trials.iter().all(|trial| trial.outcome.direct);
    // At a rate both would be as fast as that.
    pieces > most && is_direct && row.workload.pacing.rate.is_none() && !row.trials.is_empty()
}

/// The row's rates by turns; `None` where there are no huge pages, or it was interrupted.
fn pairs(
    plan: &Plan,
    row: usize,
    subject: &mut PreparedTargets,
    control: &Control,
) -> Result<Option<PagesCompared>, MeasureError> {
    let small = |it: &mut Workload| it.issuing.memory = BufferMemory::SmallPages;
    let huge = |it: &mut Workload| it.issuing.memory = BufferMemory::HugePages;
    let turns = AlternatingTrials {
        plan,
        row,
        variants: [&small, &huge],
        time: TIME,
        ramp: Nanos(0),
    };
    let mut compared = PagesCompared::default();
    for pair in 0..PAIRS {
        let Some([small, huge]) = turns.pair(pair, subject, control)? else {
            return Ok(None);
        };
        compared.small.push(bytes_per_second(&small));
        compared.huge.push(bytes_per_second(&huge));
        if is_decided(&compared) {
            break;
        }
    }
    Ok(Some(compared))
}

/// Whether so many pairs show no advantage worth a word that all of them would show none: their
/// median is the same whatever follows.
fn is_decided(compared: &PagesCompared) -> bool {
    let pairs = compared.small.iter().zip(&compared.huge);
    let without =
        pairs.filter(|(small, huge)| (**huge as f64) < **small as f64 * HUGE_PAGES_RATIO_MIN);
    without.count() > PAIRS as usize / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_end_once_no_advantage_can_show() {
        let of = |pairs: &[(u64, u64)]| PagesCompared {
            small: pairs.iter().map(|pair| pair.0).collect(),
            huge: pairs.iter().map(|pair| pair.1).collect(),
        };
        assert!(!is_decided(&of(&[(100, 100), (100, 105)])));
        assert!(is_decided(&of(&[
            (100, 100),
            (100, 150),
            (100, 105),
            (100, 109)
        ])));
        assert!(!is_decided(&of(&[
            (100, 111),
            (100, 150),
            (100, 105),
            (100, 109)
        ])));
    }
}

//! What the size of pages does to a row's figure: short trials in small pages and in huge ones,
//! by turns, where a block has more small pages than a device takes pieces at once.
//!
//! They read like the row, whatever it does: the kernel cuts reads and writes alike, and what is
//! written in so short a time may come no further than a memory of the drive.

use sokudo_analysis::threshold::HUGE_PAGES_RATIO_MIN;
use sokudo_device::{System, segments_max};
use sokudo_engine::Control;
use sokudo_model::{
    BufferMemory, Event, MethodTrait, Nanos, PagesCompared, Plan, Probe, Row, Schedule, Workload,
};

use crate::backends::{read, reading_alike};
use crate::error::MeasureError;
use crate::run_time::has_time;
use crate::subject::PreparedTargets;
use crate::turns::{AlternatingTrials, PAIRS, bytes_per_second};

/// Pages of ordinary memory.
const PAGE_BYTES: u64 = 4096;

/// A row's check takes a second in all, and moves what reads like the row's do in that time.
const TIME: Nanos = Nanos::from_millis(100);

/// Tries both where it matters, while there is time; rows that differ in their direction alone share
/// it. What goes wrong is left to the row itself, which has been measured.
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
    let mut known: Vec<(Workload, Option<PagesCompared>)> = Vec::new();
    let rows = rows.iter_mut().enumerate();
    for (index, row) in rows.filter(|(_, row)| is_cut(row, most)) {
        let reads = reading_alike(&row.workload);
        if let Some((_, compared)) = known.iter().find(|(other, _)| *other == reads) {
            row.pages.clone_from(compared);
        } else if has_time(schedule, needed, subject) {
            listener(Event::Probing(Probe::HugePages));
            let mut trials = row.trials.iter();
            let is_small = !trials.any(|trial| trial.outcome.backend.has_huge_pages());
            let compared = pairs(plan, schedule, index, is_small, subject, control);
            row.pages = compared.ok().flatten();
            known.push((reads, row.pages.clone()));
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

/// Rates by turns of reads like the row's; `None` where there are no huge pages, the time of the
/// run is over before they say anything, or it was interrupted.
fn pairs(
    plan: &Plan,
    schedule: &Schedule,
    row: usize,
    is_small: bool,
    subject: &mut PreparedTargets,
    control: &Control,
) -> Result<Option<PagesCompared>, MeasureError> {
    let by = [BufferMemory::SmallPages, BufferMemory::HugePages].map(|memory| {
        move |workload: &mut Workload| {
            read(workload);
            workload.issuing.memory = memory;
        }
    });
    let turns = AlternatingTrials {
        plan,
        row,
        variants: [&by[0], &by[1]],
        time: TIME,
        ramp: Nanos(0),
    };
    let mut compared = PagesCompared::default();
    for pair in 0..PAIRS {
        // Where blocks are slow, a queue takes longer to fill and to drain than a trial lasts.
        if !has_time(schedule, Nanos(TIME.0 * 2), subject) {
            return Ok(None);
        }
        let Some([small, huge]) = turns.pair(pair, subject, control)? else {
            return Ok(None);
        };
        compared.small.push(bytes_per_second(&small));
        compared.huge.push(bytes_per_second(&huge));
        if is_decided(&compared, is_small) {
            break;
        }
    }
    Ok(Some(compared))
}

/// Whether these pairs show that all of them would be worth no word: their median is too low whatever
/// follows, or, of a row in small pages, one of them speaks against huge ones.
fn is_decided(compared: &PagesCompared, is_small: bool) -> bool {
    let pairs = || compared.small.iter().zip(&compared.huge);
    let without =
        pairs().filter(|(small, huge)| (**huge as f64) < **small as f64 * HUGE_PAGES_RATIO_MIN);
    without.count() > PAIRS as usize / 2 || is_small && pairs().any(|(small, huge)| huge <= small)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_end_once_no_advantage_can_show() {
        let is_decided = |pairs: &[(u64, u64)], is_small| {
            let compared = PagesCompared {
                small: pairs.iter().map(|pair| pair.0).collect(),
                huge: pairs.iter().map(|pair| pair.1).collect(),
            };
            is_decided(&compared, is_small)
        };
        let few = [(100, 150), (100, 105)];
        assert!(!is_decided(&few, true) && !is_decided(&few, false));
        let most = [(100, 101), (100, 150), (100, 105), (100, 109)];
        assert!(is_decided(&most, true) && is_decided(&most, false));
        let half = [(100, 111), (100, 150), (100, 105), (100, 109)];
        assert!(!is_decided(&half, true) && !is_decided(&half, false));
        // Of a row in huge pages it is said how far pairs differ.
        let one_against = [(100, 150), (100, 100)];
        assert!(is_decided(&one_against, true) && !is_decided(&one_against, false));
    }
}

//! What stands below the jobs: groups, and the devices.

use crate::fio::output::DiskUse;
use crate::fio::output::figures::{GroupDirection, GroupFigures};
use crate::fio::output::number::{UnitSuffix, scaled};
use crate::fio::session::UnifiedReporting;

/// The directions of one group, all jobs together.
pub(super) fn add_group(lines: &mut Vec<String>, group: &GroupFigures) {
    let names = match group.unified {
        UnifiedReporting::Mixed => ["  MIXED"; 3],
        _ => ["   READ", "  WRITE", "   TRIM"],
    };
    for (name, direction) in names.into_iter().zip(&group.directions) {
        add_group_direction(lines, name, direction, group);
    }
    if group.unified == UnifiedReporting::Both {
        let mixed = GroupDirection::mixed(&group.directions);
        add_group_direction(lines, "  MIXED", &mixed, group);
    }
}

fn add_group_direction(
    lines: &mut Vec<String>,
    name: &str,
    direction: &GroupDirection,
    group: &GroupFigures,
) {
    let [shortest, longest] = direction.runtime_ms;
    if longest == 0 {
        return;
    }
    let reporting = &group.job.reporting;
    let digits = reporting.significant_figures as usize;
    let (unit, binary) = (UnitSuffix::of_base(reporting.unit_base), group.is_binary());
    let rate = |value: u64, binary| scaled(value, digits, binary, unit);
    let [lowest, highest] = direction.bandwidth;
    lines.push(format!(
        "{name}: bw={} ({}), {}-{} ({}-{}), io={} ({}), run={shortest}-{longest}msec",
        rate(direction.aggregate, binary),
        rate(direction.aggregate, !binary),
        rate(lowest, binary),
        rate(highest, binary),
        rate(lowest, !binary),
        rate(highest, !binary),
        scaled(direction.bytes, digits, binary, UnitSuffix::Bytes),
        scaled(direction.bytes, digits, !binary, UnitSuffix::Bytes)
    ));
}

pub(super) fn add_disk(lines: &mut Vec<String>, disk: &DiskUse) {
    let figures = |disk: &DiskUse, prefix: &str, utilisation: f64| {
        format!(
            "{prefix}ios={}/{}, {prefix}merge={}/{}, {prefix}ticks={}/{}, {prefix}in_queue={}, \
             {prefix}util={utilisation:.2}%",
            disk.ios[0],
            disk.ios[1],
            disk.merges[0],
            disk.merges[1],
            disk.ticks[0],
            disk.ticks[1],
            disk.in_queue
        )
    };
    let own = figures(disk, "", disk.utilisation());
    match disk.aggregate() {
        None => lines.push(format!("  {}: {own}", disk.name)),
        Some((mean, busiest)) => {
            let parts = figures(&mean, "aggr", busiest);
            lines.push(format!("    {}: {own}, {parts}", disk.name));
        }
    }
}

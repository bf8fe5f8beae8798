//! How rows were measured, in words: what `RND4K Q32T1` means to somebody who has never
//! heard of it.

use sokudo_model::{Bytes, Order, PlanPart, Rate, Workload};
use sokudo_words::{Text, text};

use crate::document::{Direction, ResultDocument, RunDocument};
use crate::grouping::row_name;
use crate::number::{decimal_size, grouped};
use crate::surface::is_scan;
use crate::view::{ShownView, views};
use crate::wording::row;

/// More rows, such as the cells of a sweep, are not told one by one.
const ROWS_MAX: usize = 24;

/// The name of each row and what it did; none for what is not measured in rows of blocks.
pub(super) fn sentences(run: &RunDocument) -> Vec<(Text, Text)> {
    let has_headlines = views(run).all(ShownView::has_headlines);
    if is_scan(run) || !has_headlines {
        return Vec::new();
    }
    let results = run.results_by_direction().into_iter();
    let of_blocks =
        results.filter(|it| it.workload.tree().is_none() && it.workload.blocks.largest().0 > 1);
    let methods = of_blocks.map(|result| (row(&row_name(result)), sentence(result)));
    let methods: Vec<(Text, Text)> = methods.collect();
    match methods.len() <= ROWS_MAX {
        true => methods,
        false => Vec::new(),
    }
}

fn sentence(result: &ResultDocument) -> Text {
    let workload = &result.workload;
    let mut parts = vec![work(result)];
    if result.knows(PlanPart::Depth) {
        parts.push(in_flight(workload));
    }
    parts.extend(limits(workload));
    Text::list(parts, ", ")
}

fn work(result: &ResultDocument) -> Text {
    let workload = &result.workload;
    let (small, large) = (workload.blocks.smallest(), workload.blocks.largest());
    let blocks = match small == large {
        true => text!("blocks of {small}"),
        false => text!("blocks of {small} to {large}"),
    };
    let is_random = matches!(workload.order, Order::Random { .. });
    match (result.direction, is_random) {
        (Direction::Flush, _) => "flushes what was written".into(),
        (Direction::Read, false) => text!("reads {blocks} one after the other"),
        (Direction::Read, true) => text!("reads {blocks} at random places"),
        (Direction::Write, false) => text!("writes {blocks} one after the other"),
        (Direction::Write, true) => text!("writes {blocks} at random places"),
        (Direction::Trim, false) => text!("trims {blocks} one after the other"),
        (Direction::Trim, true) => text!("trims {blocks} at random places"),
        (_, false) => text!("reads and writes {blocks} one after the other"),
        (_, true) => text!("reads and writes {blocks} at random places"),
    }
}

fn in_flight(workload: &Workload) -> Text {
    let (depth, threads) = (workload.depth, workload.threads);
    match (depth, threads) {
        (1, 1) => "each after the one before it is done".into(),
        (depth, 1) => text!("always {depth} in flight"),
        (1, threads) => text!("by {threads} threads, each one at a time"),
        (depth, threads) => text!("by {threads} threads, each always {depth} in flight"),
    }
}

fn limits(workload: &Workload) -> Vec<Text> {
    let threads = u64::from(workload.threads);
    let rate = workload.pacing.rate.map(|rate| match rate {
        Rate::Iops(ios) => text!("at {} IOPS", grouped(&(ios * threads).to_string())),
        Rate::BytesPerSecond(bytes) => {
            text!("at {}/s", decimal_size(Bytes(bytes * threads), 3))
        }
    });
    let time = workload.limits.time;
    let time = time.map(|time| text!("for {time} per trial"));
    rate.into_iter().chain(time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_row_is_told_in_words() {
        let run = RunDocument::from_run(&sample::run());
        let descriptions = sentences(&run);
        assert_eq!(descriptions.len(), run.results.len());
        let (name, sentence) = &descriptions[0];
        assert_eq!(*name, "SEQ1M Q8T1 read");
        assert_eq!(
            *sentence,
            "reads blocks of 1 MiB one after the other, always 8 in flight, for 10.0 ms per trial"
        );
        let paced = RunDocument::from_run(&sample::bare_run());
        let (_, paced) = &sentences(&paced)[0];
        assert!(paced.english().contains("at 5,000 IOPS"));
    }
}

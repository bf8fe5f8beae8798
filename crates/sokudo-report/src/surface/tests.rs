use sokudo_model::{Bytes, Defect, FailureKind, Operation, Run};

use crate::sample::{kept, style};
use crate::{RunDocument, text};

fn shown(run: &Run) -> String {
    text::render(&RunDocument::from_run(run), &style(120))
}

#[test]
fn unreadable_ranges_are_listed_and_the_rest_counted() {
    let mut run = kept("scan");
    let defect = |number: u64| Defect {
        operation: Operation::Read,
        offset: Bytes(1_000_000 * 4096 + number * 1_000_000),
        length: Bytes(4096),
        kind: FailureKind::Errno(5),
    };
    run.rows[0].trials[0].outcome.defects = (0..50).map(defect).collect();
    let text = shown(&run);
    assert!(text.contains("50 ranges, 200 KiB in all"), "{text}");
    assert_eq!(text.matches("from byte").count(), 20);
    assert!(text.contains("and 30 more"), "{text}");
}

#[test]
fn a_row_that_was_not_reached_has_no_figures_and_no_curve() {
    let mut run = kept("scan");
    run.rows.iter_mut().for_each(|row| row.trials.clear());
    let text = shown(&run);
    assert!(text.contains("not reached"), "{text}");
    assert!(!text.contains("over position"), "{text}");
    assert!(!text.contains("0.00"), "{text}");
}

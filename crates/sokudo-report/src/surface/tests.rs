use sokudo_model::{Bytes, Defect, FailureKind, Operation, Origin, Provenance, Run};
use sokudo_words::Language;

use crate::plot::figure::Body;
use crate::plot::{self, PlotKind};
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

#[test]
fn of_a_run_of_another_tool_nothing_is_claimed_about_errors() {
    let mut run = kept("scan");
    let own = shown(&run);
    assert!(own.contains("were checked and none failed"), "{own}");
    run.provenance = Provenance::Reported(Origin::default());
    let text = shown(&run);
    assert!(!text.contains("were checked"), "{text}");
    let document = RunDocument::from_run(&run);
    let map = PlotKind::named("map");
    let map = plot::figure(&document, map, Language::English).unwrap();
    let Body::HeatMaps(maps) = map.body else {
        panic!("a map");
    };
    assert_eq!(maps.matrices[0].name, "lowest rates");
}

#[test]
fn what_was_not_looked_at_has_no_colour_and_the_map_says_how_much_was() {
    let document = RunDocument::from_run(&kept("scan"));
    let map = plot::figure(&document, PlotKind::named("map"), Language::English).unwrap();
    let Body::HeatMaps(maps) = map.body else {
        panic!("a map");
    };
    let map = &maps.matrices[0];
    assert!(map.name.starts_with("no errors in the "), "{}", map.name);
    let (read, all) = (
        map.cells.iter().flatten().flatten().count(),
        map.cells.iter().flatten().count(),
    );
    assert!(read > 0 && read < all, "{read} of {all}");
    assert!(map.columns.label.contains("grey"), "{}", map.columns.label);
}

//! The quick look: hdparm's two timings and dd.

use std::path::Path;

use crate::sokudo::{Ended, codes, results, sokudo_on};

/// `sokudo quick TARGET ARGUMENTS`, short.
fn quick(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("quick --quiet --time 50ms", target, arguments)
}

fn names(run: &serde_json::Value) -> Vec<(&str, &str)> {
    results(run)
        .iter()
        .map(|row| {
            let (name, direction) = (&row["name"], &row["direction"]);
            (name.as_str().unwrap(), direction.as_str().unwrap())
        })
        .collect()
}

#[test]
fn a_mean_of_the_middle_is_told_where_it_is_asked_for() {
    for (trim, is_told) in [("--trim 1", true), ("", false)] {
        let arguments = format!("--runs 12 --test direct --format json {trim}");
        let run = quick("sim:hdd", &arguments).json();
        let figures = &results(&run)[0]["bandwidth_bytes_per_s"];
        assert_eq!(figures["trials"].as_array().unwrap().len(), 12);
        assert_eq!(figures["trimmed_mean"].is_number(), is_told, "{trim}");
    }
}

#[test]
fn what_has_no_page_cache_is_not_read_through_one() {
    for target in ["sim:ssd", "null:"] {
        let run = quick(target, "--format json").json();
        assert_eq!(
            names(&run),
            [("direct (dd)", "read"), ("direct (dd)", "write")]
        );
        quick(target, "--test cached").refused(2, &["no page cache"]);
    }
    assert!(codes(&quick("sim:ssd", "--format json").json()).contains(&"simulated"));
}

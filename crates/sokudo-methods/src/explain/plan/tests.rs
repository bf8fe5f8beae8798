use sokudo_model::Bytes;

use super::*;

fn request() -> ExplainRequest {
    ExplainRequest {
        fill: None,
        size: Bytes(1_000_000_000_000),
        block_min: Bytes(512),
        medium: StorageMedium::Unknown,
        may_write: true,
        only: Vec::new(),
        is_full: false,
        seed: 7,
    }
}

fn rows(planned: &ExplainPlan) -> Vec<&str> {
    let stages = planned.plan.stages.iter();
    stages
        .map(|stage| stage.workloads[0].name.as_str())
        .collect()
}

#[test]
fn every_theme_has_a_name_of_its_own_and_is_found_by_it() {
    for theme in themes() {
        assert_eq!(theme.name.parse(), Ok(*theme));
        assert!(theme.takes > Nanos(0) && !theme.media.is_empty());
    }
    let unique: std::collections::BTreeSet<_> = themes().map(|theme| theme.name).collect();
    assert_eq!(unique.len(), themes().count());
    let error = "tape".parse::<Theme>().unwrap_err().to_string();
    assert!(
        error.contains("\"tape\"") && error.contains("zones"),
        "{error}"
    );
}

#[test]
fn every_row_has_a_name_of_its_own_that_says_where_it_comes_from() {
    let planned = request().plan().unwrap();
    let rows = rows(&planned);
    assert!(
        rows.iter().all(|row| row.starts_with("explain/")),
        "{rows:?}"
    );
    let unique: std::collections::BTreeSet<_> = rows.iter().collect();
    assert_eq!(unique.len(), rows.len(), "{rows:?}");
}

#[test]
fn nothing_is_written_without_leave() {
    let planned = ExplainRequest {
        may_write: false,
        ..request()
    }
    .plan()
    .unwrap();
    let mut workloads = planned.plan.stages.iter().map(|stage| &stage.workloads[0]);
    assert!(workloads.all(|workload| !workload.operations.changes_data()));
    let left_out = planned
        .notes
        .iter()
        .filter(|note| note.english().contains("writes"));
    let writing = themes().filter(|theme| theme.access == ProbeAccess::Writes);
    assert_eq!(left_out.count(), writing.count());
}

#[test]
fn only_themes_that_write_do() {
    for theme in themes() {
        let planned = ExplainRequest {
            only: vec![*theme],
            ..request()
        }
        .plan()
        .unwrap();
        let mut workloads = planned.plan.stages.iter().map(|stage| &stage.workloads[0]);
        let writes = workloads.any(|workload| workload.operations.changes_data());
        assert_eq!(
            writes,
            theme.access == ProbeAccess::Writes,
            "{}",
            theme.name
        );
        assert_eq!(planned.takes, theme.takes);
    }
}

#[test]
fn a_theme_that_is_named_is_asked_or_refused() {
    let writing = themes().find(|theme| theme.access == ProbeAccess::Writes);
    let Some(writing) = writing else { return };
    let refused = ExplainRequest {
        may_write: false,
        only: vec![*writing],
        ..request()
    };
    let error = refused.plan().unwrap_err();
    assert_eq!(error, ExplainError::Writes { theme: *writing });
    assert!(error.to_string().contains("--destroy"), "{error}");
    // A file has no capacity of its own, so that none is a way out.
    let capacity = ExplainRequest {
        may_write: false,
        only: vec!["capacity".parse().unwrap()],
        ..request()
    };
    let message = capacity.plan().unwrap_err().to_string();
    assert!(
        message.ends_with("name the device with --destroy, if what it holds may be lost"),
        "{message}"
    );
}

#[test]
fn a_device_is_asked_what_fits_its_medium() {
    for medium in [StorageMedium::Rotating, StorageMedium::Flash] {
        let request = ExplainRequest {
            medium,
            ..request()
        };
        assert!(
            request
                .selected_themes()
                .all(|theme| theme.media.contains(&medium))
        );
    }
    assert_eq!(request().selected_themes().count(), themes().count());
}

#[test]
fn a_target_without_room_is_told_why() {
    let tiny = ExplainRequest {
        size: Bytes(4096),
        ..request()
    };
    let error = tiny.plan().unwrap_err().to_string();
    assert!(error.contains("because"), "{error}");
}

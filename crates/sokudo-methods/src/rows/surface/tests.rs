use proptest::prelude::*;
use sokudo_model::{Bytes, DriveCache, Nanos, Sample, Span, Visit, Workload};

use crate::rows::surface::rows::WRITE_BACK_MAX;

use super::*;

fn request() -> SurfaceRequest {
    SurfaceRequest::reading(SurfacePreset::Surface, Bytes(6_001_175_126_016), Bytes(512))
}

fn workloads(request: &SurfaceRequest) -> Vec<Workload> {
    plan(request).unwrap().workloads
}

fn names(request: &SurfaceRequest) -> Vec<String> {
    let label = |w: &Workload| format!("{} {}", w.name, w.operations.direction());
    workloads(request).iter().map(label).collect()
}

#[test]
fn a_plain_scan_is_a_curve_and_access_times_and_only_reads() {
    let found = workloads(&request());
    assert_eq!(names(&request()), ["TRANSFER read", "ACCESS 4K read"]);
    let curve = found[0].survey().unwrap();
    assert_eq!((curve.sample_count, curve.visit), (200, Visit::Ascending));
    assert_eq!(curve.sample, Sample::Bytes(Bytes::mib(10)));
    assert_eq!(
        (found[0].blocks.single(), found[0].depth),
        (Some(Bytes::mib(1)), 8)
    );
    let access = found[1].survey().unwrap();
    assert_eq!((access.sample_count, access.visit), (200, Visit::Random));
}

#[test]
fn what_is_written_back_is_an_amount_where_it_is_read_for_a_time() {
    for preset in [
        SurfacePreset::Surface,
        SurfacePreset::HdTune("1".parse().unwrap()),
    ] {
        let found = workloads(&SurfaceRequest {
            preset,
            extra: true,
            writes: Writes::Back,
            ..request()
        });
        let writes = found.iter().filter(|row| row.operations.changes_data());
        let samples: Vec<Sample> = writes
            .map(|row| row.survey().unwrap())
            .inspect(|survey| assert!(survey.write_back))
            .map(|survey| survey.sample)
            .collect();
        assert!(samples.contains(&Sample::Bytes(WRITE_BACK_MAX)));
        assert!(
            samples
                .iter()
                .all(|sample| matches!(sample, Sample::Bytes(_))),
            "{samples:?}"
        );
    }
}

#[test]
fn the_preset_of_gnome_disks_reads_a_page_and_then_all_at_once() {
    let found = workloads(&SurfaceRequest {
        preset: SurfacePreset::Gnome,
        ..request()
    });
    let curve = found[0].survey().unwrap();
    assert_eq!(
        (curve.sample_count, curve.approach),
        (100, Some(Bytes::kib(4)))
    );
    assert_eq!(
        (found[0].blocks.single(), found[0].depth),
        (Some(Bytes::mib(10)), 1)
    );
    assert_eq!(found[1].survey().unwrap().sample_count, 1000);
    let smaller = workloads(&SurfaceRequest {
        preset: SurfacePreset::Gnome,
        sample: Some(Bytes::mib(2)),
        ..request()
    });
    assert_eq!(smaller[0].blocks.single(), Some(Bytes::mib(2)));
    assert_eq!(
        smaller[0].survey().unwrap().sample,
        Sample::Bytes(Bytes::mib(2))
    );
}

#[test]
fn the_levels_of_hd_tune_are_times() {
    let found = workloads(&SurfaceRequest {
        preset: SurfacePreset::HdTune("2".parse().unwrap()),
        ..request()
    });
    let curve = found[0].survey().unwrap();
    assert_eq!(curve.sample, Sample::Time(Nanos::from_millis(250)));
    assert_eq!(
        (curve.sample_count, curve.approach),
        (200, Some(Bytes(512)))
    );
}

#[test]
fn a_short_stroke_is_the_start_of_the_target_in_whole_blocks() {
    let found = workloads(&SurfaceRequest {
        short_stroke: Some(Bytes(100_000_000_100)),
        ..request()
    });
    for workload in found {
        let span = workload.span.unwrap();
        assert_eq!(
            (span.offset, span.length),
            (Bytes(0), Bytes(99_999_999_488 + 512))
        );
    }
    let refused = plan(&SurfaceRequest {
        short_stroke: Some(Bytes(7_000_000_000_000)),
        ..request()
    });
    assert!(matches!(refused, Err(SurfaceError::Beyond { .. })));
}

#[test]
fn a_timeout_is_for_reads_alone() {
    let found = workloads(&SurfaceRequest {
        timeout: Some(Nanos::from_secs(60)),
        writes: Writes::New,
        ..request()
    });
    for workload in found {
        let timeout = workload.survey().unwrap().timeout;
        assert_eq!(timeout.is_some(), !workload.operations.changes_data());
    }
}

#[test]
fn a_range_is_where_every_row_stays_and_its_places_are_those_of_the_target() {
    let range = |from: &str, to: &str| SurfaceRequest {
        from: Some(from.parse().unwrap()),
        to: Some(to.parse().unwrap()),
        extra: true,
        random: true,
        ..request()
    };
    let found = workloads(&range("40%", "60%"));
    let size = request().size.0;
    for workload in &found {
        let span = workload.span.unwrap();
        assert!(
            span.offset.0 >= size / 100 * 40 - (1 << 20),
            "{}",
            workload.name
        );
        assert!(
            span.offset.0 + span.length.0 <= size / 100 * 60 + 100,
            "{}",
            workload.name
        );
    }
    let outer = found.iter().find(|row| row.name == "SEQ outer").unwrap();
    let cache = found.iter().find(|row| row.name == "CACHE 64M").unwrap();
    assert_eq!(outer.span.unwrap().offset, found[0].span.unwrap().offset);
    assert_eq!(cache.span.unwrap().offset, found[0].span.unwrap().offset);
    for (from, to) in [("60%", "40%"), ("40%", "40%"), ("5TB", "4TB")] {
        let refused = plan(&range(from, to));
        assert!(
            matches!(refused, Err(SurfaceError::Empty { .. })),
            "{from} {to}"
        );
    }
    for (from, to) in [("7TB", "100%"), ("0%", "7TB")] {
        let refused = plan(&range(from, to));
        assert!(
            matches!(refused, Err(SurfaceError::Beyond { .. })),
            "{from} {to}"
        );
    }
}

#[test]
fn a_target_too_small_for_its_samples_is_measured_whole_and_says_so() {
    let planned = plan(&SurfaceRequest {
        size: Bytes::mib(32),
        ..request()
    })
    .unwrap();
    let curve = planned.workloads[0].survey().unwrap();
    assert_eq!((curve.sample_count, curve.sample), (32, Sample::Whole));
    assert!(
        planned.notes[0].english().contains("all of it"),
        "{:?}",
        planned.notes
    );
}

#[test]
fn random_access_leaves_out_what_the_device_does_not_take() {
    let planned = plan(&SurfaceRequest {
        random: true,
        block_min: Bytes(4096),
        ..request()
    })
    .unwrap();
    let rows: Vec<&str> = planned
        .workloads
        .iter()
        .map(|workload| workload.name.as_str())
        .collect();
    assert_eq!(
        rows[2..],
        ["RANDOM 4K", "RANDOM 64K", "RANDOM 1M", "RANDOM mixed"]
    );
    assert!(
        planned.notes[0]
            .english()
            .contains("RANDOM 512B is left out")
    );
}

#[test]
fn extra_tests_are_those_of_hd_tune() {
    let rows = names(&SurfaceRequest {
        extra: true,
        access_count: Some(0),
        points: Some(0),
        ..request()
    });
    assert_eq!(
        rows[..9],
        [
            "SEQ outer read",
            "SEQ middle read",
            "SEQ inner read",
            "SEEK 512B read",
            "SEEK 4K read",
            "BUTTERFLY read",
            "SEEK 64K read",
            "SEEK mixed read",
            "BURST read",
        ]
    );
    assert_eq!(rows.len(), 20);
    assert_eq!(rows[19], "CACHE 64M read");
}

#[test]
fn writes_come_with_every_row_but_those_of_the_cache_and_write_back_says_so() {
    for (writes, back) in [(Writes::New, false), (Writes::Back, true)] {
        let found = workloads(&SurfaceRequest {
            random: true,
            extra: true,
            writes,
            ..request()
        });
        let writing: Vec<_> = found
            .iter()
            .filter(|workload| workload.operations.changes_data())
            .collect();
        assert_eq!(writing.len(), 15);
        for workload in writing {
            assert_eq!(workload.survey().unwrap().write_back, back);
        }
    }
}

#[test]
fn both_states_of_the_cache_get_rows_with_names_of_their_own() {
    let rows = names(&SurfaceRequest {
        caches: vec![DriveCache::Off, DriveCache::On],
        ..request()
    });
    assert_eq!(
        rows,
        [
            "TRANSFER, cache off read",
            "ACCESS 4K, cache off read",
            "TRANSFER, cache on read",
            "ACCESS 4K, cache on read",
        ]
    );
}

#[test]
fn nothing_to_measure_is_no_plan() {
    let refused = plan(&SurfaceRequest {
        points: Some(0),
        access_count: Some(0),
        ..request()
    });
    assert_eq!(refused, Err(SurfaceError::Nothing));
}

fn any_position() -> impl Strategy<Value = Option<Position>> {
    let shares = (0..=100u32).prop_map(|percent| format!("{percent}%").parse().unwrap());
    proptest::option::of(prop_oneof![
        2 => shares,
        1 => (0..1u64 << 28).prop_map(|at| Position::At(Bytes(at))),
    ])
}

prop_compose! {
    fn any_request()(
        preset in prop_oneof![
            Just(SurfacePreset::Surface), Just(SurfacePreset::Gnome), Just(SurfacePreset::Full),
            (1u8..=5).prop_map(|level| SurfacePreset::HdTune(level.to_string().parse().unwrap())),
        ],
        size in prop_oneof![0u64..10_000, 0..1u64 << 28, 0..u64::MAX],
        block_min in prop_oneof![Just(512u64), Just(4096)],
        short_stroke in proptest::option::of(0..u64::MAX),
        (from, to) in (any_position(), any_position()),
        points in proptest::option::of(0..2_000u32),
        sample in proptest::option::of(0..100_000_000u64),
        block in proptest::option::of(0..100_000_000u64),
        access_count in proptest::option::of(0..5_000u32),
        access_size in proptest::option::of(0..100_000_000u64),
        (random, extra, shuffle) in any::<(bool, bool, bool)>(),
        writes in prop_oneof![Just(Writes::None), Just(Writes::Back), Just(Writes::New)],
    ) -> SurfaceRequest {
        let rounded = |bytes: u64| Bytes(if bytes.is_multiple_of(3) { bytes } else { bytes / 4096 * 4096 });
        SurfaceRequest {
            preset,
            size: Bytes(size),
            block_min: Bytes(block_min),
            short_stroke: short_stroke.map(Bytes),
            from,
            to,
            points,
            sample: sample.map(rounded),
            block: block.map(rounded),
            depth: None,
            shuffle,
            access_count,
            access_size: access_size.map(rounded),
            random,
            extra,
            writes,
            timeout: None,
            caches: vec![DriveCache::Keep],
        }
    }
}

proptest! {
    #[test]
    fn every_plan_fits_its_target_and_writes_only_when_told(request in any_request()) {
        let Ok(planned) = plan(&request) else { return Ok(()) };
        for workload in &planned.workloads {
            let span = workload.span.unwrap_or(Span { offset: Bytes(0), length: request.size });
            prop_assert!(span.offset.0 + span.length.0 <= request.size.0);
            if let Some(Position::At(from)) = request.from {
                prop_assert!(span.offset.0 + request.block_min.0 > from.0);
            }
            if let Some(Position::At(to)) = request.to {
                prop_assert!(span.offset.0 + span.length.0 <= to.0);
            }
            prop_assert!(workload.blocks.largest() <= span.length, "{}", workload.name);
            prop_assert!(workload.blocks.smallest().0.is_multiple_of(request.block_min.0));
            prop_assert!(span.offset.0.is_multiple_of(request.block_min.0));
            if workload.operations.changes_data() {
                prop_assert_ne!(request.writes, Writes::None);
                let back = workload.survey().is_some_and(|survey| survey.write_back);
                prop_assert_eq!(back, request.writes == Writes::Back);
            }
            if let Some(survey) = workload.survey() {
                prop_assert!(survey.sample_count > 0);
            }
            let ends = workload.survey().is_some() || workload.limits.time.is_some();
            prop_assert!(ends, "{} would never end", workload.name);
        }
    }
}

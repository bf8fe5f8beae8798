use proptest::prelude::*;

use super::*;
use crate::event::{PlannedRow, RunPhase};

fn hello() -> Hello {
    Hello {
        control_token: "control".to_owned(),
        read_token: "read".to_owned(),
        is_lang_given: false,
        lang: "en".to_owned(),
        port: 0,
        public_origin: None,
        listen: Vec::new(),
        read_only: false,
        as_root: false,
        allow_destroy: vec!["WD-1".to_owned()],
        version: "0.1.0".to_owned(),
    }
}

fn wish() -> Wish {
    serde_json::from_str(r#"{"method":"mark","target":"sim:ssd"}"#).unwrap()
}

fn began(view: &mut SharedView, run: u64) {
    view.tell(MeasurerMessage::Began {
        run,
        wish: wish(),
        command: "sokudo mark sim:ssd".to_owned(),
    });
}

fn progress(row: usize, at: f64) -> RunEvent {
    RunEvent::Progress {
        row,
        at,
        mb_per_second: Some(at),
        iops: None,
        phase: RunPhase::Running,
        done: 0.5,
        seconds_left: 3.0,
        moved_bytes: 7,
    }
}

/// What the page does with a batch.
fn apply(value: &mut Value, text: &str) {
    let batch: Value = serde_json::from_str(text).unwrap();
    for operation in batch["ops"].as_array().unwrap() {
        let mut target = &mut *value;
        for step in operation[1].as_array().unwrap() {
            target = match step {
                Value::Number(index) => {
                    &mut target[usize::try_from(index.as_u64().unwrap()).unwrap()]
                }
                key => &mut target[key.as_str().unwrap()],
            };
        }
        match operation[0].as_str().unwrap() {
            "push" => target.as_array_mut().unwrap().push(operation[2].clone()),
            _ => *target = operation[2].clone(),
        }
    }
}

/// A browser, which shows what it was sent.
#[derive(Default)]
struct Browser {
    seen: Option<u64>,
    value: Value,
}

impl Browser {
    fn catch_up(&mut self, view: &mut SharedView) {
        while let Some(batch) = view.after(self.seen) {
            apply(&mut self.value, &batch.text);
            self.seen = Some(batch.id);
        }
    }
}

#[test]
fn a_run_is_told_from_its_beginning_to_its_end() {
    let mut view = SharedView::new(&hello());
    began(&mut view, 4);
    let mut tell = |event| view.tell(MeasurerMessage::Event { run: 4, event });
    tell(RunEvent::Planned {
        method: "mark".to_owned(),
        command: "sokudo mark sim:ssd".to_owned(),
        rows: vec![PlannedRow {
            name: "SEQ1M Q8T1".to_owned(),
            direction: "read".to_owned(),
        }],
        trials: 6,
        adaptive: true,
        seconds: 60.0,
        writes_bytes: Some(0),
        writes_seconds: 0.0,
        asks: false,
    });
    tell(RunEvent::Trial { row: 0, trial: 2 });
    tell(progress(0, 0.5));
    tell(RunEvent::Temperature {
        at: 1.0,
        celsius: 41.0,
        warning: Some(70.0),
    });
    let run = &view.shared.value()["run"];
    assert_eq!(run["state"], "running");
    assert_eq!(run["now"]["name"], "SEQ1M Q8T1");
    assert_eq!(run["now"]["trial"], 2);
    assert_eq!(run["rate"], json!([[0.5, 0.5, 0]]));
    assert_eq!(run["temperature"], json!([[1.0, 41.0]]));
    assert_eq!(run["planned"]["trials"], 6);
    view.stopping(4);
    assert_eq!(view.shared.value()["run"]["state"], "stopping");
    view.tell(MeasurerMessage::Event {
        run: 4,
        event: RunEvent::Done {
            kept: Some(12),
            live: json!({ "tables": [], "findings": [], "answer": null }),
        },
    });
    view.tell(MeasurerMessage::Ended {
        run: 4,
        code: 4,
        message: "less than asked".to_owned(),
        page_share: Some(0.002),
    });
    let run = &view.shared.value()["run"];
    assert_eq!(run["kept"], 12);
    assert_eq!(run["state"], "ended", "the figures are there");
    assert_eq!(run["message"], "less than asked");
}

#[test]
fn a_run_without_figures_has_failed_and_one_that_was_stopped_is_interrupted() {
    for (code, state) in [(2, "failed"), (0, "failed"), (130, "interrupted")] {
        let mut view = SharedView::new(&hello());
        began(&mut view, 1);
        view.tell(MeasurerMessage::Ended {
            run: 1,
            code,
            message: String::new(),
            page_share: Some(0.002),
        });
        assert_eq!(view.shared.value()["run"]["state"], state);
    }
}

#[test]
fn what_is_told_of_another_run_changes_nothing() {
    let mut view = SharedView::new(&hello());
    let event = |run| MeasurerMessage::Event {
        run,
        event: progress(0, 1.0),
    };
    assert!(!view.tell(event(1)));
    began(&mut view, 2);
    assert!(!view.tell(event(1)));
    assert!(view.tell(event(2)));
}

#[test]
fn who_was_away_too_long_or_saw_another_start_gets_the_whole_view() {
    let mut view = SharedView::new(&hello());
    began(&mut view, 1);
    let mut browser = Browser::default();
    browser.catch_up(&mut view);
    for number in 0..3_000 {
        view.tell(MeasurerMessage::Event {
            run: 1,
            event: progress(0, f64::from(number)),
        });
        view.seal();
    }
    for seen in [browser.seen, Some(u64::MAX), Some(9_999), None] {
        let batch = view.after(seen).unwrap();
        assert!(batch.text.starts_with(r#"{"ops":[["set",[],{"#), "{seen:?}");
    }
    let last = view.after(None).unwrap().id;
    assert!(view.after(Some(last)).is_none());
    let next = view.after(Some(last - 1)).unwrap();
    assert!(next.id == last && next.text.len() < 500, "{}", next.text);
}

fn stuck(count: usize) -> RunEvent {
    RunEvent::Stuck {
        ios: Vec::new(),
        count,
        text: ["", "a flush has not come back for 31 s"][count].to_owned(),
    }
}

#[test]
fn stuck_io_is_shown() {
    let mut view = SharedView::new(&hello());
    began(&mut view, 1);
    for (count, shown) in [(1, "a flush has not come back for 31 s"), (0, "")] {
        let event = stuck(count);
        assert!(view.tell(MeasurerMessage::Event { run: 1, event }));
        assert_eq!(view.shared.value()["run"]["stuck"], shown);
    }
}

fn event() -> impl Strategy<Value = RunEvent> {
    let row = 0usize..5;
    prop_oneof![
        8 => (row.clone(), 0u32..100_000).prop_map(|(row, at)| progress(row, f64::from(at))),
        4 => (row.clone(), 0u8..130, 0u64..99).prop_map(|(row, bucket, count)| RunEvent::Latency {
            row,
            at: 1.0,
            counts: vec![(bucket, count)],
        }),
        4 => (row.clone(), 0u64..1_000_000, any::<bool>()).prop_map(|(row, offset, is_rate)| {
            RunEvent::Samples {
                row,
                trial: 0,
                anew: offset % 3 == 0,
                unit: match is_rate {
                    true => SampleUnit::MbPerSecond,
                    false => SampleUnit::Milliseconds,
                },
                points: (0..40).map(|point| (offset + point, 1.5)).collect(),
                bytes: 40 << 10,
                defects: vec![(offset, 512)],
            }
        }),
        1 => (row.clone(), 0u32..9).prop_map(|(row, trial)| RunEvent::Trial { row, trial }),
        1 => row.prop_map(|row| RunEvent::RowNamed { row, name: format!("row {row}") }),
        1 => Just(RunEvent::Note { text: "<script>".to_owned() }),
        1 => Just(RunEvent::Layout { written: 1, total: 2 }),
        1 => (0usize..2).prop_map(stuck),
    ]
}

mod many_draws {
    use super::*;
    use sokudo_testing::draws;

    proptest! {
        #![proptest_config(ProptestConfig { cases: draws(8), max_shrink_iters: 200, ..ProptestConfig::default() })]

        #[test]
        fn all_browsers_show_the_same_whenever_they_came(
            events in prop::collection::vec((event(), 0u8..20), 1..2_000),
        ) {
            let mut view = SharedView::new(&hello());
            let (mut first, mut now_and_then) = (Browser::default(), Browser::default());
            began(&mut view, 1);
            for (event, chance) in events {
                view.tell(MeasurerMessage::Event { run: 1, event });
                if chance < 10 {
                    view.seal();
                }
                if chance < 5 {
                    first.catch_up(&mut view);
                }
                if chance == 0 {
                    now_and_then.catch_up(&mut view);
                }
            }
            view.seal();
            let mut late = Browser::default();
            for browser in [&mut first, &mut now_and_then, &mut late] {
                browser.catch_up(&mut view);
                prop_assert!(browser.value == *view.shared.value(), "not the same");
            }
        }
    }
}

/// What a browser must hold of a value, roughly: every part of it.
fn parts(value: &Value) -> usize {
    match value {
        Value::Array(all) => 1 + all.iter().map(parts).sum::<usize>(),
        Value::Object(all) => 1 + all.values().map(parts).sum::<usize>(),
        _ => 1,
    }
}

#[test]
fn a_run_of_a_day_takes_no_more_than_one_of_an_hour() {
    let mut view = SharedView::new(&hello());
    began(&mut view, 1);
    let (mut largest_batch, mut after_an_hour) = (0, 0);
    // Few events for a day, but more of each kind than a series holds.
    for moment in 0..86_400 / 4_u32 {
        let at = f64::from(moment * 4);
        let row = (moment / 20) as usize % 2;
        let tell =
            |view: &mut SharedView, event| view.tell(MeasurerMessage::Event { run: 1, event });
        tell(&mut view, progress(row, at));
        if moment % 2 == 0 {
            let counts = (20..60).map(|bucket| (bucket, 3)).collect();
            tell(&mut view, RunEvent::Latency { row, at, counts });
        }
        if moment % 10 == 0 {
            let warning = Some(70.0);
            let celsius = 40.0;
            tell(
                &mut view,
                RunEvent::Temperature {
                    at,
                    celsius,
                    warning,
                },
            );
            let samples = RunEvent::Samples {
                row,
                trial: 0,
                anew: false,
                unit: SampleUnit::MbPerSecond,
                points: vec![(u64::from(moment) << 20, 150.0)],
                bytes: 1 << 20,
                defects: vec![(u64::from(moment) << 20, 512)],
            };
            tell(&mut view, samples);
        }
        view.seal();
        if moment == 3_600 / 4 {
            after_an_hour = parts(view.shared.value());
        }
        // Series that are thinned are sent again in full, which is bounded as well.
        if let Some(batch) = view.after(Some(u64::from(moment))) {
            largest_batch = largest_batch.max(batch.text.len());
        }
    }
    let after_a_day = parts(view.shared.value());
    assert!(
        after_a_day < 4 * after_an_hour,
        "{after_an_hour} and {after_a_day}"
    );
    assert!(after_a_day < 100_000, "{after_a_day}");
    assert!(largest_batch < 1 << 20, "{largest_batch}");
}

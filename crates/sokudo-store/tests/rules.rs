//! What every store does, in a file as on a server.

use sokudo_model::{ListedRow, Nanos, RunAnswer, Verdict};
use sokudo_store::{Filter, HistoryPoint, NewRun, Page, RunId, Store, StoreError};

/// Each rule of this list is held by both.
/// What every store does, by its name.
type Rule = (&'static str, fn(&mut dyn Store));

const RULES: &[Rule] = &[
    ("a run comes back as it was kept", comes_back),
    ("the newest are listed first, page by page", pages),
    ("filters let pass what they name", filters),
    ("signs of patterns are taken literally", literally),
    (
        "notes and tags are replaced, added and removed",
        notes_and_tags,
    ),
    ("a deleted run is gone, and its number with it", deleted),
    ("another run takes a run's place, note and tags", replaced),
    ("a baseline is one per device and method", baselines),
    ("a row has its history on one device", history),
    ("devices are found by what they are called", devices),
    ("what is not there is refused by its number", not_there),
    ("any text is kept", any_text),
    ("what was computed of a run goes with it", summaries),
];

pub(crate) fn hold(store: &mut dyn Store) {
    for (rule, check) in RULES {
        eprintln!("{rule}");
        check(store);
        for entry in store.list(&Filter::default(), ALL).unwrap() {
            store.delete(entry.id).unwrap();
        }
        assert_eq!(store.list(&Filter::default(), ALL).unwrap(), [], "{rule}");
        assert_eq!(store.baselines().unwrap(), [], "{rule}");
    }
}

pub(crate) const ALL: Page = Page {
    skip: 0,
    count: 1000,
};

pub(crate) fn run(device: &str, started_at: u64) -> NewRun {
    NewRun {
        started_at: Nanos(started_at),
        method: "mark/default".to_owned(),
        target: "/mnt/a".to_owned(),
        device: device.to_owned(),
        device_name: "Example 1000".to_owned(),
        host: Some("host".to_owned()),
        verdict: Some(Verdict::Verified),
        fingerprint: "f".to_owned(),
        sokudo_version: "0.1.0".to_owned(),
        origin: None,
        command: "sokudo mark /mnt/a".to_owned(),
        interrupted: false,
        answer: None,
        rows: vec![row("SEQ1M Q8T1", "r1"), row("RND4K Q1T1", "r2")],
        document: vec![1, 2, 3],
        summary: Vec::new(),
    }
}

fn row(name: &str, fingerprint: &str) -> ListedRow {
    ListedRow {
        name: name.to_owned(),
        direction: "read".to_owned(),
        fingerprint: fingerprint.to_owned(),
        verdict: Some(Verdict::Unverified),
        bytes_per_s: Some(1e9 / 3.0),
        ios_per_s: Some(953.7),
        latency_ns: None,
        trials: 6,
        stands_for_disk: Some(true),
    }
}

fn listed(store: &mut dyn Store, filter: &Filter) -> Vec<RunId> {
    let found = store.list(filter, ALL).unwrap();
    found.into_iter().map(|entry| entry.id).collect()
}

fn comes_back(store: &mut dyn Store) {
    let kept = NewRun {
        verdict: None,
        host: None,
        origin: Some("fio".to_owned()),
        interrupted: true,
        answer: Some(RunAnswer::OkSoFar),
        document: (0..=255).cycle().take(100_000).collect(),
        ..run("a", u64::MAX / 4)
    };
    let id = store.keep(&kept).unwrap();
    assert_eq!(store.document(id).unwrap(), kept.document);
    let entry = store.entry(id).unwrap();
    let without = NewRun {
        document: Vec::new(),
        ..kept
    };
    assert_eq!(entry.run, without);
    assert_eq!((entry.note.as_str(), entry.tags.len()), ("", 0));
    assert_eq!(store.list(&Filter::default(), ALL).unwrap(), [entry]);
}

fn pages(store: &mut dyn Store) {
    let ids: Vec<RunId> = [3, 1, 2, 2]
        .map(|time| store.keep(&run("a", time)).unwrap())
        .to_vec();
    let newest_first = [ids[0], ids[3], ids[2], ids[1]];
    assert_eq!(listed(store, &Filter::default()), newest_first);
    for skip in 0..5 {
        let page = Page { skip, count: 2 };
        let found = store.list(&Filter::default(), page).unwrap();
        let found: Vec<RunId> = found.into_iter().map(|entry| entry.id).collect();
        let rest = &newest_first[usize::try_from(skip).unwrap().min(4)..];
        assert_eq!(found, rest[..rest.len().min(2)]);
    }
}

fn filters(store: &mut dyn Store) {
    let first = store.keep(&run("Disk S1", 10)).unwrap();
    let second = NewRun {
        method: "scan/surface".to_owned(),
        target: "/dev/other".to_owned(),
        device_name: "Another".to_owned(),
        verdict: Some(Verdict::Invalid),
        ..run("Stick S2", 20)
    };
    let second = store.keep(&second).unwrap();
    store.tag(second, &["old".to_owned()], &[]).unwrap();
    let text = |text: &str| Some(text.to_owned());
    let asked = |ask: &dyn Fn(&mut Filter)| {
        let mut filter = Filter::default();
        ask(&mut filter);
        filter
    };
    let device = |part: &str| asked(&|filter| filter.device = text(part));
    let identity = |whole: &str| asked(&|filter| filter.device_identity = text(whole));
    let method = |begin: &str| asked(&|filter| filter.method = text(begin));
    let cases: [(Filter, &[RunId]); 12] = [
        (device("disk s"), &[first]),
        (device("ANOTHER"), &[second]),
        (device("/dev/o"), &[second]),
        (device("S"), &[second, first]),
        (device("nothing"), &[]),
        (identity("Disk S1"), &[first]),
        (identity("Disk S"), &[]),
        (method("scan"), &[second]),
        (method("urface"), &[]),
        (
            asked(&|filter| {
                filter.since = Some(Nanos(11));
                filter.until = Some(Nanos(21));
            }),
            &[second],
        ),
        (
            asked(&|filter| filter.verdict = Some(Verdict::Invalid)),
            &[second],
        ),
        (
            asked(&|filter| {
                filter.tags = vec!["old".to_owned()];
                filter.method = text("scan");
            }),
            &[second],
        ),
    ];
    for (filter, expected) in cases {
        assert_eq!(listed(store, &filter), expected, "{filter:?}");
    }
}

fn literally(store: &mut dyn Store) {
    for target in ["100%", "a_b", "axb", "c\\d"] {
        let target = target.to_owned();
        store
            .keep(&NewRun {
                target,
                ..run("x", 1)
            })
            .unwrap();
    }
    for (part, count) in [
        ("%", 1),
        ("_", 1),
        ("\\", 1),
        ("0%", 1),
        ("x_", 0),
        ("'", 0),
    ] {
        let device = Some(part.to_owned());
        let filter = Filter {
            device,
            ..Filter::default()
        };
        assert_eq!(listed(store, &filter).len(), count, "{part}");
    }
}

fn notes_and_tags(store: &mut dyn Store) {
    let id = store.keep(&run("a", 1)).unwrap();
    store.note(id, "new cable").unwrap();
    store.note(id, "old cable").unwrap();
    let tags = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    store.tag(id, &tags(&["b", "a", "Z", "b"]), &[]).unwrap();
    store
        .tag(id, &tags(&["c"]), &tags(&["b", "unknown"]))
        .unwrap();
    let entry = store.entry(id).unwrap();
    assert_eq!(
        (entry.note.as_str(), entry.tags),
        ("old cable", tags(&["Z", "a", "c"]))
    );
    store.note(id, "").unwrap();
    assert_eq!(store.entry(id).unwrap().note, "");
}

fn deleted(store: &mut dyn Store) {
    let id = store.keep(&run("a", 1)).unwrap();
    store.tag(id, &["t".to_owned()], &[]).unwrap();
    store.set_baseline(id).unwrap();
    store.delete(id).unwrap();
    assert!(matches!(store.entry(id), Err(StoreError::NoRun(_))));
    assert!(matches!(store.document(id), Err(StoreError::NoRun(_))));
    assert_eq!(store.history("a", "r1").unwrap(), []);
    assert!(store.keep(&run("a", 1)).unwrap() > id);
}

fn replaced(store: &mut dyn Store) {
    let summarised = NewRun {
        summary: vec![1, 2],
        ..run("a", 1)
    };
    let id = store.keep(&summarised).unwrap();
    let other = store.keep(&run("a", 5)).unwrap();
    store.note(id, "first try").unwrap();
    store.tag(id, &["t".to_owned()], &[]).unwrap();
    store.set_baseline(id).unwrap();
    let longer = NewRun {
        verdict: Some(Verdict::Invalid),
        fingerprint: "g".to_owned(),
        interrupted: true,
        answer: Some(RunAnswer::NotOk),
        target: "/mnt/b".to_owned(),
        rows: vec![row("SEQ1M Q8T1", "r3")],
        document: vec![4, 5],
        ..run("a", 2)
    };
    store.replace(id, &longer).unwrap();
    assert_eq!(store.document(id).unwrap(), longer.document);
    assert_eq!(store.summaries(&[id]).unwrap(), [None]);
    let entry = store.entry(id).unwrap();
    assert_eq!(entry.run.rows, longer.rows);
    let facts = |run: &NewRun| NewRun {
        document: Vec::new(),
        ..run.clone()
    };
    assert_eq!(entry.run, facts(&longer));
    assert_eq!(
        (entry.note.as_str(), entry.tags),
        ("first try", vec!["t".to_owned()])
    );
    assert!(entry.is_baseline);
    // Its history is of the new rows alone, and others stay as they were.
    let of = |points: Vec<HistoryPoint>| points.iter().map(|it| it.run).collect::<Vec<_>>();
    assert_eq!(of(store.history("a", "r1").unwrap()), [other]);
    assert_eq!(of(store.history("a", "r3").unwrap()), [id]);
    assert_eq!(store.entry(other).unwrap().run, facts(&run("a", 5)));
    // Of another device it is no baseline of this one.
    store.replace(id, &run("b", 3)).unwrap();
    assert_eq!(store.baselines().unwrap(), []);
    assert_eq!(of(store.history("b", "r1").unwrap()), [id]);
}

fn baselines(store: &mut dyn Store) {
    let first = store.keep(&run("a", 1)).unwrap();
    let second = store.keep(&run("a", 2)).unwrap();
    let other = store.keep(&run("b", 3)).unwrap();
    for id in [first, other, second] {
        store.set_baseline(id).unwrap();
    }
    let found = store.baselines().unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|it| (it.device.as_str(), it.run))
        .collect();
    assert_eq!(found, [("a", second), ("b", other)]);
    assert!(!store.entry(first).unwrap().is_baseline);
    assert!(store.entry(second).unwrap().is_baseline);
    store.unset_baseline(second).unwrap();
    store.unset_baseline(second).unwrap();
    assert_eq!(store.baselines().unwrap().len(), 1);
}

fn history(store: &mut dyn Store) {
    let late = store.keep(&run("a", 20)).unwrap();
    let early = store.keep(&run("a", 10)).unwrap();
    store.keep(&run("b", 15)).unwrap();
    for row in ["SEQ1M Q8T1", "r1"] {
        let points = store.history("a", row).unwrap();
        let found: Vec<_> = points.iter().map(|it| (it.run, it.started_at.0)).collect();
        assert_eq!(found, [(early, 10), (late, 20)]);
        assert_eq!(points[0].row, run("a", 1).rows[0]);
    }
    assert_eq!(store.history("c", "r1").unwrap(), []);
    assert_eq!(store.history("a", "r3").unwrap(), []);
}

fn devices(store: &mut dyn Store) {
    store.keep(&run("Disk S2", 1)).unwrap();
    store.keep(&run("Disk S1", 2)).unwrap();
    let target = "/other".to_owned();
    let moved = NewRun {
        target,
        ..run("Disk S1", 3)
    };
    store.keep(&moved).unwrap();
    for (part, expected) in [
        (None, &["Disk S1", "Disk S2"][..]),
        (Some("disk s"), &["Disk S1", "Disk S2"]),
        (Some("OTHER"), &["Disk S1"]),
        (Some("/mnt"), &["Disk S2"]),
        (Some("%"), &[]),
    ] {
        let found = store.devices(part).unwrap();
        let found: Vec<&str> = found.iter().map(|it| it.identity.as_str()).collect();
        assert_eq!(found, expected, "{part:?}");
    }
}

fn not_there(store: &mut dyn Store) {
    let id = RunId(u64::MAX / 2);
    let refused = [
        store.entry(id).map(|_| ()),
        store.document(id).map(|_| ()),
        store.note(id, ""),
        store.tag(id, &[], &[]),
        store.delete(id),
        store.set_baseline(id),
        store.unset_baseline(id),
        store.replace(id, &run("a", 1)),
    ];
    for result in refused {
        assert!(matches!(result, Err(StoreError::NoRun(it)) if it == id));
    }
}

fn any_text(store: &mut dyn Store) {
    let odd = "速度 '\"; DROP TABLE runs; --\n\u{1b}[31m \\ %_ $1 ?1";
    let kept = NewRun {
        target: odd.to_owned(),
        device: odd.to_owned(),
        device_name: odd.to_owned(),
        command: odd.to_owned(),
        rows: Vec::new(),
        ..run("", 1)
    };
    let id = store.keep(&kept).unwrap();
    store.note(id, odd).unwrap();
    store.tag(id, &[odd.to_owned()], &[]).unwrap();
    let entry = store.entry(id).unwrap();
    assert_eq!((entry.run.target.as_str(), entry.note.as_str()), (odd, odd));
    let filter = Filter {
        device: Some(odd.to_owned()),
        tags: vec![odd.to_owned()],
        ..Filter::default()
    };
    assert_eq!(listed(store, &filter), [id]);
}

fn summaries(store: &mut dyn Store) {
    let summarised = NewRun {
        summary: vec![1, 2],
        ..run("a", 1)
    };
    let with = store.keep(&summarised).unwrap();
    let without = store.keep(&run("a", 2)).unwrap();
    let all = [without, with, RunId(with.0 + 99)];
    assert_eq!(
        store.summaries(&all).unwrap(),
        [None, Some(vec![1, 2]), None]
    );
    // One replaces the other, and what is of no run is not kept.
    let new = all.map(|run| (run, vec![3; 3]));
    store.keep_summaries(&new).unwrap();
    assert_eq!(
        store.summaries(&all).unwrap(),
        [Some(vec![3; 3]), Some(vec![3; 3]), None]
    );
    store.delete(with).unwrap();
    assert_eq!(store.summaries(&[with]).unwrap(), [None]);
}

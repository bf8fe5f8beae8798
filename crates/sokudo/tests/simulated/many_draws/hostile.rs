//! A kept run of which somebody has changed numbers is judged and printed, or refused; nothing
//! is computed of it that does not fit.

use std::ops::Range;

use sokudo_methods::explain::plan::StorageMedium;
use sokudo_model::{Bytes, Nanos, Operation, OperationMix, Plan, Rate, Run, Stage, Workload};
use sokudo_report::{RunDocument, csv, markdown};
use sokudo_stats::Random;
use sokudo_testing::{draws, seed};

/// What a number becomes.
const NUMBERS: [u64; 8] = [
    0,
    1,
    1 << 32,
    (1 << 53) + 1,
    1 << 61,
    1 << 62,
    1 << 60,
    u64::MAX,
];
/// Of each run.
const CASES: u32 = 120;

fn runs() -> [Run; 4] {
    let one = |workload: Workload| Plan {
        method: "mark".into(),
        seed: 1,
        stages: vec![Stage {
            workloads: vec![workload],
        }],
    };
    let mut paced = Workload::new("paced", Bytes(4096));
    paced.limits.time = Some(Nanos::from_millis(300));
    paced.operations = OperationMix::read_write(50).unwrap();
    paced.pacing.rate = Some(Rate::Iops(1_000));
    paced.timing.ramp = Nanos::from_millis(100);
    let mut written = Workload::new("written", Bytes::mib(1));
    written.limits.bytes = Some(Bytes::mib(64));
    written.operations = OperationMix::only(Operation::Write);
    written.durability.final_flush = true;
    let survey = |spec, medium, theme| crate::explained(spec, medium, &[theme], 1, |_| ());
    [
        crate::measured("sim:ssd?size=1GiB", 3, |_| one(paced)),
        crate::measured("sim:raid5?disks=4&chunk=64KiB", 2, |_| one(written)),
        survey("sim:hdd?size=64GiB", StorageMedium::Rotating, "zones"),
        survey(
            "sim:ssd?size=64GiB&slc=4GB&direct=400MB/s",
            StorageMedium::Flash,
            "fast-cells",
        ),
    ]
}

/// Where numbers stand in a text, outside of its strings.
fn numbers(json: &str) -> Vec<Range<usize>> {
    let (mut found, mut in_text, mut before) = (Vec::<Range<usize>>::new(), false, b' ');
    for (at, byte) in json.bytes().enumerate() {
        in_text ^= byte == b'"' && before != b'\\';
        if !in_text && byte.is_ascii_digit() {
            match found.last_mut() {
                Some(last) if last.end == at => last.end = at + 1,
                _ => found.push(at..at + 1),
            }
        }
        before = byte;
    }
    found
}

#[test]
fn numbers_that_were_changed_are_bounded_or_harmless() {
    let mut random = Random::stream(seed(), 7);
    let cases = draws(CASES);
    let mut below = |count: usize| random.below(count as u64) as usize;
    for run in runs() {
        let json = serde_json::to_string(&run).unwrap();
        let numbers = numbers(&json);
        let mut judged = 0;
        for _ in 0..cases {
            let mut changed = json.clone();
            let mut places: Vec<usize> = (0..=below(3)).map(|_| below(numbers.len())).collect();
            places.sort_unstable();
            // From the end, so that those before stay where they are.
            for place in places.into_iter().rev() {
                let number = NUMBERS[below(NUMBERS.len())].to_string();
                changed.replace_range(numbers[place].clone(), &number);
            }
            let read = serde_json::from_str::<Run>(&changed).ok();
            let Some(mut run) = read.filter(Run::is_countable) else {
                continue;
            };
            judged += 1;
            sokudo_analysis::judge(&mut run);
            let document = RunDocument::from_run(&run);
            assert!(!markdown::render(&document).is_empty());
            assert!(!csv::render(&document).is_empty());
        }
        assert!(judged > cases / 10, "{judged}");
    }
}

//! Burn-ins that are killed at any moment, and gone on with.

use sokudo_engine::Control;
use sokudo_history::keep_partial::{PartialRun, so_far};
use sokudo_history::resume::unfinished;
use sokudo_measure::{MeasureError, Measurement, Named, OtherTarget, Permission, Prepared};
use sokudo_model::{Bytes, Event, Nanos, Row, RunState, Schedule, narrow};
use sokudo_stats::Random;
use sokudo_terminal::arguments::store::{Keeping, Location};

use crate::burn_in::plan::{BurnInRequest, DiskToBurnIn};

/// A burn-in of simulated disks, which hold what was written to them for as long as this is
/// there.
fn burn_in(random: &mut Random) -> Prepared {
    let disks: Vec<(String, Bytes)> = (0..1 + random.below(3))
        .map(|disk| {
            let size = Bytes::mib(1 + random.below(48));
            let latency = 100 + random.below(2_000);
            let of = format!("sim:const?size=1GiB&latency={latency}us&serial={disk}");
            (of, size)
        })
        .collect();
    let to_burn_in = |(name, size): &(String, Bytes)| DiskToBurnIn {
        label: name.clone(),
        size: *size,
        block_min: Bytes(512),
    };
    let request = BurnInRequest {
        disks: disks.iter().map(to_burn_in).collect(),
        passes: 1 + narrow::<u64, u32>(random.below(4)),
        seal: random.next_u64(),
    };
    let other = |(name, _): &(String, Bytes)| OtherTarget {
        name: name.clone(),
        named: Named::recognise(name).unwrap(),
    };
    let first = Named::recognise(&disks[0].0).unwrap();
    let measurement = Measurement {
        others: disks[1..].iter().map(other).collect(),
        permission: Permission::OverwriteFile,
        schedule: Schedule::in_turn(1, Nanos(0)),
        ..Measurement::new(&disks[0].0, first, request.plan(7))
    };
    measurement.prepare(&Control::new(), &mut |_| ()).unwrap()
}

/// Measures what is left until so many events have come, and puts into `kept` what can have been
/// kept by then: whatever must be, and more by chance. Whether it came to its end.
fn is_done(
    prepared: &mut Prepared,
    kept: &mut Option<Vec<Row>>,
    until: u64,
    random: &mut Random,
) -> bool {
    let control = Control::new();
    let before = kept.clone().unwrap_or_default();
    let before: Vec<Row> = before.into_iter().map(unfinished).collect();
    prepared.before.clone_from(&before);
    let keeping = Keeping {
        store: Some(Location::None),
    };
    for (index, row) in prepared.run.rows.iter_mut().enumerate() {
        row.trials = before
            .get(index)
            .map_or_else(Vec::new, |it| it.trials.clone());
    }
    let mut partial = PartialRun::new(&keeping, false);
    let mut state = RunState::of(&prepared.run);
    let mut events = 0;
    let ended = prepared.measure(&control, &mut |event| {
        events += 1;
        if events > until {
            return control.cancel();
        }
        if random.below(4) == 0 {
            control.ask_for_checkpoint();
            control.ask_for_snapshot();
        }
        let may_be = matches!(event, Event::Progress { .. } | Event::TrialCounted { .. });
        state.take(&event);
        let must_be = partial.takes_note(&event, &state, &control);
        if must_be || may_be && random.below(3) == 0 {
            *kept = Some(so_far(&state).rows);
        }
    });
    match ended {
        Ok(ended_by) => assert!(ended_by.is_none()),
        Err(error) => assert!(matches!(error, MeasureError::Interrupted), "{error}"),
    }
    events <= until
}

#[test]
fn a_burn_in_that_is_killed_at_any_moment_and_gone_on_with_accuses_no_disk() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut prepared = burn_in(&mut random);
        let (mut kept, mut kills) = (None, 0);
        while !is_done(
            &mut prepared,
            &mut kept,
            random.below(100) << kills,
            &mut random,
        ) {
            kills += 1;
        }
        for row in &prepared.run.rows {
            let outcome = &row.trials[0].outcome;
            let verified = outcome.verified.clone().unwrap_or_default();
            let context = (seed, kills, &row.workload.name, verified.mismatches.first());
            assert_eq!((verified.wrong, outcome.left_at), (0, None), "{context:?}");
        }
    }
}

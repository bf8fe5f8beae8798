//! Peers within one process: calls, the clock, and every way in which one of them can fail.

use std::time::Instant;

use super::*;
use crate::clock::monotonic_ns;
use crate::error::LossCause;
use crate::faults::Faults;
use crate::within::within;

/// So long that no busy machine makes it look like a loss.
const PATIENT: Timeouts = Timeouts {
    join: Duration::from_secs(60),
    beat: Duration::from_millis(100),
    lost_after: Duration::from_secs(60),
    leave: Duration::from_secs(60),
    pause_in_call: Duration::from_millis(1),
    pause: Duration::from_millis(10),
};

/// So short that a loss is soon noticed, and longer than a busy machine lets a thread wait.
const IMPATIENT: Timeouts = Timeouts {
    lost_after: Duration::from_secs(3),
    ..PATIENT
};

/// Waiting for longer than this for anything is a failure.
const DEADLINE: Duration = Duration::from_secs(30);

/// Peers within this process, with faults; with how long they wait, and what each is told if it
/// does not come about.
fn join_within(count: u32, faults: &Faults, timeouts: Timeouts) -> Vec<Result<Peers, PeerError>> {
    let transports = within(count, faults).into_iter().zip(0..);
    let joining: Vec<_> = transports
        .map(|(transport, rank)| {
            let fault = faults.get(rank);
            let mut host = PeerHost::own();
            if let Some(name) = fault.host {
                host.key = format!("{name} {}", host.key);
                host.name = name;
            }
            let me = PeerIdentity {
                rank,
                count,
                version: fault.version.unwrap_or_else(own_version),
                host,
                clock: OwnClock {
                    offset_ns: fault.clock_offset_ns,
                    drift_ppb: fault.clock_drift_ppb,
                    since_ns: monotonic_ns(),
                },
                timeouts,
            };
            Joining::begin(me, move || Ok(transport))
        })
        .collect();
    joining.into_iter().map(|it| it?.end()).collect()
}

fn peers(count: u32, faults: &Faults, timeouts: Timeouts) -> Vec<Peers> {
    let joined = join_within(count, faults, timeouts).into_iter();
    joined.map(Result::unwrap).collect()
}

/// Has each of them do that, all at once; what came of it, by rank.
fn each<T: Send>(peers: Vec<Peers>, what: impl Fn(Peers) -> T + Sync) -> Vec<T> {
    let what = &what;
    thread::scope(|scope| {
        let threads: Vec<_> = (peers.into_iter())
            .map(|peer| scope.spawn(move || what(peer)))
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    })
}

/// What this one is told.
fn notices(peers: &Peers) -> Receiver<Notice> {
    let (tell, told) = channel();
    peers.watch(move |notice| {
        let _ = tell.send(notice);
    });
    told
}

#[test]
fn the_first_gets_everybodys_bytes_and_all_get_the_firsts() {
    let done = each(peers(5, &Faults::none(), PATIENT), |mut peer| {
        let mine = vec![u8::try_from(peer.rank()).unwrap(); 200_000];
        let gathered = peer.gather(mine).unwrap();
        assert_eq!(gathered.is_some(), peer.is_first());
        let mut is_right = true;
        for (bytes, rank) in gathered.iter().flatten().zip(0_u8..) {
            is_right &= bytes.len() == 200_000 && bytes.iter().all(|it| *it == rank);
        }
        let firsts = peer.is_first().then(|| vec![42; 1 << 20]);
        is_right &= peer.broadcast(firsts).unwrap() == vec![42; 1 << 20];
        peer.leave().unwrap();
        is_right
    });
    assert_eq!(done, [true; 5]);
}

#[test]
fn one_alone_is_together_with_itself() {
    let mut alone = peers(1, &Faults::none(), PATIENT).remove(0);
    assert_eq!(alone.gather(vec![1]).unwrap(), Some(vec![vec![1]]));
    assert_eq!(alone.broadcast(Some(vec![2])).unwrap(), [2]);
    assert_eq!(
        alone.clock().unwrap(),
        ClockReading {
            offset_ns: 0,
            uncertainty_ns: 0
        }
    );
    assert!(alone.agree_on_start(Duration::ZERO).unwrap().at <= Instant::now());
    alone.leave().unwrap();
}

#[test]
fn hosts_are_told_apart_and_ranks_of_one_host_are_not() {
    let mut faults = Faults::none();
    faults.of(2).host = Some("elsewhere".to_owned());
    for peer in peers(3, &faults, PATIENT) {
        let hosts = peer.hosts();
        assert_eq!(hosts.len(), 3);
        assert_eq!(hosts[0].key, hosts[1].key);
        assert_ne!(hosts[1].key, hosts[2].key);
        assert_eq!(hosts[2].name, "elsewhere");
        assert_eq!(hosts[0].pid, std::process::id());
    }
}

#[test]
fn a_clock_that_is_ahead_is_measured_within_its_uncertainty_also_by_a_slow_way() {
    let mut faults = Faults::none();
    let offsets = [0, 3_000_000_000, -2_000_000, 17];
    for (rank, offset) in (0..).zip(offsets) {
        faults.of(rank).clock_offset_ns = offset;
    }
    faults.of(2).delay = Duration::from_millis(3);
    let readings = each(peers(4, &faults, PATIENT), |mut peer| {
        let reading = peer.clock().unwrap();
        peer.leave().unwrap();
        reading
    });
    for (reading, offset) in readings.iter().zip(offsets) {
        assert!(
            reading.offset_ns.abs_diff(-offset) <= reading.uncertainty_ns,
            "{offset}: {reading:?}"
        );
    }
    assert!(readings[2].uncertainty_ns >= 3_000_000, "{readings:?}");
}

#[test]
fn all_start_at_one_instant_whatever_their_clocks_show() {
    let mut faults = Faults::none();
    faults.of(1).clock_offset_ns = 5_000_000_000;
    faults.of(2).clock_offset_ns = -400_000;
    faults.of(2).clock_drift_ppb = 100_000;
    let lead = Duration::from_millis(100);
    let starts = each(peers(3, &faults, PATIENT), |mut peer| {
        let before = Instant::now();
        let start = peer.agree_on_start(lead).unwrap();
        peer.leave().unwrap();
        (before, start)
    });
    let last_came = starts.iter().map(|(before, _)| *before).max().unwrap();
    let first = starts[0].1;
    assert!(first.at >= last_came + lead - Duration::from_millis(1));
    for (_, start) in &starts {
        assert_eq!(start.at_first_ns, first.at_first_ns);
        let apart = start.at.max(first.at) - start.at.min(first.at);
        // Besides the uncertainty, what the drift makes of the lead and of the time since the clocks
        // were compared, and two looks at a clock.
        let most = Duration::from_nanos(start.clock.uncertainty_ns) + Duration::from_millis(50);
        assert!(apart <= most, "{apart:?}, {start:?}");
    }
}

#[test]
fn where_messages_take_their_time_the_start_is_later() {
    let mut faults = Faults::none();
    let (lead, way) = (Duration::from_millis(10), Duration::from_millis(20));
    faults.of(1).delay = way;
    let starts = each(peers(2, &faults, PATIENT), |mut peer| {
        let before = Instant::now();
        let start = peer.agree_on_start(lead).unwrap();
        peer.leave().unwrap();
        (before, start)
    });
    let last_came = starts.iter().map(|(before, _)| *before).max().unwrap();
    let ahead = starts[0].1.at - last_came;
    assert!(ahead >= 10 * way, "{ahead:?}");
}

#[test]
fn what_one_is_doing_the_first_hears() {
    let peers = peers(3, &Faults::none(), PATIENT);
    peers[1].say(b"reading");
    peers[0].say(b"waiting");
    let until = Instant::now() + DEADLINE;
    let is_heard = || {
        peers[0].heard()[1].as_deref() == Some(b"reading")
            && peers[0].heard()[2].is_some()
            && peers[2].heard()[0].as_deref() == Some(b"waiting")
    };
    while !is_heard() {
        assert!(Instant::now() < until, "{:?}", peers[0].heard());
        thread::yield_now();
    }
    assert_eq!(peers[0].heard()[2].as_deref(), Some(&b""[..]));
}

#[test]
fn a_stop_on_any_rank_reaches_all_and_they_still_leave_in_order() {
    for asking in [0, 2] {
        let peers = peers(3, &Faults::none(), PATIENT);
        let told: Vec<_> = peers.iter().map(notices).collect();
        let results = each(peers, |mut peer| {
            let result = match peer.rank() == asking {
                true => {
                    peer.stop();
                    peer.gather(Vec::new())
                }
                false => peer.gather(vec![0; 1 << 20]),
            };
            assert!(matches!(result, Err(PeerError::Stopped)), "{result:?}");
            peer.leave()
        });
        for (result, told) in results.iter().zip(told) {
            assert!(result.is_ok(), "{result:?}");
            assert_eq!(told.iter().collect::<Vec<_>>(), [Notice::Stop]);
        }
    }
}

/// Each is told by name, by its call and by a notice, whatever it is in.
#[test]
fn whoever_is_cut_off_is_named_to_all_others() {
    let is_named = |lost: u32| {
        let mut faults = Faults::none();
        faults.of(lost).host = Some("node7".to_owned());
        let trouble = faults.of(lost).trouble.clone();
        let peers = peers(3, &faults, IMPATIENT);
        let told: Vec<_> = peers.iter().map(notices).collect();
        trouble.lose_after(0);
        let begin = Instant::now();
        let results = each(peers, |mut peer| {
            let in_call = peer.gather(Vec::new()).unwrap_err();
            let later = peer.agree_on_start(Duration::ZERO).unwrap_err();
            (peer.rank(), in_call, later, peer.leave().is_err())
        });
        assert!(begin.elapsed() < DEADLINE);
        for ((rank, in_call, later, has_left), told) in results.into_iter().zip(told) {
            assert!(has_left, "an end in order would wait for the lost one");
            if rank == lost {
                continue;
            }
            for error in [in_call, later] {
                let PeerError::Lost { rank, host, cause } = error else {
                    panic!("{error}");
                };
                assert_eq!((rank, host.as_str()), (lost, "node7"));
                assert!(matches!(cause, LossCause::Silent(_)), "{cause:?}");
            }
            let told: Vec<Notice> = told.iter().collect();
            assert!(
                matches!(&told[..], [Notice::Lost { rank, host, .. }] if *rank == lost && host == "node7"),
                "{told:?}"
            );
        }
    };
    // Each waits out a silence, so both do at once.
    thread::scope(|scope| {
        for lost in [1, 0] {
            scope.spawn(move || is_named(lost));
        }
    });
}

#[test]
fn a_loss_is_noticed_at_every_message_of_a_measurement() {
    // Hello has come through; then beats, looks at the clock and calls, in whatever order. Each waits
    // out a silence, so all do at once.
    thread::scope(|scope| {
        for messages in [0, 1, 2, 3, 5, 8, 13, 40] {
            scope.spawn(move || is_noticed_behind(messages));
        }
    });
}

/// The third of three is heard no more behind so many messages.
fn is_noticed_behind(messages: u64) {
    let mut faults = Faults::none();
    let trouble = faults.of(2).trouble.clone();
    let peers = peers(3, &faults, IMPATIENT);
    trouble.lose_after(messages);
    let errors = each(peers, |mut peer| {
        loop {
            let result = peer
                .agree_on_start(Duration::ZERO)
                .and_then(|_| peer.gather(vec![0; 100_000]));
            if let Err(error) = result {
                return error;
            }
        }
    });
    for error in &errors[..2] {
        assert!(
            matches!(error, PeerError::Lost { rank: 2, .. }),
            "{messages}: {error}"
        );
    }
}

#[test]
fn who_hears_but_is_not_heard_is_lost_and_learns_it() {
    let mut faults = Faults::none();
    let trouble = faults.of(1).trouble.clone();
    let peers = peers(2, &faults, IMPATIENT);
    trouble.silence_after(0);
    let errors = each(peers, |mut peer| peer.gather(Vec::new()).unwrap_err());
    for error in errors {
        assert!(
            matches!(error, PeerError::Lost { rank: 0 | 1, .. }),
            "{error}"
        );
    }
}

#[test]
fn who_goes_without_the_others_is_missed_at_once() {
    for gone in [0, 1] {
        let mut peers = peers(3, &Faults::none(), PATIENT);
        peers.remove(gone as usize).abandon();
        let begin = Instant::now();
        for error in each(peers, |mut peer| peer.gather(Vec::new()).unwrap_err()) {
            let is_reported = matches!(
                error,
                PeerError::Lost { rank, cause: LossCause::Gone, .. } if rank == gone
            );
            assert!(is_reported, "{error}");
        }
        assert!(begin.elapsed() < DEADLINE);
    }
}

#[test]
fn another_version_is_named_by_host_to_everybody() {
    let mut faults = Faults::none();
    let odd = faults.of(1);
    odd.version = Some("0.0.1".to_owned());
    odd.host = Some("node3".to_owned());
    for joined in join_within(3, &faults, PATIENT) {
        let Err(PeerError::OtherVersion {
            rank, host, theirs, ..
        }) = joined
        else {
            panic!("they have joined");
        };
        assert_eq!(
            (rank, host.as_str(), theirs.as_str()),
            (1, "node3", "0.0.1")
        );
    }
}

#[test]
fn of_few_processes_one_that_was_stopped_is_waited_for_less_than_of_many() {
    let join = |count| Timeouts::of(count).join;
    assert!(join(2) <= Duration::from_secs(21));
    assert_eq!(join(u32::MAX), Timeouts::default().join);
}

#[test]
fn who_does_not_come_is_named() {
    let mut faults = Faults::none();
    faults.of(1).trouble.lose_after(0);
    let timeouts = Timeouts {
        join: Duration::from_millis(300),
        ..PATIENT
    };
    let joined = join_within(2, &faults, timeouts);
    assert!(matches!(joined[0], Err(PeerError::NotCome { rank: 1, .. })));
}

#[test]
fn peers_in_different_calls_are_told_instead_of_waiting_for_ever() {
    let errors = each(peers(2, &Faults::none(), PATIENT), |mut peer| {
        match peer.is_first() {
            true => peer.gather(Vec::new()).map(drop),
            false => peer.broadcast(None).map(drop),
        }
        .unwrap_err()
    });
    for error in errors {
        assert!(
            matches!(
                error,
                PeerError::Lost {
                    rank: 1,
                    cause: LossCause::OutOfStep,
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn what_is_too_large_is_refused_before_it_is_sent() {
    let mut peers = peers(2, &Faults::none(), PATIENT);
    let refused = peers[1].gather(vec![0; MESSAGE_BYTES_MAX + 1]);
    assert!(matches!(refused, Err(PeerError::TooLarge { .. })));
}

#[test]
fn many_find_together_and_part() {
    let done = each(peers(32, &Faults::none(), PATIENT), |mut peer| {
        peer.agree_on_start(Duration::ZERO).unwrap();
        let all = peer.gather(vec![7; 1000]).unwrap();
        peer.leave().unwrap();
        all.map_or(0, |all| all.len())
    });
    assert_eq!(done.iter().sum::<usize>(), 32);
}

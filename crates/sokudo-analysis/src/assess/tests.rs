use super::*;
use crate::judge;
use crate::sample::{self, each_count, method, reads, reads_with};
use sokudo_model::disk::{Content, Health, Link, QueueSettings};
use sokudo_model::{
    ArrayState, BlockDeviceKind, BlockSizes, Bytes, FailureKind, FileUse, ForeignUse, ForeignUser,
    IoFailure, Nanos, Operation, Order, Sample, SequentialOffset, StopReason, Survey, SurveySample,
    Visit, Work,
};

/// A method that asks for the disk.
const ASKS: &[MethodTrait] = &[MethodTrait::JudgesDisk, MethodTrait::AsksForDisk];

/// The points of a disk that `change` has changed, by code and answer.
fn points_of(change: impl Fn(&mut Disk)) -> Vec<(String, Option<DiskAnswer>)> {
    let mut disk = Disk::unknown("sda");
    assert_eq!(of_disk(&disk), [], "nothing is said of what is not known");
    change(&mut disk);
    let points = of_disk(&disk).into_iter();
    points.map(|point| (point.code, point.answer)).collect()
}

#[test]
fn what_a_drive_says_is_held_against_what_is_expected() {
    type RowContext = (&'static str, Option<DiskAnswer>, fn(&mut Disk));
    let cases: [RowContext; 12] = [
        ("health", Some(DiskAnswer::Ok), |disk| {
            disk.health.state = HealthState::Good;
        }),
        ("disk-failing", Some(DiskAnswer::NotOk), |disk| {
            disk.health.state = HealthState::Failing;
        }),
        ("unreadable-sectors", Some(DiskAnswer::NotOk), |disk| {
            disk.health.pending_sectors = Some(8);
        }),
        ("unreadable-sectors", Some(DiskAnswer::OkBut), |disk| {
            disk.health.media_errors = Some(1);
        }),
        ("unreadable-sectors", Some(DiskAnswer::Ok), |disk| {
            disk.health.media_errors = Some(0);
        }),
        ("temperature", Some(DiskAnswer::Ok), |disk| {
            disk.health = Health {
                temperature_celsius: Some(40),
                temperature_warning_celsius: Some(70),
                ..Health::default()
            };
        }),
        ("disk-hot", Some(DiskAnswer::OkBut), |disk| {
            disk.health.temperature_celsius = Some(80);
            disk.health.temperature_warning_celsius = Some(70);
        }),
        ("write-cache", Some(DiskAnswer::Ok), |disk| {
            disk.rotation = Rotation::Turns;
            disk.write_cache.enabled = Some(true);
        }),
        ("write-cache-off", Some(DiskAnswer::OkBut), |disk| {
            disk.rotation = Rotation::Turns;
            disk.write_cache.enabled = Some(false);
        }),
        ("alignment", Some(DiskAnswer::Ok), |disk| {
            disk.contents = vec![Content {
                offset_bytes: Some(Bytes::mib(1)),
                ..Content::new("partition")
            }];
        }),
        ("capacity", Some(DiskAnswer::Ok), |disk| {
            disk.bus = Some(Bus::Ata);
            disk.size_bytes = Some(Bytes(1_953_525_168 * 512));
        }),
        ("scheduler", Some(DiskAnswer::OkBut), |disk| {
            disk.bus = Some(Bus::Nvme);
            disk.queue.scheduler = Some("bfq".into());
        }),
    ];
    for (code, answer, change) in cases {
        let points = points_of(change);
        let found = points.iter().find(|(it, _)| it == code);
        let found = found.unwrap_or_else(|| panic!("no {code} in {points:?}"));
        assert_eq!(found.1, answer, "{code}");
    }
}

#[test]
fn a_noticed_fault_replaces_the_good_end_of_its_item() {
    let misaligned = |disk: &mut Disk| {
        disk.contents = vec![Content {
            offset_bytes: Some(Bytes(63 * 512)),
            device: Some("sda1".into()),
            remarks: vec!["not aligned to 4 KiB".into()],
            ..Content::new("partition")
        }];
    };
    let codes: Vec<String> = points_of(misaligned).into_iter().map(|it| it.0).collect();
    assert_eq!(codes, ["partition-misaligned"]);
    let solid = points_of(|disk| {
        disk.rotation = Rotation::None;
        disk.write_cache.enabled = Some(true);
    });
    assert_eq!(solid, [], "a cache matters to what turns");
    let mut disk = Disk::unknown("sda");
    disk.health.pending_sectors = Some(8);
    let remedy = unreadable(&disk).unwrap().remedy.english();
    assert!(remedy.starts_with("back up the disk"), "{remedy}");
}

#[test]
fn a_terabyte_is_what_the_industry_counts() {
    let mut disk = Disk::unknown("sda");
    disk.bus = Some(Bus::Ata);
    disk.size_bytes = Some(Bytes(1_953_525_168 * 512));
    let found = |disk: &Disk| capacity(disk).map(|point| point.found.english());
    assert_eq!(
        found(&disk).unwrap(),
        "sda has the standard number of sectors for 1000 GB"
    );
    disk.size_bytes = Some(Bytes(1_953_525_160 * 512));
    assert_eq!(found(&disk), None);
}

#[test]
fn a_solid_disk_that_takes_no_discard_is_told() {
    let of = |bytes| {
        points_of(|disk| {
            disk.rotation = Rotation::None;
            disk.bus = Some(Bus::Usb);
            disk.queue = QueueSettings {
                discard_bytes_max: Some(Bytes(bytes)),
                ..QueueSettings::default()
            };
        })
    };
    let answer = |bytes| of(bytes).into_iter().find(|(code, _)| code == "discard");
    assert_eq!(answer(0).unwrap().1, Some(DiskAnswer::OkBut));
    assert_eq!(answer(1 << 20).unwrap().1, Some(DiskAnswer::Ok));
}

fn link(negotiated: &str, bytes: u64) -> Link {
    Link {
        negotiated: Some(negotiated.into()),
        maximum: Some(negotiated.into()),
        negotiated_bytes_per_s: Some(bytes),
        maximum_bytes_per_s: Some(bytes),
        ..Link::default()
    }
}

#[test]
fn a_drive_that_could_more_than_its_port_and_bulk_only_are_told() {
    let narrow = points_of(|disk| {
        disk.link = Some(Link {
            drive_maximum: Some("8.0 GT/s x4".into()),
            ..link("8.0 GT/s x2", 1_969_000_000)
        });
    });
    let narrow_is = ("link-below-drive".to_owned(), Some(DiskAnswer::OkBut));
    assert!(narrow.contains(&narrow_is), "{narrow:?}");
    for (protocol, answer) in [("uas", DiskAnswer::Ok), ("usb-storage", DiskAnswer::OkBut)] {
        let points = points_of(|disk| {
            disk.bus = Some(Bus::Usb);
            disk.link = Some(Link {
                protocol: Some(protocol.into()),
                ..link("5.0 Gbit/s", 500_000_000)
            });
        });
        let expected = ("usb-protocol".to_owned(), Some(answer));
        assert!(points.contains(&expected), "{points:?}");
    }
}

/// The assessment of reads whose rate is known, of a disk that `change` has changed.
fn assessed(change: impl Fn(&mut Run)) -> DiskAssessment {
    let mut run = reads_with(|run| {
        run.plan.method = method(ASKS);
        change(run);
    });
    judge(&mut run);
    let assessment = run.disk_assessment.take();
    *assessment.unwrap_or_else(|| panic!("nothing is thought of {:?}", run.target))
}

fn found<'a>(assessment: &'a DiskAssessment, code: &str) -> Option<&'a AssessedPoint> {
    assessment.points.iter().find(|point| point.code == code)
}

/// Makes the row one of streams in blocks of 1 MiB that go so many at a second.
fn streams(run: &mut Run, per_s: u64) {
    let row = &mut run.rows[0];
    row.workload.name = "SEQ1M Q8T1".into();
    row.workload.order = Order::Sequential {
        offset: SequentialOffset::Own,
    };
    row.workload.blocks = BlockSizes::one(Bytes::mib(1));
    ios_per_s(run, per_s);
}

/// Makes each trial one of so many I/Os in its second.
fn ios_per_s(run: &mut Run, ios: u64) {
    let row = &mut run.rows[0];
    let block = row.workload.blocks.largest();
    for trial in &mut row.trials {
        let tally = &mut trial.outcome.operations[0];
        (tally.ios, tally.bytes) = (ios, Bytes(ios * block.0));
        tally.latency = crate::sample::histogram(ios, Nanos(1_000_000_000 / ios));
        let device = trial.evidence.device.as_mut().unwrap();
        (device.read_ios, device.read_bytes) = (ios, ios * block.0);
    }
}

fn linked(run: &mut Run, link: Link) {
    let mut drive = sample::drive("nvme0n1");
    drive.disk.bus = Some(Bus::Ata);
    drive.disk.link = Some(link);
    run.conditions.drives.push(drive);
}

#[test]
fn what_was_reached_of_a_link_says_whether_it_is_the_limit() {
    for (per_s, answer, words) in [
        (
            540,
            Some(DiskAnswer::Ok),
            "94 % of what SATA 6.0 Gbit/s (ahci) carries (566 of 600 MB/s): the link is the limit",
        ),
        (200, Some(DiskAnswer::Ok), "the link is not the limit"),
        (1_200, None, "more than the link carries"),
    ] {
        let assessment = assessed(|run| {
            streams(run, per_s);
            let link = link("6.0 Gbit/s", 600_000_000);
            linked(
                run,
                Link {
                    controller: Some("ahci".into()),
                    ..link
                },
            );
        });
        let point = found(&assessment, "link-share").unwrap();
        assert_eq!(point.answer, answer, "{point:?}");
        assert!(point.found.english().contains(words), "{point:?}");
    }
}

#[test]
fn figures_that_are_not_proven_are_held_against_nothing() {
    let assessment = assessed(|run| {
        streams(run, 540);
        linked(run, link("6.0 Gbit/s", 600_000_000));
        each_count(run, |device| device.read_bytes = 0);
    });
    assert!(found(&assessment, "link-share").is_none(), "{assessment:?}");
    assert_eq!(assessment.answer, None);
    assert_eq!(assessment.points[0].code, NOT_JUDGED);
    // A drive that reports that it is healthy, and whose speed is not known.
    let assessment = assessed(|run| {
        streams(run, 540);
        linked(run, link("6.0 Gbit/s", 600_000_000));
        run.conditions.drives[0].disk.health.state = HealthState::Good;
        each_count(run, |device| device.read_bytes = 0);
    });
    assert_eq!(assessment.answer, Some(DiskAnswer::OkBut));
    assert_eq!(assessment.points[0].code, NOT_JUDGED);
    assert!(!assessment.points[0].remedy.is_empty());
    // Of one that fails nobody measures the speed any better.
    let failing = assessed(|run| {
        streams(run, 540);
        linked(run, link("6.0 Gbit/s", 600_000_000));
        run.conditions.drives[0].disk.health.state = HealthState::Failing;
        each_count(run, |device| device.read_bytes = 0);
    });
    assert_eq!(failing.answer, Some(DiskAnswer::NotOk));
    let speed = found(&failing, NOT_JUDGED).unwrap();
    assert!(speed.remedy.is_empty(), "{speed:?}");
}

#[test]
fn how_fast_a_disk_is_stands_before_what_its_link_carries() {
    let assessment = assessed(|run| {
        streams(run, 200);
        linked(run, link("6.0 Gbit/s", 600_000_000));
        run.target.devices[1].rotational = Some(true);
    });
    let codes = assessment.points.iter().map(|point| &*point.code);
    let of_speed = ["rotating-sequential", "link-share"];
    let codes: Vec<_> = codes.filter(|code| of_speed.contains(code)).collect();
    assert_eq!(codes, of_speed);
}

#[test]
fn a_disk_of_5400_turns_is_normal_slow_or_no_such_disk() {
    for (reads, answer) in [
        (75, Some(DiskAnswer::Ok)),
        (30, Some(DiskAnswer::OkBut)),
        (20, Some(DiskAnswer::NotOk)),
        (900, None),
    ] {
        let assessment = assessed(|run| {
            ios_per_s(run, reads);
            let leaf = &mut run.target.devices[1];
            (leaf.rotational, leaf.rotation_rpm) = (Some(true), Some(5_400));
        });
        let point = found(&assessment, "rotating-random").unwrap();
        assert_eq!(point.answer, answer, "{point:?}");
        assert!(point.found.english().contains("5,400"), "{point:?}");
    }
}

#[test]
fn a_solid_disk_that_answers_like_one_that_turns_is_not_ok() {
    for (reads, answer) in [
        (10_000, DiskAnswer::Ok),
        (2_000, DiskAnswer::OkBut),
        (200, DiskAnswer::NotOk),
    ] {
        let assessment = assessed(|run| {
            ios_per_s(run, reads);
            linked(run, Link::default());
        });
        assert_eq!(
            found(&assessment, "solid-random").unwrap().answer,
            Some(answer)
        );
    }
}

/// A second row that reads a device beside, with so many streams a second.
fn beside(run: &mut Run, name: &str, per_s: u64) {
    if run.targets.is_empty() {
        run.targets = vec![run.target.clone()];
    }
    let mut other = reads();
    other.target.file_system = None;
    other.target.kind = TargetKind::BlockDevice;
    other.target.devices = vec![sample::device(name, BlockDeviceKind::Disk, true)];
    streams(&mut other, per_s);
    let target = u32::try_from(run.targets.len()).unwrap();
    other.rows[0].workload.files.uses = vec![FileUse { target, span: None }];
    run.rows.append(&mut other.rows);
    run.targets.push(other.target);
}

#[test]
fn a_file_is_held_against_the_device_of_its_file_system() {
    for (raw, answer, share) in [
        (
            500,
            DiskAnswer::Ok,
            "ext4 reaches 100 % of nvme0n1p2 itself",
        ),
        (
            1_000,
            DiskAnswer::OkBut,
            "ext4 reaches 50 % of nvme0n1p2 itself",
        ),
    ] {
        let assessment = assessed(|run| {
            streams(run, 500);
            beside(run, "nvme0n1p2", raw);
        });
        let point = found(&assessment, "file-system-share").unwrap();
        assert_eq!(point.answer, Some(answer), "{point:?}");
        assert!(point.found.english().starts_with(share), "{point:?}");
    }
}

#[test]
fn an_array_is_held_against_what_its_level_makes_of_its_members() {
    for (level, array, answer) in [
        ("raid0", 600, DiskAnswer::Ok),
        ("raid1", 200, DiskAnswer::Ok),
        ("raid5", 400, DiskAnswer::Ok),
        ("raid6", 200, DiskAnswer::Ok),
        ("raid0", 400, DiskAnswer::OkBut),
        ("raid5", 100, DiskAnswer::OkBut),
        ("raid6", 50, DiskAnswer::OkBut),
        ("raid10", 300, DiskAnswer::Ok),
        ("raid10", 100, DiskAnswer::OkBut),
    ] {
        let assessment = assessed(|run| {
            streams(run, array);
            let members = ["sda", "sdb", "sdc"];
            let mut md = sample::device("md0", BlockDeviceKind::Raid, false);
            md.parents = members.map(str::to_owned).to_vec();
            run.target.devices = vec![md];
            let drives = members.map(|it| sample::device(it, BlockDeviceKind::Disk, true));
            run.target.devices.extend(drives);
            for member in members {
                beside(run, member, 200);
            }
            run.conditions.arrays = vec![ArrayState {
                name: "md0".into(),
                level: Some(level.into()),
                members: Some(3),
                ..ArrayState::default()
            }];
        });
        let point = found(&assessment, "array-share").unwrap();
        assert_eq!(point.answer, Some(answer), "{level}: {point:?}");
    }
}

#[test]
fn one_rate_in_both_directions_and_two_runs_is_a_limit() {
    let run = |per_s| {
        let mut run = reads_with(|run| {
            run.plan.method = method(ASKS);
            run.target.devices[1].kind = BlockDeviceKind::VirtualDisk;
            streams(run, per_s);
        });
        let mut row = run.rows[0].clone();
        row.workload.name = "again".into();
        run.rows.push(row);
        judge(&mut run);
        run
    };
    let capped = run(125);
    let assessment = capped.disk_assessment.as_ref().unwrap();
    assert_eq!(assessment.answer, None, "{assessment:?}");
    let rate = 125.0 * 1_048_576.0;
    let point = volume_cap(&capped, &[rate, rate * 1.01]).unwrap();
    assert!(
        point.found.english().contains("stop at 132 MB/s"),
        "{point:?}"
    );
    assert_eq!(volume_cap(&capped, &[rate]), None);
    assert_eq!(volume_cap(&capped, &[rate, rate * 1.1]), None);
}

#[test]
fn only_commands_that_people_look_at_a_disk_with_say_what_they_think_of_it() {
    for (method, is_requested) in [
        (method(ASKS), true),
        (method(&[MethodTrait::JudgesDisk]), true),
        (method(&[]), false),
    ] {
        let mut run = reads_with(|run| {
            run.plan.method = method;
            linked(run, Link::default());
        });
        judge(&mut run);
        assert_eq!(run.disk_assessment.is_some(), is_requested);
    }
}

/// A second row that visits a hundred positions of a target of this size once.
fn surveyed(run: &mut Run, size: Bytes) {
    run.target.size_bytes = Some(size);
    run.schedule.surveys_once = true;
    let mut row = reads().rows.remove(0);
    let sample = SurveySample {
        offset: Bytes(0),
        bytes: Bytes(409_600),
        ios: 100,
        elapsed: Nanos::from_millis(10),
        latency_max: Nanos::from_micros(100),
        distance: None,
    };
    let survey = Survey::new(100, Visit::Ascending, Sample::Bytes(sample.bytes));
    row.workload.name = "TRANSFER".into();
    row.workload.work = Work::Survey(survey);
    row.workload.limits.time = None;
    row.trials.truncate(1);
    let outcome = &mut row.trials[0].outcome;
    outcome.samples = vec![sample; 100];
    outcome.stopped = StopReason::Bytes;
    run.rows.push(row);
}

#[test]
fn of_a_surface_only_what_was_read_is_ok() {
    let of = |size, change: fn(&mut Run)| {
        assessed(|run| {
            ios_per_s(run, 10_000);
            linked(run, Link::default());
            surveyed(run, size);
            change(run);
        })
    };
    let codes = |assessment: &DiskAssessment| -> Vec<String> {
        let points = assessment.points.iter();
        points.map(|point| point.code.clone()).collect()
    };
    let all = Bytes(100 * 409_600);
    let whole = of(all, |_| {});
    assert_eq!(whole.answer, Some(DiskAnswer::Ok));
    let expected = [
        "solid-random",
        "surface",
        "unknown-health",
        "unchecked-capacity",
    ];
    assert_eq!(codes(&whole), expected);
    let sampled = of(Bytes(all.0 * 50), |_| {});
    let expected = [
        "solid-random",
        "surface-sampled",
        "unknown-health",
        "unread-blocks",
        "unchecked-capacity",
    ];
    assert_eq!(codes(&sampled), expected);
    let point = found(&sampled, "surface-sampled").unwrap();
    let words = "100 positions of nvme0n1p2, 2.0 % of it, can be read";
    assert_eq!(point.found.english(), words);
    let failed = of(all, |run| {
        let failure = IoFailure {
            operation: Operation::Read,
            kind: FailureKind::Errno(5),
            offset: Bytes(8192),
            count: 1,
        };
        run.rows[1].trials[0].outcome.failures = vec![failure];
    });
    assert_eq!(failed.answer, Some(DiskAnswer::NotOk));
    assert!(found(&failed, "surface").is_none(), "{failed:?}");
    // What a cache has answered shows nothing of the disk.
    let cached = of(all, |run| {
        let device = run.rows[1].trials[0].evidence.device.as_mut();
        device.unwrap().read_bytes = 4096;
    });
    assert!(found(&cached, "surface").is_none(), "{cached:?}");
    let unread = found(&cached, "unread-blocks").unwrap();
    assert!(unread.found.english().contains("a cache"), "{unread:?}");
    // A sample says nothing of a disk that nothing else is known of.
    let virtual_disk = of(Bytes(all.0 * 50), |run| {
        run.target.devices[1].kind = BlockDeviceKind::VirtualDisk;
    });
    assert_eq!(virtual_disk.answer, None, "{virtual_disk:?}");
    let sampled = found(&virtual_disk, "surface-sampled").unwrap();
    assert_eq!(sampled.answer, Some(DiskAnswer::Ok));
}

#[test]
fn what_others_did_meanwhile_makes_a_fast_disk_no_slower() {
    let beside_others = |reads| {
        assessed(|run| {
            ios_per_s(run, reads);
            linked(run, Link::default());
            each_count(run, |device| device.read_bytes *= 2);
        })
    };
    let fast = beside_others(10_000);
    assert_eq!(fast.answer, Some(DiskAnswer::Ok));
    let point = found(&fast, "solid-random").unwrap();
    assert!(point.found.english().contains("or better"), "{point:?}");
    let beside_fio = assessed(|run| {
        ios_per_s(run, 2_000);
        linked(run, Link::default());
        each_count(run, |device| device.read_bytes *= 2);
        for trial in &mut run.rows[0].trials {
            let seen = ForeignUser {
                pid: 7,
                name: "fio".into(),
                read_bytes: 1 << 40,
                written_bytes: 0,
                kernel: false,
            };
            trial.evidence.foreign = Some(ForeignUse {
                users: vec![seen],
                hidden: 0,
            });
        }
    });
    let words = beside_fio.points[0].found.english();
    let named = "speed not judged: other programs used the disk: fio";
    assert_eq!(words, named);
    for reads in [2_000, 200] {
        let slow = beside_others(reads);
        assert_eq!(slow.answer, None, "{slow:?}");
        assert_eq!(slow.points[0].code, NOT_JUDGED);
    }
}

/// A run of three disks: two good ones, and one between them whose drive fails.
fn of_three() -> Run {
    let mut run = reads_with(|run| {
        run.plan.method = method(ASKS);
        ios_per_s(run, 10_000);
        linked(run, Link::default());
    });
    let (row, target) = (run.rows[0].clone(), run.target.clone());
    let drive = run.conditions.drives[0].clone();
    run.rows.clear();
    run.conditions.drives.clear();
    for (index, name) in (0..).zip(["sda", "sdb", "sdc"]) {
        let mut row = row.clone();
        row.workload.name = format!("RND4K Q1 @{name}");
        row.workload.files.uses = vec![FileUse {
            target: index,
            span: None,
        }];
        run.rows.push(row);
        let mut target = target.clone();
        target.name = format!("/dev/{name}");
        target.devices.retain(|device| device.is_leaf);
        target.devices[0].name = name.to_owned();
        run.targets.push(target);
        let mut drive = drive.clone();
        drive.disk.name = name.to_owned();
        if name == "sdb" {
            drive.disk.health.state = HealthState::Failing;
        }
        run.conditions.drives.push(drive);
    }
    run
}

#[test]
fn of_several_disks_a_failing_one_blames_itself_alone() {
    let mut run = of_three();
    judge(&mut run);
    assert_eq!(run.disk_assessment, None);
    let disks = run.assessed_disks.iter();
    let answers = disks.map(|it| (it.target, &*it.name, &*it.label, it.assessment.answer));
    let (ok, bad) = (Some(DiskAnswer::Ok), Some(DiskAnswer::NotOk));
    let expected = [
        (0, "/dev/sda", "sda", ok),
        (1, "/dev/sdb", "sdb", bad),
        (2, "/dev/sdc", "sdc", ok),
    ];
    assert_eq!(answers.collect::<Vec<_>>(), expected);
    // Of those that are marked, too, and what they do together counts for none.
    let found = |run: &Run| -> Vec<_> {
        let disks = run.assessed_disks.iter().map(|it| &it.assessment);
        let found = disks.map(|it| (it.answer, it.points[0].found.clone()));
        found.collect()
    };
    let checked = found(&run);
    run.plan.method = method(&[MethodTrait::JudgesDisk]);
    run.plan.stages.clear();
    let mut together = run.rows[0].clone();
    together.workload.name += "+2";
    together.trials.clear();
    run.rows.insert(0, together);
    judge(&mut run);
    assert_eq!(found(&run), checked);
}

#[test]
fn a_drive_that_did_not_answer_in_time_is_not_blamed_for_saying_nothing() {
    let health = |unanswered| {
        let assessment = assessed(|run| {
            run.environment.root = true;
            linked(run, Link::default());
            run.conditions.drives[0].disk.health.unanswered_seconds = unanswered;
        });
        let point = found(&assessment, "unknown-health");
        point.map(|point| point.found.english())
    };
    let late = "health: nvme0n1 did not answer within 4 s";
    assert_eq!(health(Some(4)).as_deref(), Some(late));
    let silent = "health: not reported by nvme0n1";
    assert_eq!(health(None).as_deref(), Some(silent));
}

#[test]
fn what_lies_beside_a_disk_is_held_against_that_disk() {
    let mut run = of_three();
    run.plan.stages.clear();
    // A stream of the second disk's file, and one of the device below it: the fourth target.
    let mut below = run.targets[1].clone();
    below.name = "/dev/sdb".to_owned();
    run.targets.push(below);
    let file_system = reads().target.file_system;
    run.targets[1].file_system = file_system;
    let mut of_two = run.clone();
    of_two.rows.remove(0);
    streams(&mut of_two, 400);
    let mut file = of_two.rows[0].clone();
    streams(&mut of_two, 1_000);
    let mut raw = of_two.rows[0].clone();
    file.workload.name = "SEQ1M,Q8 @sdb".to_owned();
    raw.workload.name = "SEQ1M,Q8 sdb @sdb".to_owned();
    raw.workload.files.uses[0].target = 3;
    run.rows.extend([file, raw]);
    judge(&mut run);
    let shares = run.assessed_disks.iter();
    let shares =
        shares.map(|disk| found(&disk.assessment, "file-system-share").map(|it| it.answer));
    let expected = [None, Some(Some(DiskAnswer::OkBut)), None];
    assert_eq!(shares.collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_plugged_in_may_be_a_fake_until_it_was_written_to() {
    let of = |serial: Option<&str>, removable| {
        let assessment = assessed(|run| {
            linked(run, Link::default());
            run.target.kind = TargetKind::BlockDevice;
            run.target.name = "/dev/sdc".to_owned();
            run.target.devices[0].serial = serial.map(str::to_owned);
            run.conditions.drives[0].disk.removable = Some(removable);
        });
        let point = assessment.points.last().unwrap();
        (point.code.clone(), point.found.english())
    };
    let command = "sudo sokudo checkup /dev/sdc --destroy";
    for (serial, named) in [
        (Some("FAKE1"), "FAKE1"),
        (Some("A 1"), "/dev/sdc"),
        (None, "/dev/sdc"),
    ] {
        let (code, found) = of(serial, true);
        assert_eq!(code, "possible-fake");
        assert!(found.ends_with(&format!("{command} {named}")), "{found}");
    }
    assert_eq!(of(None, false).0, "unchecked-capacity");
}

#[test]
fn streams_that_failed_are_named_beside_random_reads_that_did_not() {
    let assessment = assessed(|run| {
        ios_per_s(run, 10_000);
        linked(run, link("6.0 Gbit/s", 600_000_000));
        let random = run.rows[0].clone();
        streams(run, 200);
        run.rows[0].trials[0].outcome.failures = vec![IoFailure {
            operation: Operation::Read,
            kind: FailureKind::Errno(5),
            offset: Bytes(8192),
            count: 1,
        }];
        run.rows.push(random);
    });
    assert_eq!(assessment.answer, Some(DiskAnswer::NotOk));
    assert!(
        found(&assessment, "solid-random").is_some(),
        "{assessment:?}"
    );
    let point = found(&assessment, "streams-not-judged").unwrap();
    assert_eq!((point.answer, point.remedy.is_empty()), (None, true));
}

//! `sokudo assess`: is a disk well, and as fast as it should be?
//!
//! What is expected, and what came of it, is said by `sokudo-analysis`.

pub mod arguments;

use arguments::Arguments;
use sokudo_history::past_runs::Past;
use sokudo_measure::{DeviceBeside, Measurement, Named, TEST_FILE_SIZE};
use sokudo_model::{
    Bytes, DiskAnswer, FileUse, Files, Method, MethodKind, MethodTrait, Nanos, Plan, Schedule,
    Span, TargetKind, Workload,
};
use sokudo_page::TargetForm;
use sokudo_terminal::arguments::store::Keeping;
use sokudo_terminal::exit::Exit;
use sokudo_tools::crystaldiskmark::{self, RowDirection};
use sokudo_words::text;

use crate::argument_checks;
use crate::declared::{Declared, PageForm};
use crate::measurement::{self, FinishedMeasurement};
use crate::measuring::{Measuring, Planned};

pub static METHOD: MethodKind = MethodKind {
    name: "assess",
    command: "assess",
    is_named: false,
    traits: &[MethodTrait::JudgesDisk, MethodTrait::AsksForDisk],
};

pub(crate) const DECLARED: Declared = Declared {
    form: Some(PageForm {
        rank: 8,
        target: TargetForm::Needed,
        options: &["size", "time", "runs"],
    }),
    kinds: &[&METHOD],
    ..Declared::NONE
};

/// How a disk is read and written as fast as it can, and how it answers one at a time.
const STREAM: &str = "SEQ1M,Q8";
const ONE_AT_A_TIME: &str = "RND4K,Q1";
const MANY_AT_ONCE: &str = "RND4K,Q32";

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let named = Named::recognise(&self.target)?;
        let kind = named.kind();
        if kind == TargetKind::Null {
            return Err(Exit::usage(text!(
                "null: is no disk, so that nothing is expected of it; name a directory, a device or sim:MODEL"
            )));
        }
        argument_checks::check_time(self.time)?;
        if self.size.is_some() && kind != TargetKind::Directory {
            return Err(Exit::usage(text!(
                "{} has its size; --size is that of the test file in a directory, so leave it out",
                self.target
            )));
        }
        let size = self.size.unwrap_or(TEST_FILE_SIZE);
        argument_checks::check_size(size, None, &self.target)?;
        let seed = self.shared.seed_for(&named);
        let beside = DeviceBeside::below(&named);
        let mut workloads = of_target(kind);
        workloads.extend(
            (1..)
                .zip(&beside)
                .filter_map(|(index, it)| of_beside(index, it, size)),
        );
        for workload in &mut workloads {
            workload.limits.time = Some(self.time);
        }
        let mut plan = Plan {
            method: Method::new(&METHOD),
            seed,
            stages: crystaldiskmark::stages(workloads),
        };
        self.shared.set(&mut plan);
        let measurement = Measurement {
            schedule: Schedule::in_turn(self.runs, Nanos(0)),
            test_file_size: size,
            beside,
            ..measurement::new(&self.shared, &self.target, named, plan)
        };
        Ok(Planned::Rows(measurement, None))
    }

    fn conclude(&self, mut finished: FinishedMeasurement) -> Result<(), Exit> {
        let printing = &self.shared.printing;
        tell_cap(&mut finished, &printing.keeping);
        let assessment = finished.document.disk_assessment.as_deref();
        let answer = assessment.and_then(|assessment| assessment.answer);
        let is_judged = assessment.is_some_and(|it| {
            let mut points = it.points.iter();
            answer.is_some() && points.all(|point| point.code != sokudo_analysis::NOT_JUDGED)
        });
        finished.conclude(printing)?;
        match answer {
            Some(DiskAnswer::NotOk) => Err(Exit::FailedAsReported),
            _ if !is_judged => Err(Exit::not_trusted(text!(
                "whether {} is as it should be could not be judged",
                self.target
            ))),
            _ => Ok(()),
        }
    }
}

/// A limit that somebody has set shows only where another run has met it, too.
fn tell_cap(finished: &mut FinishedMeasurement, keeping: &Keeping) {
    let before = Past::of_kept(keeping).streams_before(&finished.document);
    let Some(point) = sokudo_analysis::volume_cap(&finished.run, &before) else {
        return;
    };
    let assessment = finished.run.disk_assessment.take();
    let assessment = assessment.map(|it| Box::new(it.with(point)));
    finished.document.disk_assessment.clone_from(&assessment);
    finished.run.disk_assessment = assessment;
}

/// A file of ours is written, too.
fn of_target(kind: TargetKind) -> Vec<Workload> {
    let is_ours = matches!(kind, TargetKind::Directory);
    let reads = [STREAM, ONE_AT_A_TIME, MANY_AT_ONCE].map(|name| row(name, RowDirection::Read));
    let writes = is_ours.then(|| row(STREAM, RowDirection::Write));
    reads.into_iter().chain(writes).collect()
}

fn row(name: &str, direction: RowDirection) -> Workload {
    let row = crystaldiskmark::row(name).expect("these rows are known");
    row.workload(direction)
}

/// A device is read where it begins, as much of it as the test file has.
fn of_beside(index: u32, beside: &DeviceBeside, size: Bytes) -> Option<Workload> {
    let mut workload = row(STREAM, RowDirection::Read);
    let known = beside
        .size()
        .filter(|it| *it >= workload.blocks.largest())?;
    workload.name = format!("{} {}", workload.name, beside.name());
    let span = (known > size).then(|| Span::from_start(size));
    workload.files = Files {
        uses: vec![FileUse {
            target: index,
            span,
        }],
        ..workload.files
    };
    Some(workload)
}

//! `sokudo run JOB.fio…`: the same jobs as through fio's door, with sokudo's own
//! results.
//!
//! fio's jobs with `numjobs` are one row here, as the threads of a row are.

pub mod arguments;

use arguments::Arguments;
use sokudo_page::TargetForm;
use sokudo_terminal::exit::Exit;

use crate::declared::{Declared, PageForm};
use crate::jobs::file::{JobFilePlan, JobRun};
use crate::measuring::{Leaves, Measuring, Planned};

pub(crate) const DECLARED: Declared = Declared {
    form: Some(PageForm {
        rank: 13,
        target: TargetForm::Job,
        options: "runs, section, lenient, readonly",
    }),
    kinds: &[&sokudo_tools::fio::METHOD],
    ..Declared::NONE
};

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let mut jobs = JobFilePlan::of_words(&fio_arguments(self))?;
        self.shared.set(&mut jobs.planned.plan);
        let run = JobRun {
            runs: self.runs,
            shared: &self.shared,
        };
        Ok(Planned::Jobs(jobs, run))
    }

    fn leaves(&mut self) -> Leaves<'_> {
        Leaves {
            overwrite: &mut self.own.overwrite,
            destroy: &mut self.own.destroy,
            destroy_contents: None,
        }
    }
}

/// The same as fio's own words. Options before a job file hold for all its jobs.
fn fio_arguments(arguments: &Arguments) -> Vec<String> {
    let mut words = Vec::new();
    let sections = arguments.sections.iter();
    words.extend(sections.map(|section| format!("--section={section}")));
    for (is_set, word) in [
        (arguments.lenient, "--lenient"),
        (arguments.readonly, "--readonly"),
        (arguments.overwrite, "--overwrite=1"),
    ] {
        if is_set {
            words.push(word.to_owned());
        }
    }
    let devices = arguments.destroy.iter();
    words.extend(devices.map(|device| format!("--destroy={device}")));
    words.extend(arguments.files.iter().cloned());
    words
}

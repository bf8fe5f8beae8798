//! A job file's lines, section by section, to a plan.

use sokudo_model::{Nanos, Plan, Stage};

use super::error::{JobFileError, JobFileProblem};
use super::options::MethodOption;
use super::pragma::{Header, Pragma};
use super::scan::{Entry, Line, Located, scan};
use super::settings::Settings;

/// Far beyond any job file that people write; longer text is something else.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// fio refuses more jobs than this.
const JOBS_MAX: usize = 4096;
/// fio's seed when a job file gives none.
const FIO_SEED: u64 = 0xb189_9bed;

/// A job file: the plan, and what it says beyond that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFile {
    /// What to do.
    pub plan: Plan,
    /// The pause between trials that the method asks for.
    pub interval: Option<Nanos>,
}

/// Reads a job file as a plan. `source_name` is what errors call the text, and
/// the plan's method is `fio/` with that name unless the text names one.
///
/// # Errors
/// [`JobFileError`] at the first line that is wrong, or that a plan cannot express.
pub fn parse(text: &str, source_name: &str) -> Result<Plan, JobFileError> {
    read(text, source_name).map(|file| file.plan)
}

/// Reads a job file with all it says; else as [`parse`].
///
/// # Errors
/// As [`parse`].
pub fn read(text: &str, source_name: &str) -> Result<JobFile, JobFileError> {
    let result = Sections::collect(text).and_then(|sections| sections.job_file(source_name));
    result.map_err(|misplaced| JobFileError {
        source_name: source_name.to_owned(),
        line: misplaced.line,
        column: misplaced.column,
        problem: misplaced.problem,
    })
}

/// A problem and its place.
struct Misplaced {
    line: usize,
    column: usize,
    problem: JobFileProblem,
}

impl Misplaced {
    const fn at(line: usize, column: usize, problem: JobFileProblem) -> Self {
        Self {
            line,
            column,
            problem,
        }
    }
}

/// A job with all that its section and the `[global]`s before it set.
struct Job<'a> {
    name: &'a str,
    line: usize,
    column: usize,
    settings: Settings,
}

/// Everything the file says, in its order.
struct Sections<'a> {
    header: Header,
    jobs: Vec<Job<'a>>,
}

impl<'a> Sections<'a> {
    fn collect(text: &'a str) -> Result<Self, Misplaced> {
        if text.len() > TEXT_BYTES_MAX {
            let (bytes, limit) = (text.len(), TEXT_BYTES_MAX);
            return Err(Misplaced::at(
                1,
                1,
                JobFileProblem::TooLong { bytes, limit },
            ));
        }
        let mut header = Header::default();
        let mut global = Settings::default();
        let mut jobs: Vec<Job<'a>> = Vec::new();
        let mut place = Place::Nowhere;
        let lines: Vec<Located<'a>> = scan(text).collect();
        for (index, located) in lines.iter().enumerate() {
            match &located.line {
                Line::BadSection => {
                    return Err(at(located, JobFileProblem::BadSection));
                }
                Line::Section(name) => {
                    place = open(name, located, &global, &mut jobs)?;
                    let target = place.settings(&mut global, &mut jobs);
                    size_notation(&lines[index + 1..], target)?;
                }
                Line::Entry(entry) => match place.settings(&mut global, &mut jobs) {
                    Some(settings) => apply_entry(located, entry, settings)?,
                    None => return Err(outside(located, entry)),
                },
                Line::Pragma(entry) => {
                    let settings = place.settings(&mut global, &mut jobs);
                    Pragma::apply(entry.key, entry.value, &mut header, settings)
                        .map_err(|problem| at_entry(located, entry, problem))?;
                }
            }
        }
        Ok(Self { header, jobs })
    }

    fn job_file(mut self, source_name: &str) -> Result<JobFile, Misplaced> {
        self.jobs.retain(|job| !job.settings.removes_file);
        if self.jobs.is_empty() {
            return Err(Misplaced::at(1, 1, JobFileProblem::NoJobs));
        }
        self.check_one_target()?;
        let seed = self.header.seed.or(self.common_seed()?);
        let plan = Plan {
            method: (self.header.method.clone()).unwrap_or_else(|| format!("fio/{source_name}")),
            seed: seed.unwrap_or(FIO_SEED),
            stages: self.stages()?,
        };
        Ok(JobFile {
            plan,
            interval: self.header.interval,
        })
    }

    fn stages(&self) -> Result<Vec<Stage>, Misplaced> {
        let ends: Option<Vec<u64>> = self.jobs.iter().map(|job| job.settings.end()).collect();
        let target_end = ends.and_then(|ends| ends.into_iter().max());
        let mut stages: Vec<Stage> = Vec::new();
        for job in &self.jobs {
            let workload = (job.settings.workload(job.name, target_end))
                .map_err(|problem| job.problem(problem))?;
            match stages.last_mut() {
                Some(stage) if !job.settings.stonewall => stage.workloads.push(workload),
                _ => stages.push(Stage {
                    workloads: vec![workload],
                }),
            }
        }
        Ok(stages)
    }

    /// A file with two targets must not run on one: a write meant for a scratch
    /// file would hit the other.
    fn check_one_target(&self) -> Result<(), Misplaced> {
        let target = |job: &Job| {
            let settings = &job.settings;
            (settings.directory.clone(), settings.file_name.clone())
        };
        let first = target(&self.jobs[0]);
        match self.jobs.iter().find(|job| target(job) != first) {
            None => Ok(()),
            Some(job) => Err(job.problem(JobFileProblem::SeveralTargets {
                job: job.name.to_owned(),
            })),
        }
    }

    fn common_seed(&self) -> Result<Option<u64>, Misplaced> {
        let mut common = None;
        for job in &self.jobs {
            match (common, job.settings.seed) {
                (Some(earlier), Some(seed)) if earlier != seed => {
                    let job_name = job.name.to_owned();
                    return Err(job.problem(JobFileProblem::SeveralSeeds { job: job_name }));
                }
                (None, seed) => common = seed,
                _ => {}
            }
        }
        Ok(common)
    }
}

impl Job<'_> {
    const fn problem(&self, problem: JobFileProblem) -> Misplaced {
        Misplaced::at(self.line, self.column, problem)
    }
}

/// Which section a line belongs to.
#[derive(Clone, Copy)]
enum Place {
    Nowhere,
    Global,
    Job,
}

impl Place {
    fn settings<'s>(
        self,
        global: &'s mut Settings,
        jobs: &'s mut [Job<'_>],
    ) -> Option<&'s mut Settings> {
        match self {
            Self::Nowhere => None,
            Self::Global => Some(global),
            Self::Job => jobs.last_mut().map(|job| &mut job.settings),
        }
    }
}

fn open<'a>(
    name: &'a str,
    located: &Located<'a>,
    global: &Settings,
    jobs: &mut Vec<Job<'a>>,
) -> Result<Place, Misplaced> {
    if name == "global" {
        return Ok(Place::Global);
    }
    if jobs.len() == JOBS_MAX {
        let limit = JOBS_MAX;
        return Err(at(located, JobFileProblem::TooManyJobs { limit }));
    }
    jobs.push(Job {
        name,
        line: located.number,
        column: located.column,
        settings: global.clone(),
    });
    Ok(Place::Job)
}

/// fio reads a section's `kb_base` before its other options, wherever it stands.
fn size_notation(rest: &[Located<'_>], settings: Option<&mut Settings>) -> Result<(), Misplaced> {
    let Some(settings) = settings else {
        return Ok(());
    };
    for located in rest {
        match &located.line {
            Line::Section(_) | Line::BadSection => break,
            Line::Entry(entry) if entry.key == "kb_base" => {
                apply_entry(located, entry, settings)?;
            }
            Line::Entry(_) | Line::Pragma(_) => {}
        }
    }
    Ok(())
}

fn apply_entry(
    located: &Located<'_>,
    entry: &Entry<'_>,
    settings: &mut Settings,
) -> Result<(), Misplaced> {
    let option = MethodOption::find(entry.key).map_err(|problem| at(located, problem))?;
    option
        .apply(settings, entry.value)
        .map_err(|problem| at_entry(located, entry, problem))
}

const fn at(located: &Located<'_>, problem: JobFileProblem) -> Misplaced {
    Misplaced::at(located.number, located.column, problem)
}

/// At the value where that is wrong, at the word where that is unknown.
fn at_entry(located: &Located<'_>, entry: &Entry<'_>, problem: JobFileProblem) -> Misplaced {
    let of_value = matches!(
        problem,
        JobFileProblem::BadValue { .. } | JobFileProblem::MissingValue { .. }
    );
    let column = if of_value {
        entry.value_column
    } else {
        located.column
    };
    Misplaced::at(located.number, column, problem)
}

fn outside(located: &Located<'_>, entry: &Entry<'_>) -> Misplaced {
    let option = entry.key.to_owned();
    at(located, JobFileProblem::OutsideSection { option })
}

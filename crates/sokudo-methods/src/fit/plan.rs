//! Questions such as "is it fast enough for etcd": what is measured for each, and what it has to
//! come to.
//!
//! All figures stand in `questions.toml` with their sources; own questions are read from files of
//! the same form, which nobody is to be trusted with: every value has its bounds.

mod limit;
mod parameter;
mod table;

use parameter::Parameter;
use sokudo_model::{
    BackendKind, Bytes, DirectMode, Durability, Estimand, Files, FitCriterion, FitMetric,
    FitQuestion, Limits, Measures, Method, MethodKind, Nanos, Operation, OperationMix, Order,
    Pacing, Plan, Span, Workload,
};
use sokudo_words::Text;
use table::{DirectionWord, DurabilityWord, OrderWord, QuestionTable, RowTable};

pub static METHOD: MethodKind = MethodKind {
    name: "fit",
    command: "fit",
    is_named: true,
    traits: &[],
};

pub use table::{QUESTIONS_BYTES_MAX, ReadQuestionsError};

/// What sokudo knows by itself.
const KNOWN: &str = include_str!("plan/questions.toml");

/// A write of a device without a page cache is of whole sectors.
const SECTOR: u64 = 512;

/// A question with what is measured for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// What is asked, without command lines of fio.
    pub question: FitQuestion,
    rows: Vec<RowTable>,
}

/// What a question is asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitTarget {
    /// A directory, in which a file is made.
    Directory,
    /// A simulated device, or none at all.
    Simulated,
}

/// Questions that can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitQuestions {
    questions: Vec<QuestionTable>,
    /// Whether sokudo knows them by itself.
    are_known: bool,
}

/// A question cannot be asked so.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum QuestionError {
    /// It is not there.
    #[error("there are no criteria for {what}; use {names}, or --file")]
    Unknown {
        what: String,
        /// Names of the known questions, separated by commas.
        names: String,
    },
    /// It takes something behind its name, or something else.
    #[error("{name} takes {choices}; write it as {name}:…")]
    Parameter {
        name: String,
        /// Values that the parameter may have.
        choices: Box<Text>,
    },
    #[error("{name} takes nothing after its name; leave \"{given}\" out")]
    NoParameter { name: String, given: String },
}

impl FitQuestions {
    /// Those that sokudo knows by itself.
    ///
    /// # Panics
    /// When `questions.toml` is not as it should be, which a test says.
    pub fn known() -> Self {
        let known = Self::read(KNOWN).expect("questions.toml follows its own rules");
        Self {
            are_known: true,
            ..known
        }
    }

    /// Those of a file.
    ///
    /// # Errors
    /// When the text is no TOML, has other fields, or values beyond their bounds.
    pub fn read(text: &str) -> Result<Self, ReadQuestionsError> {
        table::read(text).map(|questions| Self {
            questions,
            are_known: false,
        })
    }

    /// What a question takes behind its name.
    fn parameter(&self, question: &QuestionTable) -> Option<Parameter> {
        let known = self.are_known.then_some(&question.name.0);
        known.and_then(|name| Parameter::of(name))
    }

    /// All of them, with what they take behind their names.
    pub fn all(&self) -> Vec<FitQuestion> {
        let listed = |table: &QuestionTable| {
            let mut question = Fit::of(table.clone()).question;
            if let Some(parameter) = self.parameter(table) {
                question.name = format!("{}:{}", question.name, parameter.form());
            }
            question
        };
        self.questions.iter().map(listed).collect()
    }

    /// One of them, such as `etcd` or `backup:2TB/8`.
    ///
    /// # Errors
    /// When it is not there, or takes something else behind its name.
    pub fn ask(&self, what: &str) -> Result<Fit, QuestionError> {
        let (name, given) = match what.split_once(':') {
            Some((name, given)) => (name, Some(given)),
            None => (what, None),
        };
        let found = self.questions.iter().find(|it| it.is_called(name));
        let mut table = found.cloned().ok_or_else(|| {
            let names: Vec<String> = self.all().into_iter().map(|it| it.name).collect();
            QuestionError::Unknown {
                what: what.to_owned(),
                names: names.join(", "),
            }
        })?;
        let name = table.name.0.clone();
        let full_name = match given {
            Some(given) => format!("{name}:{given}"),
            None => name.clone(),
        };
        match (self.parameter(&table), given) {
            (None, None) => {}
            (None, Some(given)) => {
                let given = given.to_owned();
                return Err(QuestionError::NoParameter { name, given });
            }
            (Some(parameter), given) => {
                let put = |given| parameter.put_into(&mut table, given);
                given
                    .and_then(put)
                    .ok_or_else(|| QuestionError::Parameter {
                        name,
                        choices: Box::new(parameter.choices()),
                    })?;
            }
        }
        let mut fit = Fit::of(table);
        fit.question.name = full_name;
        Ok(fit)
    }
}

impl Fit {
    fn of(table: QuestionTable) -> Self {
        let rows = || table.rows.iter().zip(0..);
        let criteria = rows().flat_map(|(row, number)| {
            let figures = row.figures.iter();
            figures.map(move |figure| FitCriterion {
                row: number,
                metric: figure.metric,
                writes: match figure.metric {
                    FitMetric::Commits => row.writes_per_commit.0,
                    _ => 1,
                },
                limit: figure.limit,
            })
        });
        Self {
            question: FitQuestion {
                name: table.name.0.clone(),
                asks: table.asks.0.clone(),
                source: table.source.0.clone(),
                date: table.date.0.clone(),
                remark: table.remark.0.clone(),
                criteria: criteria.collect(),
                fio: Vec::new(),
            },
            rows: table.rows,
        }
    }

    /// Whether its file is empty where a trial begins.
    pub fn grows(&self) -> bool {
        self.rows.iter().any(|row| row.grows)
    }

    /// Whether what it has written is read back, which is not to come from the page cache.
    pub fn reads_back(&self) -> bool {
        self.rows
            .iter()
            .any(|row| row.direction == DirectionWord::Read)
    }

    /// How large a file it takes.
    pub fn size(&self) -> Bytes {
        let sizes = self.rows.iter().map(|row| row.size.0);
        sizes.max().unwrap_or_default()
    }

    /// The rows that a simulated device, which has neither files nor a page cache, does in another
    /// way, with the block that it writes instead.
    pub fn rounded(&self) -> impl Iterator<Item = (&str, Bytes, Bytes)> {
        let rounded = self
            .rows
            .iter()
            .filter(|row| row.block.0 != whole_sectors(row.block.0));
        rounded.map(|row| (&*row.name.0, row.block.0, whole_sectors(row.block.0)))
    }

    /// The plan: every row alone, one after the other, each for `time` where that is given.
    pub fn plan(&self, target: FitTarget, seed: u64, time: Option<Nanos>) -> Plan {
        let size = self.size();
        let rows = self.rows.iter();
        let workloads = rows.map(|row| Workload {
            limits: row.limits(time),
            ..row.workload(target, size)
        });
        let method = Method::named(&METHOD, self.question.name.clone());
        Plan::in_turn(method, seed, workloads.collect())
    }
}

impl RowTable {
    fn limits(&self, time: Option<Nanos>) -> Limits {
        let time = time.unwrap_or(self.time.0);
        Limits {
            // Frames are counted; a disk that is far too slow is not waited for.
            time: Some(match self.ios {
                Some(_) => Nanos(time.0.saturating_mul(2)),
                None => time,
            }),
            bytes: self.amount.map(|amount| amount.0),
            ios: self.ios,
            ..Limits::default()
        }
    }

    fn workload(&self, target: FitTarget, size: Bytes) -> Workload {
        let is_simulated = target == FitTarget::Simulated;
        let block = match is_simulated {
            true => whole_sectors(self.block.0),
            false => self.block.0,
        };
        let operation = match self.direction {
            DirectionWord::Read => Operation::Read,
            DirectionWord::Write => Operation::Write,
        };
        let length = self.span.map_or(self.size.0, |span| span.0);
        let durability = self.durability();
        Workload {
            threads: self.jobs.0,
            // One call after the other, as these programs write.
            backend: match self.depth.0 == 1 && !is_simulated {
                true => BackendKind::Psync,
                false => BackendKind::Auto,
            },
            direct: match self.direct || is_simulated {
                true => DirectMode::Auto,
                false => DirectMode::Off,
            },
            operations: OperationMix::only(operation),
            order: match self.order {
                OrderWord::Sequential => Order::SEQUENTIAL,
                OrderWord::Random => Order::Random { map: false },
            },
            span: (is_simulated || length < size).then_some(Span::from_start(length)),
            files: Files {
                from_empty: self.grows && !is_simulated,
                ..Files::default()
            },
            depth: self.depth.0,
            pacing: Pacing {
                rate: self.rate,
                ..Pacing::default()
            },
            measures: Measures {
                estimand: match durability.final_flush || self.amount.is_some() {
                    true => Estimand::Work,
                    false => Estimand::Sustained,
                },
                ..Measures::default()
            },
            durability,
            ..Workload::new(self.name.0.clone(), block)
        }
    }

    fn durability(&self) -> Durability {
        let every = Some(self.writes_per_commit.0);
        let mut rule = Durability::default();
        match self.durability {
            DurabilityWord::None | DurabilityWord::End => {}
            DurabilityWord::Fsync => rule.fsync_every = every,
            DurabilityWord::Fdatasync => rule.fdatasync_every = every,
            DurabilityWord::Dsync => rule.write_through = true,
            DurabilityWord::Sync => (rule.write_through, rule.with_metadata) = (true, true),
        }
        // What is written last is no exception.
        rule.final_flush = self.durability == DurabilityWord::End
            || rule.fsync_every.or(rule.fdatasync_every).is_some();
        rule
    }
}

fn whole_sectors(block: Bytes) -> Bytes {
    Bytes(block.0.next_multiple_of(SECTOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str) -> Fit {
        FitQuestions::known().ask(name).unwrap()
    }

    #[test]
    fn every_threshold_has_a_source_and_a_date() {
        for question in FitQuestions::known().all() {
            let FitQuestion {
                name,
                asks,
                source,
                date,
                criteria,
                ..
            } = &question;
            assert!(asks.ends_with('?'), "{name}");
            assert!(
                source.contains("https://") || source.starts_with("arithmetic"),
                "{name}"
            );
            assert!(date.len() == 10 && date.starts_with("20"), "{name}: {date}");
            assert!(!criteria.is_empty(), "{name}");
            for sentence in [asks, &question.remark] {
                let japanese = sokudo_words::Language::Japanese;
                assert!(
                    sentence.is_empty() || japanese.knows(sentence),
                    "{sentence}"
                );
            }
        }
    }

    #[test]
    fn etcd_is_as_its_line_for_fio_has_it() {
        let fit = one("etcd");
        assert!(fit.grows());
        let plan = fit.plan(FitTarget::Directory, 1, None);
        let workload = &plan.stages[0].workloads[0];
        assert_eq!(workload.blocks.single(), Some(Bytes(2_300)));
        assert_eq!(workload.limits.bytes, Some(Bytes::mib(22)));
        assert_eq!(workload.durability.fdatasync_every, Some(1));
        assert_eq!(
            (workload.direct, workload.files.from_empty),
            (DirectMode::Off, true)
        );
        assert_eq!(fit.question.criteria[0].metric.to_string(), "sync-p99");
        assert_eq!(fit.question.criteria[0].limit.unwrap().value, 10_000_000);
    }

    #[test]
    fn a_simulated_device_writes_whole_sectors_from_its_start() {
        let fit = one("etcd");
        let plan = fit.plan(FitTarget::Simulated, 1, None);
        let workload = &plan.stages[0].workloads[0];
        assert_eq!(workload.blocks.single(), Some(Bytes(2_560)));
        assert_eq!(
            (workload.direct, workload.files.from_empty),
            (DirectMode::Auto, false)
        );
        assert_eq!(workload.span, Some(Span::from_start(Bytes::mib(22))));
        let rounded: Vec<_> = fit.rounded().collect();
        assert_eq!(rounded, [("log", Bytes(2_300), Bytes(2_560))]);
        assert_eq!(one("proxmox").rounded().count(), 0);
    }

    #[test]
    fn a_time_of_ones_own_holds_for_every_row() {
        let time = Nanos::from_millis(50);
        for stage in one("postgres")
            .plan(FitTarget::Directory, 1, Some(time))
            .stages
        {
            assert_eq!(stage.workloads[0].limits.time, Some(time));
        }
    }

    const OWN: &str = "\
[[question]]
name = \"mine\"
asks = \"Is it?\"

[[question.row]]
name = \"a\"
direction = \"write\"
block = \"4KiB\"
size = \"1MiB\"
time = \"1s\"

[[question.row.figure]]
metric = \"iops\"
must_be = \"> 5/s\"
";

    #[test]
    fn own_questions_are_read_in_the_same_form() {
        let questions = FitQuestions::read(OWN).unwrap();
        assert_eq!(questions.all().len(), 1);
        assert_eq!(questions.ask("mine").unwrap().size(), Bytes::mib(1));
        // What its name takes elsewhere it does not take here.
        let video = FitQuestions::read(&OWN.replacen("mine", "video", 1)).unwrap();
        assert_eq!(video.ask("video").unwrap().size(), Bytes::mib(1));
        assert!(video.ask("video:dpx-4k@24").is_err());
    }

    #[test]
    fn what_is_wrong_in_a_file_is_told_in_a_line_with_its_line() {
        for (from, to, line, words) in [
            ("1MiB", "2PiB", 9, "out of range"),
            ("4KiB", "4 cows", 8, "not a size"),
            ("4KiB", "2MiB", 1, "block is larger"),
            ("\"1s\"", "\"2h\"", 10, "out of range"),
            ("> 5/s", "> 5ms", 12, "wrong kind"),
            ("> 5/s", "5/s", 14, "not a limit"),
            ("\"iops\"", "\"iop\"", 13, "no figure"),
            ("direction", "dir", 7, "unknown field"),
            ("asks", "parameter = \"MODEL\"\nasks", 3, "unknown field"),
            ("\"mine\"", "\"\\u001b[31m\"", 2, "no name"),
            ("Is it?", "\\u0007", 3, "not one line"),
            (
                "[[question.row.figure]]",
                "grows = true\n[[question.row.figure]]",
                1,
                "to name an amount",
            ),
            ("write", "read\"\ndurability = \"fsync", 1, "reads durable"),
            ("name = \"mine\"", "name = mine", 2, ""),
        ] {
            let text = OWN.replacen(from, to, 1);
            let error = FitQuestions::read(&text).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("line {line}: ")),
                "{to}: {error}"
            );
            assert!(
                error.contains(words) && !error.contains('\n'),
                "{to}: {error}"
            );
        }
        let twice = format!("{OWN}{OWN}");
        let error = FitQuestions::read(&twice).unwrap_err().to_string();
        assert!(error.starts_with("line 15: mine is there twice"), "{error}");
        assert!(FitQuestions::read("").is_err());
        let long = "#".repeat(usize::try_from(QUESTIONS_BYTES_MAX).unwrap() + 1);
        assert!(
            FitQuestions::read(&long)
                .unwrap_err()
                .to_string()
                .contains("65536 bytes")
        );
    }

    /// The threshold of a question's first figure.
    fn value(what: &str) -> u64 {
        one(what).question.criteria[0].limit.unwrap().value
    }

    #[test]
    fn frames_are_as_large_as_their_pixels_are_packed() {
        for (what, frame, per_second) in [
            // 4096 × 3112 × 4 bytes, and a header of 2,048; whole blocks of 4 KiB.
            ("video:dpx-4k@24", 50_991_104, 1_223_786_496),
            // 1920 pixels are 40 groups of 48, of 128 bytes each.
            ("video:v210-hd@29.97", 5_529_600, 165_722_112),
        ] {
            let plan = one(what).plan(FitTarget::Directory, 1, None);
            for stage in &plan.stages {
                let workload = &stage.workloads[0];
                assert_eq!(workload.blocks.single(), Some(Bytes(frame)), "{what}");
                assert_eq!(
                    workload.pacing.rate,
                    Some(sokudo_model::Rate::BytesPerSecond(per_second))
                );
                assert!(workload.limits.ios.unwrap() >= 48);
            }
        }
    }

    #[test]
    fn a_question_is_known_by_its_other_name_and_in_any_letters() {
        let known = FitQuestions::known();
        for name in ["postgres", "postgresql", "PostgreSQL", "Postgres"] {
            assert_eq!(known.ask(name).unwrap().question.name, "postgres");
        }
        assert_eq!(
            known.ask("BACKUP:1PiB/100").unwrap().question.name,
            "backup:1PiB/100"
        );
        assert!(known.ask("postgre").is_err());
    }

    #[test]
    fn what_is_asked_for_is_computed_of_what_is_given() {
        assert_eq!(value("backup:2TB/8"), 69_444_444);
        assert_eq!(value("backup:10TB/8"), 347_222_222);
        assert_eq!(value("checkpoint:105GB/100s"), 1_050_000_000);
        // 0.9 × 7 × 146,600,628 B ÷ 0.323 s.
        assert_eq!(value("dataloader:unet3d-h100"), 2_859_393_054);
        assert_eq!(one("checkpoint:1GiB").question.criteria[0].limit, None);
    }

    #[test]
    fn what_cannot_be_asked_is_told_with_what_can() {
        let questions = FitQuestions::known();
        for (what, words) in [
            ("etd", "use etcd, proxmox, "),
            ("etcd:now", "takes nothing"),
            ("video", "takes FORMAT@FPS, such as dpx-4k@24; formats: "),
            ("video:dpx-4k", "formats: "),
            ("video:dpx-4k@0", "formats: "),
            ("video:dpx-4k@NaN", "formats: "),
            ("video:vhs@25", "formats: "),
            ("backup:2TB", "2TB/8"),
            ("backup:2TB/0", "2TB/8"),
            ("backup:999999PB/1", "2TB/8"),
            ("checkpoint:0", "105GB"),
            ("checkpoint:1GB/0s", "105GB"),
            ("dataloader:bert", "MODEL: unet3d-h100"),
        ] {
            let error = questions.ask(what).unwrap_err().to_string();
            assert!(error.contains(words), "{what}: {error}");
        }
    }
}

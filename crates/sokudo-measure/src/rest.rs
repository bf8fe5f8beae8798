//! What is left of a stage after an earlier part of a run: some of its workloads, each from where it
//! was left on. Of a run that begins it is the whole stage.

use sokudo_model::{Event, Row, Stage, SurveyPosition, Trial};

/// What is left of one trial of a stage.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StageRest {
    /// Workloads that are to be carried out, by their places in the stage.
    left: Vec<WorkloadRest>,
}

#[derive(Debug, PartialEq, Eq)]
struct WorkloadRest {
    index: usize,
    /// Where its survey was left; `None` where nothing of it has been done.
    resumed_at: Option<SurveyPosition>,
}

impl StageRest {
    /// Of this trial of a stage with these rows, one per workload.
    pub(crate) fn of(stage: &Stage, trial: usize, rows: &[Row]) -> Self {
        let of_workload = |(index, row): (usize, &Row)| {
            let Some(begun) = row.trials.get(trial) else {
                return Some(WorkloadRest {
                    index,
                    resumed_at: None,
                });
            };
            stage.workloads[index].survey()?;
            Some(WorkloadRest {
                index,
                resumed_at: Some(begun.outcome.left_at?),
            })
        };
        let left = rows.iter().enumerate().filter_map(of_workload).collect();
        Self { left }
    }

    /// All of a stage.
    pub(crate) fn whole(stage: &Stage) -> Self {
        let all = (0..stage.workloads.len()).map(|index| WorkloadRest {
            index,
            resumed_at: None,
        });
        Self {
            left: all.collect(),
        }
    }

    /// Whether all of it has been done.
    pub(crate) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// The stage without what has been done.
    pub(crate) fn stage(&self, whole: &Stage) -> Stage {
        let of_workload = |rest: &WorkloadRest| {
            let mut workload = whole.workloads[rest.index].clone();
            if let Some(survey) = workload.survey_mut() {
                survey.resumed_at = rest.resumed_at;
            }
            workload
        };
        Stage {
            workloads: self.left.iter().map(of_workload).collect(),
        }
    }

    /// What happens to a workload of that stage, as of its place in the whole one.
    pub(crate) fn of_whole(&self, mut event: Event) -> Event {
        if let Some(workload) = event.workload_mut() {
            *workload = self.left[*workload].index;
        }
        event
    }

    /// The trials of that stage, each with the place of its row, added to what was left there.
    pub(crate) fn added(&self, trials: Vec<Trial>, rows: &[Row]) -> Vec<(usize, Trial)> {
        let added = |(rest, trial): (&WorkloadRest, Trial)| {
            let before = rest.resumed_at.and(rows[rest.index].trials.last());
            let trial = match before {
                Some(before) => before.clone().followed_by(&trial),
                None => trial,
            };
            (rest.index, trial)
        };
        self.left.iter().zip(trials).map(added).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{
        BackendKind, Bytes, Outcome, Sample, StopReason, Survey, Visit, Work, Workload,
    };

    fn trial(bytes: u64, left_at: Option<SurveyPosition>) -> Trial {
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Ended);
        (outcome.read_aside, outcome.left_at) = (Bytes(bytes), left_at);
        Trial::new(outcome)
    }

    /// Surveys of several disks, and how far their rows have come: made, left, not begun.
    fn begun() -> (Stage, Vec<Row>, SurveyPosition) {
        let left_at = SurveyPosition {
            index: 3,
            offset: Bytes(4096),
        };
        let trials = [vec![trial(1, None)], vec![trial(2, Some(left_at))], vec![]];
        let workload = |name: &str| {
            let mut workload = Workload::new(name, Bytes(4096));
            workload.work = Work::Survey(Survey::new(9, Visit::Ascending, Sample::Whole));
            workload
        };
        let workloads: Vec<Workload> = ["a", "b", "c"].map(workload).into();
        let rows = workloads.iter().cloned().zip(trials);
        let rows = rows.map(|(workload, trials)| Row {
            trials,
            ..Row::new(workload)
        });
        let rows = rows.collect();
        (Stage { workloads }, rows, left_at)
    }

    #[test]
    fn what_is_made_is_left_out_and_the_others_go_on_where_they_were() {
        let (stage, rows, left_at) = begun();
        let rest = StageRest::of(&stage, 0, &rows);
        let left = rest.stage(&stage);
        let names: Vec<&str> = left.workloads.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
        let resumed = |index: usize| left.workloads[index].survey().unwrap().resumed_at;
        assert_eq!((resumed(0), resumed(1)), (Some(left_at), None));
        let event = rest.of_whole(Event::MakingDurable { workload: 1 });
        assert_eq!(event, Event::MakingDurable { workload: 2 });
        let added = rest.added(vec![trial(10, None), trial(20, None)], &rows);
        let aside = added
            .iter()
            .map(|(index, it)| (*index, it.outcome.read_aside.0));
        assert_eq!(aside.collect::<Vec<_>>(), [(1, 12), (2, 20)]);
    }

    #[test]
    fn a_trial_that_nobody_has_begun_is_of_all_workloads() {
        let (stage, rows, _) = begun();
        assert_eq!(StageRest::of(&stage, 1, &rows), StageRest::whole(&stage));
        assert!(StageRest::of(&stage, 0, &rows[..1]).is_empty());
    }
}

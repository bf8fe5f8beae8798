//! Whole comparisons on a device of known latency, from the plans to the conclusion.

use clap::{CommandFactory, Parser};
use sokudo_history::past_runs::Past;
use sokudo_model::Conclusion;
use sokudo_terminal::definition;

use super::*;
use crate::cli::{Cli, Command};

/// What comes of comparing a device of so many µs, give or take 10 %, with one of 100.
fn conclusion(latency_us: u32, seed: u64) -> Conclusion {
    definition::hand_over(Cli::command);
    let plan = |latency: u32| {
        format!("mark 'sim:const?latency={latency}us&jitter=10us' --row RND4K,Q1,read --time 2ms")
    };
    let sources = [plan(100), plan(latency_us)];
    let words = ["sokudo", "compare", "--live", "--min-difference", "0"];
    let cli = Cli::try_parse_from(words.into_iter().chain(sources.iter().map(String::as_str)));
    let Ok(Some(Command::Compare(arguments))) = cli.map(|cli| cli.command) else {
        panic!("these are arguments of compare")
    };
    let mut plans = sources
        .each_ref()
        .map(|source| plans::ComparedPlan::parse(source).unwrap());
    seed_plans(&mut plans, seed);
    let turns = PairSchedule {
        pairs: 6,
        seed,
        plans: String::new(),
        asking: Asking {
            quiet: true,
            yes: false,
        },
        control: &Control::new(),
    };
    let (runs, ended_by) = turns.of_plans(&plans).unwrap();
    assert!(ended_by.is_none());
    let sides: Vec<FoundRun> = sources
        .into_iter()
        .zip(&runs)
        .map(|(source, run)| FoundRun {
            id: None,
            annotations: Annotations::default(),
            source,
            run: RunDocument::from_run(run),
        })
        .collect();
    let document = super::super::document(&sides, &arguments, &mut Past::default());
    document.rows().next().unwrap().compared.conclusion
}

#[test]
fn the_same_device_is_called_different_from_itself_in_at_most_5_percent() {
    let runs = 300;
    let alarms = (0..runs).filter(|seed| conclusion(100, *seed) != Conclusion::NoDifferenceShown);
    let alarms = alarms.count();
    // The level of six pairs is 2/64; no alarm at all would be no test.
    assert!((1..=15).contains(&alarms), "{alarms} of {runs}");
}

#[test]
fn steps_of_ten_percent_are_found_in_both_directions() {
    for seed in 0..50 {
        assert_eq!(conclusion(110, seed), Conclusion::Slower, "seed {seed}");
        assert_eq!(conclusion(90, seed), Conclusion::Faster, "seed {seed}");
    }
}

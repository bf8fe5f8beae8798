//! What probes look for, and what of it was not concluded.

use sokudo_analysis::code::Code;
use sokudo_analysis::explain::untold;
use sokudo_analysis::rule::MethodRules;
use sokudo_model::{Inference, Row, Run};

/// Rules of its own.
pub(crate) static RULES: MethodRules = MethodRules {
    inferences: &[not_concluded],
    looked_for,
    ..MethodRules::NONE
};

fn not_concluded(run: &Run) -> Option<Inference> {
    is_own(run).then(|| untold(run))?
}

/// A probe reads a small part again and again to meet a cache, and writes until the speed falls.
/// What that shows is a conclusion.
fn looked_for(run: &Run, _: Option<&Row>, code: Code) -> bool {
    is_own(run) && (code.is_of_caches() || code.is_about_steadiness())
}

fn is_own(run: &Run) -> bool {
    run.plan.method.is_of(&super::plan::METHOD)
}

#[cfg(test)]
mod tests {
    use sokudo_analysis::sample::{reads, writes};
    use sokudo_model::Method;

    use super::*;

    /// The findings of a run and of its first row.
    fn found(mut run: Run, change: impl FnOnce(&mut Run)) -> Vec<String> {
        change(&mut run);
        sokudo_analysis::judge(&mut run);
        let of_row = run.rows.remove(0).assessment.unwrap().findings;
        let all = run.findings.into_iter().chain(of_row);
        all.map(|it| it.code).collect()
    }

    #[test]
    fn probes_are_not_blamed_for_what_they_look_for() {
        crate::commands::hand_over();
        let explained =
            |run: &mut Run| run.plan.method = Method::new(&crate::explain::plan::METHOD);
        let few = |run: &mut Run| run.rows[0].trials.truncate(3);
        let flash = |run: &mut Run| {
            for device in &mut run.target.devices {
                device.rotational = Some(false);
            }
        };
        assert_eq!(found(reads(), few), ["few-trials"]);
        assert_eq!(found(writes(), flash), ["not-preconditioned"]);
        let explain = |run, spoil: fn(&mut Run)| {
            found(run, |run| {
                spoil(run);
                explained(run);
            })
        };
        assert_eq!(explain(reads(), few), [""; 0]);
        assert_eq!(explain(writes(), flash), [""; 0]);
    }
}

//! What is not looked for in a checkup.

use sokudo_analysis::code::Code;
use sokudo_analysis::rule::MethodRules;
use sokudo_model::{Row, Run};

/// Rules of its own.
pub(crate) static RULES: MethodRules = MethodRules {
    looked_for,
    ..MethodRules::NONE
};

/// The surface and the capacity are looked at once, so that nothing shows how far trials agree; the
/// check of the capacity meets caches, and gets past them.
fn looked_for(run: &Run, row: Option<&Row>, code: Code) -> bool {
    let workload = row.map(|row| &row.workload);
    let once = workload.filter(|it| run.schedule.makes_once(it));
    once.is_some_and(|it| code.is_about_steadiness() || it.checks_capacity() && code.is_of_caches())
}

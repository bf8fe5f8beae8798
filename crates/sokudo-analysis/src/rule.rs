//! What a rule is: it sees one row, or the run, and says nothing or one thing.

use std::sync::OnceLock;

use sokudo_model::{Inference, Row, Run};

use crate::case::RowContext;
use crate::code::{Code, MethodCode, RuleResult};

/// A rule about one row.
pub(crate) type RowRule = fn(&RowContext<'_>) -> Option<RuleResult>;

/// A rule about the run as a whole.
pub(crate) type RunRule = fn(&Run) -> Option<RuleResult>;

/// A rule about the run that may conclude one thing of its device.
pub(crate) type InferenceRule = fn(&Run) -> Option<Inference>;

/// Whether a finding of the run, or of one of its rows, is what was measured for: as doubt about
/// a figure it would only be noise.
pub(crate) type LookedFor = fn(&Run, Option<&Row>, Code) -> bool;

/// The rules that a method alone has. Each is asked of every run.
pub struct MethodRules {
    /// What its rules can say.
    pub codes: &'static [&'static MethodCode],
    /// Rules asked of each row by itself.
    pub rows: &'static [RowRule],
    /// Of the run, or of what was done to one of its targets.
    pub runs: &'static [RunRule],
    /// Rules that conclude something about the device.
    pub inferences: &'static [InferenceRule],
    /// What findings of any run are no findings of its own.
    pub looked_for: LookedFor,
    /// What else is thought of the run, once all of its rows are judged.
    pub whole: Option<fn(&mut Run)>,
}

impl MethodRules {
    /// No rule, to begin with.
    pub const NONE: Self = Self {
        codes: &[],
        rows: &[],
        runs: &[],
        inferences: &[],
        looked_for: |_, _, _| false,
        whole: None,
    };
}

static OF_METHODS: OnceLock<Vec<&'static MethodRules>> = OnceLock::new();

/// From now on runs are judged by these rules, too.
pub fn hand_over(rules: impl IntoIterator<Item = &'static MethodRules>) {
    OF_METHODS.get_or_init(|| rules.into_iter().collect());
}

/// The rules that were handed over.
pub fn of_methods() -> impl Iterator<Item = &'static MethodRules> {
    OF_METHODS.get().into_iter().flatten().copied()
}

/// Whether a method looked for what was found.
pub(crate) fn is_looked_for(run: &Run, row: Option<&Row>, code: Code) -> bool {
    of_methods().any(|rules| (rules.looked_for)(run, row, code))
}

/// The code of this name; `None` of one that a later version knows.
pub fn code_named(name: &str) -> Option<Code> {
    let own = of_methods().flat_map(|rules| rules.codes).copied();
    let mut all = Code::OF_ALL.into_iter().chain(own.map(Code::Of));
    all.find(|code| code.name() == name)
}

/// Every code, those that change a figure most first.
pub fn all_codes() -> Vec<Code> {
    let own = of_methods().flat_map(|rules| rules.codes).copied();
    let mut all: Vec<Code> = Code::OF_ALL.into_iter().chain(own.map(Code::Of)).collect();
    all.sort_by_key(|code| code.weight());
    all
}

//! What a method declares beside its command: crates below ask it of what they are handed, and know
//! no method by its name.

#[cfg(test)]
use sokudo_analysis::method::Stated;
use sokudo_analysis::rule::MethodRules;
use sokudo_model::MethodKind;
use sokudo_page::TargetForm;
use sokudo_report::document::ViewKind;
use sokudo_report::plot::PlotKind;
use sokudo_report::view::Showing;

/// What a method declares.
pub struct Declared {
    /// What its plans are called, and what is so of them.
    pub kinds: &'static [&'static MethodKind],
    /// What it makes of a run as a whole.
    pub views: &'static [&'static ViewKind],
    /// How its runs are shown.
    pub showings: &'static [Showing],
    /// Pictures that it alone has, or draws instead of those of any run.
    pub pictures: &'static [PlotKind],
    /// Rules that it alone has.
    pub rules: &'static [&'static MethodRules],
    /// The thresholds of these rules, as docs/METHOD.md states them.
    #[cfg(test)]
    pub thresholds: fn() -> Vec<Stated>,
    /// How the page asks for it; `None` where only the command line does.
    pub form: Option<PageForm>,
}

/// The form of a method on the page.
#[derive(Clone, Copy)]
pub struct PageForm {
    /// Forms of lower ranks stand before it.
    pub rank: u8,
    pub target: TargetForm,
    /// Options in their order, with `, ` between them. `=` parts one from the values that are
    /// offered, `|` one of them from the next.
    pub options: &'static str,
}

impl PageForm {
    /// Of a method that needs a target.
    pub(crate) const fn of_target(rank: u8, options: &'static str) -> Option<Self> {
        let target = TargetForm::Needed;
        Some(Self {
            rank,
            target,
            options,
        })
    }
}

impl Declared {
    /// Nothing, to begin with.
    pub const NONE: Self = Self {
        kinds: &[],
        views: &[],
        showings: &[],
        pictures: &[],
        rules: &[],
        #[cfg(test)]
        thresholds: Vec::new,
        form: None,
    };
}

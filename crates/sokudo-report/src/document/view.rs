//! What methods make of a run as a whole, beside the figures of its rows.

use schemars::JsonSchema;
use serde::Serialize;
use sokudo_model::{Contention, Fill, Peak, Run};

use super::{
    BesideDocument, FitDocument, LoadDocument, ResultDocument, RunDocument, SteadyDocument,
    TogetherDocument,
};

/// The kinds of views: what each is called, and how a run is asked for it.
macro_rules! views {
    ($($(#[$meaning:meta])* $kind:ident($view:ty), $get:ident;)*) => {
        /// What a method makes of a run.
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "view", rename_all = "snake_case")]
        pub enum MethodView {
            $($(#[$meaning])* $kind($view),)*
        }

        impl RunDocument {
            $($(#[$meaning])* pub fn $get(&self) -> Option<&$view> {
                self.views.iter().find_map(|view| match view {
                    MethodView::$kind(view) => Some(view),
                    _ => None,
                })
            })*
        }
    };
}

views! {
    /// Latency against load.
    Load(LoadDocument), load;
    /// A workload alone and beside another one.
    Beside(BesideDocument), beside;
    /// The most that the device gives, and what it takes.
    Peak(Peak), peak;
    /// Levels of a drive while it was written from one end to the other.
    Fill(Fill), fill;
    /// What each of several disks keeps of its rate when all are used at the same time.
    Sharing(Contention), sharing;
    /// Rounds until the drive was steady.
    Steady(SteadyDocument), steady;
    /// What each host did, where several measured together: the figures are then those of all
    /// hosts in the time in which all of them ran.
    Together(TogetherDocument), together;
    /// Whether the device is fast enough for something.
    Fit(FitDocument), fit;
}

impl MethodView {
    /// Those of a run, of whose rows these are the figures.
    pub(super) fn all(run: &Run, results: &[ResultDocument]) -> Vec<Self> {
        let all = [
            LoadDocument::of(run).map(Self::Load),
            BesideDocument::of(run).map(Self::Beside),
            Peak::of(run).map(Self::Peak),
            Fill::of_method(run).map(Self::Fill),
            Contention::of(run).map(Self::Sharing),
            SteadyDocument::of(run).map(Self::Steady),
            TogetherDocument::of(run).map(Self::Together),
            FitDocument::of(run, results).map(Self::Fit),
        ];
        all.into_iter().flatten().collect()
    }
}

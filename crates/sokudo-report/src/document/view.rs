//! What methods make of a run as a whole, beside the figures of its rows. Each method hands over
//! its kind of view, and nothing here knows which there are.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::json;
use sokudo_model::Run;

use super::{ResultDocument, TogetherDocument};

/// What a method makes of a run: computed once, and written as JSON as it is.
pub trait RunView: Any + fmt::Debug + Send + Sync + erased_serde::Serialize {}

impl<View: Any + fmt::Debug + Send + Sync + Serialize> RunView for View {}

erased_serde::serialize_trait_object!(RunView);

/// The view of a run, of whose rows these are the figures; `None` of others.
pub(super) type ViewOf = fn(&Run, &[ResultDocument]) -> Option<Arc<dyn RunView>>;

/// A kind of view, as a method declares it.
pub struct ViewKind {
    /// What documents call it.
    pub name: &'static str,
    /// What it is in JSON.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// That of each run.
    pub of: ViewOf,
}

impl ViewKind {
    /// The kind of a type.
    pub const fn new<View: RunView + JsonSchema>(name: &'static str, of: ViewOf) -> Self {
        Self {
            name,
            schema: SchemaGenerator::subschema_for::<View>,
            of,
        }
    }
}

/// That several hosts measured is of no method.
static TOGETHER: ViewKind = ViewKind::new::<TogetherDocument>("together", |run, _| {
    Some(Arc::new(TogetherDocument::of(run)?))
});

static KINDS: OnceLock<Vec<&'static ViewKind>> = OnceLock::new();

/// From now on runs are looked at in these ways.
pub fn hand_over(kinds: impl IntoIterator<Item = &'static ViewKind>) {
    KINDS.get_or_init(|| kinds.into_iter().chain([&TOGETHER]).collect());
}

/// All kinds; only what is of no method where none were handed over.
fn kinds() -> &'static [&'static ViewKind] {
    const OF_NO_METHOD: &[&ViewKind] = &[&TOGETHER];
    KINDS.get().map_or(OF_NO_METHOD, Vec::as_slice)
}

/// What methods make of a run: each kind at most once, and only what was measured.
#[derive(Clone, Default)]
pub struct RunViews(Vec<(&'static ViewKind, Arc<dyn RunView>)>);

impl RunViews {
    /// Those of a run, of whose rows these are the figures.
    pub(super) fn of(run: &Run, results: &[ResultDocument]) -> Self {
        let views = kinds().iter();
        let views = views.filter_map(|kind| Some((*kind, (kind.of)(run, results)?)));
        Self(views.collect())
    }

    /// The view of a type.
    pub fn get<View: RunView>(&self) -> Option<&View> {
        let mut views = self.0.iter();
        views.find_map(|(_, view)| (&**view as &dyn Any).downcast_ref())
    }
}

/// They follow from the run.
impl PartialEq for RunViews {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for RunViews {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let views = self.0.iter().map(|(_, view)| view);
        out.debug_list().entries(views).finish()
    }
}

impl Serialize for RunViews {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct TaggedView<'a> {
            view: &'static str,
            #[serde(flatten)]
            data: &'a dyn RunView,
        }
        to.collect_seq(self.0.iter().map(|(kind, view)| TaggedView {
            view: kind.name,
            data: &**view,
        }))
    }
}

impl JsonSchema for RunViews {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RunViews".into()
    }

    fn json_schema(types: &mut SchemaGenerator) -> Schema {
        let views = kinds().iter().map(|kind| {
            let mut schema = json_schema!({
                "type": "object",
                "properties": {"view": {"type": "string", "const": kind.name}},
            });
            for (keyword, value) in (kind.schema)(types).as_object().into_iter().flatten() {
                schema.insert(keyword.clone(), value.clone());
            }
            schema.insert("required".to_owned(), json!(["view"]));
            schema
        });
        let views: Vec<Schema> = views.collect();
        json_schema!({"type": "array", "items": {"oneOf": views}})
    }
}

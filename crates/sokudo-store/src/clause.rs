//! Queries that are put together of parts.

use std::rc::Rc;

use crate::facts::{number, rank};
use crate::refusal::SqlError;
use crate::session::{DatabaseSession, FoundRow, Parameter};
use crate::{Filter, Page, RunId};

/// A value that is asked for.
pub(crate) type Value = Rc<dyn Parameter>;

/// A part of a query with its values: `?` in its text stands for one after the other.
#[derive(Clone, Default)]
pub(crate) struct QueryClause {
    pub(crate) text: String,
    pub(crate) values: Vec<Value>,
}

impl QueryClause {
    pub(crate) fn new(text: impl Into<String>, values: impl IntoIterator<Item = Value>) -> Self {
        Self {
            text: text.into(),
            values: values.into_iter().collect(),
        }
    }

    /// A condition that one value has to meet.
    pub(crate) fn of(text: impl Into<String>, value: impl Parameter + 'static) -> Self {
        Self::new(text, [Rc::new(value) as Value])
    }

    pub(crate) fn query<T>(
        &self,
        session: &mut DatabaseSession<'_>,
        read: impl Fn(&FoundRow<'_>) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, SqlError> {
        let mut numbered = String::new();
        for (part, count) in self.text.split('?').zip(0..) {
            if count > 0 {
                numbered += &format!("?{count}");
            }
            numbered += part;
        }
        let values: Vec<&dyn Parameter> = self.values.iter().map(AsRef::as_ref).collect();
        session.query(&numbered, &values, read)
    }

    /// The numbers of the runs of a page that all conditions let pass.
    pub(crate) fn page(
        mut self,
        session: &mut DatabaseSession<'_>,
        conditions: Vec<Self>,
        page: Page,
    ) -> Result<Vec<RunId>, SqlError> {
        let words = std::iter::once("WHERE").chain(std::iter::repeat("AND"));
        for (condition, word) in conditions.into_iter().zip(words) {
            self.text += &format!(" {word} {}", condition.text);
            self.values.extend(condition.values);
        }
        self.text += " ORDER BY started_at DESC, runs.id DESC LIMIT ? OFFSET ?";
        self.values.push(Rc::new(number(page.count)));
        self.values.push(Rc::new(number(page.skip)));
        self.query(session, |row| Ok(RunId(row.get::<i64>(0)?.cast_unsigned())))
    }
}

/// The conditions of a filter on what stands in the table of runs itself, in either database.
pub(crate) fn of_times(filter: &Filter) -> Vec<QueryClause> {
    let since = filter.since.map(|since| ("started_at >= ?", since));
    let until = filter.until.map(|until| ("started_at < ?", until));
    let times = since.into_iter().chain(until);
    times
        .map(|(condition, time)| QueryClause::of(condition, number(time.0)))
        .collect()
}

/// The conditions of a filter on verdict and tags, each with a selection of exactly the runs that
/// meet it.
pub(crate) fn of_labels(session: &DatabaseSession<'_>, filter: &Filter) -> Vec<[QueryClause; 2]> {
    let verdict = filter.verdict.map(|verdict| {
        let meets = |text| QueryClause::of(text, rank(verdict));
        [
            meets("verdict = ?"),
            meets("SELECT id FROM runs WHERE verdict = ?"),
        ]
    });
    let tags = filter.tags.iter().map(|tag| {
        let meets = |text| QueryClause::of(text, session.text(tag).into_owned());
        [
            meets("EXISTS (SELECT 1 FROM tags WHERE run = runs.id AND tag = ?)"),
            meets("SELECT run AS id FROM tags WHERE tag = ?"),
        ]
    });
    verdict.into_iter().chain(tags).collect()
}

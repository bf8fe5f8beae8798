//! Which runs a filter lets pass, fast among a million.
//!
//! Runs are walked by time, the newest first, in an index that holds all that they are
//! filtered by. A filter that few runs pass would have that walk to the end; there, those
//! few are taken from an index of their own and sorted.

use crate::clause::{self, QueryClause};
use crate::facts::escaped;
use crate::refusal::SqlError;
use crate::session::{DatabaseSession, Parameter};
use crate::{Filter, Page, RunId};

/// So many are sorted in less time than a walk past a million takes.
const FEW: i64 = 20_000;

/// The numbers of the runs of a page, the newest first.
pub(super) fn page(
    session: &mut DatabaseSession<'_>,
    filter: &Filter,
    page: Page,
) -> Result<Vec<RunId>, SqlError> {
    let Some((conditions, selections)) = parts(session, filter)? else {
        return Ok(Vec::new());
    };
    // Those of one device lie in order of time already.
    let is_of_one_device = |it: &QueryClause| it.text == "device = ?";
    let is_in_order = conditions.iter().any(is_of_one_device)
        && conditions
            .iter()
            .all(|it| is_of_one_device(it) || it.text.starts_with("started_at "));
    let (walked, selections) = match is_in_order {
        true => ("runs_by_device", Vec::new()),
        false => ("runs_by_time", selections),
    };
    // A view that stands before the table of an older store has no index.
    let walk = format!("SELECT runs.id FROM main.runs INDEXED BY {walked}");
    let query = fewest(session, selections)?.map_or_else(
        || QueryClause::new(walk, []),
        |few| {
            let text = format!(
                "SELECT runs.id FROM (SELECT DISTINCT id FROM ({})) AS few \
                 CROSS JOIN runs ON runs.id = few.id",
                few.text
            );
            QueryClause::new(text, few.values)
        },
    );
    query.page(session, conditions, page)
}

/// Conditions, and selections of the runs that meet narrow ones.
type ListingParts = (Vec<QueryClause>, Vec<QueryClause>);

/// The conditions, and for those that may let few runs pass, a selection of exactly
/// those. `None` where none pass.
fn parts(
    session: &mut DatabaseSession<'_>,
    filter: &Filter,
) -> Result<Option<ListingParts>, SqlError> {
    let (mut conditions, mut selections) = (clause::of_times(filter), Vec::new());
    if let Some(text) = &filter.device {
        let Some((condition, selection)) = by_device(session, text)? else {
            return Ok(None);
        };
        conditions.push(condition);
        selections.push(selection);
    }
    let identity = filter.device_identity.clone();
    let method = filter
        .method
        .as_deref()
        .map(|it| format!("{}%", escaped(it)));
    let among = [
        ("device", "identity = ?1", identity),
        ("method", "name LIKE ?1 ESCAPE '\\'", method),
    ];
    for (column, condition, value) in among {
        let Some(value) = value else { continue };
        let Some(ids) = ids(session, column, condition, &value)? else {
            return Ok(None);
        };
        let condition = ids.of(column);
        let text = format!("SELECT id FROM runs WHERE {}", condition.text);
        selections.push(QueryClause::new(text, condition.values.clone()));
        conditions.push(condition);
    }
    for [condition, selection] in clause::of_labels(session, filter) {
        conditions.push(condition);
        selections.push(selection);
    }
    Ok(Some((conditions, selections)))
}

/// Runs of devices or targets that a text is part of.
fn by_device(
    session: &mut DatabaseSession<'_>,
    text: &str,
) -> Result<Option<(QueryClause, QueryClause)>, SqlError> {
    let like = format!("%{}%", escaped(text));
    let device = "identity LIKE ?1 ESCAPE '\\' OR name LIKE ?1 ESCAPE '\\'";
    let mut each = Vec::new();
    for (column, condition) in [("device", device), ("target", "name LIKE ?1 ESCAPE '\\'")] {
        match ids(session, column, condition, &like)? {
            None => {}
            Some(Ids::All) => {
                each = vec![Ids::All.of(column)];
                break;
            }
            Some(ids) => each.push(ids.of(column)),
        }
    }
    if each.is_empty() {
        return Ok(None);
    }
    let values = || each.iter().flat_map(|part| part.values.clone());
    let texts = each.iter().map(|part| part.text.clone());
    let condition = format!("({})", Vec::from_iter(texts).join(" OR "));
    let selections = each
        .iter()
        .map(|part| format!("SELECT id FROM runs WHERE {}", part.text));
    let selection = Vec::from_iter(selections).join(" UNION ALL ");
    Ok(Some((
        QueryClause::new(condition, values()),
        QueryClause::new(selection, values()),
    )))
}

/// Ids that a column may have: none is never asked for.
enum Ids {
    All,
    One(i64),
    Several(String),
}

impl Ids {
    fn of(self, column: &str) -> QueryClause {
        match self {
            Self::All => QueryClause::new("TRUE", []),
            Self::One(id) => QueryClause::of(format!("{column} = ?"), id),
            Self::Several(json) => {
                let text = format!("{column} IN (SELECT value FROM json_each(?))");
                QueryClause::of(text, json)
            }
        }
    }
}

/// The ids in the table of a column of `runs` that meet a condition; `None` for none.
fn ids(
    session: &mut DatabaseSession<'_>,
    column: &str,
    condition: &str,
    value: &dyn Parameter,
) -> Result<Option<Ids>, SqlError> {
    let query = format!(
        "SELECT count(*), (SELECT count(*) FROM {column}s), max(id), json_group_array(id) \
         FROM {column}s WHERE {condition}"
    );
    let found = session.query(&query, &[value], |row| {
        let (found, all): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok(match found {
            0 => None,
            _ if found == all => Some(Ids::All),
            1 => Some(Ids::One(row.get(2)?)),
            _ => Some(Ids::Several(row.get(3)?)),
        })
    })?;
    Ok(found.into_iter().next().flatten())
}

/// The selection of the fewest runs, if they are few.
fn fewest(
    session: &mut DatabaseSession<'_>,
    selections: Vec<QueryClause>,
) -> Result<Option<QueryClause>, SqlError> {
    let mut fewest: Option<(i64, QueryClause)> = None;
    for selection in selections {
        let text = format!(
            "SELECT count(*) FROM ({} LIMIT {})",
            selection.text,
            FEW + 1
        );
        let counted = QueryClause::new(text, selection.values.clone());
        let count = counted.query(session, |row| row.get(0))?[0];
        if count <= FEW && fewest.as_ref().is_none_or(|(least, _)| count < *least) {
            fewest = Some((count, selection));
        }
    }
    Ok(fewest.map(|(_, selection)| selection))
}

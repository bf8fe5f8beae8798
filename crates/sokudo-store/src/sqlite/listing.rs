//! Which runs a filter lets pass, fast among a million.
//!
//! Runs are walked by time, the newest first, in an index that holds all that they are
//! filtered by. A filter that few runs pass would have that walk to the end; there, those
//! few are taken from an index of their own and sorted.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::facts::{escaped, number, rank};
use crate::{Filter, Page, RunId};

/// So many are sorted in less time than a walk past a million takes.
const FEW: i64 = 20_000;

/// A part of a query with its values.
#[derive(Clone, Debug, Default)]
struct QueryClause {
    text: String,
    values: Vec<Value>,
}

impl QueryClause {
    fn new(text: impl Into<String>, values: impl IntoIterator<Item = Value>) -> Self {
        Self {
            text: text.into(),
            values: values.into_iter().collect(),
        }
    }
}

/// The numbers of the runs of a page, the newest first.
pub(super) fn page(
    connection: &Connection,
    filter: &Filter,
    page: Page,
) -> rusqlite::Result<Vec<RunId>> {
    let Some((conditions, selections)) = parts(connection, filter)? else {
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
    let mut query = fewest(connection, selections)?.map_or_else(
        || QueryClause::new(format!("SELECT runs.id FROM runs INDEXED BY {walked}"), []),
        |few| {
            let text = format!(
                "SELECT runs.id FROM (SELECT DISTINCT id FROM ({})) AS few \
                 CROSS JOIN runs ON runs.id = few.id",
                few.text
            );
            QueryClause::new(text, few.values)
        },
    );
    for (condition, word) in conditions.into_iter().zip(words()) {
        query.text += &format!(" {word} {}", condition.text);
        query.values.extend(condition.values);
    }
    query.text += " ORDER BY started_at DESC, runs.id DESC LIMIT ? OFFSET ?";
    query.values.push(number(page.count).into());
    query.values.push(number(page.skip).into());
    let mut statement = connection.prepare_cached(&query.text)?;
    let found = statement.query_map(params_from_iter(query.values), |row| row.get(0))?;
    found
        .map(|id| id.map(|id: i64| RunId(id.cast_unsigned())))
        .collect()
}

fn words() -> impl Iterator<Item = &'static str> {
    std::iter::once("WHERE").chain(std::iter::repeat("AND"))
}

/// The conditions, and for those that may let few runs pass, a selection of exactly
/// those. `None` where none pass.
fn parts(
    connection: &Connection,
    filter: &Filter,
) -> rusqlite::Result<Option<(Vec<QueryClause>, Vec<QueryClause>)>> {
    let (mut conditions, mut selections) = (Vec::new(), Vec::new());
    if let Some(since) = filter.since {
        conditions.push(QueryClause::new(
            "started_at >= ?",
            [number(since.0).into()],
        ));
    }
    if let Some(until) = filter.until {
        conditions.push(QueryClause::new("started_at < ?", [number(until.0).into()]));
    }
    if let Some(text) = &filter.device {
        let Some((condition, selection)) = by_device(connection, text)? else {
            return Ok(None);
        };
        conditions.push(condition);
        selections.push(selection);
    }
    let mut among = |column: &str, like: &str, value: &Value| -> rusqlite::Result<bool> {
        let Some(ids) = ids(connection, column, like, value)? else {
            return Ok(false);
        };
        let condition = ids.of(column);
        let text = format!("SELECT id FROM runs WHERE {}", condition.text);
        selections.push(QueryClause::new(text, condition.values.clone()));
        conditions.push(condition);
        Ok(true)
    };
    if let Some(identity) = &filter.device_identity
        && !among("device", "identity = ?1", &identity.clone().into())?
    {
        return Ok(None);
    }
    if let Some(method) = &filter.method {
        let like = format!("{}%", escaped(method)).into();
        if !among("method", "name LIKE ?1 ESCAPE '\\'", &like)? {
            return Ok(None);
        }
    }
    if let Some(verdict) = filter.verdict {
        let value = [rank(verdict).into()];
        conditions.push(QueryClause::new("verdict = ?", value.clone()));
        selections.push(QueryClause::new(
            "SELECT id FROM runs WHERE verdict = ?",
            value,
        ));
    }
    for tag in &filter.tags {
        let value = [tag.clone().into()];
        conditions.push(QueryClause::new(
            "EXISTS (SELECT 1 FROM tags WHERE run = runs.id AND tag = ?)",
            value.clone(),
        ));
        selections.push(QueryClause::new(
            "SELECT run AS id FROM tags WHERE tag = ?",
            value,
        ));
    }
    Ok(Some((conditions, selections)))
}

/// Runs of devices or targets that a text is part of.
fn by_device(
    connection: &Connection,
    text: &str,
) -> rusqlite::Result<Option<(QueryClause, QueryClause)>> {
    let like = Value::from(format!("%{}%", escaped(text)));
    let device = "identity LIKE ?1 ESCAPE '\\' OR name LIKE ?1 ESCAPE '\\'";
    let mut each = Vec::new();
    for (column, condition) in [("device", device), ("target", "name LIKE ?1 ESCAPE '\\'")] {
        match ids(connection, column, condition, &like)? {
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
            Self::One(id) => QueryClause::new(format!("{column} = ?"), [id.into()]),
            Self::Several(json) => QueryClause::new(
                format!("{column} IN (SELECT value FROM json_each(?))"),
                [json.into()],
            ),
        }
    }
}

/// The ids in the table of a column of `runs` that meet a condition; `None` for none.
fn ids(
    connection: &Connection,
    column: &str,
    condition: &str,
    value: &Value,
) -> rusqlite::Result<Option<Ids>> {
    let query = format!(
        "SELECT count(*), (SELECT count(*) FROM {column}s), max(id), json_group_array(id) \
         FROM {column}s WHERE {condition}"
    );
    let mut statement = connection.prepare_cached(&query)?;
    statement.query_row([value], |row| {
        let (found, all): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok(match found {
            0 => None,
            _ if found == all => Some(Ids::All),
            1 => Some(Ids::One(row.get(2)?)),
            _ => Some(Ids::Several(row.get(3)?)),
        })
    })
}

/// The selection of the fewest runs, if they are few.
fn fewest(
    connection: &Connection,
    selections: Vec<QueryClause>,
) -> rusqlite::Result<Option<QueryClause>> {
    let mut fewest: Option<(i64, QueryClause)> = None;
    for selection in selections {
        let query = format!("SELECT count(*) FROM ({} LIMIT ?)", selection.text);
        let mut statement = connection.prepare_cached(&query)?;
        let values = selection.values.iter().cloned();
        let values = values.chain([(FEW + 1).into()]);
        let count: i64 = statement.query_row(params_from_iter(values), |row| row.get(0))?;
        if count <= FEW && fewest.as_ref().is_none_or(|(least, _)| count < *least) {
            fewest = Some((count, selection));
        }
    }
    Ok(fewest.map(|(_, selection)| selection))
}

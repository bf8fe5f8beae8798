//! Where the two kinds of database differ in their tables, as parts of statements.
//!
//! A store in a file holds each name once, in a table of its own; one on a server holds names
//! where they are used. All else of a statement is written once, as SQLite reads it.

/// Parts of statements that differ between the kinds of database.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// Runs with the names of their method and target.
    pub(crate) runs: &'static str,
    /// The name of a run's method there.
    pub(crate) method: &'static str,
    /// The name of a run's target there.
    pub(crate) target: &'static str,
    /// The name of the newest target of a device, which is called `devices`.
    pub(crate) newest_target: &'static str,
    /// The rows of runs with their names, found by run.
    pub(crate) rows_of_runs: &'static str,
    /// The same, found by a row's name: all of one device's lie together.
    pub(crate) rows_of_kind: &'static str,
    /// Take note of a method, a target, or a row's name, direction and fingerprint.
    pub(crate) new_method: Option<&'static str>,
    pub(crate) new_target: Option<&'static str>,
    pub(crate) new_row_kind: Option<&'static str>,
    /// What is written of the method `?2` and the target `?3` of a run.
    pub(crate) run_values: &'static str,
    /// Which columns hold a row's name, direction and fingerprint (`?4` to `?6`), and what is
    /// written there.
    pub(crate) row_columns: &'static str,
    pub(crate) row_values: &'static str,
    /// Behind a query, so that nobody else changes what it finds before it is changed.
    pub(crate) for_update: &'static str,
}

/// Of a store in a file.
pub(crate) const FILE: Dialect = Dialect {
    runs: "runs JOIN methods ON methods.id = runs.method JOIN targets ON targets.id = runs.target",
    method: "methods.name",
    target: "targets.name",
    newest_target: "SELECT targets.name FROM runs JOIN targets ON targets.id = target \
         WHERE device = devices.id ORDER BY started_at DESC LIMIT 1",
    rows_of_runs: "rows JOIN row_kinds ON row_kinds.id = rows.kind",
    rows_of_kind: "row_kinds CROSS JOIN rows ON rows.kind = row_kinds.id",
    new_method: Some("INSERT INTO methods (name) VALUES (?1) ON CONFLICT DO NOTHING"),
    new_target: Some("INSERT INTO targets (name) VALUES (?1) ON CONFLICT DO NOTHING"),
    new_row_kind: Some(
        "INSERT INTO row_kinds (name, direction, fingerprint) VALUES (?1, ?2, ?3) \
         ON CONFLICT DO NOTHING",
    ),
    run_values: "(SELECT id FROM methods WHERE name = ?2), (SELECT id FROM targets WHERE name = ?3)",
    row_columns: "kind",
    row_values: "(SELECT id FROM row_kinds WHERE (name, direction, fingerprint) = (?4, ?5, ?6))",
    for_update: "",
};

/// Of a store on a server.
#[cfg(feature = "postgres")]
pub(crate) const SERVER: Dialect = Dialect {
    runs: "runs",
    method: "runs.method",
    target: "runs.target",
    newest_target: "SELECT target FROM runs WHERE device = devices.id \
         ORDER BY started_at DESC LIMIT 1",
    rows_of_runs: "rows",
    rows_of_kind: "rows",
    new_method: None,
    new_target: None,
    new_row_kind: None,
    run_values: "?2, ?3",
    row_columns: "name, direction, fingerprint",
    row_values: "?4, ?5, ?6",
    for_update: " FOR UPDATE",
};

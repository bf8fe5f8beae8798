//! What is changed of a run that is kept, in the words of either kind of database.

/// Takes away what another run brings anew that is put in a run's place, whose facts are there
/// already: `?1` is its number.
pub(crate) const MAKE_ROOM: [&str; 4] = [
    "DELETE FROM documents WHERE run = ?1",
    "DELETE FROM summaries WHERE run = ?1",
    "DELETE FROM rows WHERE run = ?1",
    "DELETE FROM baselines WHERE run = ?1 AND NOT EXISTS (SELECT 1 FROM runs \
     WHERE id = ?1 AND runs.device = baselines.device AND runs.method = baselines.method)",
];

/// What is changed of a run that is kept.
#[derive(Clone, Copy, Debug)]
pub enum StoredChange<'a> {
    /// Its note is this; an empty one removes it.
    Note(&'a str),
    /// These tags go, and then these come.
    Tags {
        /// Tags that are put on; one that is there stays.
        add: &'a [String],
        /// Tags that are taken off before others are put on.
        remove: &'a [String],
    },
    /// It goes for good, with its rows, its tags, and as a baseline.
    Delete,
    /// It is the baseline of its device and method, in the place of another.
    SetBaseline,
    /// It is a baseline no longer, if it was one.
    UnsetBaseline,
}

impl<'a> StoredChange<'a> {
    /// The statements that do it, one after the other: `?1` is the run's number, `?2` the text
    /// beside the statement.
    pub(crate) fn statements(&self) -> Vec<(&'static str, Option<&'a str>)> {
        const SET_BASELINE: &str = "INSERT INTO baselines (device, method, run) \
             SELECT device, method, id FROM runs WHERE id = ?1 \
             ON CONFLICT (device, method) DO UPDATE SET run = excluded.run";
        const ADD: &str = "INSERT INTO tags (run, tag) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        const REMOVE: &str = "DELETE FROM tags WHERE run = ?1 AND tag = ?2";
        match *self {
            Self::Note(note) => vec![("UPDATE runs SET note = ?2 WHERE id = ?1", Some(note))],
            Self::Tags { add, remove } => {
                let removed = remove.iter().map(|tag| (REMOVE, Some(tag.as_str())));
                let added = add.iter().map(|tag| (ADD, Some(tag.as_str())));
                removed.chain(added).collect()
            }
            Self::Delete => vec![("DELETE FROM runs WHERE id = ?1", None)],
            Self::SetBaseline => vec![(SET_BASELINE, None)],
            Self::UnsetBaseline => vec![("DELETE FROM baselines WHERE run = ?1", None)],
        }
    }
}

-- What is compared of a run, computed of its document: may be lacking, and may be thrown away.
CREATE TABLE summaries (
    run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    summary BLOB NOT NULL
);

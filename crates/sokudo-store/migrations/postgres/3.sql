-- What is compared of a run, computed of its document: may be lacking, and may be thrown away.
CREATE TABLE summaries (
    run BIGINT PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    summary BYTEA NOT NULL
);

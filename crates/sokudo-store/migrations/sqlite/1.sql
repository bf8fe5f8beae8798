-- "sokudo": a database of another program is not written to.
PRAGMA application_id = 0x736f6b64;

CREATE TABLE devices (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL
);

CREATE TABLE methods (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE targets (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- AUTOINCREMENT: the number of a deleted run is never used again.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at INTEGER NOT NULL,
    method INTEGER NOT NULL REFERENCES methods,
    target INTEGER NOT NULL REFERENCES targets,
    device INTEGER NOT NULL REFERENCES devices,
    verdict INTEGER,
    host TEXT,
    fingerprint TEXT NOT NULL,
    sokudo_version TEXT NOT NULL,
    origin TEXT,
    command TEXT NOT NULL,
    interrupted INTEGER NOT NULL,
    note TEXT NOT NULL
);
-- All that runs are filtered by, so that a list never looks at the runs that it skips.
CREATE INDEX runs_by_time ON runs (started_at, id, device, method, target, verdict);
CREATE INDEX runs_by_device ON runs (device, started_at);
CREATE INDEX runs_by_method ON runs (method);
CREATE INDEX runs_by_target ON runs (target);
CREATE INDEX runs_by_verdict ON runs (verdict);

-- Apart from the runs, which stay small and are read fast.
CREATE TABLE documents (
    run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    document BLOB NOT NULL
);

CREATE TABLE row_kinds (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    direction TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    UNIQUE (name, direction, fingerprint)
);
CREATE INDEX row_kinds_by_fingerprint ON row_kinds (fingerprint);

-- A row's history on one device lies together.
CREATE TABLE rows (
    device INTEGER NOT NULL REFERENCES devices,
    kind INTEGER NOT NULL REFERENCES row_kinds,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    position INTEGER NOT NULL,
    verdict INTEGER,
    bytes_per_s REAL,
    ios_per_s REAL,
    latency_ns REAL,
    trials INTEGER NOT NULL,
    PRIMARY KEY (device, kind, run, position)
) WITHOUT ROWID;
CREATE INDEX rows_by_run ON rows (run, position);

CREATE TABLE tags (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (run, tag)
) WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag);

CREATE TABLE baselines (
    device INTEGER NOT NULL REFERENCES devices,
    method INTEGER NOT NULL REFERENCES methods,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    PRIMARY KEY (device, method)
) WITHOUT ROWID;
CREATE INDEX baselines_by_run ON baselines (run);

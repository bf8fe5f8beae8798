CREATE TABLE devices (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL
);

-- AUTOINCREMENT: the number of a deleted run is never used again.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at INTEGER NOT NULL,
    method TEXT NOT NULL,
    target TEXT NOT NULL,
    device INTEGER NOT NULL REFERENCES devices,
    host TEXT,
    verdict INTEGER,
    fingerprint TEXT NOT NULL,
    sokudo_version TEXT NOT NULL,
    origin TEXT,
    command TEXT NOT NULL,
    interrupted INTEGER NOT NULL,
    note TEXT NOT NULL,
    document BLOB NOT NULL
);
CREATE INDEX runs_by_time ON runs (started_at);
CREATE INDEX runs_by_device ON runs (device, started_at);

CREATE TABLE rows (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    position INTEGER NOT NULL,
    device INTEGER NOT NULL REFERENCES devices,
    started_at INTEGER NOT NULL,
    name TEXT NOT NULL,
    direction TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    verdict INTEGER,
    bytes_per_s REAL,
    ios_per_s REAL,
    latency_ns REAL,
    trials INTEGER NOT NULL,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE INDEX rows_by_device ON rows (device, name, started_at);

CREATE TABLE tags (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (run, tag)
) WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag);

CREATE TABLE baselines (
    device INTEGER NOT NULL REFERENCES devices,
    method TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    PRIMARY KEY (device, method)
) WITHOUT ROWID;
CREATE INDEX baselines_by_run ON baselines (run);

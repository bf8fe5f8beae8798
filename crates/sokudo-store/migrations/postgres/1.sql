CREATE TABLE devices (
    id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    identity TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL
);

-- The number of a deleted run is never used again.
CREATE TABLE runs (
    id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    started_at BIGINT NOT NULL,
    method TEXT NOT NULL,
    target TEXT NOT NULL,
    device BIGINT NOT NULL REFERENCES devices,
    host TEXT,
    verdict BIGINT,
    fingerprint TEXT NOT NULL,
    sokudo_version TEXT NOT NULL,
    origin TEXT,
    command TEXT NOT NULL,
    interrupted BOOLEAN NOT NULL,
    note TEXT NOT NULL
);
CREATE INDEX runs_by_time ON runs (started_at, id);
CREATE INDEX runs_by_device ON runs (device, started_at, id);
CREATE INDEX runs_by_method ON runs (method, started_at, id);
CREATE INDEX runs_by_verdict ON runs (verdict, started_at, id);

CREATE TABLE documents (
    run BIGINT PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    document BYTEA NOT NULL
);

CREATE TABLE rows (
    run BIGINT NOT NULL REFERENCES runs ON DELETE CASCADE,
    position BIGINT NOT NULL,
    device BIGINT NOT NULL REFERENCES devices,
    name TEXT NOT NULL,
    direction TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    verdict BIGINT,
    bytes_per_s DOUBLE PRECISION,
    ios_per_s DOUBLE PRECISION,
    latency_ns DOUBLE PRECISION,
    trials BIGINT NOT NULL,
    PRIMARY KEY (run, position)
);
CREATE INDEX rows_by_name ON rows (device, name);
CREATE INDEX rows_by_fingerprint ON rows (device, fingerprint);

CREATE TABLE tags (
    run BIGINT NOT NULL REFERENCES runs ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (run, tag)
);
CREATE INDEX tags_by_tag ON tags (tag, run);

CREATE TABLE baselines (
    device BIGINT NOT NULL REFERENCES devices,
    method TEXT NOT NULL,
    run BIGINT NOT NULL REFERENCES runs ON DELETE CASCADE,
    PRIMARY KEY (device, method)
);
CREATE INDEX baselines_by_run ON baselines (run);

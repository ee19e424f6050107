-- Playbooks and other resources that were registered. A version is a text: it never changes, and the same text under
-- the same path is the same version.

CREATE TABLE noetl.catalog_path (
  path TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  -- The number that was given last; the row is locked while the next one is given.
  last_version INTEGER NOT NULL DEFAULT 0,
  -- The version that was registered last, perhaps again: what `latest` means. None when all are deleted.
  latest_version INTEGER
);

CREATE TABLE noetl.catalog (
  catalog_id BIGINT PRIMARY KEY,
  path TEXT NOT NULL REFERENCES noetl.catalog_path,
  version INTEGER NOT NULL,
  -- In lower case: clients write kinds as they like.
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  -- `metadata.version`, which playbooks may name when they call this one.
  label TEXT,
  -- SHA-256 of the content, hex.
  digest TEXT NOT NULL,
  content TEXT NOT NULL,
  -- The content as JSON. Not JSONB: the order of keys is the author's.
  payload JSON NOT NULL,
  layout JSON,
  meta JSON NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  -- Deleted: no longer found by path; runs and ids that name it stay right.
  deleted_at TIMESTAMPTZ,
  UNIQUE (path, version),
  UNIQUE (path, digest)
);
CREATE INDEX catalog_kind_time ON noetl.catalog (kind, created_at);
CREATE INDEX catalog_name ON noetl.catalog (name);

-- Submissions with an Idempotency-Key: written before the execution is started.
CREATE TABLE noetl.submission (
  -- Whose key it is: names of tokens do not share keys.
  principal TEXT NOT NULL,
  key TEXT NOT NULL,
  -- SHA-256 of the request's canonical JSON, hex.
  fingerprint TEXT NOT NULL,
  execution_id BIGINT NOT NULL,
  catalog_id BIGINT NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  -- When Temporal was known to have it; before that it is started again by whoever repeats the request.
  started_at TIMESTAMPTZ,
  PRIMARY KEY (principal, key)
);
CREATE INDEX submission_time ON noetl.submission (created_at);

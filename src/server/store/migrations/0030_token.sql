-- Bearer tokens of the REST surface. Of a token only its public id and a digest of its secret are kept.

CREATE TABLE noetl.token (
  -- Stands in the token itself: noetl_<id>_<secret>.
  id TEXT PRIMARY KEY CHECK (id ~ '^[0-9a-f]{12}$'),
  name TEXT NOT NULL,
  -- SHA-256 of the whole token.
  digest BYTEA NOT NULL,
  scopes TEXT[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'run', 'worker', 'admin']),
  created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  expires_at TIMESTAMPTZ,
  -- To the minute.
  last_used_at TIMESTAMPTZ,
  revoked_at TIMESTAMPTZ
);
-- A name stands for one token at a time; a revoked one keeps its row for the record.
CREATE UNIQUE INDEX token_name ON noetl.token (name) WHERE revoked_at IS NULL;

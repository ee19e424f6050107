-- Staged versions: registered, and not the latest until they are promoted. Until then the projection decides each
-- execution of the path that ends anew with the staged version (src/server/staged).

ALTER TABLE noetl.catalog_path
  -- NULL if none is staged.
  ADD COLUMN staged_version INTEGER,
  ADD COLUMN staged_at TIMESTAMPTZ;

ALTER TABLE noetl.catalog
  -- Has been the latest, or could have: a version that was only ever staged never becomes it by a deletion.
  ADD COLUMN released BOOLEAN NOT NULL DEFAULT true;

CREATE TABLE noetl.shadow (
  path TEXT NOT NULL,
  -- The staged version.
  version INTEGER NOT NULL,
  execution_id BIGINT NOT NULL,
  namespace TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  -- NULL: still to be judged.
  verdict TEXT CHECK (verdict IN ('same', 'timing', 'decision', 'call', 'result', 'unanswerable')),
  cause TEXT,
  -- The first difference.
  finding JSONB,
  -- What the staged version touched in this execution: counts by arc, rule, …
  touches JSONB,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- When it is to be judged; ahead of now while it is being judged.
  next_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  -- Why the last attempt to judge it failed.
  error TEXT,
  judged_at TIMESTAMPTZ,
  PRIMARY KEY (path, version, execution_id)
);
CREATE INDEX shadow_due ON noetl.shadow (next_at) WHERE verdict IS NULL;

-- Tests of playbooks as the official GUI keeps them; `noetl-temporal test` runs rehearsals, which are files.

CREATE TABLE noetl.test_suite (
  suite_id TEXT PRIMARY KEY,
  playbook_path TEXT NOT NULL,
  tests JSON NOT NULL,
  metadata JSON NOT NULL,
  updated_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

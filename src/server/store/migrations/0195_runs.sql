-- What executions are found by: the name that their playbook gives them, labels, what started them (the memo of their start), and
-- whether a limit let them run.

ALTER TABLE noetl.execution
  ADD COLUMN run_name TEXT,
  ADD COLUMN labels JSONB NOT NULL DEFAULT '{}',
  ADD COLUMN origin JSONB NOT NULL DEFAULT '{}',
  ADD COLUMN skipped BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX execution_labels ON noetl.execution USING gin (labels jsonb_path_ops);

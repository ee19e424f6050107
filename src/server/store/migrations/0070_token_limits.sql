-- What a token of a worker may read: credentials by name (with *), and those of named kinds. NULL: no limit.
ALTER TABLE noetl.token ADD COLUMN credentials TEXT[];
ALTER TABLE noetl.token ADD COLUMN kinds TEXT[];

-- A refusal is on record as a reading is.
ALTER TABLE noetl.credential_audit DROP CONSTRAINT credential_audit_action_check;
ALTER TABLE noetl.credential_audit
  ADD CONSTRAINT credential_audit_action_check CHECK (action IN ('read', 'write', 'delete', 'rotate', 'refused'));

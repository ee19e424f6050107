-- A rotation opens every credential: that is on record as a reading is.
ALTER TABLE noetl.credential_audit DROP CONSTRAINT credential_audit_action_check;
ALTER TABLE noetl.credential_audit
  ADD CONSTRAINT credential_audit_action_check CHECK (action IN ('read', 'write', 'delete', 'rotate'));

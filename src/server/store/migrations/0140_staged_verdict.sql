-- contracts: not used since 0.1.0
-- Staged versions have one name everywhere.
ALTER TABLE noetl.shadow RENAME TO staged_verdict;
ALTER INDEX noetl.shadow_due RENAME TO staged_verdict_due;

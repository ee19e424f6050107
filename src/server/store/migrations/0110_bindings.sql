-- What a token is bound to, beside names and kinds of credentials. NULL: no limit.
ALTER TABLE noetl.token ADD COLUMN pools TEXT[];
ALTER TABLE noetl.token ADD COLUMN paths TEXT[];
-- It opens only what the call of a running task names.
ALTER TABLE noetl.token ADD COLUMN granted BOOLEAN NOT NULL DEFAULT false;

-- The playbooks whose executions may open it, by path (with *). NULL: all.
ALTER TABLE noetl.credential ADD COLUMN paths TEXT[];

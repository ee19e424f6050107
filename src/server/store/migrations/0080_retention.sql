-- What retention asks: which executions ended long ago, and which others still need them.
ALTER TABLE noetl.execution ADD COLUMN rerun_of BIGINT;
CREATE INDEX execution_end ON noetl.execution (end_time, execution_id);
CREATE INDEX execution_rerun_of ON noetl.execution (rerun_of) WHERE rerun_of IS NOT NULL;

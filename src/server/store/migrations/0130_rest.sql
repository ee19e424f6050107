-- Of executions that go on: the last keyframe and the inputs behind it, up to the last event that the tables have; so that how they
-- stand now follows from a few thousand events. The first part of an execution has the keyframe; they go when its segment is whole.

CREATE TABLE noetl.keyframe_part (
  execution_id BIGINT NOT NULL,
  -- Where the segment begins, and where the part ends.
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  frame BYTEA NOT NULL,
  PRIMARY KEY (execution_id, last_seq)
);
ALTER TABLE noetl.keyframe_part ALTER COLUMN frame SET STORAGE EXTERNAL;

-- The run of Temporal that was read last, and how many of its events.
ALTER TABLE noetl.sink_cursor ADD COLUMN read_run_id TEXT;
ALTER TABLE noetl.sink_cursor ADD COLUMN read_length INTEGER;

-- States of executions, with what happened up to the next one: the state at any event follows from one of them. Written by the
-- projection; compressed, and encrypted where payloads are.

CREATE TABLE noetl.keyframe (
  execution_id BIGINT NOT NULL,
  -- Positions of events: it tells of those after the first, up to the last.
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  frame BYTEA NOT NULL,
  PRIMARY KEY (execution_id, first_seq)
);
-- It is compressed already.
ALTER TABLE noetl.keyframe ALTER COLUMN frame SET STORAGE EXTERNAL;

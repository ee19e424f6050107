-- How far each sink has got with each execution: written when what it names has been taken durably.

CREATE TABLE noetl.sink_cursor (
  sink TEXT NOT NULL,
  execution_id BIGINT NOT NULL,
  workflow_id TEXT NOT NULL,
  -- The Temporal run that ended the execution, as it was read.
  run_id TEXT,
  event_id TEXT,
  seq INTEGER NOT NULL DEFAULT 0,
  -- Set when the execution is over and all of it was taken; a reset makes it go on.
  ended_at TIMESTAMPTZ,
  -- Why it does not get on, when it does not.
  error TEXT,
  updated_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (sink, execution_id)
);
CREATE INDEX sink_cursor_run ON noetl.sink_cursor (sink, run_id);
CREATE INDEX sink_cursor_error ON noetl.sink_cursor (sink) WHERE error IS NOT NULL;

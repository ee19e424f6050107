-- Executions and their events, as src/server/projection writes them from Temporal's histories. Names of columns follow
-- NoETL's own schema where it has one; ids of events are texts here (execution / run / history event / ordinal).

CREATE TABLE noetl.event (
  execution_id BIGINT NOT NULL,
  event_id TEXT NOT NULL,
  -- Position in the execution, from 1. After a reset the positions of what was left behind are taken again.
  seq INTEGER NOT NULL,
  -- Left behind by a reset: it happened, and is no part of what the execution is now.
  superseded BOOLEAN NOT NULL DEFAULT false,
  event_type TEXT NOT NULL,
  source TEXT NOT NULL,
  entity_type TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  node_name TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at TIMESTAMPTZ NOT NULL,
  -- Seconds.
  duration DOUBLE PRECISION,
  step_run_id TEXT,
  task_run_id TEXT,
  iteration INTEGER,
  attempt INTEGER,
  parent_id TEXT,
  parent_event_id TEXT,
  parent_execution_id BIGINT,
  catalog_id BIGINT,
  context JSONB NOT NULL,
  -- What the tool, the step or the execution returned; the rest of a tool's outcome is beside it.
  result JSONB,
  outcome JSONB,
  error TEXT,
  error_detail JSONB,
  meta JSONB NOT NULL,
  PRIMARY KEY (execution_id, event_id)
);
CREATE INDEX event_order ON noetl.event (execution_id, seq);
CREATE INDEX event_type_time ON noetl.event (event_type, created_at);
CREATE INDEX event_node ON noetl.event (node_name, created_at);

CREATE TABLE noetl.execution (
  execution_id BIGINT PRIMARY KEY,
  namespace TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  catalog_id BIGINT,
  parent_execution_id BIGINT,
  path TEXT NOT NULL,
  version TEXT,
  digest TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'RUNNING',
  workload JSONB,
  result JSONB,
  error TEXT,
  error_detail JSONB,
  start_time TIMESTAMPTZ,
  end_time TIMESTAMPTZ,
  -- Seconds.
  duration DOUBLE PRECISION,
  last_event_id TEXT,
  last_event_type TEXT,
  last_node_name TEXT,
  -- Where this release decided otherwise than history says; what follows that event is not what happened.
  divergence JSONB,
  updated_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX execution_start ON noetl.execution (start_time);
CREATE INDEX execution_path ON noetl.execution (path, start_time);
CREATE INDEX execution_parent ON noetl.execution (parent_execution_id);

CREATE TABLE noetl.transient (
  execution_id BIGINT NOT NULL,
  var_name TEXT NOT NULL,
  var_type TEXT NOT NULL CHECK (var_type IN ('user_defined', 'step_result', 'computed', 'iterator_state')),
  var_value JSONB NOT NULL,
  source_step TEXT,
  created_at TIMESTAMPTZ NOT NULL,
  accessed_at TIMESTAMPTZ NOT NULL,
  access_count INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (execution_id, var_name)
);

-- contracts: not used since 0.1.0
-- noetl.event is a view of what NoETL's own server has in it; the events of this project are in noetl.canonical_event.
ALTER TABLE noetl.event RENAME TO canonical_event;
ALTER TABLE noetl.canonical_event
  DROP COLUMN node_id,
  DROP COLUMN parent_event_id,
  DROP COLUMN parent_execution_id,
  DROP COLUMN catalog_id,
  DROP COLUMN error;
DROP INDEX noetl.event_node;

CREATE TABLE noetl.event_row (
  execution_id BIGINT NOT NULL,
  -- Position among the execution's rows, from 1, without gaps.
  event_id INTEGER NOT NULL,
  -- Of the canonical event that tells it, and of the one that has its result.
  seq INTEGER NOT NULL,
  result_seq INTEGER,
  catalog_id BIGINT,
  parent_execution_id BIGINT,
  parent_event_id INTEGER,
  event_type TEXT NOT NULL,
  node_name TEXT NOT NULL,
  node_type TEXT,
  status TEXT NOT NULL,
  created_at TIMESTAMPTZ NOT NULL,
  -- Milliseconds.
  duration DOUBLE PRECISION,
  context JSONB NOT NULL,
  PRIMARY KEY (execution_id, event_id)
);
CREATE INDEX event_row_type_time ON noetl.event_row (event_type, created_at);

CREATE VIEW noetl.event AS
SELECT r.execution_id, r.event_id, r.catalog_id, r.parent_execution_id, r.parent_event_id, r.event_type,
  CASE r.node_type WHEN 'execution' THEN 'playbook' ELSE r.node_name END AS node_id, r.node_name, r.node_type, r.status, r.created_at, r.duration, r.context,
  CASE WHEN c.result IS NULL THEN jsonb_build_object('status', r.status)
    ELSE jsonb_build_object('status', r.status, 'context',
      CASE jsonb_typeof(c.result) WHEN 'object' THEN c.result ELSE jsonb_build_object('data', c.result) END)
  END AS result, r.context->>'error' AS error,
  jsonb_strip_nulls(jsonb_build_object('seq', r.seq, 'command_id', r.context->'command_id',
    'iteration_index', r.context->'iteration_index')) AS meta
FROM noetl.event_row r
  LEFT JOIN noetl.canonical_event c ON c.execution_id = r.execution_id AND c.seq = r.result_seq AND NOT c.superseded;

-- What there is is read again.
DELETE FROM noetl.sink_cursor WHERE sink = 'postgres';

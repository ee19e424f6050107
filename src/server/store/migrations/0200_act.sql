-- Acts: requests that changed something, whoever made them, and what became of them. Never values.
-- It takes the place of noetl.assistant_audit, which is not used any more.
CREATE TABLE noetl.act (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at TIMESTAMPTZ NOT NULL DEFAULT now(),
  -- Name of the token, or of the user of a command line.
  principal TEXT NOT NULL,
  -- Name and version of an assistant, as it says itself.
  assistant TEXT,
  -- Address or host name.
  remote TEXT,
  -- POST /api/execute
  request TEXT NOT NULL,
  -- Ids, paths and names of what it is about.
  about TEXT[] NOT NULL,
  -- Of the error; null: it was done.
  code TEXT
);
CREATE INDEX act_at ON noetl.act (at);
CREATE INDEX act_about ON noetl.act USING gin (about);
CREATE INDEX act_principal ON noetl.act (principal, id);
INSERT INTO noetl.act (at, principal, assistant, request, about, code)
SELECT at, principal, assistant, request, array_remove(ARRAY[execution_id, path], NULL), code FROM noetl.assistant_audit ORDER BY id;

-- For overviews: who waits for an event, and how long steps took.
CREATE INDEX canonical_event_wait ON noetl.canonical_event (execution_id) WHERE event_type = 'task.started' AND context ? 'wait';
CREATE INDEX canonical_event_step ON noetl.canonical_event (execution_id) WHERE event_type IN ('step.done', 'step.failed');

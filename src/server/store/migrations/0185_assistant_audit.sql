-- What assistants did: requests that change something, with the name that the assistant gives itself. Never values.
CREATE TABLE noetl.assistant_audit (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at TIMESTAMPTZ NOT NULL DEFAULT now(),
  -- Name and version, as it says itself.
  assistant TEXT NOT NULL,
  -- Name of the token.
  principal TEXT NOT NULL,
  -- POST /api/execute
  request TEXT NOT NULL,
  path TEXT,
  execution_id TEXT,
  -- Of the error; null: it was done.
  code TEXT
);
CREATE INDEX assistant_audit_time ON noetl.assistant_audit (at);

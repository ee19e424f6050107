-- Triggers: which subscriptions of the catalog are at work, and the messages that could not be started (src/server/triggers).

CREATE TABLE noetl.trigger (
  trigger_id BIGINT PRIMARY KEY,
  -- Of the subscription in the catalog, whose latest version counts.
  path TEXT NOT NULL,
  source TEXT NOT NULL,
  mode TEXT NOT NULL,
  -- Of a pushed one: what follows /ingress/ in its address.
  listener TEXT,
  -- Of source playbook: whose ends are the messages.
  watches JSONB,
  state TEXT NOT NULL DEFAULT 'REGISTERED'
    CHECK (state IN ('REGISTERED', 'ACTIVE', 'PAUSED', 'DRAINING', 'DEACTIVATED')),
  last_event TEXT NOT NULL DEFAULT 'subscription.registered',
  received BIGINT NOT NULL DEFAULT 0,
  started BIGINT NOT NULL DEFAULT 0,
  duplicates BIGINT NOT NULL DEFAULT 0,
  filtered BIGINT NOT NULL DEFAULT 0,
  dead BIGINT NOT NULL DEFAULT 0,
  -- Messages that wait in the source, when that was last known.
  lag BIGINT,
  lag_at TIMESTAMPTZ,
  last_message_at TIMESTAMPTZ,
  -- Why nothing can be taken or started, since when.
  trouble TEXT,
  trouble_at TIMESTAMPTZ,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
-- A deactivated one is history: its path and its address are free.
CREATE UNIQUE INDEX trigger_path ON noetl.trigger (path) WHERE state <> 'DEACTIVATED';
CREATE UNIQUE INDEX trigger_listener ON noetl.trigger (listener) WHERE state <> 'DEACTIVATED';

CREATE TABLE noetl.trigger_dead (
  dead_id BIGINT PRIMARY KEY,
  trigger_id BIGINT NOT NULL REFERENCES noetl.trigger,
  message_id TEXT NOT NULL,
  -- The message as it came; the body encrypted where there are keys.
  body BYTEA NOT NULL,
  sealed BOOLEAN NOT NULL,
  headers JSONB NOT NULL,
  attributes JSONB NOT NULL,
  metadata JSONB NOT NULL,
  code TEXT NOT NULL,
  error TEXT NOT NULL,
  failed_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  expires_at TIMESTAMPTZ NOT NULL,
  -- A message that fails again, redelivered or replayed, is the same dead letter.
  UNIQUE (trigger_id, message_id)
);
CREATE INDEX trigger_dead_expires ON noetl.trigger_dead (expires_at);

-- Notifications: written in the transaction of the events that cause them, sent afterwards (src/server/notifications).

ALTER TABLE noetl.execution
  -- When it should have ended; NULL without a deadline.
  ADD COLUMN deadline_at TIMESTAMPTZ,
  -- When it was seen to be open after that.
  ADD COLUMN late_at TIMESTAMPTZ,
  -- Whom to tell of that, as known at its start.
  ADD COLUMN lateness JSONB;
CREATE INDEX execution_deadline ON noetl.execution (deadline_at) WHERE end_time IS NULL AND late_at IS NULL;
CREATE INDEX execution_late ON noetl.execution (late_at) WHERE end_time IS NULL AND late_at IS NOT NULL;

CREATE TABLE noetl.notification (
  -- Of what happened and of the target: the same news is never entered twice.
  id TEXT PRIMARY KEY,
  cause TEXT NOT NULL CHECK (cause IN ('completed', 'failed', 'cancelled', 'late', 'waiting')),
  -- NULL for a schedule that has not started what was due.
  execution_id BIGINT,
  schedule TEXT,
  path TEXT NOT NULL,
  -- As in the playbook: credentials by name.
  target JSONB NOT NULL,
  message JSONB NOT NULL,
  -- The execution that it starts, if its target is a playbook.
  starts BIGINT,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  -- Why the last attempt failed.
  error TEXT,
  occurred_at TIMESTAMPTZ NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  delivered_at TIMESTAMPTZ
);
CREATE INDEX notification_due ON noetl.notification (next_at) WHERE status = 'pending';
CREATE INDEX notification_created ON noetl.notification (created_at DESC, id);
CREATE INDEX notification_execution ON noetl.notification (execution_id);
CREATE INDEX notification_starts ON noetl.notification (starts) WHERE starts IS NOT NULL;

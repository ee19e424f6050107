-- Paths of playbooks about which nobody is notified until a time; and when a sink was last looked after, so that others can tell
-- when nobody does any more.

CREATE TABLE noetl.silence (
  -- A path; * stands for any characters.
  path TEXT PRIMARY KEY,
  until TIMESTAMPTZ NOT NULL,
  -- NULL: all.
  causes TEXT[],
  reason TEXT,
  -- Name of the token.
  created_by TEXT NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

ALTER TABLE noetl.notification DROP CONSTRAINT notification_status_check;
ALTER TABLE noetl.notification ADD CONSTRAINT notification_status_check
  CHECK (status IN ('pending', 'delivered', 'dead', 'silenced'));
-- What metrics ask, again and again.
CREATE INDEX notification_undelivered ON noetl.notification (status) WHERE status <> 'delivered';

CREATE TABLE noetl.sink (
  sink TEXT PRIMARY KEY,
  -- When a projection last searched Temporal for what it lacks, and could.
  looked_at TIMESTAMPTZ NOT NULL
);

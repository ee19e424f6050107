-- A signed message that fails again is the same dead letter, whatever its id, which nobody signed, says.

ALTER TABLE noetl.trigger_dead ADD COLUMN signature TEXT;
ALTER TABLE noetl.trigger_dead DROP CONSTRAINT trigger_dead_trigger_id_message_id_key;
CREATE UNIQUE INDEX trigger_dead_message ON noetl.trigger_dead (trigger_id, coalesce(signature, message_id));

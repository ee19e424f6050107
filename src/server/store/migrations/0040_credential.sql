-- Credentials, encrypted (src/storage/keyring); who read them; the cache of secrets and tokens in use.

CREATE TABLE noetl.credential (
  id BIGINT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  description TEXT,
  tags TEXT[] NOT NULL DEFAULT '{}',
  meta JSONB,
  -- Name of the key that encrypted the data: what a rotation looks for.
  kid TEXT NOT NULL,
  -- Bound to the name: copied to another row it cannot be decrypted.
  data_encrypted BYTEA NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  updated_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX credential_kid ON noetl.credential (kid);

-- No foreign key: what was read stays on record when the credential is gone.
CREATE TABLE noetl.credential_audit (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at TIMESTAMPTZ NOT NULL DEFAULT now(),
  action TEXT NOT NULL CHECK (action IN ('read', 'write', 'delete')),
  credential_id BIGINT NOT NULL,
  credential_name TEXT NOT NULL,
  -- Name of the token, or of the user of the command line.
  principal TEXT NOT NULL,
  -- Address, or name of the machine.
  remote TEXT,
  execution_id BIGINT,
  parent_execution_id BIGINT
);
CREATE INDEX credential_audit_name ON noetl.credential_audit (credential_name, id);
CREATE INDEX credential_audit_execution ON noetl.credential_audit (execution_id);

CREATE TABLE noetl.auth_cache (
  cache_key TEXT PRIMARY KEY,
  credential_name TEXT NOT NULL,
  credential_type TEXT NOT NULL,
  cache_type TEXT NOT NULL CHECK (cache_type IN ('secret', 'token')),
  scope_type TEXT NOT NULL CHECK (scope_type IN ('execution', 'global')),
  execution_id BIGINT,
  parent_execution_id BIGINT,
  kid TEXT NOT NULL,
  -- Bound to the cache key.
  data_encrypted BYTEA NOT NULL,
  expires_at TIMESTAMPTZ NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  accessed_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  access_count INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX auth_cache_expiry ON noetl.auth_cache (expires_at);
CREATE INDEX auth_cache_name ON noetl.auth_cache (credential_name);

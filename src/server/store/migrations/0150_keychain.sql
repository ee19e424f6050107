-- For clients of NoETL that look at `noetl.keychain`: what is kept of secrets and tokens in use, without a value.

CREATE VIEW noetl.keychain AS
SELECT cache_key, credential_name AS keychain_name, credential_type, cache_type, scope_type, execution_id,
  parent_execution_id, expires_at, created_at, accessed_at, access_count
FROM noetl.auth_cache;

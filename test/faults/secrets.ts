/** Secrets: providers that do not have it, do not let us, or are not there. Vault over HTTP stands for those elsewhere. */
import { type JsonObject } from '../../src/language/plan';
import { type Cell } from './cell';

const inVault = (auth: string, more: JsonObject = {}): JsonObject => ({
  provider: 'vault',
  secret: 'app/db',
  auth,
  ...more,
});

export const secrets: readonly Cell[] = [
  ['no secret named', { provider: 'environment' }, 'validation', 'INVALID_INPUT', false],
  ['a provider that is none', { provider: 'keepass', secret: 'x' }, 'validation', 'INVALID_INPUT', false],
  [
    'a variable that is not set',
    { provider: 'environment', secret: 'no_such_secret' },
    'not_found',
    'SECRET_NOT_FOUND',
    false,
  ],
  ['an unknown credential', { secret: 'nobody' }, 'auth', 'CREDENTIAL_NOT_FOUND', false],
  ['a field that it does not have', { secret: 'pg_local', field: 'pin' }, 'not_found', 'SECRET_FIELD', false],
  // What a playbook says is in history: where a secret is kept is said by a credential's name.
  [
    'a login that is written into the playbook',
    { provider: 'vault', secret: 'app/db', auth: { address: 'http://127.0.0.1:1', token: 'x' } },
    'validation',
    'INVALID_INPUT',
    false,
  ],
  ['Vault: connection refused', inVault('vault_away'), 'connection', 'SECRET_UNREACHABLE', true],
  ['Vault: no protocol', inVault('vault_rude'), 'connection', 'SECRET_UNREACHABLE', true],
  ['Vault: an answer that is no JSON', inVault('vault_html'), 'server_error', 'SECRET_PROVIDER', true],
  ['Vault: a token that it refuses', inVault('vault_403'), 'auth', 'SECRET_DENIED', false],
  ['Vault: a path that is not there', inVault('vault_404'), 'not_found', 'SECRET_NOT_FOUND', false],
  ['Vault: too many requests', inVault('vault_429'), 'rate_limit', 'SECRET_BUSY', true],
  ['Vault: sealed', inVault('vault_503'), 'server_error', 'SECRET_PROVIDER', true],
  ['Vault: too slow', inVault('vault_slow', { timeout: 0.5 }), 'timeout', 'TIMEOUT', true],
];

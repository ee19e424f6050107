/** Secrets: providers that do not have it, do not let us, or are not there. Vault over HTTP stands for those elsewhere. */
import { type JsonObject } from '../../src/language/plan';
import { values } from '../clauses/clause';
import { type Cell } from '../faults/cell';
import { limit } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const inVault = (auth: string, more: JsonObject = {}): JsonObject => ({
  provider: 'vault',
  secret: 'app/db',
  auth,
  ...more,
});

const faults: readonly Cell[] = [
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

const clauses: KindTests['clauses'] = {
  fields: { provider: 'environment', secret: 'x' },
  proofs: {
    'an input that is missing': { refused: { provider: 'environment' }, code: 'NT2051' },
    'a host that cannot be reached': { fault: 'Vault: connection refused' },
    'wrong credentials': { fault: 'Vault: a token that it refuses' },
    'a malformed response': { fault: 'Vault: an answer that is no JSON' },
    ...values({ never: 'its answer is a handle, a text; the value leaves no worker' }),
  },
};

const canary: KindTests['canary'] = {
  own: {
    'what is looked up': (ending) =>
      ending === 'success'
        ? { kind: 'secrets', provider: 'credential', secret: 'blob', field: 'secret' }
        : ending === 'failure' || ending === 'retry'
          ? { kind: 'secrets', provider: 'credential', secret: 'blob', field: 'nowhere' }
          : undefined,
    'auth: of the provider': (ending) => ({
      kind: 'secrets',
      provider: 'vault',
      secret: 'app',
      field: 'value',
      auth: `vault_${ending}`,
      ...limit(ending),
    }),
  },
  cannot: { data: 'it accepts names, not data' },
};

const examples: KindTests['examples'] = {
  secrets: {
    result: {
      stdout: expect.stringMatching(/^Authorization - \[redacted\] has 21 letters$/m) as string,
      returncode: 0,
    },
  },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: { real: "moto, a gRPC server with Google's interface, OpenBao" },
};

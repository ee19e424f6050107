/** Handles of secrets. */
import { type KindDeclaration } from '../declaration';
import { AUTH, TIMEOUT } from '../fields';

export const secretsKind: KindDeclaration = {
  doc: 'Looks up a secret and returns a handle; history never contains the value.',
  closed: true,
  uncached: 'returns a secret, which belongs to its execution',
  inputs: 'templates',
  fields: {
    provider: '`credential` (default), `environment`, `file`, `google`, `aws`, `vault`.',
    secret: 'Its name, or its path.',
    secret_name: 'Alias of `secret`.',
    key: 'Alias of `secret`.',
    field: 'The field of a secret that is a JSON mapping; all of them are in `fields`.',
    version: 'Its version; default the newest.',
    ...AUTH,
    project: 'Of Google.',
    region: 'Of AWS.',
    mount: 'Vault: default `secret`.',
    kv_version: 'Vault: default 2.',
    ...TIMEOUT,
  },
  required: [['secret', 'secret_name', 'key']],
  named: 'secret',
  exclusive: [
    ['secret', 'secret_name', 'key'],
    ['auth', 'credential'],
    ['timeout', 'timeout_seconds'],
  ],
  strict: ['secret', 'secret_name', 'key', 'auth', 'credential'],
  types: {
    provider: { words: ['credential', 'environment', 'env', 'file', 'google', 'gcp', 'aws', 'vault'] },
    // Anything written into a playbook ends up in history.
    auth: 'text',
  },
  packages: ['@google-cloud/secret-manager', '@aws-sdk/client-secrets-manager'],
  timeout: 30,
  delivery: 'reads only',
};

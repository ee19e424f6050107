/** Handles of secrets. */
import { type KindDeclaration } from '../../../src/kinds/declaration';
import { AUTH } from '../../../src/kinds/fields';

export const secrets: KindDeclaration = {
  doc: 'Looks a secret up and answers with a handle of it; its value is in no history.',
  closed: true,
  inputs: 'templates',
  fields: {
    provider: '`credential` unless written; `environment`, `file`, `google`, `aws`, `vault`.',
    secret: 'Its name, or its path.',
    secret_name: 'The same as `secret`.',
    key: 'The same as `secret`.',
    field: 'The field of a secret that is a JSON mapping; all of them are in `fields`.',
    version: 'Its version; the newest unless written.',
    ...AUTH,
    project: 'Of Google.',
    region: 'Of AWS.',
    mount: 'Of Vault; `secret` unless written.',
    kv_version: 'Of Vault: 2 unless written.',
    timeout: 'Seconds for the whole.',
    timeout_seconds: 'The same as `timeout`.',
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
    // What is written into a playbook is in history.
    auth: 'text',
  },
  packages: ['@google-cloud/secret-manager', '@aws-sdk/client-secrets-manager'],
  timeout: 30,
};

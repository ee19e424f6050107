/** Errors of keys and sealed data. Messages never contain keys or sealed data. */
import { EnvironmentError } from '../../language/errors';

/** How to fix each error, by code. */
const FIXES = {
  KEY_MISSING: [
    'Set NOETL_SECRETS_KEY to 32 random bytes as base64 (openssl rand -base64 32), or NOETL_SECRETS_KEY_FILE to a ' +
      'file that holds them.',
  ],
  KEY_INVALID: [
    'A key is 32 random bytes as base64 (openssl rand -base64 32), with a name before it or without one: ' +
      'KEY or NAME:KEY; several are separated by commas, the first one encrypts.',
  ],
  KEY_FILE: ['Check that NOETL_SECRETS_KEY_FILE names a file that this process can read.'],
  KEY_FILE_OPEN: [
    'Restrict its permissions: chmod 600, or 640 for a group; for a Kubernetes secret, defaultMode: 0440. If others could ' +
      'have read it, replace the key (docs/encryption.md).',
  ],
  KEY_UNKNOWN: [
    'Add the key that it was encrypted with to NOETL_SECRETS_KEY, after the first one, until ' +
      '`noetl-temporal credentials rotate` has run.',
  ],
  CIPHERTEXT_DAMAGED: [
    'It was changed or moved after it was encrypted, or the key with this name is a different one: ' +
      'restore it, or store the secret again.',
  ],
} as const satisfies Record<string, readonly string[]>;

export type KeyRingErrorCode = keyof typeof FIXES;

export class KeyRingError extends EnvironmentError {
  constructor(code: KeyRingErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, FIXES[code], options);
  }
}

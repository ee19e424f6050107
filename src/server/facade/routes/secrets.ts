/** Shared by routes of secrets: the keys, the caller and its address, ids in queries. */
import { type Request } from 'express';
import { z } from 'zod';
import { type KeyRing } from '../../../storage/keyring';
import { type FacadeServices } from '../services';
import { FacadeError } from './declare';

/** A BIGINT: anything else would cause a database error. */
export const decimalId = z
  .string()
  .regex(/^\d{1,18}$|^[1-8]\d{18}$|^9[01]\d{17}$/, 'an execution id is a decimal number')
  .meta({ example: '382611493952737670' });

/** @throws FacadeError 503 `KEY_MISSING` if this facade was started without keys */
export function keysOf({ keys }: Pick<FacadeServices, 'keys'>): KeyRing {
  if (keys) return keys;
  throw new FacadeError(
    503,
    'KEY_MISSING',
    'this facade was started without a key for secrets: set NOETL_SECRETS_KEY or NOETL_SECRETS_KEY_FILE',
  );
}

export function remoteOf({ ip }: Request): { readonly remote?: string } {
  return ip === undefined ? {} : { remote: ip };
}

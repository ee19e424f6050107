/** `credentials …`: the store and its keys, for commands that work directly on the database. */
import { extensions } from '../extensions';
import { checkCredential } from '../../server/facade/credentials/types';
import { type KeyRing, knownKeyRing, localKeyRing } from '../../storage/keyring';
import { compact, isMapping, type Json, type JsonObject } from '../../language/plan';
import {
  type CredentialInfo,
  Credentials,
  type NewCredential,
  type Rotated,
  rotateCredentials,
} from '../../server/store';
import { UsageError } from '../errors';
import { dataFolder } from './data-folder';
import { type OpenCatalogStore, openStore, type StoreOptions } from './store';
import { THIS_PROCESS } from './stored-credentials';

/**
 * The keys of a store: those of the environment, and the data folder's key if the database is its own or the folder
 * already has a key.
 *
 * @throws KeyRingError
 */
export function keysOfStore(store: Pick<OpenCatalogStore, 'embedded'>, data?: string): KeyRing {
  const folder = dataFolder(data);
  return store.embedded ? localKeyRing(folder) : knownKeyRing(folder);
}

export async function inCredentials<T>(
  where: StoreOptions,
  work: (credentials: Credentials) => Promise<T>,
): Promise<T> {
  const store = await openStore(where);
  try {
    return await work(new Credentials(store.database, keysOfStore(store, where.data)));
  } finally {
    await store.close();
  }
}

/**
 * Stores a credential from a file in the official CLI's format, or from options.
 *
 * @throws UsageError for an invalid credential, naming the missing fields and never a value
 */
export async function addCredential(
  where: StoreOptions,
  given: {
    readonly name?: string;
    readonly document: Json;
    readonly from: string;
    readonly paths?: readonly string[];
  },
): Promise<{ info: CredentialInfo; note?: string }> {
  const credential = credentialOf(given);
  const { problems, note } = checkCredential(credential.type, credential.data, extensions().kinds);
  if (problems.length > 0) throw new UsageError(`${given.from}: ${problems.join('; ')}`);
  const info = await inCredentials(where, (credentials) => credentials.put(credential, THIS_PROCESS));
  return { info, ...compact({ note }) };
}

function credentialOf({
  name: named,
  document,
  from,
  paths: given,
}: Parameters<typeof addCredential>[1]): NewCredential {
  if (!isMapping(document)) throw new UsageError(`${from}: expected a JSON mapping {name, type, data}`);
  const {
    name = null,
    type = null,
    data = null,
    description = null,
    tags = null,
    meta = null,
    paths: written,
  } = document as JsonObject;
  const called = named ?? name;
  if (typeof called !== 'string' || called === '' || called.length > 255)
    throw new UsageError(`${from}: a credential needs a name of 1 to 255 characters`);
  if (typeof type !== 'string' || type === '') throw new UsageError(`${from}: a credential needs a type`);
  if (!isMapping(data)) throw new UsageError(`${from}: data must be a JSON mapping`);
  return {
    name: called,
    type,
    data: data as JsonObject,
    description: description === null ? null : String(description),
    tags: Array.isArray(tags) ? tags.map(String) : [],
    meta: isMapping(meta) ? (meta as JsonObject) : null,
    ...compact({ paths: given ?? pathsIn(written, from) }),
  };
}

function pathsIn(written: Json | undefined, from: string): readonly string[] | null | undefined {
  if (written === undefined || written === null) return written;
  if (Array.isArray(written) && written.every((one) => typeof one === 'string')) return written as string[];
  throw new UsageError(`${from}: paths must be a list of paths of playbooks`);
}

/** @param progress called with the number done */
export async function rotate(
  where: StoreOptions,
  progress: (done: number) => void,
): Promise<Rotated & { readonly kid: string }> {
  const store = await openStore(where);
  try {
    const keys = keysOfStore(store, where.data);
    return { ...(await rotateCredentials(store.database, keys, THIS_PROCESS, { progress })), kid: keys.kid };
  } finally {
    await store.close();
  }
}

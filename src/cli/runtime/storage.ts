/** The storage of large payloads for commands. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openStorage, type Storage } from '../../storage/blobs';
import { type Encryption, encryptsPayloads, payloadCodec } from '../../storage/codec';
import { configuredKeyRing, type KeyRing, knownKeyRing, localKeyRing } from '../../storage/keyring';
import { UsageError } from '../errors';

/** `--storage`, else NOETL_STORAGE; undefined when neither is set. */
function configuredStorage(option: string | undefined): string | undefined {
  return option || process.env.NOETL_STORAGE || undefined;
}

/** Opens the store of a production process, which must be configured. @throws UsageError without one */
export async function openNamedStorage(option: string | undefined): Promise<Storage> {
  const named = configuredStorage(option);
  if (named === undefined) {
    throw new UsageError(
      'no storage for large results is configured, and other workers could not read the disk of this machine: set --storage or ' +
        'NOETL_STORAGE to s3://bucket/prefix, gs://bucket/prefix, postgres://…, or file:///a/shared/folder; ' +
        '`none` refuses results above 2 MiB',
    );
  }
  return await open(named, { encrypt: encryptsPayloads(), keys: () => configuredKeyRing() });
}

/** `--storage`, else NOETL_STORAGE, else the folder `blobs` in the data folder, as a URL. */
export function storageLocation(option: string | undefined, dataDir: string): string {
  return configuredStorage(option) ?? pathToFileURL(path.join(dataDir, 'blobs')).href;
}

/** `--storage`, else NOETL_STORAGE, else the folder `blobs` in the data folder. */
export async function openLocalStorage(option: string | undefined, dataDir: string): Promise<Storage> {
  const encrypt = encryptsPayloads();
  const keys = (): KeyRing => (encrypt ? localKeyRing(dataDir) : knownKeyRing(dataDir));
  return await open(storageLocation(option, dataDir), { encrypt, keys });
}

/** What workers need of a storage. */
export function forWorkers(storage: Storage, namespace: string) {
  const { dataConverter, maxResultBytes } = storage;
  return {
    dataConverter,
    maxResultBytes,
    results: storage.results(namespace),
    logs: storage.logs(namespace),
    cache: storage.cache(namespace),
  };
}

async function open(text: string, encryption: Encryption): Promise<Storage> {
  return await openStorage(text, payloadCodec(encryption));
}

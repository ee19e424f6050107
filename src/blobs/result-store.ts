/** Values that tools put into the store of large results and fetch from it, through the drivers that history uses. */
import { type PayloadCodec, type StorageDriver, StorageDriverClaim } from '@temporalio/common';
import { type Origin, type ResultStore } from '../payloads';
import { originOf } from './guarded-driver';

export interface NamedDriver {
  readonly driver: StorageDriver;
  /** Where it is: `s3://bucket/prefix`. */
  readonly shown: string;
  /** Deletes one object of it; one that is not there is gone already. */
  erase(key: string): Promise<void>;
}

/** Deletions at a time. */
const ERASERS = 16;

/**
 * @param stores the first is written, all are read
 * @param namespace of the executions that own what is put, which decides how long it is kept
 * @param codec that of history: what tools put is encrypted like what Temporal puts, and read as such
 */
export function resultStore(
  stores: readonly NamedDriver[],
  namespace: string,
  codec?: PayloadCodec,
): ResultStore | undefined {
  const [written] = stores;
  if (!written) return undefined;
  return {
    shown: written.shown,
    async put(workflowId, payload, abortSignal) {
      const target = { kind: 'workflow', namespace, id: workflowId } as const;
      const encoded = codec ? await codec.encode([payload]) : [payload];
      const [claim] = await written.driver.store({ target, abortSignal }, encoded);
      return originOf(written.driver.name, claim!);
    },
    async get(origin, abortSignal) {
      for (const { driver, shown } of stores) {
        // A playbook writes references too: the rights of this worker are for its own buckets.
        const claim = isIn(shown, origin.store) ? claimOf(driver.name, origin) : undefined;
        if (!claim) continue;
        const found = await driver.retrieve({ abortSignal }, [claim]);
        return (codec ? await codec.decode(found) : found)[0];
      }
      return undefined;
    },
    async discard(origins) {
      for (let at = 0; at < origins.length; at += ERASERS) {
        const some = origins.slice(at, at + ERASERS);
        await Promise.all(some.map(({ key }) => written.erase(key).catch(() => undefined)));
      }
    },
  };
}

/** Stores that are no buckets are told apart by their names alone. */
function isIn(shown: string, store: string): boolean {
  return !store.includes('://') || shown.startsWith(`${store}/`);
}

/** The claim that `originOf` made the origin of; undefined when another driver made it. */
function claimOf(driverName: string, { store, key, checksum }: Origin): StorageDriverClaim | undefined {
  const [hashAlgorithm = '', hashValue = ''] = checksum.split(':');
  const hash = { hashAlgorithm, hashValue };
  const bucket = /^(s3|gs):\/\/([^/]+)/.exec(store);
  if (!bucket) return driverName === `noetl.${store}` ? new StorageDriverClaim({ key, ...hash }) : undefined;
  const [, scheme, name = ''] = bucket;
  if (scheme === 's3' && driverName === 'aws.s3driver')
    return new StorageDriverClaim({ bucket: name, key, ...hash });
  if (scheme === 'gs' && driverName === 'gcp.gcsdriver')
    return new StorageDriverClaim({ bucket: name, object: key, ...hash });
  return undefined;
}

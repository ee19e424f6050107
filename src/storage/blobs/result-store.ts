/** Values that tools put into and get from the store of large results, through the drivers used for history. */
import { type PayloadCodec, StorageDriverClaim } from '@temporalio/common';
import { inParallel } from '../../language/plan/in-parallel';
import { type ReferenceOrigin, type ResultStore } from '../payloads';
import { claimOrigin } from './guarded-driver';
import { blobFailure, rootMessage } from './failure';
import { blobKey } from './key';
import { bytesSha256, type OpenObjectStore } from './object-driver';
import { getValue, valueBytes } from './values';

/** Concurrent deletions. */
const ERASERS = 16;

/**
 * @param stores the first is written, all are read
 * @param namespace of the owning executions, which determines retention
 * @param codec that of history: values from tools are encrypted and read like those from Temporal
 */
export function resultStore(
  stores: readonly OpenObjectStore[],
  namespace: string,
  codec?: PayloadCodec,
): ResultStore | undefined {
  const [written] = stores;
  if (!written) return undefined;
  // Where a payload with the hash of the name would be.
  const keyOf = (workflowId: string, name: string): string =>
    blobKey({ namespace, workflowId }, bytesSha256(Buffer.from(name)));
  const codecs = codec ? [codec] : [];
  return {
    shown: written.shown,
    async save(workflowId, name, value) {
      try {
        await written.objects.put(keyOf(workflowId, name), await valueBytes(value, codecs));
      } catch (error) {
        throw blobFailure('BLOB_NOT_STORED', `cannot write to ${written.shown}: ${rootMessage(error)}`);
      }
    },
    async saved<T>(workflowId: string, name: string) {
      try {
        return await getValue<T>(written.objects, keyOf(workflowId, name), codecs);
      } catch (error) {
        throw blobFailure('BLOB_UNREADABLE', `cannot read from ${written.shown}: ${rootMessage(error)}`);
      }
    },
    async put(workflowId, payload, abortSignal) {
      const target = { kind: 'workflow', namespace, id: workflowId } as const;
      const encoded = codec ? await codec.encode([payload]) : [payload];
      const [claim] = await written.driver.store({ target, abortSignal }, encoded);
      return claimOrigin(written.driver.name, claim!);
    },
    async get(origin, abortSignal) {
      for (const { driver, shown } of stores) {
        // References may also be written by a playbook, so this worker's permissions are used for its own buckets
        // only.
        const claim = isIn(shown, origin.store) ? claimOf(driver.name, origin) : undefined;
        if (!claim) continue;
        const payloads = await driver.retrieve({ abortSignal }, [claim]);
        return (codec ? await codec.decode(payloads) : payloads)[0];
      }
      return undefined;
    },
    async discard(origins) {
      await inParallel(ERASERS, origins, ({ key }) => written.erase(key).catch(() => undefined));
    },
  };
}

/** Stores other than buckets are distinguished by name only. */
function isIn(shown: string, store: string): boolean {
  return !store.includes('://') || shown.startsWith(`${store}/`);
}

/** The claim for an origin made by `originOf`; undefined if it was made by another driver. */
function claimOf(
  driverName: string,
  { store, key, checksum }: ReferenceOrigin,
): StorageDriverClaim | undefined {
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

/** Values that tools put into the store of large results and fetch from it, through the drivers that history uses. */
import { type StorageDriver, StorageDriverClaim } from '@temporalio/common';
import { type Origin, type ResultStore } from '../payloads';
import { originOf } from './guarded-driver';

/**
 * @param drivers the first is written, all are read
 * @param namespace of the executions that own what is put, which decides how long it is kept
 */
export function resultStore(
  drivers: readonly StorageDriver[],
  shown: string,
  namespace: string,
): ResultStore | undefined {
  const [written] = drivers;
  if (!written) return undefined;
  return {
    shown,
    async put(workflowId, payload, abortSignal) {
      const target = { kind: 'workflow', namespace, id: workflowId } as const;
      const [claim] = await written.store({ target, abortSignal }, [payload]);
      return originOf(written.name, claim!);
    },
    async get(origin, abortSignal) {
      for (const driver of drivers) {
        const claim = claimOf(driver.name, origin);
        if (claim) return (await driver.retrieve({ abortSignal }, [claim]))[0];
      }
      return undefined;
    },
  };
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

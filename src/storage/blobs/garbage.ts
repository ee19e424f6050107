/** Deletes stored payloads of workflows that no longer exist in Temporal. */
import { CodedError } from '../../language/errors';
import { CACHE_OWNER, type Owner } from './key';
import { type ObjectStore, type OwnedBlobs } from './object-driver';

export interface CollectedGarbage {
  readonly deleted: { readonly workflows: number; readonly count: number; readonly bytes: number };
  readonly kept: { readonly workflows: number; readonly count: number; readonly bytes: number };
  /** The workflows whose payloads were, or would be, deleted. */
  readonly owners: readonly OwnedBlobs[];
}

interface GarbageOptions {
  /**
   * Milliseconds since the epoch: payloads stored later are kept. This protects workflows that are just being
   * started.
   */
  readonly before: number;
  readonly dryRun?: boolean;
  /** Whether Temporal still has the workflow, open or closed: its history refers to stored payloads. */
  isKnown(owner: Owner): Promise<boolean>;
  /** Deletes even if Temporal has none of the workflows. */
  readonly force?: boolean;
}

/**
 * @throws CodedError `STORAGE_OWNERS_UNKNOWN` if Temporal has none of the workflows: probably the wrong server
 */
export async function collectGarbage(store: ObjectStore, options: GarbageOptions): Promise<CollectedGarbage> {
  const owners = (await store.owners()).filter(
    ({ namespace, workflowId }) => namespace !== 'noetl-check' && workflowId !== CACHE_OWNER,
  );
  const old = owners.filter((owner) => owner.newest < options.before);
  const forgotten: OwnedBlobs[] = [];
  for (const owner of old) if (!(await options.isKnown(owner))) forgotten.push(owner);
  const sure = options.force || options.dryRun || forgotten.length < old.length || forgotten.length === 0;
  if (!sure && !(await anyKnown(owners, old, options)))
    throw new CodedError(
      'STORAGE_OWNERS_UNKNOWN',
      `Temporal has none of the ${owners.length} workflows whose payloads are stored here`,
      { hint: ['Is this the right server? --force deletes anyway.'] },
    );
  const sum = { count: 0, bytes: 0 };
  for (const owner of forgotten) {
    const removed = options.dryRun ? owner : await store.remove(owner, options.before);
    sum.count += removed.count;
    sum.bytes += removed.bytes;
  }
  const total = owners.reduce(
    (all, one) => ({ count: all.count + one.count, bytes: all.bytes + one.bytes }),
    {
      count: 0,
      bytes: 0,
    },
  );
  return {
    deleted: { workflows: forgotten.length, ...sum },
    kept: {
      workflows: owners.length - forgotten.length,
      count: total.count - sum.count,
      bytes: total.bytes - sum.bytes,
    },
    owners: forgotten,
  };
}

async function anyKnown(
  owners: readonly OwnedBlobs[],
  except: readonly OwnedBlobs[],
  { isKnown }: GarbageOptions,
): Promise<boolean> {
  for (const owner of owners) if (!except.includes(owner) && (await isKnown(owner))) return true;
  return false;
}

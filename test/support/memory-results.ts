/** A store of large results in memory, for tests of what is kept in one. */
import { createHash } from 'node:crypto';
import { type Payload } from '@temporalio/common';
import { type ResultStore } from '../../src/storage/payloads';

export function memoryResults(): ResultStore & { readonly kept: Map<string, Payload> } {
  const kept = new Map<string, Payload>();
  const named = new Map<string, object>();
  return {
    shown: 'memory',
    kept,
    put(workflowId, payload) {
      const hash = createHash('sha256').update(payload.data!).digest('hex');
      const key = `${workflowId}/${hash}`;
      kept.set(key, payload);
      return Promise.resolve({ store: 'memory', key, checksum: `sha256:${hash}` });
    },
    discard(origins) {
      for (const { key } of origins) kept.delete(key);
      return Promise.resolve();
    },
    save(workflowId, name, value) {
      named.set(`${workflowId} ${name}`, value);
      return Promise.resolve();
    },
    saved: <T>(workflowId: string, name: string) =>
      Promise.resolve(named.get(`${workflowId} ${name}`) as T | undefined),
    get: ({ store, key }) => Promise.resolve(store === 'memory' ? kept.get(key) : undefined),
  };
}

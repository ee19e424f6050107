/** A storage driver over whatever keeps bytes under a key: content-addressed, each read checked against its hash. */
import { createHash } from 'node:crypto';
import { type Payload, StorageDriverClaim, type StorageDriver } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { blobFailure } from './failure';
import { keyOf, type Owner, ownerOf } from './key';

const { Payload: PayloadProto } = temporal.api.common.v1;

/** Bytes of all payloads of one workflow. */
export interface OwnedBlobs extends Owner {
  readonly count: number;
  readonly bytes: number;
  /** Milliseconds since the epoch of the newest write. */
  readonly newest: number;
}

/** Bytes under keys. */
export interface Objects {
  /**
   * Writes before it returns. A key that exists holds the same bytes, unless it was damaged: it is renewed.
   *
   * @param isLasting false: may be lost when the machine loses its power
   */
  put(key: string, bytes: Uint8Array, isLasting?: boolean): Promise<void>;
  /** Undefined where there is no such key. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** What stands behind a prefix that ends with a slash, where it sorts behind `after`: in order, the first of `count`. */
  list(prefix: string, after: string, count: number): Promise<readonly string[]>;
}

export interface ObjectStore extends Objects {
  /** For messages: where it is, without secrets. */
  readonly shown: string;
  /** A key that is not there is gone already. */
  delete(key: string): Promise<void>;
  owners(): Promise<OwnedBlobs[]>;
  /** Deletes what the owner wrote last before `before`, milliseconds since the epoch; returns what went. */
  remove(owner: Owner, before: number): Promise<{ count: number; bytes: number }>;
  close(): Promise<void>;
}

/** `name` is what references in history call it. */
export function objectDriver(name: string, store: ObjectStore): StorageDriver {
  return {
    name,
    type: name,
    async store({ target }, payloads) {
      const owner = ownerOf(target);
      return Promise.all(
        payloads.map(async (payload) => {
          const bytes = PayloadProto.encode(payload).finish();
          const hashValue = sha256(bytes);
          const key = keyOf(owner, hashValue);
          await store.put(key, bytes);
          return new StorageDriverClaim({ key, hashAlgorithm: 'sha256', hashValue });
        }),
      );
    },
    async retrieve(_context, claims) {
      return Promise.all(claims.map(({ claimData }) => fetch(store, claimData)));
    },
  };
}

async function fetch(store: ObjectStore, claim: Readonly<Record<string, string>>): Promise<Payload> {
  const { key = '', hashValue } = claim;
  const bytes = await store.get(key);
  if (!bytes) throw blobFailure('BLOB_MISSING', `${store.shown} has no ${key}`);
  const found = sha256(bytes);
  if (found !== hashValue) {
    throw blobFailure(
      'BLOB_CORRUPT',
      `${key} in ${store.shown} is damaged: its sha256 is ${found.slice(0, 12)}…, its ${bytes.length} bytes are not what was stored`,
    );
  }
  return PayloadProto.decode(bytes);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

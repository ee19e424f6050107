/** A storage driver on top of any key-value store: content-addressed, each read verified against its hash. */
import { createHash } from 'node:crypto';
import { type Payload, StorageDriverClaim, type StorageDriver } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { blobFailure } from './failure';
import { blobKey, type Owner, ownerOf } from './key';

const { Payload: PayloadProto } = temporal.api.common.v1;

/** Payloads of one workflow, in bytes. */
export interface OwnedBlobs extends Owner {
  readonly count: number;
  readonly bytes: number;
  /** Milliseconds since the epoch of the latest write. */
  readonly newest: number;
}

/** A key-value store of bytes. */
export interface Objects {
  /**
   * Returns when written. An existing key holds the same bytes unless they are damaged: it is overwritten.
   *
   * @param isLasting false: may be lost in a power failure
   */
  put(key: string, bytes: Uint8Array, isLasting?: boolean): Promise<void>;
  /** Undefined if there is no such key. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Names below a prefix that ends with a slash, after `after` in sort order: sorted, at most `count`. */
  list(prefix: string, after: string, count: number): Promise<readonly string[]>;
}

export interface ObjectStore extends Objects {
  /** Location for messages, without secrets. */
  readonly shown: string;
  /** Deleting a missing key is not an error. */
  delete(key: string): Promise<void>;
  owners(): Promise<OwnedBlobs[]>;
  /**
   * Deletes the owner's objects last written before `before`, milliseconds since the epoch; returns what was
   * deleted.
   */
  remove(owner: Owner, before: number): Promise<{ count: number; bytes: number }>;
  close(): Promise<void>;
}

/** A storage location that is open. */
export interface OpenObjectStore {
  readonly driver: StorageDriver;
  /** Location for messages, without secrets: `s3://bucket/prefix`. */
  readonly shown: string;
  /** Under our own keys. */
  readonly objects: Objects;
  /** With garbage collection; buckets have lifecycle rules instead. */
  readonly store?: ObjectStore;
  /** Deletes one object; deleting a missing one is not an error. */
  erase(key: string): Promise<void>;
  close(): Promise<void>;
}

/** `name` identifies the driver in history. */
export function objectDriver(name: string, store: ObjectStore): StorageDriver {
  return {
    name,
    type: name,
    async store({ target }, payloads) {
      const owner = ownerOf(target);
      return Promise.all(
        payloads.map(async (payload) => {
          const bytes = PayloadProto.encode(payload).finish();
          const hashValue = bytesSha256(bytes);
          const key = blobKey(owner, hashValue);
          await store.put(key, bytes);
          return new StorageDriverClaim({ key, hashAlgorithm: 'sha256', hashValue });
        }),
      );
    },
    async retrieve(_context, claims) {
      return Promise.all(claims.map(({ claimData }) => fetchBlob(store, claimData)));
    },
  };
}

async function fetchBlob(store: ObjectStore, claim: Readonly<Record<string, string>>): Promise<Payload> {
  const { key = '', hashValue } = claim;
  const bytes = await store.get(key);
  if (!bytes) throw blobFailure('BLOB_MISSING', `${store.shown} has no ${key}`);
  const digest = bytesSha256(bytes);
  if (digest !== hashValue) {
    throw blobFailure(
      'BLOB_CORRUPT',
      `${key} in ${store.shown} is damaged: its sha256 is ${digest.slice(0, 12)}…, its ${bytes.length} bytes are not what was stored`,
    );
  }
  return PayloadProto.decode(bytes);
}

export function bytesSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

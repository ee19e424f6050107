/**
 * Wraps every driver: adds actionable errors, retries for brief outages, and the origin of fetched payloads, from
 * which references are made (src/storage/payloads/reference.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Payload, type StorageDriver, type StorageDriverClaim } from '@temporalio/common';
import { FETCHED_FROM, type ReferenceOrigin } from '../payloads';
import { type BlobCode, blobFailure, blobFailureIn, rootMessage } from './failure';

/** A workflow task has 10 s; Temporal retries it. */
const PAUSES_MS: readonly number[] = [200, 1000];

/** @param shown location of the store, for messages */
export function guardedDriver(driver: StorageDriver, shown: string): StorageDriver {
  return {
    name: driver.name,
    type: driver.type,
    store: (context, payloads) =>
      attempt('BLOB_NOT_STORED', context.abortSignal, `cannot write to ${shown}`, () =>
        driver.store(context, payloads),
      ),
    async retrieve(context, claims) {
      const payloads = await attempt(
        'BLOB_UNREADABLE',
        context.abortSignal,
        `cannot read from ${shown}`,
        () => driver.retrieve(context, claims),
      );
      return payloads.map((payload, index) => withOrigin(payload, claimOrigin(driver.name, claims[index]!)));
    },
  };
}

async function attempt<T>(
  code: BlobCode,
  signal: AbortSignal | undefined,
  what: string,
  action: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await action();
    } catch (error) {
      const failure = blobFailureIn(error) ?? integrityFailure(error);
      if (failure) throw failure;
      const pause = PAUSES_MS[tries];
      if (pause === undefined || signal?.aborted) {
        throw blobFailure(code, `${what}: ${rootMessage(error)}`, error);
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Temporal's drivers report it only in the message. */
function integrityFailure(error: unknown): Error | undefined {
  const message = error instanceof Error ? error.message : '';
  return /integrity check failed/.test(message) ? blobFailure('BLOB_CORRUPT', message, error) : undefined;
}

function withOrigin(payload: Payload, origin: ReferenceOrigin): Payload {
  const data = Buffer.from(JSON.stringify(origin));
  return { ...payload, metadata: { ...payload.metadata, [FETCHED_FROM]: data } };
}

/** Derived only from the claim in history, not from this process' configuration of the store. */
export function claimOrigin(driverName: string, { claimData }: StorageDriverClaim): ReferenceOrigin {
  const { bucket, key, object, hashAlgorithm = 'sha256', hashValue = '' } = claimData;
  const scheme: Readonly<Record<string, string>> = { 'aws.s3driver': 's3', 'gcp.gcsdriver': 'gs' };
  const store = scheme[driverName] ? `${scheme[driverName]}://${bucket}` : driverName.replace(/^noetl\./, '');
  return { store, key: key ?? object ?? '', checksum: `${hashAlgorithm}:${hashValue}` };
}

/**
 * A thread's side of reading a history. Pages come from the host, which has the connection; so do values that are stored
 * elsewhere or encrypted, because keys and stores stay with the host.
 */
import {
  type LoadedDataConverter,
  type Payload,
  type PayloadCodec,
  ExternalStorage,
} from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { compression } from '../../storage/codec';
import { Derivation, type DerivationOptions, type HistoryEvent, type Pages } from '../../history';
import { failureConverter } from '../../storage/payloads/failure-converter';
import { payloadConverter } from '../../storage/payloads/converter';
import { type Host } from '../threads/serve-jobs';

/** What a process's converter has beside what every process has. */
export interface ReadingSurroundings {
  /** Names of stores. */
  readonly stores: readonly string[];
  readonly isEncrypted: boolean;
}

/** An execution, as views read it. */
export interface HostReading {
  readonly id: string;
  readonly converter: LoadedDataConverter;
  readonly host: Host;
  /** From its start, at each call. */
  pages(): Pages;
  derivation(options?: DerivationOptions): Derivation;
  /** To be passed to what derives. */
  readonly progress: (events: number) => void;
}

export function readingOf(id: string, host: Host, surroundings: ReadingSurroundings): HostReading {
  return readingWith(id, host, converterOf(host, surroundings), () => pagesOf(host));
}

/** @param pages the history from its start, at each call */
export function readingWith(
  id: string,
  host: Host,
  converter: LoadedDataConverter,
  pages: () => Pages,
): HostReading {
  const progress = (events: number): void => host.tell('progress', events);
  return {
    id,
    converter,
    host,
    progress,
    pages,
    derivation: (options) => new Derivation({ converter, progress, ...options }),
  };
}

async function* pagesOf(host: Host): AsyncGenerator<readonly HistoryEvent[], void> {
  await host.ask('open');
  for (;;) {
    const bytes = (await host.ask('page')) as Uint8Array | undefined;
    if (!bytes) return;
    yield temporal.api.history.v1.History.decode(bytes).events;
  }
}

function converterOf(host: Host, { stores, isEncrypted }: ReadingSurroundings): LoadedDataConverter {
  const decrypting: PayloadCodec = {
    encode: () => Promise.reject(new Error('a reader encodes nothing')),
    decode: async (payloads) => asPayloads(await host.ask('decrypt', payloads.map(plainPayload))),
  };
  return {
    payloadConverter,
    failureConverter,
    payloadCodecs: isEncrypted ? [compression, decrypting] : [compression],
    ...(stores.length > 0 && { externalStorage: storageOf(host, stores) }),
  };
}

function storageOf(host: Host, stores: readonly string[]): ExternalStorage {
  const drivers = stores.map((name) => ({
    name,
    type: name,
    store: () => Promise.reject(new Error('a reader stores nothing')),
    retrieve: async (_context: unknown, claims: unknown) =>
      asPayloads(await host.ask('retrieve', { name, claims })),
  }));
  return new ExternalStorage({ drivers, driverSelector: () => null });
}

/** Instances of Protobuf's classes cannot be passed. */
export function plainPayload({ metadata, data }: Payload): Payload {
  const entries = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, exactBytes(bytes)] as const);
  return { metadata: Object.fromEntries(entries), data: data ? exactBytes(data) : null };
}

/** A view is passed with all that it is a view of, which is a page of history for each value in it. */
export function exactBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}

function asPayloads(value: unknown): Payload[] {
  return value as Payload[];
}

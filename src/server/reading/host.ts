/** The side with the connection of reading a history: what a thread asks for. */
import os from 'node:os';
import { type Client } from '@temporalio/client';
import { type Payload, type PayloadCodec, type StorageDriverClaim } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { compression } from '../../storage/codec';
import { type HistoryEvent, type Pages } from '../../history';
import { type Answers } from '../threads';
import { exactBytes, plainPayload, type ReadingSurroundings } from './from-host';

const { History } = temporal.api.history.v1;

const MIB = 1024 * 1024;

/** For a thread: an eighth of the machine's memory, or the container's, in MiB. */
export function heapMb(): number {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, os.totalmem()) : os.totalmem();
  return Math.min(1024, Math.max(256, Math.floor(memory / MIB / 8)));
}

/** How far a reading has come. */
export interface ReadingProgress {
  /** Of Temporal's history that were read. */
  history_events: number;
  /** That were derived from them. */
  events: number;
}

/** What a thread must know of the converter of this process. */
export function readingSurroundings(client: Client): ReadingSurroundings {
  const { externalStorage } = client.options.loadedDataConverter;
  return {
    stores: (externalStorage?.drivers ?? []).map(({ name }) => name),
    isEncrypted: encryptionOf(client).length > 0,
  };
}

/** Of this process's converter: those that encrypt. */
export function encryptionOf({ options }: Client): readonly PayloadCodec[] {
  return othersOf(options.loadedDataConverter.payloadCodecs);
}

/** Threads decompress by themselves. */
function othersOf(codecs: readonly PayloadCodec[]): readonly PayloadCodec[] {
  return codecs.filter((codec) => codec !== compression);
}

/** @param open the history from its start */
export function answersFor(client: Client, open: () => Pages, progress: ReadingProgress): Answers {
  const { externalStorage } = client.options.loadedDataConverter;
  const history = async function* (): AsyncGenerator<readonly HistoryEvent[], void> {
    for await (const events of open()) {
      progress.history_events += events.length;
      yield events;
    }
  };
  let pages = history();
  return {
    /** For who reads in this process. */
    history,
    open: () => void (pages = history()),
    async page() {
      const { done, value } = await pages.next();
      return done ? undefined : exactBytes(History.encode({ events: [...value] }).finish());
    },
    progress: (events: number) => (progress.events = events),
    async decrypt(payloads: Payload[]) {
      let decoded = payloads;
      for (const codec of [...encryptionOf(client)].reverse()) decoded = await codec.decode(decoded);
      return decoded.map(plainPayload);
    },
    async retrieve({ name, claims }: { name: string; claims: StorageDriverClaim[] }) {
      const payloads = await externalStorage!.getDriver(name)!.retrieve({}, claims);
      return payloads.map(plainPayload);
    },
  };
}

/** Opens storage locations for clients, workers and readers of history. */
import {
  type DataConverter,
  ExternalStorage,
  type Payload,
  type PayloadCodec,
  type StorageDriver,
} from '@temporalio/common';
import { compression } from '../codec';
import { type ResultStore, type StepCache } from '../payloads';
import { EnvironmentError } from '../../language/errors';
import { MAX_VALUE_SIZE } from '../../language/plan';
import { rootMessage } from './failure';
import { fileStore } from './file-store';
import { openGcs } from './gcs';
import { type LogStore } from '../../telemetry/logs';
import { guardedDriver } from './guarded-driver';
import { isLarge, passInlinePayloads } from './inline-payloads';
import { type Location, parseLocations } from './location';
import { logStore } from './log-store';
import { objectDriver, type ObjectStore, type OpenObjectStore } from './object-driver';
import { resultStore } from './result-store';
import { openS3 } from './s3';
import { stepCache } from './step-cache';

export interface Storage {
  readonly dataConverter: DataConverter;
  /** Location for messages, without secrets. */
  readonly shown: string;
  /** Of a task, as JSON: what the engine takes. Undefined without storage: then Temporal's own limit applies. */
  readonly maxResultBytes?: number;
  /** The store for tools of executions in `namespace`; undefined without storage. */
  results(namespace: string): ResultStore | undefined;
  /** The log store for tasks of executions in `namespace`; undefined without storage. */
  logs(namespace: string): LogStore | undefined;
  /** Cached results of tasks in `namespace`; undefined without storage. */
  cache(namespace: string): StepCache | undefined;
  /** The stores with garbage collection; buckets have lifecycle rules instead. */
  readonly stores: readonly ObjectStore[];
  /** Writes and reads a few bytes. @throws EnvironmentError `STORAGE_UNUSABLE` */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The converter of all clients, workers, replayers and readers; history written with storage can only be read with
 * storage. The SDK applies the codecs first, in this order, and then stores what is still large.
 */
const CONVERTER = {
  payloadConverterPath: require.resolve('../payloads/converter'),
  failureConverterPath: require.resolve('../payloads/failure-converter'),
};

/**
 * @param codec encrypts payloads after compression and before storage or history; none by default
 * @throws EnvironmentError `STORAGE_INVALID`, `PACKAGE_MISSING`
 */
export async function openStorage(text: string, codec?: PayloadCodec): Promise<Storage> {
  const converter = { ...CONVERTER, payloadCodecs: codec ? [compression, codec] : [compression] };
  const opened: OpenObjectStore[] = [];
  for (const location of parseLocations(text)) {
    if (location.kind === 'none') continue;
    const one = await open(location);
    opened.push({ ...one, driver: guardedDriver(one.driver, one.shown) });
  }
  const [written] = opened;
  const close = async (): Promise<void> => void (await Promise.all(opened.map((one) => one.close())));
  if (!written) {
    const check = (): Promise<void> => Promise.resolve();
    const none = (): undefined => undefined;
    const lacks = { results: none, logs: none, cache: none, stores: [] };
    return { dataConverter: converter, shown: 'none', ...lacks, check, close };
  }
  const drivers = opened.map(({ driver }) => driver);
  passInlinePayloads();
  const externalStorage = new ExternalStorage({
    drivers,
    payloadSizeThreshold: 0,
    driverSelector: (_context, payload) => (isLarge(payload) ? drivers[0]! : null),
  });
  return {
    dataConverter: { ...converter, externalStorage },
    shown: opened.map((one) => one.shown).join(', '),
    maxResultBytes: MAX_VALUE_SIZE,
    results: (namespace) => resultStore(opened, namespace, codec),
    logs: (namespace) => logStore(opened, namespace, converter.payloadCodecs),
    cache: (namespace) => stepCache(opened, namespace, converter.payloadCodecs),
    stores: opened.flatMap((one) => one.store ?? []),
    check: () => check(drivers[0]!, written.shown),
    close,
  };
}

async function open(location: Exclude<Location, { kind: 'none' }>): Promise<OpenObjectStore> {
  switch (location.kind) {
    case 'file':
      return ours('noetl.file', fileStore(location.folder));
    case 'postgres': {
      // With its driver: most commands have a folder.
      const { postgresStore } = await import('./postgres-store.js');
      return ours('noetl.postgres', postgresStore(location.url));
    }
    case 's3':
    case 'gs': {
      const shown = `${location.kind}://${location.bucket}/${location.prefix}`;
      return { shown, ...(await (location.kind === 's3' ? openS3(location) : openGcs(location))) };
    }
  }
}

function ours(name: string, store: ObjectStore): OpenObjectStore {
  return {
    driver: objectDriver(name, store),
    shown: store.shown,
    store,
    objects: store,
    erase: (key) => store.delete(key),
    close: () => store.close(),
  };
}

async function check(driver: StorageDriver, shown: string): Promise<void> {
  const target = { kind: 'workflow', namespace: 'noetl-check', id: 'check' } as const;
  const payload: Payload = { metadata: {}, data: Buffer.from('noetl') };
  try {
    await driver.retrieve({}, await driver.store({ target }, [payload]));
  } catch (error) {
    throw new EnvironmentError(
      'STORAGE_UNUSABLE',
      `The storage ${shown} cannot be used: ${rootMessage(error)}`,
      ['Check NOETL_STORAGE (or --storage), the permissions of this process, and its credentials.'],
      { cause: error },
    );
  }
}

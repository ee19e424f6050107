/**
 * The embedded Temporal server: `temporal server start-dev`, tuned, with a database file in the data folder or in
 * memory.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Connection } from '@temporalio/client';
import { type DataConverter } from '@temporalio/common';
import { DEFAULT_NAMESPACE, namespaceOf } from '../client/address';
import { connect, ensureSearchAttributes } from '../client/connect';
import { EnvironmentError, hasCode, messageOf } from '../../language/errors';
import { attributeType, SEARCH_ATTRIBUTE_KEYS } from '../client/naming';
import { type Binary, obtainTemporalCli } from './binary';
import { isListening } from './ports';
import { holdService, lastLine, type ServiceHold } from './shared-service';
import { compact } from '../../language/plan';

export interface DevServerOptions {
  /** The data folder; the server keeps its database, log and state in `temporal/` below it. */
  readonly dataDir: string;
  /** Nothing survives the server. For tests. */
  readonly inMemory?: boolean;
  /** Used if free, otherwise others; by default any free port. */
  readonly preferredPorts?: { readonly grpc: number; readonly ui: number };
  readonly namespace?: string;
  /** Further dynamic configuration of the server, `key=value`, in addition to our tuning. For tests. */
  readonly dynamicConfig?: readonly string[];
  /** Address of the codec server for the UI's pages, if we start the server. */
  readonly uiCodecEndpoint?: string;
  /** Default: `obtainTemporalCli` finds or downloads one. */
  readonly binary?: Binary;
  readonly report?: (line: string) => void;
  /** Milliseconds until the server must respond. */
  readonly readyLimitMs?: number;
  /** Of the client. */
  readonly dataConverter?: DataConverter;
}

export interface DevServer {
  /** host:port of the gRPC frontend. */
  readonly address: string;
  /** Address of the Temporal UI. */
  readonly ui: string;
  readonly namespace: string;
  /** The UI's codec server, as set by the process that started the server. */
  readonly uiCodecEndpoint?: string;
  readonly pid: number;
  /** False if another process of the same data folder had started it. */
  readonly started: boolean;
  readonly logFile: string;
  readonly connection: Connection;
  readonly client: Client;
  /** Settles when the server has ended, whoever stopped it. */
  readonly ended: Promise<void>;
  /** Closes the connection and releases the server; the last holder stops it. */
  stop(): Promise<void>;
}

const READY_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 8_000;
/** A port may be taken between the check and the server's bind. */
const START_ATTEMPTS = 3;

/**
 * With the dev server's defaults each sequential task takes 100 ms instead of 25, because queues are polled 20
 * times a second.
 */
const TUNING = [
  ...['transfer', 'timer', 'visibility'].map((queue) => `history.${queue}ProcessorMaxPollRPS=1000`),
  // Timers are read up to this far behind the clock: with the default of 1 s a retry after 0.1 s waits for 1 s.
  'history.timerProcessorMaxTimeShift="10ms"',
  // Search attributes are registered at startup. The CLI's default, true, reads them from the database some 30 times per execution.
  'system.forceSearchAttributesCacheRefreshOnRead=false',
  // Executions take turns at the workers, and `spec.fairness` has an effect.
  'matching.enableFairness=true',
  // Turns are taken within a partition, of which a queue has four by default.
  ...['Read', 'Write'].map((use) => `matching.numTaskqueue${use}Partitions=1`),
];

/** Starts a tuned development server, or joins the one that runs on this data folder. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const folder = path.resolve(options.dataDir, 'temporal');
  const namespace = options.namespace ?? namespaceOf();
  let failure: unknown;
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt += 1) {
    let hold: ServiceHold | undefined;
    try {
      hold = await holdService({
        name: 'temporal',
        folder,
        // It has nothing to write, and takes a second to say farewell.
        stopSignal: options.inMemory ? 'SIGKILL' : 'SIGTERM',
        stopLimitMs: STOP_LIMIT_MS,
        prepare: async () => {
          const binary = options.binary ?? (await obtainTemporalCli({ report: options.report }));
          const { uiCodecEndpoint, preferredPorts: { grpc = 0, ui = 0 } = {} } = options;
          const database = options.inMemory ? undefined : path.join(folder, 'temporal.db');
          return {
            command: binary.path,
            args: serverArguments({ ...options, grpc: '{grpc}', ui: '{ui}', namespace, database }),
            info: compact({ uiCodecEndpoint }),
            ports: { grpc, ui },
          };
        },
      });
      return await whenReady(hold, namespace, options);
    } catch (error) {
      failure = error;
      await hold?.release();
      if (!hasCode(error, 'SERVICE_ENDED')) throw error;
    }
  }
  throw failure;
}

/** The arguments of `temporal`; without a database file everything is in memory. */
export function serverArguments(options: {
  grpc: number | string;
  ui: number | string;
  namespace: string;
  database?: string;
  dynamicConfig?: readonly string[];
  uiCodecEndpoint?: string;
}): string[] {
  const { grpc, ui, namespace, database, dynamicConfig = [], uiCodecEndpoint } = options;
  const flags: readonly (readonly [string, string | number | undefined])[] = [
    ['--ip', '127.0.0.1'],
    ['--port', grpc],
    ['--ui-port', ui],
    ['--log-level', 'warn'],
    ['--ui-codec-endpoint', uiCodecEndpoint],
    ['--namespace', namespace === DEFAULT_NAMESPACE ? undefined : namespace],
    ...SEARCH_ATTRIBUTE_KEYS.map(
      (key) => ['--search-attribute', `${key.name}=${attributeType(key)}`] as const,
    ),
    ...[...TUNING, ...dynamicConfig].map((value) => ['--dynamic-config-value', value] as const),
    ['--db-filename', database],
    ['--sqlite-pragma', database && 'journal_mode=WAL'],
    ['--sqlite-pragma', database && 'synchronous=NORMAL'],
    // Each execution changes pages of some fifty indexes: copied at every 1,000 pages, the default, they are 7 % of its cost.
    ['--sqlite-pragma', database && 'wal_autocheckpoint=10000'],
  ];
  const given = flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]));
  return ['server', 'start-dev', '--ui-disable-news-fetch', ...given];
}

async function whenReady(
  hold: ServiceHold,
  namespace: string,
  { readyLimitMs: limitMs = READY_LIMIT_MS, dataConverter }: DevServerOptions,
): Promise<DevServer> {
  const address = `127.0.0.1:${hold.info.grpc}`;
  const deadline = Date.now() + limitMs;
  let over = false;
  void hold.ended.then(() => (over = true));
  let last: unknown = 'nothing listens on its port';
  while (!over && Date.now() < deadline) {
    // gRPC waits a second after a refused connection; a plain connection test is cheap.
    if (!(await isListening(Number(hold.info.grpc)))) {
      await sleep(15);
      continue;
    }
    try {
      const { connection, client } = await connect(
        { address, namespace },
        Math.min(2_000, deadline - Date.now()),
        dataConverter,
      );
      await ensureSearchAttributes(connection, namespace);
      return {
        address,
        ui: `http://127.0.0.1:${hold.info.ui}`,
        namespace,
        ...(hold.info.uiCodecEndpoint !== undefined && {
          uiCodecEndpoint: String(hold.info.uiCodecEndpoint),
        }),
        pid: hold.serverPid,
        started: hold.started,
        logFile: hold.logFile,
        connection,
        client,
        ended: hold.ended,
        stop: async () => {
          await connection.close().catch(() => undefined);
          await hold.release();
        },
      };
    } catch (error) {
      last = error;
      await sleep(20);
    }
  }
  const reason = messageOf(last).split('\n')[0];
  const [code, message] = over
    ? ['SERVICE_ENDED', `The Temporal server exited immediately: ${lastLine(hold.logFile)}`]
    : ['TEMPORAL_NOT_READY', `The Temporal server was not ready after ${limitMs / 1000} s: ${reason}`];
  throw new EnvironmentError(code, message, [`Its log: ${hold.logFile}`]);
}

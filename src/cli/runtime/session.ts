/** A Temporal server to use: the one named by the environment, otherwise an embedded one in the data folder. */
import { Client, type Connection } from '@temporalio/client';
import { type NativeConnection } from '@temporalio/worker';
import {
  knownUi,
  configuredAddress,
  type DevServerOptions,
  startDevServer,
  type TemporalTarget,
  targetOf,
  privateFolder,
} from '../../temporal/client';
import { type Storage } from '../../storage/blobs';
import { localKeyRing } from '../../storage/keyring';
import { sealedValues, type SealedValues } from '../../storage/sealed';
import { type Tracing } from '../../telemetry/tracing';
import { installRuntime, nativeConnection, type WorkerLog, workerLog } from '../../temporal/worker';
import { reach } from './reach';
import { openLocalStorage } from './storage';
import { tracingOf } from './tracing';
import { compact } from '../../language/plan';

export interface CliSession {
  readonly target: TemporalTarget;
  readonly client: Client;
  readonly connection: Connection;
  /** For workers. */
  readonly native: NativeConnection;
  /** Storage of large payloads: workers need its converter. */
  readonly storage: Storage;
  /** Encrypted values; the key is created in the data folder with the first of them. */
  readonly sealed: SealedValues;
  /** If the environment enables traces. */
  readonly tracing?: Tracing;
  /** Address of the Temporal UI, if known. */
  readonly ui?: string;
  /** Codec server address for pages of that UI; known for the embedded server only. */
  readonly uiCodecEndpoint?: string;
  /** Whether the server is embedded. */
  readonly embedded: boolean;
  /** The server is embedded and was started by this process. */
  readonly serverStarted: boolean;
  readonly logFile?: string;
  /** Settles when the embedded server has ended unexpectedly; never for an external server. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Log of workers for commands that print the result anyway: only errors, unless NOETL_LOG_LEVEL is set. */
export function quietLog(): WorkerLog {
  return workerLog('error');
}

/** The well-known ports; used if free. */
const USUAL_PORTS = { grpc: 7233, ui: 8233 };

export interface SessionOptions {
  /** Called with progress messages. */
  readonly report?: (line: string) => void;
  /** For the UI of a server started by us. */
  readonly uiCodecEndpoint?: string;
  /** Of a server started by us; default the well-known ones. */
  readonly ports?: { readonly grpc?: number | undefined; readonly ui?: number | undefined };
}

/**
 * Connects to the server of TEMPORAL_ADDRESS, or starts or joins the one of the data folder.
 *
 * @param command name of the service in traces
 */
export async function openSession(
  command: string,
  dataDir: string,
  { ports, ...more }: SessionOptions = {},
): Promise<CliSession> {
  installRuntime(quietLog());
  privateFolder(dataDir);
  const storage = await openLocalStorage(undefined, dataDir);
  const tracing = tracingOf(command);
  const server = configuredAddress()
    ? await configuredServer(storage, tracing)
    : await embeddedServer(storage, tracing, {
        dataDir,
        preferredPorts: { ...USUAL_PORTS, ...compact(ports ?? {}) },
        ...more,
      });
  const { stop, ...connected } = server;
  const { target, connection } = connected;
  const native = await nativeConnection(target, connection);
  return {
    ...connected,
    native,
    storage,
    sealed: sealedValues(() => localKeyRing(dataDir), storage.results(target.namespace)),
    ...(tracing && { tracing }),
    close: async () => {
      await native.close();
      await stop();
      await storage.close();
      await tracing?.shutdown();
    },
  };
}

interface Server extends Omit<CliSession, 'native' | 'storage' | 'sealed' | 'tracing' | 'close'> {
  stop(): Promise<unknown>;
}

async function embeddedServer(
  { dataConverter }: Storage,
  tracing: Tracing | undefined,
  options: Omit<SessionOptions, 'ports'> & Pick<DevServerOptions, 'dataDir' | 'preferredPorts'>,
): Promise<Server> {
  const server = await startDevServer({ ...options, dataConverter });
  const { address, connection, namespace, ui, uiCodecEndpoint, logFile, ended } = server;
  return {
    target: { address, namespace },
    client: tracing
      ? new Client({ connection, namespace, dataConverter, interceptors: tracing.client })
      : server.client,
    connection,
    ui,
    ...compact({ uiCodecEndpoint }),
    embedded: true,
    serverStarted: server.started,
    logFile,
    ended,
    stop: () => server.stop(),
  };
}

async function configuredServer({ dataConverter }: Storage, tracing: Tracing | undefined): Promise<Server> {
  const target = targetOf(undefined);
  const { connection, client } = await reach(target, undefined, dataConverter, tracing?.client);
  return {
    target,
    client,
    connection,
    ui: await knownUi(target.address),
    embedded: false,
    serverStarted: false,
    ended: new Promise(() => undefined),
    stop: () => connection.close(),
  };
}

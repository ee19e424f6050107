/** A Temporal server to use: the one named by the environment, otherwise an embedded one in the data folder. */
import { Client, type Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import {
  configuredAddress,
  configuredUi,
  connectionOptions,
  startDevServer,
  type Target,
  targetOf,
} from '../../temporal';
import { type Storage } from '../../blobs';
import { localKeyRing } from '../../keyring';
import { sealedValues, type SealedValues } from '../../sealed';
import { type Tracing } from '../../tracing';
import { installRuntime, type WorkerLog, workerLog } from '../../worker';
import { reach } from './reach';
import { openLocalStorage } from './storage';
import { tracingOf } from './tracing';

export interface Session {
  readonly target: Target;
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
  return workerLog(process.env.NOETL_LOG_LEVEL ?? 'error');
}

/** The well-known ports; used if free. */
const USUAL_PORTS = { grpc: 7233, ui: 8233 };

export interface SessionOptions {
  /** Called with progress messages. */
  readonly report?: (line: string) => void;
  /** For the UI of a server started by us. */
  readonly uiCodecEndpoint?: string;
}

/**
 * Connects to the server of TEMPORAL_ADDRESS, or starts or joins the one of the data folder.
 *
 * @param command name of the service in traces
 */
export async function openSession(
  command: string,
  dataDir: string,
  { report, uiCodecEndpoint }: SessionOptions = {},
): Promise<Session> {
  installRuntime(quietLog());
  const storage = await openLocalStorage(undefined, dataDir);
  const seals = (namespace: string): SealedValues =>
    sealedValues(() => localKeyRing(dataDir), storage.results(namespace));
  const tracing = tracingOf(command);
  if (configuredAddress()) return openConfigured(storage, seals, tracing);
  const { dataConverter } = storage;
  const server = await startDevServer({
    dataDir,
    preferredPorts: USUAL_PORTS,
    report,
    dataConverter,
    uiCodecEndpoint,
  });
  const target: Target = { address: server.address, namespace: server.namespace };
  const native = await NativeConnection.connect(connectionOptions(target));
  const { connection, namespace } = server;
  return {
    target,
    client: tracing
      ? new Client({ connection, namespace, dataConverter, interceptors: tracing.client })
      : server.client,
    connection,
    native,
    storage,
    sealed: seals(namespace),
    ui: server.ui,
    ...(server.uiCodecEndpoint !== undefined && { uiCodecEndpoint: server.uiCodecEndpoint }),
    ...(tracing && { tracing }),
    embedded: true,
    serverStarted: server.started,
    logFile: server.logFile,
    ended: server.ended,
    close: async () => {
      await native.close();
      await server.stop();
      await storage.close();
      await tracing?.shutdown();
    },
  };
}

async function openConfigured(
  storage: Storage,
  seals: (namespace: string) => SealedValues,
  tracing: Tracing | undefined,
): Promise<Session> {
  const target = targetOf(undefined);
  const { connection, client } = await reach(target, undefined, storage.dataConverter, tracing?.client);
  const native = await NativeConnection.connect(connectionOptions(target));
  return {
    target,
    client,
    connection,
    native,
    storage,
    sealed: seals(target.namespace),
    ui: configuredUi(target.address),
    ...(tracing && { tracing }),
    embedded: false,
    serverStarted: false,
    ended: new Promise(() => undefined),
    close: async () => {
      await native.close();
      await connection.close();
      await storage.close();
      await tracing?.shutdown();
    },
  };
}

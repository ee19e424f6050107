/** Everything a run needs, in one process: Temporal, workers of all kinds, Postgres. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { type Tool } from '../../activities/framework/tool/tool';
import { compile, formatDiagnostics } from '../../src/language/dsl';
import { type State } from '../../src/engine/machine';
import { type Json, type JsonObject, type Plan, workflowTypeOf } from '../../src/language/plan';
import {
  newExecutionId,
  NOETL_PLAYBOOK,
  NOETL_STATUS,
  NOETL_VERSION,
  WORKFLOW_TASK_QUEUE,
  workflowId,
} from '../../src/temporal/client';
import { openStorage, type Storage } from '../../src/storage/blobs';
import { type KeyRing, keyRing } from '../../src/storage/keyring';
import { sealedValues, type SealedValues } from '../../src/storage/sealed';
import { inlineBytesOf, workflowArguments } from '../../src/storage/payloads';
import { type Tracing } from '../../src/telemetry/tracing';
import {
  installRuntime,
  type PlaybookResolver,
  type RunningWorkers,
  startWorkers,
} from '../../src/temporal/worker';
import { type PayloadCodec, TypedSearchAttributes } from '@temporalio/common';
import { Client, type WorkflowHandle, WorkflowFailedError } from '@temporalio/client';
import { checkedStop } from './check-executions';
import { startTestPostgres, type TestPostgres } from './postgres';
import { startTestServer, type TestServer } from './temporal';

export const ALL_KINDS = ['http', 'python', 'postgres', 'duckdb', 'shell'];

export interface Stack {
  readonly server: TestServer;
  readonly storage: Storage;
  /** Under a key of this process. */
  readonly sealed: SealedValues;
  /** Knows the storage, as the client of `server` does not. */
  readonly client: Client;
  /** For further workers. */
  readonly native: NativeConnection;
  readonly postgres: TestPostgres;
  /** Compiles, failing with the diagnostics. */
  compile(yaml: string, file?: string): Plan;
  start(plan: Plan, payload?: JsonObject): Promise<WorkflowHandle>;
  /** Runs to the end. */
  run(plan: Plan, payload?: JsonObject): Promise<Ended>;
  /** Until `restartWorkers`. */
  stopWorkers(): Promise<void>;
  /** `between` runs while there is no worker. */
  restartWorkers(between?: () => void | Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export interface Ended {
  readonly handle: WorkflowHandle;
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly result?: Json;
  /** Details of the failure. */
  readonly failure?: { type?: string; message: string; error?: JsonObject };
  readonly state: State;
}

/** A credential named `name` for all kinds of this process, from the environment. */
export function setCredential(name: string, value: string): void {
  process.env[`NOETL_CREDENTIAL_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`] = value;
}

/** A key that only this process has. */
function testKeys(): KeyRing {
  return keyRing([{ kid: 'test', key: createSecretKey(randomBytes(32)) }]);
}

export interface StackOptions {
  readonly postgres?: boolean;
  readonly kinds?: string[];
  /** Tools in place of those of the registry, or beside them. */
  readonly extensions?: readonly Tool[];
  readonly storage?: string;
  /** Encrypts what Temporal keeps. */
  readonly codec?: PayloadCodec;
  /** Finds sub-playbooks. */
  readonly playbooks?: PlaybookResolver;
  readonly tracing?: Tracing;
  /** Keys with which workflows get grants for their tasks. */
  readonly grants?: KeyRing;
  /** Dynamic configuration of the Temporal server, `key=value`. */
  readonly config?: readonly string[];
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const server = await startTestServer(options.config);
  const postgres = options.postgres ? await startTestPostgres() : undefined;
  const storage = await openStorage(options.storage ?? 'none', options.codec);
  const { dataConverter, maxResultBytes } = storage;
  const client = new Client({
    connection: server.connection,
    namespace: server.namespace,
    dataConverter,
    interceptors: options.tracing?.client,
  });
  installRuntime();
  const connection = await NativeConnection.connect({ address: server.address });
  const sealed = sealedValues(testKeys, storage.results(server.namespace));
  const begin = (): Promise<RunningWorkers> =>
    startWorkers({
      connection,
      namespace: server.namespace,
      kinds: options.kinds ?? ALL_KINDS,
      extensions: options.extensions,
      workflows: true,
      dataConverter,
      maxResultBytes,
      results: storage.results(server.namespace),
      logs: storage.logs(server.namespace),
      cache: storage.cache(server.namespace),
      sealed,
      playbooks: options.playbooks,
      tracing: options.tracing?.worker,
      grants: options.grants,
    });
  let workers = await begin();
  const stack: Stack = {
    server,
    storage,
    sealed,
    client,
    native: connection,
    get postgres() {
      if (!postgres) throw new Error('this stack was started without Postgres');
      return postgres;
    },
    compile(yaml, file = 'test.yaml') {
      const { plan, diagnostics } = compile(yaml, { file });
      if (!plan) throw new Error(formatDiagnostics(diagnostics, yaml));
      return plan;
    },
    start: (plan, payload = {}) =>
      client.workflow.start(workflowTypeOf(plan.metadata.path), {
        workflowId: workflowId(newExecutionId()),
        taskQueue: WORKFLOW_TASK_QUEUE,
        args: workflowArguments({ plan, payload }, inlineBytesOf(plan)),
        staticSummary: plan.metadata.name,
        typedSearchAttributes: new TypedSearchAttributes([
          { key: NOETL_PLAYBOOK, value: plan.metadata.path },
          { key: NOETL_VERSION, value: plan.metadata.version ?? '' },
          { key: NOETL_STATUS, value: 'started' },
        ]),
      }),
    async run(plan, payload) {
      const handle = await stack.start(plan, payload);
      const end = await ending(handle);
      const state = await handle.query<State>('state');
      return { handle, state, ...end };
    },
    async stopWorkers() {
      await workers.stop({ graceMs: 5000 });
    },
    async restartWorkers(between) {
      await stack.stopWorkers();
      await between?.();
      workers = await begin();
    },
    async stop() {
      // Runs whose values a test took away cannot be asked any more.
      await checkedStop(client, { query: options.storage === undefined }, async () => {
        await workers.stop({ graceMs: 5000 });
        await connection.close();
        await storage.close();
        await server.stop({ checked: true });
        await postgres?.stop();
      });
    },
  };
  return stack;
}

async function ending(handle: WorkflowHandle): Promise<Pick<Ended, 'status' | 'result' | 'failure'>> {
  try {
    const { result } = (await handle.result()) as { result: Json };
    return { status: 'completed', result };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const cause = error.cause as {
      name?: string;
      type?: string;
      message?: string;
      details?: { error?: JsonObject }[];
    };
    if (cause.name === 'CancelledFailure') return { status: 'cancelled' };
    return {
      status: 'failed',
      failure: { type: cause.type, message: cause.message ?? '', error: cause.details?.[0]?.error },
    };
  }
}

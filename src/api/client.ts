/**
 * `noetl-temporal/client`: starts executions on a Temporal server, and watches and controls them. Workers run them
 * (`noetl-temporal worker`, `dev`); a client executes nothing itself.
 */
import { type Client } from '@temporalio/client';
import { openStorage, type Storage } from '../storage/blobs';
import { encryptsPayloads, payloadCodec } from '../storage/codec';
import { configuredKeyRing } from '../storage/keyring';
import { type JsonObject, type Plan } from '../language/plan';
import { sealedValues, sealPayload } from '../storage/sealed';
import { EnvironmentError } from '../language/errors';
import { connect, newExecutionId, startExecution, targetOf } from '../temporal/client';
import { PlaybookExecution } from './execution';
import { checkPayload } from './payload';

export { type ExecutionEnding as Ending } from './ending';
export { type EventsOptions, PlaybookExecution } from './execution';
export { CodedError, EnvironmentError } from '../language/errors';
export { type SentEventAnswer as EventAnswer } from '../temporal/client';

export interface ClientOptions {
  /** `host:port` of a server without TLS; by default `TEMPORAL_ADDRESS` and related variables (docs/running.md). */
  readonly address?: string;
  /** Storage for values too large for history: by default `NOETL_STORAGE`, else `none` (docs/large-results.md). */
  readonly storage?: string;
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A connection to a Temporal server. */
export interface PlaybookClient {
  /** Temporal's own client with our data converter, for functions missing here. */
  readonly temporal: Client;
  /**
   * Starts an execution and returns without waiting for its end.
   *
   * @param id of the execution, 18 digits (`newExecutionId`); default a new one. An existing execution is not
   * started again
   * @throws EnvironmentError `WORKLOAD_INVALID`, `INPUT_TOO_LARGE`, `SEARCH_ATTRIBUTES_MISSING`; KeyRingError
   *   `KEY_MISSING` for secret inputs without a key; `WorkflowExecutionAlreadyStartedError` of `@temporalio/client`
   */
  start(plan: Plan, payload?: JsonObject, id?: string): Promise<PlaybookExecution>;
  /** @param name an execution id or a workflow id; its existence is only checked by later calls */
  execution(name: string): PlaybookExecution;
  close(): Promise<void>;
}

/** A new execution id for `start`: an id chosen before the start makes a repeated start harmless. */
export { newExecutionId };

/**
 * Connects to a Temporal server.
 *
 * @throws EnvironmentError `TEMPORAL_ADDRESS_MISSING`, `TEMPORAL_UNREACHABLE`, `TEMPORAL_DENIED`,
 *   `NAMESPACE_NOT_FOUND`, `STORAGE_INVALID`, `PACKAGE_MISSING`; KeyRingError if payloads are to be encrypted and
 *   there is no key
 */
export async function openClient(options: ClientOptions = {}): Promise<PlaybookClient> {
  const { env = process.env, address } = options;
  const target = targetOf(address, env);
  const keys = (): ReturnType<typeof configuredKeyRing> => configuredKeyRing(env);
  const codec = payloadCodec({ encrypt: encryptsPayloads(env), keys });
  const storage = await openStorage(options.storage ?? (env['NOETL_STORAGE'] || 'none'), codec);
  const { connection, client } = await connect(target, undefined, storage.dataConverter).catch(
    (error: unknown) => rejectAfterClosing(storage, error),
  );
  const sealed = sealedValues(keys, storage.results(target.namespace));
  return {
    temporal: client,
    async start(plan, payload = {}, id = newExecutionId()) {
      refuseWrongInputs(plan, payload);
      const input = { plan, ...(await sealPayload(plan, payload, sealed, id)) };
      await startExecution(client, input, id);
      return new PlaybookExecution(client, id, plan.source?.file ?? null);
    },
    execution: (name) => new PlaybookExecution(client, name),
    async close() {
      await connection.close();
      await storage.close();
    },
  };
}

async function rejectAfterClosing(storage: Storage, error: unknown): Promise<never> {
  await storage.close();
  throw error;
}

function refuseWrongInputs(plan: Plan, payload: JsonObject): void {
  const wrong = checkPayload(plan, payload);
  if (wrong.length === 0) return;
  const problems = wrong.map(({ at, message }) => `${at} ${message}`).join('; ');
  throw new EnvironmentError('WORKLOAD_INVALID', `${plan.metadata.path}: ${problems} (metadata.workload)`);
}

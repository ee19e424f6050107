/** The interface of tools, and their context. A tool knows nothing about Temporal (activity.ts does). */
import { type DigitsLost } from '../../../src/language/plan/json-text';
import { type Json, type Outcome, type TaskCall } from '../../../src/language/plan';
import { type ResultStore } from '../../../src/storage/payloads';
import { type SealedValues } from '../../../src/storage/sealed';
import { type CredentialResolver } from '../credentials/credential';
import { type Keychain } from '../keychain/keychain';
import { type SecretSources } from '../secrets/reveal';

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type Print = (stream: 'stdout' | 'stderr', chunk: Buffer) => void;

export interface ToolContext {
  /** Aborted when the task is cancelled. A tool stops what it started, then throws or returns an error. */
  readonly signal: AbortSignal;
  /** Details shown on the pending activity. Not needed for liveness: the adapter sends heartbeats on an interval. */
  heartbeat(details: Json): void;
  /** Details of the last heartbeat of a previous execution of this task whose worker was lost; absent in the first. */
  readonly lastHeartbeat?: Json;
  /**
   * Reports details that a later execution must find in `lastHeartbeat`; resolves when Temporal has them. Absent where
   * there is no later execution.
   *
   * @throws an error that must be passed on, if Temporal may not have them
   */
  record?(details: Json): Promise<void>;
  /** Ends this execution, so that Temporal begins another one. @throws an error that must be passed on */
  handBack?(): never;
  /**
   * Waits for a resource of this machine that the task needs before it begins: a worker lost meanwhile is not held
   * against the task. Nothing of the task may happen before it returns, and only its first use in a task counts. Absent
   * where nobody asks.
   *
   * @param resource must reject when `signal` is aborted
   * @param giveBack releases the resource if the task may not begin on this worker
   * @throws what `resource` rejects with, and an error that must be passed on if the task may not begin
   */
  waitFor?<T>(resource: Promise<T>, giveBack?: (resource: T) => void): Promise<T>;
  readonly credentials: CredentialResolver;
  readonly log: Log;
  /**
   * A text without the task's secrets, as everything that leaves the worker is redacted anyway: for what must be decided
   * or cut before that (`cut.ts`). Absent where nobody redacts.
   */
  redact?(text: string): string;
  /** The same for a value: for what a tool stores itself. */
  redactIn?<T>(value: T): T;
  /** What the task prints, as it prints it: people follow it while the task runs. Absent where nobody keeps it. */
  readonly print?: Print;
  /** The store of large results; absent on a worker without one. */
  readonly results?: ResultStore;
  /** Store for encrypted values; absent on a worker without a store or keys. */
  readonly sealed?: SealedValues;
  /** The worker's keychain; defaults to that of the process. */
  readonly keychain?: Keychain;
  /** Headers that propagate the task's trace in a request to this address; empty when not tracing. */
  readonly traceHeaders?: (url: URL) => Readonly<Record<string, string>>;
  /** The task's trace; absent when not tracing. */
  readonly traceId?: () => string | undefined;
  /** Called with a decimal in JSON of which a double does not keep all digits: reported as a note. */
  readonly digitsLost?: DigitsLost;
  /** Only for tools that issue handles. */
  readonly secrets?: SecretSources;
}

export interface Tool {
  readonly kind: string;
  /** It receives its call with handles, and reveals them itself. */
  readonly keepsHandles?: true;
  /** Tasks at once in one worker, where nothing else says it. */
  readonly concurrency?: number;
  /** Why its call must not contain secrets, as the end of a sentence that begins with the kind. */
  readonly takesNoSecrets?: string;
  /**
   * Runs the task once. A failure the author can handle is an outcome with status `error` (returned, or thrown as
   * `ToolError`); anything else thrown becomes an outcome of kind `exception`.
   */
  run(call: TaskCall, context: ToolContext): Promise<Outcome>;
  /** Releases what the tool keeps between tasks: pools, processes, open files. */
  close?(): Promise<void>;
}

/** What a tool is, and what it is given. A tool knows nothing of Temporal (activity.ts does). */
import { type Json, type Outcome, type TaskCall } from '../../../src/plan';
import { type ResultStore } from '../../../src/payloads';
import { type SealedValues } from '../../../src/sealed';
import { type CredentialResolver } from '../credentials/credential';
import { type Keychain } from '../keychain/keychain';
import { type SecretSources } from '../secrets/reveal';

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ToolContext {
  /** Aborted when the task is cancelled. A tool stops what it started, then throws or returns an error. */
  readonly signal: AbortSignal;
  /** Details a person sees on the pending activity. Liveness needs no call: the adapter heartbeats on an interval. */
  heartbeat(details: Json): void;
  /** Details of the last heartbeat of an execution of this task whose worker was lost; absent in the first one. */
  readonly lastHeartbeat?: Json;
  readonly credentials: CredentialResolver;
  readonly log: Log;
  /** The store of large results; absent on a worker without one. */
  readonly results?: ResultStore;
  /** Values that are kept encrypted; absent on a worker without a store or keys. */
  readonly sealed?: SealedValues;
  /** The keychain of the worker; that of the process unless given. */
  readonly keychain?: Keychain;
  /** Headers by which a request to this address tells the trace of its task; none where nothing is traced. */
  readonly traceHeaders?: (url: URL) => Readonly<Record<string, string>>;
  /** The trace that the task is part of; none where nothing is traced. */
  readonly traceId?: () => string | undefined;
  /** Only for a tool that keeps handles. */
  readonly secrets?: SecretSources;
}

export interface Tool {
  readonly kind: string;
  /** It gets its call with handles in it, and reveals them itself. */
  readonly keepsHandles?: true;
  /** Tasks at once in one worker, where nothing else says it. */
  readonly concurrency?: number;
  /** Why no secret may stand in its call, as the end of a sentence that begins with the kind. */
  readonly takesNoSecrets?: string;
  /**
   * Runs the task once. A failure the author can handle is an outcome with status `error` (returned, or thrown as
   * `ToolError`); anything else that is thrown becomes an outcome of kind `exception`.
   */
  run(call: TaskCall, context: ToolContext): Promise<Outcome>;
  /** Gives back what the tool keeps between tasks: pools, processes, open files. */
  close?(): Promise<void>;
}

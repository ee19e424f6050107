/**
 * From a tool to a Temporal activity. What a tool answers is an outcome; what Temporal sees follows from it: ok
 * completes the activity, an error fails it with type `<kind>.<code>` and the outcome as details, never to be retried
 * by Temporal (the playbook's rules decide that), a cancellation ends it as cancelled.
 */
import os from 'node:os';
import { ApplicationFailure } from '@temporalio/common';
import { isMapping, type Json, type JsonObject, type Outcome, type TaskCall } from '../../../src/plan';
import { type ResultStore } from '../../../src/payloads';
import { SEALED, type SealedValues } from '../../../src/sealed';
import { type CredentialResolver } from '../credentials/credential';
import { type Redactor, redactor } from '../credentials/redact';
import { secretsOf } from '../credentials/secret-texts';
import { asError } from '../tool/cause';
import { withLastResort } from './last-resort';
import { cancelled, failed, invalid, ToolError } from '../tool/outcome';
import { runSensitive } from './sensitive';
import { storeFailure } from '../results/store-failure';
import { unlessStopped } from '../tool/unless-stopped';
import { entryKind, type Keychain, processKeychain, type ResolvedEntry, secretsWrittenIn } from '../keychain';
import { neverRenewed } from '../keychain/keychain';
import { fetchSecret } from '../secrets/fetch';
import { revealSecrets, type SecretSources } from '../secrets/reveal';
import { type Log, type Tool, type ToolContext } from '../tool/tool';

/** Temporal refuses payloads above 2 MiB; the difference is for the envelope around the outcome. */
export const TEMPORAL_RESULT_LIMIT = 2 * 1024 * 1024 - 32 * 1024;
/**
 * How often a running activity heartbeats; also the longest wait until it learns that it was cancelled. The first comes
 * after this time, too: most tasks are over before, and each heartbeat is a call to Temporal.
 */
const HEARTBEAT_INTERVAL_MS = 1000;
/** As Temporal names it. */
const WORKER = `${process.pid}@${os.hostname()}`;
/** Longest wait for the value of a keychain entry. */
const ENTRY_LIMIT_MS = 30_000;

export interface ToolServices {
  readonly credentials: CredentialResolver;
  readonly log: Log;
  /** Absent: the worker has no store. */
  readonly results?: ResultStore;
  /** Headers by which a request to this address tells the trace of its task (src/tracing). */
  readonly traceHeaders?: ToolContext['traceHeaders'];
  readonly traceId?: ToolContext['traceId'];
  /** Values that are kept encrypted; absent: tasks that need one fail. */
  readonly sealed?: SealedValues;
  /** The keychain of the worker; that of the process unless given. */
  readonly keychain?: Keychain;
  /** Bytes of an outcome as JSON; default `TEMPORAL_RESULT_LIMIT`. Higher only where external storage takes the rest. */
  readonly maxResultBytes?: number;
  /** Aborted when the worker cannot wait any longer: running tasks are stopped, and Temporal gives them to another. */
  readonly stopping?: AbortSignal;
}

/** What the adapter needs of Temporal's activity context; a test passes a stand-in. */
export interface ActivityPort {
  readonly cancellationSignal: AbortSignal;
  /** Rejects with Temporal's `CancelledFailure` when the task is to stop. */
  readonly cancelled: Promise<never>;
  heartbeat(details?: unknown): void;
  /** `heartbeatDetails`: what the last execution of the activity said before its worker was lost. */
  readonly info?: { readonly heartbeatDetails?: unknown };
}

/** The activity function of a tool. `current` gives Temporal's context of the running activity. */
export function asActivity(
  tool: Tool,
  services: ToolServices,
  current: () => ActivityPort,
): (call: TaskCall) => Promise<Outcome> {
  return async (call) => {
    const port = current();
    let details: Json = { task: call.task_run_id };
    const beat = (): void => port.heartbeat(details);
    const timer = setInterval(beat, HEARTBEAT_INTERVAL_MS);
    const stop = stopSignal([port.cancellationSignal, services.stopping]);
    try {
      const say = (value: Json): void => {
        details = { task: call.task_run_id, details: value };
        beat();
      };
      const outcome = await runHidden(tool, call, services, stop.signal, say, saidBefore(port));
      if (outcome.status === 'error' && port.cancellationSignal.aborted) await port.cancelled;
      if (outcome.status === 'error' && services.stopping?.aborted) throw workerStopping();
      return settle(tool.kind, outcome);
    } finally {
      clearInterval(timer);
      stop.release();
    }
  };
}

/** Fields of a task that hold a login, and fields with such fields in them: an end of a transfer, where a script is. */
const LOGINS = ['auth', 'credential', 'credentials'];
const WITH_LOGINS = ['source', 'target', 'script', 'container', 'job'];

/** What an author wrote into the task instead of the name of a credential. */
function loginsIn(config: JsonObject): JsonObject[] {
  const own = LOGINS.flatMap((name) => (isMapping(config[name]) ? [{ [name]: config[name] as Json }] : []));
  const inner = WITH_LOGINS.flatMap((name) =>
    isMapping(config[name]) ? loginsIn(config[name] as JsonObject) : [],
  );
  return [...own, ...inner];
}

/** What the tool said in its last heartbeat, as `asActivity` wraps it. */
function saidBefore({ info }: ActivityPort): Json | undefined {
  const said = info?.heartbeatDetails;
  return isMapping(said) ? (said['details'] as Json | undefined) : undefined;
}

/** Runs the tool once, without a secret in what it says and answers, and with no more than Temporal takes. */
export async function runHidden(
  tool: Tool,
  call: TaskCall,
  services: ToolServices,
  signal: AbortSignal,
  say: (details: Json) => void,
  lastHeartbeat?: Json,
): Promise<Outcome> {
  const hide = redactor();
  hide.add(secretsOf(loginsIn(call.config)));
  const context: ToolContext = {
    signal,
    heartbeat: (details) => say(hide.json(details)),
    credentials: recording(services.credentials, hide, signal),
    log: hiding(services.log, hide),
    ...(services.sealed && { sealed: services.sealed }),
    ...(services.keychain && { keychain: services.keychain }),
    ...(services.results && { results: services.results }),
    ...(services.traceHeaders && { traceHeaders: services.traceHeaders }),
    ...(services.traceId && { traceId: services.traceId }),
    ...(lastHeartbeat !== undefined && { lastHeartbeat }),
  };
  const outcome = await runTool(tool, call, context, (values) => hide.add(values));
  return limitSize(hide.json(outcome), services.maxResultBytes ?? TEMPORAL_RESULT_LIMIT);
}

/**
 * Cancellation and the worker's leaving as one signal. By hand and undone at the end, because a worker lives for many
 * tasks, and what `AbortSignal.any` leaves on a long-lived signal would add up.
 */
function stopSignal(signals: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const signal of signals) {
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: controller.signal,
    release() {
      for (const signal of signals) signal?.removeEventListener('abort', abort);
    },
  };
}

/** The one failure Temporal retries: the task did nothing wrong, its worker left. */
export function workerStopping(): ApplicationFailure {
  return ApplicationFailure.create({
    message: 'the worker is shutting down',
    type: 'WorkerShutdown',
    nonRetryable: false,
  });
}

/**
 * Runs the tool once, with values in place of the handles of secrets; whatever it does, the answer is an outcome,
 * with attempt, times, trace and worker in `meta`.
 *
 * @param hide told the values of secrets before the tool gets them
 */
export async function runTool(
  tool: Tool,
  call: TaskCall,
  context: ToolContext,
  hide: (values: readonly string[]) => void = () => undefined,
): Promise<Outcome> {
  const started = performance.now();
  const started_at = new Date().toISOString();
  let outcome: Outcome;
  try {
    if (tool.takesNoSecrets !== undefined && call.secrets)
      throw invalid(`${tool.kind} ${tool.takesNoSecrets}`, 'SECRET_REFUSED');
    const work = tool.keepsHandles
      ? tool.run(call, { ...context, secrets: sourcesOf(call, context, hide) })
      : runRevealed(tool, call, context, hide);
    outcome = await withLastResort(call, context, work);
  } catch (error) {
    outcome = error instanceof ToolError ? error.outcome : unexpected(tool.kind, call, error, context.log);
  }
  const meta = {
    ...outcome.meta,
    attempt: call.attempt,
    started_at,
    ended_at: new Date().toISOString(),
    duration_ms: Math.round((performance.now() - started) * 10) / 10,
    // Of an execution that is not traced, what its events have.
    trace_id: context.traceId?.() ?? call.execution_id,
    worker: WORKER,
  };
  return { ...outcome, meta };
}

/**
 * Runs the tool with values in its call. A token that the other side refuses although its time is not over (revoked,
 * rotated) is asked for again, once, and the tool runs again: what answers 401 has not done anything.
 */
async function runRevealed(tool: Tool, call: TaskCall, context: ToolContext, hide: Hide): Promise<Outcome> {
  const sources = sourcesOf(call, context, hide);
  const { keychain = processKeychain } = context;
  const started = keychain.now();
  const first = await revealSecrets(call, sources);
  const outcome = await runSensitive(tool, first.call, context, hide);
  if (outcome.http?.status !== 401 || context.signal.aborted) return outcome;
  const refused = first.entries.filter(
    ({ entry, resolved }) => resolved.renewable && resolved.resolvedAt < started && !neverRenewed(entry),
  );
  if (refused.length === 0) return outcome;
  await Promise.all(refused.map(({ entry }) => keychain.forget(entry, started)));
  return runSensitive(tool, (await revealSecrets(call, sources)).call, context, hide);
}

type Hide = (values: readonly string[]) => void;

function sourcesOf(call: TaskCall, context: ToolContext, hide: Hide): SecretSources {
  const { credentials, signal, sealed, keychain = processKeychain } = context;
  const source = { credentials, signal, execution_id: call.execution_id };
  return {
    hide,
    value: async (ref) => {
      if (ref.provider !== SEALED) return (await fetchSecret(ref, source)).text;
      if (!sealed) throw invalid('this worker has no store for secret values', 'SEALED_STORE');
      return sealed.open(ref, signal).catch((error: unknown) => {
        throw storeFailure(call.kind, error);
      });
    },
    entry(entry) {
      hide(secretsWrittenIn(entry));
      const ask = (): Promise<ResolvedEntry> =>
        // Several tasks may wait for the answer: that one of them is stopped is nothing to the others.
        entryKind(entry.kind)({
          entry,
          credentials,
          signal: AbortSignal.timeout(ENTRY_LIMIT_MS),
          now: keychain.now(),
        });
      return unlessStopped(keychain.resolve(entry, ask), { signal, reason: cancelled });
    },
  };
}

/** Returns an ok outcome; throws the failure that makes the activity red in the Temporal UI. */
export function settle(kind: string, outcome: Outcome): Outcome {
  if (outcome.status === 'ok') return outcome;
  const { code, message } = outcome.error!;
  const failure = ApplicationFailure.create({
    message,
    type: `${kind}.${code}`,
    nonRetryable: true,
    details: [outcome],
  });
  // Where this worker's code threw says nothing about the task; Temporal would store and show it.
  failure.stack = '';
  throw failure;
}

/** An outcome above the limit would be refused by Temporal, again and again: it becomes an outcome that says so. */
export function limitSize(outcome: Outcome, limit: number): Outcome {
  const bytes = Buffer.byteLength(JSON.stringify(outcome));
  if (bytes <= limit) return outcome;
  if (outcome.status === 'error') {
    const { meta, error, http, pg } = outcome;
    const message = error!.message.slice(0, 16_384);
    return failed(
      { ...error!, message },
      { ...(http && { http }), ...(pg && { pg }), meta: { ...meta, dropped_bytes: bytes } },
    );
  }
  const message =
    `the result is ${mib(bytes)} as JSON, above the limit of ${mib(limit)} for one task; ` +
    'select fewer rows or fields, page through them, or store the data and return a reference to it';
  return failed(
    { kind: 'validation', code: 'RESULT_TOO_LARGE', message, retryable: false, size: bytes, limit },
    { meta: outcome.meta },
  );
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(2)} MiB`;
}

function unexpected(kind: string, call: TaskCall, error: unknown, log: Log): Outcome {
  const { name: type, message } = asError(error);
  // Name and place only: the message may hold anything the tool was given.
  log.error(
    { kind, task_run_id: call.task_run_id, execution_id: call.execution_id, error: type },
    'a tool threw unexpectedly',
  );
  return failed({
    kind: 'exception',
    code: 'TOOL_ERROR',
    message: `${kind}: ${type}: ${message.split('\n')[0] ?? ''}`,
    retryable: false,
  });
}

/** A log without secrets in its lines. */
function hiding(log: Log, hide: Redactor): Log {
  const line =
    (level: keyof Log) =>
    (fields: object, message: string): void =>
      log[level](hide.json(fields), hide.text(message));
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

/** A resolver that tells the redactor what it handed out, and keeps no task waiting that was stopped. */
function recording(credentials: CredentialResolver, hide: Redactor, signal: AbortSignal): CredentialResolver {
  return {
    async resolve(name, context) {
      const answer = credentials.resolve(name, context);
      const credential = await unlessStopped(answer, { signal, reason: cancelled });
      hide.add(secretsOf(credential.data));
      return credential;
    },
  };
}

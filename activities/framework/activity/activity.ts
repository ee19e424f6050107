/**
 * Adapts a tool to a Temporal activity. A tool returns an outcome, which determines what Temporal sees: ok completes
 * the activity; an error fails it with type `<kind>.<code>` and the outcome as details, never retried by Temporal (the
 * playbook's rules decide that); a cancellation ends it as cancelled.
 */
import os from 'node:os';
import { ApplicationFailure } from '@temporalio/common';
import { hasCode } from '../../../src/language/errors';
import {
  assigned,
  compact,
  isMapping,
  type Json,
  type JsonObject,
  type Outcome,
  type TaskCall,
} from '../../../src/language/plan';
import { nestsDeeper } from '../../../src/language/plan/json-text';
import { type LogWriter } from '../../../src/telemetry/logs';
import { grantOf, type ResultStore, type StepCache } from '../../../src/storage/payloads';
import { SEALED, type SealedValues } from '../../../src/storage/sealed';
import { type ActivityPort, Attempt } from './attempt';
import { useCache } from '../cache/cache';
import { type CredentialResolver } from '../credentials/credential';
import { type Redactor, redactor } from '../credentials/redact';
import { secretsOf } from '../credentials/secret-texts';
import { shortenedText } from '../tool/bounded';
import { asError } from '../tool/cause';
import { printing } from './printing';
import { withLastResort } from './last-resort';
import { cancelledError, failedTask, invalidInput, ToolError } from '../tool/outcome';
import { runSensitive } from './sensitive';
import { storeFailure } from '../results/store-failure';
import { unlessStopped } from '../tool/unless-stopped';
import { entryKind, type Keychain, processKeychain, type ResolvedEntry, secretsWrittenIn } from '../keychain';
import { neverRenewed } from '../keychain/keychain';
import { fetchSecret } from '../secrets/fetch';
import { revealSecrets, type SecretSources } from '../secrets/reveal';
import { type Log, type Tool, type ToolContext } from '../tool/tool';

/** Temporal rejects payloads above 2 MiB; the margin is for the envelope around the outcome. */
export const TEMPORAL_RESULT_LIMIT = 2 * 1024 * 1024 - 32 * 1024;
/**
 * Heartbeat interval of a running activity, and so the longest delay until it learns of a cancellation. The first
 * heartbeat is also sent after this time: most tasks finish earlier, and each heartbeat is a call to Temporal.
 */
const HEARTBEAT_INTERVAL_MS = 1000;
/** Its identity in Temporal. */
const WORKER = `${process.pid}@${os.hostname()}`;
/** Longest wait for a keychain entry. */
const ENTRY_LIMIT_MS = 30_000;

export interface ToolServices {
  readonly credentials: CredentialResolver;
  readonly log: Log;
  /** Absent on a worker without a store. */
  readonly results?: ResultStore;
  /** Results that equal calls may reuse (`spec.cache`); without it every call runs. */
  readonly cache?: StepCache;
  /** Receives what tasks print; without it, output is visible only after its task has ended. */
  readonly logs?: LogWriter;
  /** Called for each task that ended. @param seconds how long it ran */
  readonly ended?: (call: TaskCall, outcome: Outcome, seconds: number) => void;
  /** Headers that propagate the task's trace in a request to this address (src/telemetry/tracing). */
  readonly traceHeaders?: ToolContext['traceHeaders'];
  readonly traceId?: ToolContext['traceId'];
  /** Store for values that are kept encrypted; without one, tasks that need it fail. */
  readonly sealed?: SealedValues;
  /** The worker's keychain; defaults to that of the process. */
  readonly keychain?: Keychain;
  /**
   * Maximum size of an outcome as JSON, in bytes; default `TEMPORAL_RESULT_LIMIT`. Set it higher only with external
   * storage.
   */
  readonly maxResultBytes?: number;
  /** Aborted when the worker must shut down: running tasks are stopped, and Temporal reassigns them. */
  readonly stopping?: AbortSignal;
}

/** Creates the activity function of a tool. `current` returns Temporal's context of the running activity. */
export function asActivity(
  tool: Tool,
  services: ToolServices,
  current: () => ActivityPort,
): (call: TaskCall) => Promise<Outcome> {
  return async (call) => {
    const port = current();
    const attempt = new Attempt(port, call.task_run_id, call.claim);
    if (attempt.isExhausted) return settle(tool.kind, lostTooOften());
    const timer = setInterval(() => attempt.beat(), HEARTBEAT_INTERVAL_MS);
    const stop = stopSignal([port.cancellationSignal, services.stopping]);
    try {
      const outcome = await runHidden(tool, call, services, stop.signal, attempt);
      if (outcome.status === 'error' && port.cancellationSignal.aborted) await port.cancelled;
      attempt.throwIfHandedBack();
      if (outcome.status === 'error' && services.stopping?.aborted) throw attempt.stopped();
      return settle(tool.kind, outcome);
    } finally {
      clearInterval(timer);
      stop.release();
    }
  };
}

/**
 * Fields of a task that contain a login, and fields that contain such fields: an end of a transfer, the location of a
 * script.
 */
const LOGINS = ['auth', 'credential', 'credentials'];
const WITH_LOGINS = ['source', 'target', 'script', 'container', 'job'];

/** Credentials that an author wrote inline instead of the name of a credential. */
function loginsIn(config: JsonObject): JsonObject[] {
  const own = LOGINS.flatMap((name) => (isMapping(config[name]) ? [{ [name]: config[name] as Json }] : []));
  const inner = WITH_LOGINS.flatMap((name) =>
    isMapping(config[name]) ? loginsIn(config[name] as JsonObject) : [],
  );
  return [...own, ...inner];
}

/** Workers were lost with the task as often as it may happen. */
function lostTooOften(): Outcome {
  const message = 'the worker was lost while it ran the task, on every attempt';
  return failedTask({ kind: 'worker_lost', code: 'WORKER_LOST', message, retryable: true });
}

/** What a running task has of its execution of the activity: absent within `exec: local`. */
type Progress = Pick<Attempt, 'say' | 'waitFor' | 'lastHeartbeat' | 'record' | 'handBack'>;

/**
 * Runs the tool once, unless the cache has its result; redacts secrets from its heartbeats and outcome, and keeps the
 * outcome below Temporal's limit.
 */
export async function runHidden(
  tool: Tool,
  call: TaskCall,
  services: ToolServices,
  signal: AbortSignal,
  attempt?: Progress,
): Promise<Outcome> {
  const { hit, keep } = await useCache(services.cache, call, services.log);
  if (hit) {
    services.ended?.(call, hit, 0);
    return limitSize(hit, services.maxResultBytes ?? TEMPORAL_RESULT_LIMIT);
  }
  const hide = redactor();
  hide.add(secretsOf(loginsIn(call.config)));
  const printed = printing(services.logs, call, hide);
  const { sealed, keychain, results, traceHeaders, traceId } = services;
  const grant = grantOf(call);
  const context: ToolContext = {
    signal,
    ...progressOf(attempt, hide),
    credentials: recording(services.credentials, { hide, signal, grant }),
    log: hiding(services.log, hide),
    redact: (text) => hide.text(text),
    redactIn: (value) => hide.json(value),
    ...compact({ sealed, keychain, results, print: printed?.print, traceHeaders, traceId }),
  };
  const outcome = await runTool(tool, call, context, (values) => hide.add(values));
  const shown = storable(outcome, hide, services.maxResultBytes ?? TEMPORAL_RESULT_LIMIT);
  printed?.end(outcome);
  services.ended?.(call, shown, Number(shown.meta['duration_ms']) / 1000);
  await keep(shown);
  return shown;
}

function progressOf(
  attempt: Progress | undefined,
  hide: Redactor,
): Pick<ToolContext, 'heartbeat' | 'waitFor' | 'lastHeartbeat' | 'record' | 'handBack'> {
  if (!attempt) return { heartbeat: () => undefined };
  const { lastHeartbeat } = attempt;
  return {
    heartbeat: (details) => attempt.say(hide.json(details)),
    waitFor: attempt.waitFor.bind(attempt),
    record: (details) => attempt.record(hide.json(details)),
    handBack: () => attempt.handBack(),
    ...compact({ lastHeartbeat }),
  };
}

/**
 * Combines cancellation and worker shutdown into one signal. Written by hand and cleaned up at the end, because a
 * worker lives for many tasks, and the listeners that `AbortSignal.any` leaves on a long-lived signal would accumulate.
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

/**
 * Runs the tool once, with handles replaced by secrets; always returns an outcome, with attempt, times, trace and
 * worker in `meta`.
 *
 * @param hide called with the values of secrets before the tool gets them
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
  let rounded: string | undefined;
  const noting = assigned(context, { digitsLost: (literal: string) => void (rounded ??= literal) });
  try {
    if (tool.takesNoSecrets !== undefined && call.secrets)
      throw invalidInput(`${tool.kind} ${tool.takesNoSecrets}`, 'SECRET_REFUSED');
    const work = tool.keepsHandles
      ? tool.run(call, { ...noting, secrets: sourcesOf(call, context, hide) })
      : runRevealed(tool, call, noting, hide);
    outcome = await withLastResort(call, context, work);
  } catch (error) {
    outcome = error instanceof ToolError ? error.outcome : unexpected(tool.kind, call, error, context.log);
  }
  const meta = assigned(outcome.meta, {
    ...(rounded !== undefined && { digits_lost: rounded.slice(0, 40) }),
    attempt: call.attempt,
    started_at,
    ended_at: new Date().toISOString(),
    duration_ms: Math.round((performance.now() - started) * 10) / 10,
    // Without tracing, use the trace id that the execution's events have.
    trace_id: context.traceId?.() ?? call.execution_id,
    worker: WORKER,
  });
  return { ...outcome, meta };
}

/**
 * Runs the tool with secrets in its call. If a token is rejected although it has not expired (revoked, rotated), it is
 * requested again, once, and the tool runs again: a call that was answered with 401 has had no effect.
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
  await Promise.all(refused.map(({ entry }) => keychain.forget(entry, started, grantOf(call))));
  return runSensitive(tool, (await revealSecrets(call, sources)).call, context, hide);
}

type Hide = (values: readonly string[]) => void;

function sourcesOf(call: TaskCall, context: ToolContext, hide: Hide): SecretSources {
  const { credentials, signal, sealed, keychain = processKeychain } = context;
  const source = { credentials, signal, execution_id: call.execution_id };
  const grant = grantOf(call);
  return {
    hide,
    value: async (ref) => {
      if (ref.provider !== SEALED) return (await fetchSecret(ref, source)).text;
      if (!sealed) throw invalidInput('this worker has no store for secret values', 'SEALED_STORE');
      return sealed.open(ref, signal).catch((error: unknown) => {
        throw storeFailure(call.kind, error);
      });
    },
    entry(entry) {
      hide(secretsWrittenIn(entry));
      const ask = (): Promise<ResolvedEntry> =>
        // Several tasks may wait for the same answer: cancelling one of them must not affect the others.
        entryKind(entry.kind)({
          entry,
          credentials,
          signal: AbortSignal.timeout(ENTRY_LIMIT_MS),
          now: keychain.now(),
        });
      return unlessStopped(keychain.resolve(entry, ask, grant), { signal, reason: cancelledError });
    },
  };
}

/** Returns an ok outcome; throws the failure that fails the activity in the Temporal UI. */
function settle(kind: string, outcome: Outcome): Outcome {
  if (outcome.status === 'ok') return outcome;
  const { code, message } = outcome.error!;
  const failure = ApplicationFailure.create({
    message,
    type: `${kind}.${code}`,
    nonRetryable: true,
    details: [outcome],
  });
  // The worker's stack trace says nothing about the task, but Temporal would store and show it.
  failure.stack = '';
  throw failure;
}

/** Deeper data cannot be encoded everywhere; templates read 200 levels. */
const MAX_DEPTH = 1000;

/**
 * The outcome as it is stored. The task has had its effects: an outcome that cannot be stored is an error of it, not a
 * failure of the activity, which Temporal would repeat.
 */
function storable(outcome: Outcome, hide: Redactor, limit: number): Outcome {
  const { meta } = outcome;
  try {
    return limitSize(hide.json(outcome), limit);
  } catch (error) {
    const why =
      error instanceof RangeError
        ? `it is nested deeper than ${MAX_DEPTH} levels, or too large`
        : asError(error).name;
    const message = `the task ran, but its result cannot be stored: ${why}; return less, or data that is flatter`;
    return failedTask(
      { kind: 'validation', code: 'RESULT_NOT_STORABLE', message, retryable: false },
      { meta },
    );
  }
}

/** Temporal would repeatedly reject an outcome above the limit: replace it with an error outcome. */
export function limitSize(outcome: Outcome, limit: number): Outcome {
  const text = JSON.stringify(outcome);
  if (nestsDeeper(text, MAX_DEPTH)) throw new RangeError('nested too deeply');
  const bytes = Buffer.byteLength(text);
  if (bytes <= limit) return outcome;
  if (outcome.status === 'error') {
    const { meta, error, http, pg } = outcome;
    const message = shortenedText(error!.message, 16_384);
    return failedTask(
      { ...error!, message },
      { ...(http && { http }), ...(pg && { pg }), meta: { ...meta, dropped_bytes: bytes } },
    );
  }
  const message =
    `the result is ${mib(bytes)} as JSON, above the limit of ${mib(limit)} per task; ` +
    'select fewer rows or fields, paginate, or store the data and return a reference to it';
  return failedTask(
    { kind: 'validation', code: 'RESULT_TOO_LARGE', message, retryable: false, size: bytes, limit },
    { meta: outcome.meta },
  );
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(2)} MiB`;
}

function unexpected(kind: string, call: TaskCall, error: unknown, log: Log): Outcome {
  if (hasCode(error, 'NUMBER_TOO_LARGE'))
    return failedTask({
      kind: 'validation',
      code: error.code,
      message: `${kind}: ${error.message}`,
      retryable: false,
    });
  const { name: type, message } = asError(error);
  // Only name and location: the message may contain anything the tool was given.
  log.error(
    { kind, task_run_id: call.task_run_id, execution_id: call.execution_id, error: type },
    'a tool threw unexpectedly',
  );
  return failedTask({
    kind: 'exception',
    code: 'TOOL_ERROR',
    message: `${kind}: ${type}: ${message.split('\n')[0] ?? ''}`,
    retryable: false,
  });
}

/** A logger that redacts secrets. */
function hiding(log: Log, hide: Redactor): Log {
  const line =
    (level: keyof Log) =>
    (fields: object, message: string): void =>
      log[level](hide.json(fields), hide.text(message));
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

/** A resolver that reports resolved values to the redactor, and stops waiting when the task is stopped. */
function recording(
  credentials: CredentialResolver,
  { hide, signal, grant }: { hide: Redactor; signal: AbortSignal; grant: string | undefined },
): CredentialResolver {
  return {
    async resolve(name, context) {
      const answer = credentials.resolve(name, { ...context, ...compact({ grant }) });
      const credential = await unlessStopped(answer, { signal, reason: cancelledError });
      hide.add(secretsOf(credential.data));
      return credential;
    },
  };
}

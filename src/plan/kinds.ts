/**
 * What is known about each tool kind without running it: pure data, read by the workflow driver (which schedules) and
 * by the activities (which obey). All times are in seconds.
 *
 * The order of the clocks (docs/design/delivery.md#the-order-of-the-clocks): the tool gives up first, after its total
 * timeout, and answers with an outcome of kind `timeout`. Temporal's start-to-close fires `graceAfterTimeout` later
 * and only when the tool could not be stopped; a lost heartbeat means a lost worker.
 */
import { secondsOf } from './seconds';

export interface KindDefaults {
  /** Total time of one execution when neither the task's spec nor its tool fields name one. */
  readonly timeout: number;
  /** Temporal's heartbeat timeout: after this silence the worker counts as lost. */
  readonly heartbeatTimeout: number;
  /** Start-to-close = the total timeout + this: time to stop the tool and to report. */
  readonly graceAfterTimeout: number;
}

const common = { heartbeatTimeout: 10, graceAfterTimeout: 20 };

export const kindDefaults = {
  http: { timeout: 30, ...common },
  python: { timeout: 300, ...common },
  postgres: { timeout: 300, ...common },
  duckdb: { timeout: 300, ...common },
  shell: { timeout: 600, ...common },
  script: { timeout: 600, ...common },
  container: { timeout: 600, ...common },
  secrets: { timeout: 30, ...common },
  artifact: { timeout: 60, ...common },
  gcs: { timeout: 300, ...common },
  snowflake: { timeout: 300, ...common },
  transfer: { timeout: 600, ...common },
  nats: { timeout: 30, ...common },
} as const satisfies Record<string, KindDefaults>;

/** Kinds this table does not name (extensions). */
export const fallbackKindDefaults: KindDefaults = { timeout: 300, ...common };

/** Kinds that run inside the workflow, by the engine: no worker polls for them. */
export const ENGINE_KINDS: ReadonlySet<string> = new Set([
  'noop',
  'event_log',
  'iterator',
  'wait',
  'playbook',
]);

/** Kinds that this release runs: as an activity, or inside the workflow. */
export function isRunnable(kind: string): boolean {
  return ENGINE_KINDS.has(kind) || Object.hasOwn(kindDefaults, kind);
}

export function defaultsOfKind(kind: string): KindDefaults {
  return (kindDefaults as Record<string, KindDefaults>)[kind] ?? fallbackKindDefaults;
}

/** The part of a task call that decides how long it may take. */
export interface TimedCall {
  readonly kind: string;
  readonly timeout: { readonly total?: number };
  readonly config: { readonly [field: string]: unknown };
}

/**
 * Seconds one execution of the tool may take. The tool's own field (`timeout_seconds`, `timeout`) is closest to the
 * author's intent and wins over the spec's `timeout.total`, which wins over the kind's default. Text that is a number
 * or a duration counts (templates produce it); anything else, and 0, is ignored.
 */
export function taskTimeout(call: TimedCall): number {
  return (
    positive(call.config['timeout_seconds']) ??
    positive(call.config['timeout']) ??
    positive(call.timeout.total) ??
    defaultsOfKind(call.kind).timeout
  );
}

/** Temporal's start-to-close timeout for the call, in seconds. */
export function startToClose(call: TimedCall): number {
  return taskTimeout(call) + defaultsOfKind(call.kind).graceAfterTimeout;
}

function positive(value: unknown): number | undefined {
  return secondsOf(value) || undefined;
}

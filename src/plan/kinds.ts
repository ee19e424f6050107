/**
 * What is known about each tool kind without running it: pure data, read by the workflow driver (which schedules) and
 * by the activities (which obey). All times are in seconds.
 *
 * The order of the clocks (docs/design/delivery.md#the-order-of-the-clocks): the tool gives up first, after its total
 * timeout, and answers with an outcome of kind `timeout`. Temporal's start-to-close fires `graceAfterTimeout` later
 * and only when the tool could not be stopped; a lost heartbeat means a lost worker.
 */
import { TOOL_KINDS as DECLARED } from '../../activities/kinds';
import { type KindDeclaration } from '../kinds/declaration';
import { secondsOf } from './seconds';

/** What the kinds of tools say of themselves, by name. */
export const TOOL_KINDS: Readonly<Record<string, KindDeclaration>> = DECLARED;

export interface KindDefaults {
  /** Total time of one execution when neither the task's spec nor its tool fields name one. */
  readonly timeout: number;
  /** Temporal's heartbeat timeout: after this silence the worker counts as lost. */
  readonly heartbeatTimeout: number;
  /** Start-to-close = the total timeout + this: time to stop the tool and to report. */
  readonly graceAfterTimeout: number;
}

/** Of every kind that says nothing else; extensions say it in the spec of their tasks. */
const fallbackKindDefaults: KindDefaults = { timeout: 300, heartbeatTimeout: 10, graceAfterTimeout: 20 };

/** What a kind of tool says of itself; undefined for one that runs inside of the engine, and for extensions. */
export function declarationOf(kind: string): KindDeclaration | undefined {
  return Object.hasOwn(TOOL_KINDS, kind) ? TOOL_KINDS[kind] : undefined;
}

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
  return ENGINE_KINDS.has(kind) || declarationOf(kind) !== undefined;
}

export function defaultsOfKind(kind: string): KindDefaults {
  return { ...fallbackKindDefaults, timeout: declarationOf(kind)?.timeout ?? fallbackKindDefaults.timeout };
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

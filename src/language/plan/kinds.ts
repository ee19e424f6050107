/**
 * Static facts about each tool kind: pure data, read by the workflow driver, which schedules, and by the activities.
 * All times are in seconds.
 *
 * The order of timeouts (docs/design/delivery.md#the-order-of-the-clocks): the tool gives up first, after its total
 * timeout, and returns an outcome of kind `timeout`. Temporal's start-to-close fires GRACE_AFTER_TIMEOUT later and only
 * when the tool could not be stopped; a lost heartbeat means a lost worker.
 */
import { KIND_TABLE } from '../kinds/table';
import { type KindDeclaration } from '../kinds/declaration';
import { secondsOf } from './seconds';

/** What the tool kinds declare, by name. */
export const TOOL_KINDS: Readonly<Record<string, KindDeclaration>> = KIND_TABLE;

/** Temporal's heartbeat timeout: without a heartbeat for this long, the worker counts as lost. */
export const HEARTBEAT_TIMEOUT = 10;

/** Start-to-close = the total timeout + this: time to stop the tool and to report. */
const GRACE_AFTER_TIMEOUT = 20;

/** Total time of one execution for kinds that declare no other; extensions declare it in the spec of their tasks. */
const FALLBACK_TIMEOUT = 300;

/** What a tool kind declares; undefined for kinds run by the engine, and for extensions. */
export function declarationOf(kind: string): KindDeclaration | undefined {
  return Object.hasOwn(TOOL_KINDS, kind) ? TOOL_KINDS[kind] : undefined;
}

/** Kinds that the engine runs inside the workflow: no worker polls for them. */
export const ENGINE_KINDS: ReadonlySet<string> = new Set([
  'noop',
  'event_log',
  'iterator',
  'wait',
  'playbook',
]);

/** Kinds supported by this release: as an activity, or inside the workflow. */
export function isRunnable(kind: string): boolean {
  return ENGINE_KINDS.has(kind) || declarationOf(kind) !== undefined;
}

/** Total time of one execution when neither the task's spec nor its tool fields set one. */
export function timeoutOfKind(kind: string): number {
  return declarationOf(kind)?.timeout ?? FALLBACK_TIMEOUT;
}

/** The part of a task call that determines its time limits. */
interface TimedCall {
  readonly kind: string;
  readonly timeout: { readonly total?: number };
  readonly config: { readonly [field: string]: unknown };
}

/**
 * Maximum duration of one execution of the tool in seconds. The tool's own field (`timeout_seconds`, `timeout`) is
 * closest to the author's intent and overrides the spec's `timeout.total`, which overrides the kind's default. Strings
 * that are a number or a duration are accepted (templates produce them); anything else, and 0, the engine has refused.
 */
export function taskTimeout(call: TimedCall): number {
  return (
    positive(call.config['timeout_seconds']) ??
    positive(call.config['timeout']) ??
    positive(call.timeout.total) ??
    timeoutOfKind(call.kind)
  );
}

/** Temporal's start-to-close timeout for the call, in seconds. */
export function startToClose(call: TimedCall): number {
  return taskTimeout(call) + GRACE_AFTER_TIMEOUT;
}

function positive(value: unknown): number | undefined {
  return secondsOf(value) || undefined;
}

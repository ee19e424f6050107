/**
 * Maximum size of a payload in history. A plan sets it per execution, but the SDK's external storage has one threshold
 * per process; so a value carries its limit to the store in its payload's metadata.
 */
import { type Plan } from '../../language/plan/plan';
import { DEFAULT_INLINE_BYTES } from '../../language/plan/wire';

export { DEFAULT_INLINE_BYTES };
/** Used with `results.reference_first`; also the minimum a plan can set: a reference takes about half of it. */
export const REFERENCE_FIRST_BYTES = 1024;
/** Temporal rejects payloads above 2 MiB: larger ones are stored externally whatever the plan says. */
const MAX_INLINE_BYTES = 1536 * 1024;
/**
 * Total per workflow task: Temporal rejects responses above 4 MiB, which a fan-out of a few dozen payloads below their
 * own limit would reach.
 */
const TASK_INLINE_BYTES = 2 * 1024 * 1024;

/** Key in a payload's metadata: the size in bytes from which it is stored externally, if not the default. */
export const STORE_FROM = 'noetl-store-from';

/** Maximum payload size in bytes that stays in history, for the plan's executions. */
export function inlineBytesOf(plan: Pick<Plan, 'limits' | 'results'>): number {
  const bytes = plan.results?.referenceFirst
    ? Math.min(REFERENCE_FIRST_BYTES, plan.limits.maxPayloadBytes)
    : (plan.limits?.maxPayloadBytes ?? DEFAULT_INLINE_BYTES);
  return Math.min(Math.max(bytes, REFERENCE_FIRST_BYTES), MAX_INLINE_BYTES);
}

const limits = new WeakMap<object, number>();

/** Sets the size from which the payload of `value` is stored externally. Returns `value`. */
export function limitInline<T extends object>(value: T, bytes: number): T {
  if (bytes !== DEFAULT_INLINE_BYTES) limits.set(value, bytes);
  return value;
}

export function inlineLimitOf(value: unknown): number | undefined {
  return typeof value === 'object' && value !== null ? limits.get(value) : undefined;
}

/** On the global object, which the workflow sandbox has for each execution anew, unlike modules (workflows/shared.ts). */
const own = globalThis as { noetlTaskBudget?: { readonly id: number; left: number } };

/** Workflow code only: from now on payloads share the budget of workflow task `id`. */
export function spendInlineBudgetOf(id: number): void {
  if (own.noetlTaskBudget?.id !== id) own.noetlTaskBudget = { id, left: TASK_INLINE_BYTES };
}

/**
 * Takes a payload's bytes from the budget. False when it is used up: the payload is then stored externally whatever its
 * size.
 */
export function fitsInlineBudget(bytes: number): boolean {
  const { noetlTaskBudget: task } = own;
  if (!task) return true;
  task.left -= bytes;
  return task.left >= 0;
}

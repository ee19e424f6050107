/**
 * How large a payload may be before it leaves history. A plan sets it per execution, but the SDK's external storage
 * has one threshold a process: so a value carries its limit to the store in its payload's metadata.
 */
import { type Plan } from '../plan/plan';
import { DEFAULT_INLINE_BYTES } from '../plan/wire';

export { DEFAULT_INLINE_BYTES };
/** With `results.reference_first`; also the least a plan can ask for: a reference is about half of it. */
export const REFERENCE_FIRST_BYTES = 1024;
/** Temporal refuses payloads of 2 MiB: whatever a plan asks for, more than this is stored. */
export const MAX_INLINE_BYTES = 1536 * 1024;
/**
 * Of one workflow task's commands together: Temporal refuses a response above 4 MiB, which a fan-out of a few dozen
 * payloads under their own limit would reach.
 */
export const TASK_INLINE_BYTES = 2 * 1024 * 1024;

/** Key of a payload's metadata: the size in bytes from which it is stored, when that is not the default. */
export const STORE_FROM = 'noetl-store-from';

/** Bytes up to which payloads of the plan's executions stay in history. */
export function inlineBytesOf(plan: Pick<Plan, 'limits' | 'results'>): number {
  const asked = plan.results?.referenceFirst
    ? Math.min(REFERENCE_FIRST_BYTES, plan.limits.maxPayloadBytes)
    : (plan.limits?.maxPayloadBytes ?? DEFAULT_INLINE_BYTES);
  return Math.min(Math.max(asked, REFERENCE_FIRST_BYTES), MAX_INLINE_BYTES);
}

const limits = new WeakMap<object, number>();

/** Says from which size on `value`, when it becomes a payload, is stored. Returns `value`. */
export function limitInline<T extends object>(value: T, bytes: number): T {
  if (bytes !== DEFAULT_INLINE_BYTES) limits.set(value, bytes);
  return value;
}

export function inlineLimitOf(value: unknown): number | undefined {
  return typeof value === 'object' && value !== null ? limits.get(value) : undefined;
}

let task: { id: number; left: number } | undefined;

/** Workflow code only: payloads made from now on share the budget of workflow task `id`. */
export function spendInlineBudgetOf(id: number): void {
  if (task?.id !== id) task = { id, left: TASK_INLINE_BYTES };
}

/** Takes a payload's bytes from the budget. False when it is used up: then the payload is stored whatever its size. */
export function fitsInlineBudget(bytes: number): boolean {
  if (!task) return true;
  task.left -= bytes;
  return task.left >= 0;
}

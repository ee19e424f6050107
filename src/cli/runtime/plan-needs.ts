/** What a plan needs around it. */
import { everyTask, type Json, type Plan } from '../../plan';

/** The kinds of its tasks, each once, in order. */
export function kindsOf(plan: Plan): string[] {
  return [...new Set(plan.steps.flatMap(everyTask).map((task) => task.kind))];
}

/** The pools its tasks are sent to, with the kinds they serve (D27). */
export function poolsOf(plan: Plan): Map<string, string[]> {
  const pools = new Map<string, string[]>();
  for (const task of plan.steps.flatMap(everyTask)) {
    const { pool } = task.spec;
    if (pool) pools.set(pool, [...new Set([...(pools.get(pool) ?? []), task.kind])]);
  }
  return pools;
}

/** True when the text stands anywhere in the plan or the payload as a whole value: a credential called by its name. */
export function mentions(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value === text;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value as Record<string, Json>).some((inner) => mentions(inner, text));
}

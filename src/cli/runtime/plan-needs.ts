/** What a plan needs around it, its sub-playbooks included. */
import {
  callsOf,
  DEFAULT_POOL,
  ENGINE_KINDS,
  everyTask,
  type Json,
  KEYCHAIN_CHECKER,
  LOCAL_KIND,
  type Plan,
} from '../../plan';
import { type PlaybookResolver } from '../../worker';

/** The kinds of its tasks that need a worker, each once, in order. */
export function kindsOf(plan: Plan): string[] {
  // The keychain is checked before the first step.
  const before = plan.keychain.length > 0 ? [KEYCHAIN_CHECKER] : [];
  const kinds = plan.steps.flatMap((step) => [
    ...everyTask(step).map((task) => (task.local ? LOCAL_KIND : task.kind)),
  ]);
  return [...new Set([...before, ...kinds])].filter((kind) => !ENGINE_KINDS.has(kind));
}

/** The pools of workers set apart that its tasks are sent to, with the kinds they serve. */
export function poolsOf(plan: Plan): Map<string, string[]> {
  const pools = new Map<string, string[]>();
  for (const task of plan.steps.flatMap(everyTask)) {
    const { pool } = task.spec;
    if (pool && pool !== DEFAULT_POOL && !ENGINE_KINDS.has(task.kind)) {
      const kind = task.local ? LOCAL_KIND : task.kind;
      pools.set(pool, [...new Set([...(pools.get(pool) ?? []), kind])]);
    }
  }
  return pools;
}

/** A plan and the sub-playbooks that it, or one of these, calls. */
export interface Family {
  readonly plans: readonly Plan[];
  /** A path is an expression, or was not found: only the run will tell what is called. */
  readonly isOpen: boolean;
}

export async function familyOf(plan: Plan, resolver: PlaybookResolver): Promise<Family> {
  const plans = new Map([[plan.digest, plan]]);
  let isOpen = false;
  for (const member of plans.values()) {
    for (const called of callsOf(member)) {
      const child =
        called && (await resolver.resolve({ ...called, from: member.source.file }).catch(() => undefined));
      if (child) plans.set(child.digest, child);
      else isOpen = true;
    }
  }
  return { plans: [...plans.values()], isOpen };
}

/** True when the text stands anywhere in the plan or the payload as a whole value: a credential called by its name. */
export function mentions(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value === text;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value as Record<string, Json>).some((inner) => mentions(inner, text));
}

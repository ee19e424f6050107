/** What a plan and its sub-playbooks need from their environment. */
import {
  playbookCallsOf,
  DEFAULT_POOL,
  ENGINE_KINDS,
  everyTask,
  type Json,
  KEYCHAIN_CHECKER,
  LOCAL_KIND,
  type Plan,
} from '../../language/plan';
import { type PlaybookResolver } from '../../temporal/worker';

/** The kinds of its tasks that need a worker, without duplicates, in order. */
export function kindsOf(plan: Plan): string[] {
  // The keychain is checked before the first step.
  const before = plan.keychain.length > 0 ? [KEYCHAIN_CHECKER] : [];
  const kinds = plan.steps.flatMap((step) => [
    ...everyTask(step).map((task) => (task.local ? LOCAL_KIND : task.kind)),
  ]);
  return [...new Set([...before, ...kinds])].filter((kind) => !ENGINE_KINDS.has(kind));
}

/** The dedicated pools that its tasks are sent to, with the kinds of each. */
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

/** A plan and all sub-playbooks it calls, directly or indirectly. */
export interface Family {
  readonly plans: readonly Plan[];
  /** A path is an expression or was not found: the called playbook is known only at run time. */
  readonly isOpen: boolean;
}

export async function familyOf(plan: Plan, resolver: PlaybookResolver): Promise<Family> {
  const plans = new Map([[plan.digest, plan]]);
  let isOpen = false;
  for (const member of plans.values()) {
    for (const called of playbookCallsOf(member)) {
      const child =
        called && (await resolver.resolve({ ...called, from: member.source.file }).catch(() => undefined));
      if (child) plans.set(child.digest, child);
      else isOpen = true;
    }
  }
  return { plans: [...plans.values()], isOpen };
}

/** Whether the text is a whole value anywhere in the plan or the payload: a credential referred to by name. */
export function mentions(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value === text;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value as Record<string, Json>).some((inner) => mentions(inner, text));
}

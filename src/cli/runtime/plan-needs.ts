/** What a plan needs around it, its sub-playbooks included. */
import { ENGINE_KINDS, everyTask, type Json, LOCAL_KIND, type Plan, type TaskPlan } from '../../plan';
import { type PlaybookResolver } from '../../worker';

/** The kinds of its tasks that need a worker, each once, in order. */
export function kindsOf(plan: Plan): string[] {
  // Whoever looks up secrets checks the keychain before the first step.
  const before = plan.keychain.length > 0 ? ['secrets'] : [];
  const kinds = plan.steps.flatMap((step) => [
    ...(step.loop?.exec === 'local' ? [LOCAL_KIND] : []),
    ...everyTask(step).map((task) => task.kind),
  ]);
  return [...new Set([...before, ...kinds])].filter((kind) => !ENGINE_KINDS.has(kind));
}

/** The pools its tasks are sent to, with the kinds they serve (D27). */
export function poolsOf(plan: Plan): Map<string, string[]> {
  const pools = new Map<string, string[]>();
  for (const task of plan.steps.flatMap(everyTask)) {
    const { pool } = task.spec;
    if (pool && !ENGINE_KINDS.has(task.kind)) {
      pools.set(pool, [...new Set([...(pools.get(pool) ?? []), task.kind])]);
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
    for (const task of member.steps.flatMap(everyTask).filter(({ kind }) => kind === 'playbook')) {
      const called = callOf(task);
      const child =
        called && (await resolver.resolve({ ...called, from: member.source.file }).catch(() => undefined));
      if (child) plans.set(child.digest, child);
      else isOpen = true;
    }
  }
  return { plans: [...plans.values()], isOpen };
}

/** Path and version of a call, where no expression makes them. */
function callOf({ config }: TaskPlan): { path: string; version?: string } | undefined {
  const field = (name: string): Json | undefined => {
    if ('const' in config) return (config.const as Record<string, Json>)[name];
    const value = 'map' in config ? config.map.find(([key]) => key === name)?.[1] : undefined;
    return value && 'const' in value ? value.const : undefined;
  };
  const path = field('path') ?? field('name');
  const version = field('version');
  if (typeof path !== 'string') return undefined;
  return { path, ...(version === undefined || version === null ? {} : { version: String(version) }) };
}

/** True when the text stands anywhere in the plan or the payload as a whole value: a credential called by its name. */
export function mentions(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value === text;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value as Record<string, Json>).some((inner) => mentions(inner, text));
}

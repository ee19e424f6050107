/**
 * What the iterations of a loop read from the execution around them: those that run elsewhere receive only that,
 * because a complete snapshot per iteration would be most of a history.
 */
import { references } from '../../template';
import { type LoopReads, type StepPlan, objectsIn } from '../../plan';
import { type Template } from '../../template/ir';

const ROOTS: Readonly<Record<string, keyof LoopReads>> = { workload: 'workload', ctx: 'ctx', vars: 'ctx' };
const EVERYTHING: LoopReads = { workload: null, ctx: null, results: null };

/**
 * The names that templates of the step may look up; null when any name is possible (`workload[x]`, `{{ ctx }}`). A key
 * of ctx that nothing has written is the workload's.
 */
export function readsOf(step: StepPlan): LoopReads {
  const reads = { workload: new Set<string>(), ctx: new Set<string>(), results: new Set<string>() };
  const whole = new Set<keyof LoopReads>();
  for (const template of templatesIn(step)) {
    for (const { kind, root, path } of references(template)) {
      if (kind !== 'name' && kind !== 'call') continue;
      const store = Object.hasOwn(ROOTS, root) ? ROOTS[root] : undefined;
      if (store === undefined) for (const names of Object.values(reads)) names.add(root);
      else if (typeof path[0] !== 'string') whole.add(store);
      else for (const each of new Set([store, 'workload'] as const)) reads[each].add(path[0]);
    }
  }
  // A write below a key (`ctx.stats.seen`) keeps its siblings, so it reads the key.
  for (const key of writtenIn(step)) reads.ctx.add(key);
  if (JSON.stringify(step).includes('"needsContext":true')) return EVERYTHING;
  const list = (key: keyof LoopReads): string[] | null => (whole.has(key) ? null : [...reads[key]].sort());
  return { workload: list('workload'), ctx: list('ctx'), results: list('results') };
}

/** Every compiled template in a part of the plan. */
export function templatesIn(part: unknown): Template[] {
  return [...objectsIn(part, isTemplate)].flatMap((one: object) => (isTemplate(one) ? [one] : []));
}

/** Keys of ctx that assignments and `collect` write. */
function writtenIn(step: StepPlan): string[] {
  return [...objectsIn(step)].flatMap(({ scope, path }) =>
    scope === 'ctx' && Array.isArray(path) ? [path[0] as string] : [],
  );
}

function isTemplate(part: object): part is Template {
  return 'source' in part && (('kind' in part && part.kind === 'text') || 'expr' in part);
}

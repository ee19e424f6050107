/**
 * What the iterations of a loop read of the execution around them: those that run elsewhere get that and no more, for
 * a snapshot of everything, once an iteration, would be most of a history.
 */
import { references } from '../../template';
import { type LoopReads, type StepPlan } from '../../plan';
import { type Template } from '../../template/ir';

const ROOTS: Readonly<Record<string, keyof LoopReads>> = { workload: 'workload', ctx: 'ctx', vars: 'ctx' };
const EVERYTHING: LoopReads = { workload: null, ctx: null, results: null };

/** The names that templates of the step may look up; null where any may be (`workload[x]`, `{{ ctx }}`). */
export function readsOf(step: StepPlan): LoopReads {
  const found = { workload: new Set<string>(), ctx: new Set<string>(), results: new Set<string>() };
  const whole = new Set<keyof LoopReads>();
  for (const template of templatesIn(step)) {
    for (const { kind, root, path } of references(template)) {
      if (kind !== 'name' && kind !== 'call') continue;
      const store = Object.hasOwn(ROOTS, root) ? ROOTS[root] : undefined;
      if (store === undefined) for (const names of Object.values(found)) names.add(root);
      else if (typeof path[0] === 'string') found[store].add(path[0]);
      else whole.add(store);
    }
  }
  // What is written below a key (`ctx.stats.seen`) keeps what stands beside it.
  for (const key of writtenIn(step)) found.ctx.add(key);
  if (JSON.stringify(step).includes('"needsContext":true')) return EVERYTHING;
  const list = (key: keyof LoopReads): string[] | null => (whole.has(key) ? null : [...found[key]].sort());
  return { workload: list('workload'), ctx: list('ctx'), results: list('results') };
}

/** Every compiled template of a part of the plan, added to those that were found before. */
export function templatesIn(part: unknown, found: Template[] = []): Template[] {
  if (typeof part !== 'object' || part === null) return found;
  if (isTemplate(part)) found.push(part);
  else for (const below of Object.values(part)) templatesIn(below, found);
  return found;
}

/** Keys of ctx that assignments and `collect` write, likewise. */
function writtenIn(part: unknown, found: string[] = []): string[] {
  if (typeof part !== 'object' || part === null) return found;
  if ('scope' in part && part.scope === 'ctx' && 'path' in part) found.push((part.path as [string])[0]);
  for (const below of Object.values(part)) writtenIn(below, found);
  return found;
}

function isTemplate(part: object): part is Template {
  return 'source' in part && (('kind' in part && part.kind === 'text') || 'expr' in part);
}

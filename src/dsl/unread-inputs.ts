/** What an execution is given and its playbook does not know: mostly a misspelt name. */
import { isMapping, type JsonObject, type Plan, type Value } from '../plan';
import { references } from '../template';
import { didYouMean } from '../template/suggest';
import { templatesIn } from './compile/reads';

/**
 * A sentence about each input that the workload does not have, and that no template reads. Where `metadata.workload`
 * declares the inputs, others are errors, and `refusedInputs` has them.
 */
export function unreadInputs(plan: Plan, payload: JsonObject): string[] {
  if (plan.inputs) return [];
  const keys = new Set(keysOf(plan.workload));
  for (const template of templatesIn(plan)) {
    for (const { kind, root, path } of references(template)) {
      if (kind !== 'name' && kind !== 'call') continue;
      if (root !== 'workload') keys.add(root);
      else if (typeof path[0] === 'string') keys.add(path[0]);
      // All of it: nobody can tell what is read.
      else return [];
    }
  }
  return Object.keys(payload).flatMap((key) =>
    keys.has(key) ? [] : [`nothing reads the input '${key}'${didYouMean(key, keys)}`],
  );
}

function keysOf(workload: Value): string[] {
  if ('map' in workload) return workload.map.map(([key]) => key);
  return 'const' in workload && isMapping(workload.const) ? Object.keys(workload.const) : [];
}

/** Inputs of an execution that its playbook does not use: usually misspelt names. */
import { isMapping, type JsonObject, type Plan, type PlanValue } from '../plan';
import { references } from '../template';
import { templateSuggestion } from '../template/suggest';
import { templatesIn } from './compile/reads';

/**
 * A sentence about each input that is not in the workload and that no template reads. If `metadata.workload`
 * declares the inputs, others are errors, reported by `refusedInputs`.
 */
export function unreadInputs(plan: Plan, payload: JsonObject): string[] {
  if (plan.inputs) return [];
  const keys = new Set(keysOf(plan.workload));
  for (const template of templatesIn(plan)) {
    for (const { kind, root, path } of references(template)) {
      if (kind !== 'name' && kind !== 'call') continue;
      if (root !== 'workload') keys.add(root);
      if (!['workload', 'ctx', 'vars'].includes(root)) continue;
      if (typeof path[0] === 'string') keys.add(path[0]);
      // The workload is used as a whole, so any input may be read.
      else if (root === 'workload') return [];
    }
  }
  return Object.keys(payload).flatMap((key) =>
    keys.has(key) ? [] : [`nothing reads the input '${key}'${templateSuggestion(key, keys)}`],
  );
}

function keysOf(workload: PlanValue): string[] {
  if ('map' in workload) return workload.map.map(([key]) => key);
  return 'const' in workload && isMapping(workload.const) ? Object.keys(workload.const) : [];
}

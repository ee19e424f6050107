import { evaluate, globalNames, isOfLimit, type TemplateReference } from '../../template';
import { type Template } from '../../template/ir';
import { type Budget } from '../../template/scope';
import { templateLimits } from '../../template/values/meter';
import { type CheckFinding } from './finding';

const GLOBALS: ReadonlySet<string> = new Set(globalNames);
/** For all loops of a playbook together: of those after that, their runs tell. */
export const TOO_LONG_BUDGET = 10 * templateLimits.steps;

/** Items of a loop that depend on nothing, and that no evaluation can list: the step would fail whenever it is reached. */
export function findTooLong(
  template: Template,
  reads: readonly TemplateReference[],
  budget: Budget,
): CheckFinding | undefined {
  const isConstant = reads.every(
    ({ kind, root }) => kind !== 'name' && (kind !== 'call' || GLOBALS.has(root)),
  );
  if (!isConstant || budget.left < templateLimits.steps) return undefined;
  try {
    evaluate(template, { lookup: () => undefined }, { now: () => 0, random: () => 0, budget });
    return undefined;
  } catch (error) {
    if (!isOfLimit(error)) return undefined;
    return {
      code: 'NT4114',
      message: 'the items of the loop are more than a template can list',
      hint: 'let a task list them, whose result may have 16 MiB as JSON, or loop over parts: `range(1000)`, with a loop over the items of each part in a sub-playbook',
    };
  }
}

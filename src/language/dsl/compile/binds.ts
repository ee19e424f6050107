import { references } from '../../template';
import { ROOTS_AT, type PlanValue } from '../../plan';
import { type StepDoc } from '../document/document';
import { templatesIn } from './reads';

/** Names visible to an iteration that the arriving token cannot know. */
const OF_ITERATION: ReadonlySet<string> = new Set(['iter', 'loop', 'loop_index']);

/**
 * The inputs of a step that are not defaults: those whose template reads the argument with the same name in order to
 * transform it (`k: "{{ args.k or 1 }}"`), or reads the loop's iterator.
 */
export function bindsOf(step: StepDoc, input: PlanValue | undefined): { binds?: readonly string[] } {
  if (input === undefined || !('map' in input)) return {};
  const binds = input.map.filter(([key, value]) => reads(value, key, step)).map(([key]) => key);
  return binds.length === 0 ? {} : { binds };
}

function reads(value: PlanValue, key: string, { loop }: StepDoc): boolean {
  return templatesIn(value).some((template) =>
    references(template).some(({ kind, root, path }) => {
      if (kind !== 'name' && kind !== 'call') return false;
      if (loop !== undefined && (root === loop.iterator || OF_ITERATION.has(root))) return true;
      if (root === 'args' || root === 'input') return path[0] === undefined || path[0] === key;
      return root === key && !ROOTS_AT.task.has(root);
    }),
  );
}

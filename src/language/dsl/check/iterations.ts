import { type TemplateReference } from '../../template';
import { type CheckFinding } from './finding';
import { type TemplatePlace } from './place';

/** Names below a loop's value; its results are a list. */
const LOOP_KEYS = new Set(['results', 'count', 'stats', 'data', 'result', 'status', 'error', 'meta']);
const LOOP_LISTS = new Set<unknown>(['results', 'data', 'result']);

/** A field of one iteration's result, read where `response` and `result` are the loop's. */
export function ofOneIteration(
  { root, path }: TemplateReference,
  { kind, step, boundary }: TemplatePlace,
): CheckFinding | undefined {
  if (step?.loop === undefined || !(kind === 'route' || kind === 'arc' || boundary)) return undefined;
  const roots = kind === 'arc' ? ['response'] : ['response', 'result', 'this'];
  const key = LOOP_LISTS.has(path[0]) ? path[1] : path[0];
  if (!roots.includes(root) || typeof key !== 'string' || LOOP_KEYS.has(key)) return undefined;
  const shown = [root, ...path].join('.');
  return {
    code: 'NT2026',
    message: `\`${shown}\` is read after the loop, where \`${root}\` is the value for all iterations`,
    hint: `read \`${root}.results\`, the list of their results, or store it in each iteration: \`set: {ctx.…}\`, \`collect\``,
  };
}

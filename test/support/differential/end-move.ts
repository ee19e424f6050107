/** How the rules at the end move on, in the `current` vocabulary. */
import { decide, flag, rule } from './blocks';
import { type Text } from './text';

/** The first move of these rules, and with a `next` those of the others: flags that arcs read. */
export function endMove(
  task: string,
  name: string,
  found: readonly (readonly [string, { next?: number; fail?: boolean }])[],
): Text[] {
  const [first] = found.filter(([, { next, fail }]) => next !== undefined || fail);
  if (!first) return [];
  if (first[1].fail) return [decide(`${task}_end_move`, [rule(undefined, 'fail')])];
  const flags = found.flatMap(([at, { next }]) =>
    next === undefined ? [] : [[flag(name, at), true] as const],
  );
  return [decide(`${task}_end_move`, [rule(undefined, 'continue', { set: Object.fromEntries(flags) })])];
}

/** How the rules at the end move on, in the `current` vocabulary. */
import { decide, flag, rule } from './blocks';
import { type Text } from './text';

/** Every `next` of these rules, as flags that arcs read, or the first of their other moves. */
export function endMove(
  task: string,
  name: string,
  found: readonly (readonly [string, { next?: number; fail?: boolean }])[],
): Text[] {
  const [first] = found.filter(([, { next, fail }]) => next !== undefined || fail);
  if (!first) return [];
  if (found.every(([, { next }]) => next === undefined))
    return [decide(`${task}_end_move`, [rule(undefined, 'fail')])];
  const flags = found.flatMap(([at, { next }]) =>
    next === undefined ? [] : [[flag(name, at), true] as const],
  );
  return [decide(`${task}_end_move`, [rule(undefined, 'continue', { set: Object.fromEntries(flags) })])];
}

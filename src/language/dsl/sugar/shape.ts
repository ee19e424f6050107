import * as field from '../schema/fields';
import { shape, type Shape } from '../schema/shape';
import { asMap, entry, type Entry, type Node } from '../yaml/node';

/** The constructs of docs/sugar.md. */
export const CONSTRUCTS = ['choose', 'while', 'until'] as const;
export type Construct = (typeof CONSTRUCTS)[number];

/** The construct of a tool list's item, or undefined for a tool (a task may be labelled `while`). */
export function constructOf(item: Node): { construct: Construct; entry: Entry } | undefined {
  if (item.kind !== 'map' || entry(item, 'kind') !== undefined) return undefined;
  for (const construct of CONSTRUCTS) {
    const written = entry(item, construct);
    if (written === undefined || entry(asMap(written.value), 'kind') !== undefined) continue;
    return { construct, entry: written };
  }
  return undefined;
}

const BRANCH: Shape = shape('a branch of `choose`', 'error', {
  when: field.condition('The condition; the first branch that matches runs.'),
  then: field.listOf('mapping', 'The tasks of the branch.'),
  else: field.listOf('mapping', 'The tasks that run if no branch matched.'),
  desc: field.REMARK,
});

const loop = (title: string, when: string): Shape =>
  shape(title, 'error', {
    when: field.required(field.condition(when)),
    do: field.required(field.listOf('mapping', 'The tasks that are repeated.')),
    max: field.count('The maximum number of turns; one more is a failure.'),
    desc: field.REMARK,
  });

const WHILE = loop('`while`', 'The condition, before each turn.');
const UNTIL = loop('`until`', 'The condition that ends it, after each turn.');

/** An item of a tool list that is a construct. */
export const ITEM: Shape = shape('a construct of a tool list', 'error', {
  name: field.name('The label that jumps and events name.'),
  desc: field.REMARK,
  choose: field.listOf({ shape: () => BRANCH }, 'Branches, of which the first that matches runs.'),
  while: field.nested(() => WHILE, 'Tasks that are repeated while a condition holds.'),
  until: field.nested(() => UNTIL, 'Tasks that are repeated until a condition holds.'),
});

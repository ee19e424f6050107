import * as field from '../schema/fields';
import { shape, type SchemaShape } from '../schema/shape';
import { asMap, entry, type MapEntry, type YamlNode } from '../yaml/node';

/** The constructs of docs/sugar.md. */
export const CONSTRUCTS = ['choose', 'while', 'until'] as const;
export type Construct = (typeof CONSTRUCTS)[number];

/** The construct of a tool list's item, or undefined for a tool (a task may be labelled `while`). */
export function constructOf(item: YamlNode): { construct: Construct; entry: MapEntry } | undefined {
  if (item.kind !== 'map' || entry(item, 'kind') !== undefined) return undefined;
  for (const construct of CONSTRUCTS) {
    const written = entry(item, construct);
    if (written === undefined || entry(asMap(written.value), 'kind') !== undefined) continue;
    return { construct, entry: written };
  }
  return undefined;
}

const BRANCH: SchemaShape = shape('a branch of `choose`', 'error', {
  when: field.conditionField('The condition; the first branch that matches runs.'),
  then: field.listField('mapping', 'The tasks of the branch.'),
  else: field.listField('mapping', 'The tasks that run if no branch matched.'),
  desc: field.REMARK,
});

const loop = (title: string, when: string): SchemaShape =>
  shape(title, 'error', {
    when: field.required(field.conditionField(when)),
    do: field.required(field.listField('mapping', 'The tasks that are repeated.')),
    max: field.count('The maximum number of turns; one more is a failure.'),
    desc: field.REMARK,
  });

const WHILE = loop('`while`', 'The condition, before each turn.');
const UNTIL = loop('`until`', 'The condition that ends it, after each turn.');

/** An item of a tool list that is a construct. */
export const ITEM: SchemaShape = shape('a construct of a tool list', 'error', {
  name: field.name('The label that jumps and events name.'),
  desc: field.REMARK,
  choose: field.listField({ shape: () => BRANCH }, 'Branches, of which the first that matches runs.'),
  while: field.nestedField(() => WHILE, 'Tasks that are repeated while a condition holds.'),
  until: field.nestedField(() => UNTIL, 'Tasks that are repeated until a condition holds.'),
});

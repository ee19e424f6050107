import { type Shape } from '../schema/shape';
import { entry, type Entry, type MapNode, type Node } from '../yaml/node';

/** The constructs of docs/sugar.md. */
export const CONSTRUCTS = ['choose', 'while', 'until'] as const;
export type Construct = (typeof CONSTRUCTS)[number];

/** The construct of a tool list's item, or undefined for a tool (a task may be labelled `while`). */
export function constructOf(item: Node): { construct: Construct; entry: Entry } | undefined {
  if (item.kind !== 'map' || entry(item, 'kind') !== undefined) return undefined;
  for (const construct of CONSTRUCTS) {
    const field = entry(item, construct);
    if (field === undefined || entry(asMapping(field.value), 'kind') !== undefined) continue;
    return { construct, entry: field };
  }
  return undefined;
}

function asMapping(node: Node): MapNode | undefined {
  return node.kind === 'map' ? node : undefined;
}

const remark = { type: 'text', doc: 'A remark.' } as const;

const BRANCH: Shape = {
  title: 'a branch of `choose`',
  others: 'error',
  fields: {
    when: { type: 'condition', doc: 'The condition; the first branch that matches runs.' },
    then: { type: { list: 'mapping' }, doc: 'The tasks of the branch.' },
    else: { type: { list: 'mapping' }, doc: 'The tasks that run if no branch matched.' },
    desc: remark,
  },
};

const loop = (title: string, when: string): Shape => ({
  title,
  others: 'error',
  fields: {
    when: { type: 'condition', doc: when, required: true },
    do: { type: { list: 'mapping' }, doc: 'The tasks that are repeated.', required: true },
    max: { type: 'count', doc: 'The maximum number of turns; one more is a failure.' },
    desc: remark,
  },
});

const WHILE = loop('`while`', 'The condition, before each turn.');
const UNTIL = loop('`until`', 'The condition that ends it, after each turn.');

/** An item of a tool list that is a construct. */
export const ITEM: Shape = {
  title: 'a construct of a tool list',
  others: 'error',
  fields: {
    name: { type: 'name', doc: 'The label that jumps and events name.' },
    desc: remark,
    choose: {
      type: { list: { shape: () => BRANCH } },
      doc: 'Branches, of which the first that matches runs.',
    },
    while: { type: { shape: () => WHILE }, doc: 'Tasks that are repeated while a condition holds.' },
    until: { type: { shape: () => UNTIL }, doc: 'Tasks that are repeated until a condition holds.' },
  },
};

/** Keys of a mapping. */
import { type SchemaField, schemaTypeName, type Type } from '../../language/dsl/schema/shape';
import { keysExpected } from '../place/expected';
import { CURSOR, scalarText, valueAt } from '../text/node';
import { type CompletionProposal, ranked, type Weighted, type Writing } from './proposals';
import { contextOf, learnedUsage } from './usage';

export function keyProposals(writing: Writing): CompletionProposal[] {
  const { place, keys } = writing;
  const container = place.path.parts.at(-1);
  if (container === undefined || typeof container.at === 'number') return [];
  const { node, expected, at } = container;
  const siblings = node.entries.filter((entry) => entry !== at && !entry.key.includes(CURSOR));
  const present = new Set(siblings.map(({ key }) => key));
  const before = siblings.findLast((entry) => entry.start < place.from)?.key ?? '^';
  const context = contextOf(keys.slice(0, -1), node, place.text);
  const weigh = (key: string): number => {
    const [near = 0, usual = 0] = [writing.nearby, learnedUsage()].map(
      (usage) => usage.share(`k ${context} ${before}`, key) + 0.15 * usage.share(`k ${context}`, key),
    );
    // The same in any kind of tool.
    const loose = context.replace(/\([^)]*\)$/, '');
    return near + usual + 0.3 * learnedUsage().share(`k ${loose} ${before}`, key);
  };
  const table = keysExpected(expected, node, { text: place.text, kinds: writing.kinds });
  const missing = new Set(table.required.filter((group) => !group.some((key) => present.has(key))).flat());
  const fields = Object.entries(table.fields).flatMap(([key, field], index): Weighted[] => {
    if (field.rejected || field.placeholder) return [];
    const weight = weigh(key) + (missing.has(key) ? 0.3 : 0) - (field.deprecated ? 0.05 : 0);
    return [[keyProposal(key, field, place.isWhole), weight - index / 10_000]];
  });
  const free = table.open ? freeKeys(writing, context, before) : [];
  const named = free.map((key, index): Weighted => [
    { label: key, kind: 'Variable', insert: place.isWhole ? key : `${key}: ` },
    0.5 * weigh(key) + 0.25 - index / 100,
  ]);
  return ranked([...fields, ...named]).filter(({ label }) => !present.has(label));
}

function keyProposal(key: string, field: SchemaField, hasColon: boolean): CompletionProposal {
  return {
    label: key,
    kind: 'Property',
    detail: `${schemaTypeName(field.type)}${field.required ? ' (required)' : ''}`,
    doc: field.doc,
    insert: hasColon ? key : isNested(field.type) ? `${key}:` : `${key}: `,
    ...(field.deprecated && { deprecated: true }),
  };
}

function isNested(type: Type): boolean {
  if (typeof type === 'string') return type === 'mapping';
  if ('either' in type) return type.either.every(isNested);
  return 'shape' in type || 'list' in type;
}

/** Names of the author that fit here: what a callee, the code or a variable of the same name asks for. */
function freeKeys(writing: Writing, context: string, before: string): string[] {
  const { facts, step, task, keys, nearby, scope } = writing;
  const key = keys.at(-2) ?? '';
  const isWrite = /^(set|vars|set_.*)$/.test(key);
  const variables = isWrite ? [...facts.ctx, ...(step?.iter ?? [])].map(({ name }) => name) : [];
  const isInput = /^(input|args)$/.test(key);
  const code = isInput ? (scalarText(facts.text, valueAt(task?.node, 'code')) ?? '') : '';
  const read = scope
    .names()
    .filter(({ name, kind }) => kind !== 'runtime' && new RegExp(`\\b${name}\\b`).test(code));
  const all = [
    ...(/^(input|args|with|payload)$/.test(key) ? inputsOf(writing) : []),
    ...nearby.in(`k ${context} ${before}`),
    ...read.map(({ name }) => name),
    ...(isInput ? (step?.iterators ?? []).map(({ name }) => name) : []),
    ...variables.map((name) => (key === 'set' ? `ctx.${name}` : name)),
    ...nearby.in(`k ${context}`),
  ];
  return [...new Set(all)].slice(0, 30);
}

/** The inputs of what a task calls: a task of the workbook, another playbook, or the next step. */
function inputsOf({ facts, task, names, place, keys }: Writing): readonly string[] {
  const text = (key: string): string | undefined => scalarText(facts.text, valueAt(task?.node, key));
  if (task?.kind === 'playbook') return names.playbooks?.get(text('path') ?? text('name') ?? '') ?? [];
  if (task?.kind === 'workbook') {
    const called = facts.workbook.find(({ name }) => name === (text('task') ?? text('name')));
    const given = ['input', 'args', 'with'].flatMap((key) => valueAt(called?.node, key)?.entries ?? []);
    return given.map(({ key }) => key);
  }
  if (!keys.includes('next')) return [];
  const target = scalarText(place.text, valueAt(place.path.parts.at(-2)?.node, 'step'));
  return facts.steps.find(({ name }) => name === target)?.inputs.map(({ name }) => name) ?? [];
}

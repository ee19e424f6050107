/** What a document in JSON consists of: its fields and their types, without its values. */
import { isMapping } from '../../src/language/plan';

/** A type, the fields of an object, or of a list what all its elements have; `any` where elements differ. */
export type JsonShape = string | readonly JsonShape[] | { readonly [field: string]: JsonShape };

/** What authors and callers of playbooks name is in them, and so not promised. */
const OF_OTHERS = new Set([
  'result',
  'workload',
  'variables',
  'payload',
  'input',
  'output',
  'data',
  'labels',
]);

export function shapeOf(value: unknown): JsonShape {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? [] : [value.map(shapeOf).reduce(common)];
  if (!isMapping(value)) return typeof value;
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(
    fields.map(([name, one]) => [name, OF_OTHERS.has(name) ? 'any' : shapeOf(one)] as const),
  );
}

function common(a: JsonShape, b: JsonShape): JsonShape {
  if (a === 'null' || b === 'null') return a === 'null' ? b : a;
  if (typeof a === 'string' || typeof b === 'string') return a === b ? a : 'any';
  if (isList(a) || isList(b)) {
    if (!isList(a) || !isList(b)) return 'any';
    return a.length === 0 ? b : b.length === 0 ? a : [common(a[0]!, b[0]!)];
  }
  const both = Object.keys(a).filter((name) => Object.hasOwn(b, name));
  return Object.fromEntries(both.map((name) => [name, common(a[name]!, b[name]!)]));
}

const isList = (shape: JsonShape): shape is readonly JsonShape[] => Array.isArray(shape);

/** Of the fields of one shape, those that another does not have, or that are something else in it; null is anything. */
export function shapeBreaks(was: JsonShape, is: JsonShape | undefined, at = ''): string[] {
  if (is === undefined) return [`${at} is gone`];
  if (was === 'any' || was === 'null' || is === 'null') return [];
  if (isList(was) && isList(is))
    return was.length === 0 || is.length === 0 ? [] : shapeBreaks(was[0]!, is[0], `${at}[]`);
  if (typeof was === 'string' || typeof is === 'string' || isList(was) || isList(is))
    return was === is ? [] : [`${at} was ${JSON.stringify(was)} and is ${JSON.stringify(is)}`];
  return Object.entries(was).flatMap(([name, one]) =>
    shapeBreaks(one, is[name], at === '' ? name : `${at} › ${name}`),
  );
}

/** A document over several lines, or a list of those that have one each. @throws SyntaxError */
export function printedJson(text: string): unknown {
  const lines = text.trim().split('\n');
  const hasOneEach = lines.every((line) => /^\{.*\}$/.test(line));
  return JSON.parse(hasOneEach ? `[${lines.join()}]` : text);
}

import { secondsOf } from '../../plan';
import { type Located, type Remedy, type Report } from '../diagnostics/diagnostic';
import { closest, didYouMean, oneOfText, suggestionOf } from '../diagnostics/suggest';
import { type Change, keyAs } from '../fixes/words';
import { describe, isNull, type MapEntry, type MapNode, type YamlNode, type ScalarNode } from '../yaml/node';
import { lowerFirst } from '../yaml/syntax';
import { type SchemaField, type SchemaShape, type Type, schemaTypeName } from './shape';
import { type Word, wordIn } from './words';

/**
 * Reports everything in `map` that `shape` does not allow, at any depth, in one pass.
 *
 * @returns the mapping as it is meant: a misspelt key, once reported, is the intended one, so that nothing else
 *   reports what seems to be missing; `map` itself if no key is misspelt
 */
export function checkSchemaShape(map: MapNode, shape: SchemaShape, report: Report): MapNode {
  const intent: MapNode = { ...map, entries: asMeant(map, shape, report) };
  // Parts of a construct that was rejected as a whole are not checked.
  if (!map.entries.some((entry) => shape.fields[entry.key]?.rejected !== undefined)) {
    reportMissing(intent, shape, report);
  }
  return sameItems(intent.entries, map.entries) ? map : intent;
}

function asMeant(map: MapNode, shape: SchemaShape, report: Report): readonly MapEntry[] {
  const taken = new Set(map.entries.map(({ key }) => key));
  return map.entries.map((entry) => {
    const field = Object.hasOwn(shape.fields, entry.key) ? shape.fields[entry.key]! : undefined;
    if (field !== undefined) return checkField(entry, field, report);
    const intended = reportUnknown(entry, map, shape, report);
    if (intended === undefined || taken.has(intended)) return entry;
    taken.add(intended);
    return checkField({ ...entry, key: intended }, shape.fields[intended]!, report);
  });
}

function sameItems<T>(some: readonly T[], others: readonly T[]): boolean {
  return some.every((each, i) => each === others[i]);
}

function reportMissing(map: MapNode, shape: SchemaShape, report: Report): void {
  for (const key of requiredOf(shape)) {
    const field = shape.fields[key]!;
    const match = map.entries.find((entry) => entry.key === key);
    if (match === undefined || isNull(match.value)) {
      const where = match?.at ?? head(map);
      report.add(
        'NT2005',
        where,
        `${shape.title} needs \`${key}\`: ${lowerFirst(field.doc).replace(/\.$/, '')}`,
      );
    }
  }
}

const required = new WeakMap<SchemaShape, readonly string[]>();

function requiredOf(shape: SchemaShape): readonly string[] {
  const cached = required.get(shape);
  if (cached !== undefined) return cached;
  const keys = Object.keys(shape.fields).filter((key) => shape.fields[key]!.required);
  required.set(shape, keys);
  return keys;
}

/** The first line of a mapping: underlining a whole step is not helpful. */
export function head(map: MapNode): Located {
  const first = map.entries[0];
  return first === undefined ? map : { start: first.at.start, end: first.at.end, path: map.path };
}

function checkField(entry: MapEntry, field: SchemaField, report: Report): MapEntry {
  const { key, at, value } = entry;
  if (field.rejected !== undefined) {
    report.add(field.rejected.code, at, field.rejected.message, remedyOf(field.rejected));
    return entry;
  }
  if (field.deprecated !== undefined) {
    report.add(field.deprecated.code, at, `\`${key}\` is an old spelling here`, remedyOf(field.deprecated));
  }
  if (field.placeholder) {
    reportPlaceholder(entry, field, report);
    return entry;
  }
  if (field.numberAs !== undefined && value.kind === 'scalar' && typeof value.value === 'number') {
    const hint = `write \`${field.numberAs}: ${value.value}\``;
    report.add('NT5015', at, `\`${key}\` is a number of seconds here`, { hint, ...keyAs(field.numberAs) });
    return { ...entry, key: field.numberAs };
  }
  // An empty condition would count as none, and always match.
  if (isNull(value) && field.type !== 'condition') return entry;
  const intent = checkType(value, field.type, `\`${key}\``, report, field.example);
  return intent === value ? entry : { ...entry, value: intent };
}

/** A key that is accepted and has no effect. */
export function reportPlaceholder({ key, at }: MapEntry, { placeholder }: SchemaField, report: Report): void {
  const why = placeholder === true ? undefined : placeholder;
  report.add('NT2090', at, `\`${key}\` is accepted and has no effect`, why);
}

function remedyOf({ hint, fix }: { readonly hint: string; readonly fix?: Change }): string | Remedy {
  return fix === undefined ? hint : { hint, ...fix };
}

/** @returns the key that is meant, if the entry is an error and it is clear */
function reportUnknown(
  entry: MapEntry,
  map: MapNode,
  shape: SchemaShape,
  report: Report,
): string | undefined {
  if (shape.others === 'judged') return undefined;
  const allowed = Object.keys(shape.fields).filter((key) => shape.fields[key]!.rejected === undefined);
  const word = wordFor(entry.key, map, shape);
  const foreign = typeof word === 'object' ? word.write : undefined;
  const suggestion =
    typeof word === 'string' ? word : foreign === undefined ? closest(entry.key, allowed) : undefined;
  const hint = suggestionOf(entry.key, suggestion, allowed) ?? foreign;
  const elsewhere = shape.elsewhere?.(entry.key);
  if (elsewhere !== undefined && suggestion === undefined) {
    report.add(
      'NT2007',
      entry.at,
      `\`${entry.key}\` is not a key of ${shape.title} and has no effect`,
      foreign ?? elsewhere,
    );
    return undefined;
  }
  if (shape.others === 'open') {
    if (hint !== undefined && entry.key.length > 2) {
      report.add(
        'NT2002',
        entry.at,
        `\`${entry.key}\` is passed on unchanged: ${shape.title} has no such key`,
        hint,
      );
    }
    return undefined;
  }
  const code = shape.others === 'error' || hint !== undefined ? 'NT2001' : 'NT2002';
  const effect = code === 'NT2002' ? ' and has no effect' : '';
  const message = `\`${entry.key}\` is not a key of ${shape.title}${effect}`;
  report.add(code, entry.at, message, hint ?? `allowed: ${oneOfText(allowed)}`);
  return suggestion;
}

/** The key for another product's word, unless that key is present too. */
function wordFor(key: string, map: MapNode, { words }: SchemaShape): Word | undefined {
  const word = wordIn(words, key);
  return typeof word === 'string' && map.entries.some((each) => each.key === word) ? undefined : word;
}

/**
 * Reports if `node` is not of `type`; `what` names it, `example` says what to write instead.
 *
 * @returns the node as it is meant, as `checkSchemaShape` does
 */
export function checkType(
  node: YamlNode,
  type: Type,
  what: string,
  report: Report,
  example?: string,
): YamlNode {
  if (typeof type === 'string') return checkSimple(node, type, what, report, example);
  if ('words' in type) return checkWords(node, type.words, what, report);
  if ('values' in type) return checkValues(node, type.values, what, report);
  if ('either' in type) {
    const fitting = type.either.find((each) => nodeKinds(each).includes(node.kind));
    // For a value that is not a template, all allowed types are listed.
    const noTemplate = fitting === 'template' && node.kind === 'scalar' && !fits(node, fitting);
    return fitting === undefined || noTemplate
      ? mismatch(node, type, what, report, example)
      : checkType(node, fitting, what, report, example);
  }
  if ('shape' in type) {
    return node.kind === 'map'
      ? checkSchemaShape(node, type.shape(), report)
      : mismatch(node, type, what, report, example);
  }
  if (node.kind !== 'list') return mismatch(node, type, what, report, example);
  const items = node.items.map((item, i) => checkType(item, type.list, `${what} item ${i + 1}`, report));
  return sameItems(items, node.items) ? node : { ...node, items };
}

function nodeKinds(type: Type): readonly YamlNode['kind'][] {
  if (type === 'any') return ['scalar', 'list', 'map'];
  if (type === 'mapping') return ['map'];
  if (typeof type === 'string' || 'values' in type || 'words' in type) return ['scalar'];
  if ('shape' in type) return ['map'];
  if ('list' in type) return ['list'];
  return type.either.flatMap(nodeKinds);
}

function checkSimple(
  node: YamlNode,
  type: Type & string,
  what: string,
  report: Report,
  example?: string,
): YamlNode {
  if (type === 'any') return node;
  const right =
    type === 'mapping'
      ? node.kind === 'map'
      : node.kind === 'scalar' && node.value !== null && fits(node, type);
  return right ? node : mismatch(node, type, what, report, example);
}

function fits(scalar: ScalarNode, type: Exclude<Type & string, 'any' | 'mapping'>): boolean {
  const { value } = scalar;
  switch (type) {
    case 'text':
      return true;
    case 'name':
      return typeof value === 'string' && value.trim() !== '' && !value.includes('{{');
    case 'boolean':
      return typeof value === 'boolean';
    case 'amount':
      return (typeof value === 'number' && value >= 0) || (typeof value === 'string' && isAmountText(value));
    case 'duration':
      return fits(scalar, 'amount') || (typeof value === 'string' && secondsOf(value) !== undefined);
    case 'limit':
      return fits(scalar, 'duration') && secondsOf(value) !== 0;
    case 'count':
      return (
        (typeof value === 'number' && Number.isInteger(value) && value >= 1) ||
        (typeof value === 'string' && isAmountText(value))
      );
    case 'template':
      return typeof value === 'string' && value.includes('{{');
    case 'flag':
      return typeof value === 'boolean' || (typeof value === 'string' && value.includes('{{'));
    default:
      return typeof value === 'boolean' || typeof value === 'string';
  }
}

/** A template, or a quoted number. */
function isAmountText(value: string): boolean {
  return value.includes('{{') || (value.trim() !== '' && Number.isFinite(Number(value)));
}

function checkValues(node: YamlNode, values: readonly string[], what: string, report: Report): YamlNode {
  if (node.kind === 'scalar' && typeof node.value === 'string' && values.includes(node.value)) return node;
  const given = node.kind === 'scalar' ? String(node.value) : '';
  report.add(
    'NT2004',
    node,
    `${what} is ${oneOfText(values)}, not ${describe(node)}`,
    didYouMean(given, values),
  );
  return node;
}

function checkWords(node: YamlNode, words: readonly string[], what: string, report: Report): YamlNode {
  const written = node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
  if (written?.includes('{{')) return node;
  const lower = written?.toLowerCase();
  if (words.some((word) => word.toLowerCase() === lower)) return node;
  const hint = lower === undefined ? undefined : didYouMean(lower, words);
  report.add('NT2004', node, `${what} is ${oneOfText(words)}, not ${describe(node)}`, hint);
  return node;
}

function mismatch(node: YamlNode, type: Type, what: string, report: Report, example?: string): YamlNode {
  const hint = example === undefined ? undefined : `write \`${example}\``;
  report.add('NT2003', node, `${what} is ${schemaTypeName(type)}, not ${describe(node)}`, hint);
  return node;
}

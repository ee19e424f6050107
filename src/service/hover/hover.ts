/** What an editor shows of the word under the pointer. */
import { type ToolKinds, toolKind } from '../../language/dsl/kinds';
import { schemaTypeName } from '../../language/dsl/schema/shape';
import { whereInScope, ROOTS } from '../../language/plan';
import { type KnownResults, type KnownValue } from '../names/fields';
import { type PlaybookFacts, type DeclaredStep } from '../names/facts';
import { scopeAt } from '../completion/proposals';
import { keysExpected } from '../place/expected';
import { keysAlong, pathAt, type PathTo } from '../place/path';
import { templateParts } from '../text/expression';
import { scalarText, type TextRange } from '../text/node';
import { signatureOf } from './signatures';

export interface HoverText extends TextRange {
  readonly markdown: string;
}

export interface HoverQuestion {
  readonly facts: PlaybookFacts;
  readonly kinds: ToolKinds;
  readonly results?: KnownResults;
}

export function hoverOf({ facts, kinds, results }: HoverQuestion, offset: number): HoverText | undefined {
  const { text, root } = facts;
  const path = pathAt(root, offset, { text, kinds });
  if (path.isKey) return keyHover(facts, kinds, path);
  if (path.node.kind !== 'scalar') return undefined;
  const part = templateParts(text, path.node).find(
    (each) => each.start <= offset && offset <= each.end && /\w/.test(each.text),
  );
  if (part === undefined) return valueHover(facts, kinds, path);
  const { kind, start, end } = part;
  if (kind === 'filter' || kind === 'test' || kind === 'function') {
    const signature = signatureOf(kind, part.text);
    return signature && { start, end, markdown: `**${kind}** \`${signature.label}\`` };
  }
  const [name] = part.path;
  if (name === undefined) return undefined;
  const { scope } = scopeAt(facts, path, results);
  const own = scope.names().find((each) => each.name === name);
  const what =
    own?.detail ?? (ROOTS.has(name) ? `of the runtime: has a value ${whereInScope(name)}` : undefined);
  if (what === undefined) return undefined;
  return {
    start,
    end,
    markdown: [`**${part.path.join('.')}** · ${what}`, ...valueLines(scope.at(part.path))].join('\n\n'),
  };
}

function keyHover(
  { text }: PlaybookFacts,
  kinds: ToolKinds,
  { parts, expected }: PathTo,
): HoverText | undefined {
  const last = parts.at(-1);
  if (last === undefined || typeof last.at === 'number') return undefined;
  const { key, start, end } = last.at;
  const field = keysExpected(expected, last.node, { text, kinds }).fields[key];
  if (field === undefined) return undefined;
  const old = field.deprecated ? `\n\nOld spelling: ${field.deprecated.hint}.` : '';
  return { start, end, markdown: `**${key}** · ${schemaTypeName(field.type)}\n\n${field.doc}${old}` };
}

/** The last value and the fields of a value, as far as they are known. */
function valueLines({ sample, fields, items }: KnownValue): string[] {
  const listed = (title: string, of: KnownValue['fields'] = {}): string[] => {
    const names = Object.keys(of).slice(0, 20);
    return names.length === 0 ? [] : [`${title} ${names.map((name) => `\`${name}\``).join(', ')}`];
  };
  const seen = sample === undefined ? [] : [`Last seen: \`${shortJson(sample)}\``];
  return [...seen, ...listed('Fields:', fields), ...listed('Items with', items?.fields)];
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > 160 ? `${text.slice(0, 157)}…` : text;
}

/** A kind of tool, or the name of a step. */
function valueHover(facts: PlaybookFacts, kinds: ToolKinds, { node, parts }: PathTo): HoverText | undefined {
  const word = scalarText(facts.text, node) ?? '';
  const key = keysAlong(parts).at(-1);
  const range = { start: node.start, end: node.end };
  const kind = key === 'kind' ? toolKind(word, kinds) : undefined;
  if (kind) {
    const required = kind.required.map((group) => group.map((each) => `\`${each}\``).join(' or ')).join('; ');
    return {
      ...range,
      markdown: `**${word}**\n\n${kind.doc}${required === '' ? '' : `\n\nRequired: ${required}`}`,
    };
  }
  const step =
    ['step', 'next', 'entry_step'].includes(key ?? '') || typeof parts.at(-1)?.at === 'number'
      ? facts.steps.find(({ name }) => name === word)
      : undefined;
  return step && { ...range, markdown: describeStep(facts, step) };
}

function describeStep(facts: PlaybookFacts, step: DeclaredStep): string {
  const entry = step.node.entries.find(({ key }) => key === 'desc' || key === 'description');
  const desc = scalarText(facts.text, entry?.value);
  const kinds = step.tasks.flatMap(({ kind }) => kind ?? []).join(', ');
  return [
    `**${step.name}** · a step${kinds === '' ? '' : ` of ${kinds}`}`,
    ...(desc === undefined ? [] : [desc]),
  ].join('\n\n');
}

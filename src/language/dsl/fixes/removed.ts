import { ROOTS, ROOTS_AT } from '../../plan';
import { hasTemplateSyntax } from '../../template';
import { type Edit, type FixSite } from '../diagnostics/diagnostic';
import { KINDS } from '../kinds';
import {
  asList,
  asMap,
  asText,
  child,
  entry,
  isNull,
  type MapEntry,
  type MapNode,
  mapsIn,
  mapUnder,
  type ScalarNode,
} from '../yaml/node';
import { carried, nestedText } from './nest';
import {
  afterColon,
  columnOf,
  contentEnd,
  isBelow,
  isFlow,
  leads,
  entryLines,
  lineStart,
  newline,
  remarkBehind,
  removal,
  shift,
  surround,
} from './text';
import { referencesIn } from './within';
import { type Change, rename } from './words';

const ACTIONS = new Set([
  ...['do', 'attempts', 'backoff', 'delay', 'max_delay', 'to', 'set', 'set_ctx', 'set_iter'],
]);

const RULES: ReadonlySet<string> = new Set(['rules', 'eval', 'case', 'retry', 'arcs', 'choose']);

const CONDITION = ['when', 'expr'];

/** `expr` of a rule is called `when`. */
export const exprAsWhen: Change = {
  what: '`expr` → `when`',
  edits: ({ path: [here, around] }) =>
    here && RULES.has(around?.entry.key ?? '') ? renamedExpr(here.map) : undefined,
};

function renamedExpr(rule: MapNode): Edit[] | undefined {
  const field = entry(rule, 'expr');
  return field === undefined || entry(rule, 'when') !== undefined ? undefined : [rename(field, 'when')];
}

/** Actions beside the condition of a rule belong under its `then`. */
export const actionsUnderThen: Change = {
  what: 'actions → `then`',
  edits: ({ text, path: [here, around] }) =>
    here && around?.entry.key === 'rules' ? actionsNested(text, here.map) : undefined,
};

function actionsNested(text: string, rule: MapNode): Edit[] | undefined {
  const first = rule.entries.findIndex(({ key }) => ACTIONS.has(key));
  const actions = rule.entries.slice(first);
  const head = rule.entries.slice(0, first);
  if (first === -1 || !actions.every(({ key }) => ACTIONS.has(key))) return undefined;
  if (!head.some(({ key }) => CONDITION.includes(key))) return undefined;
  if (head.some(({ key }) => key === 'then' || key === 'else')) return undefined;
  const { start } = actions[0]!.at;
  const last = actions.at(-1)!;
  if (isFlow(text, rule)) return surround(start, contentEnd(text, last), 'then: { ', ' }');
  const line = lineStart(text, start);
  const then = `${' '.repeat(columnOf(text, start))}then:${newline(text)}`;
  const edits = [{ start: line, end: line, text: then }, ...shift(text, line, entryLines(text, last).end, 2)];
  return leads(text, start) ? edits : undefined;
}

/** `eval` of a tool, or of a step with one tool, becomes the rules of its policy: first each rule, then their place. */
export const evalAsRules: Change = { what: '`eval` → `spec.policy.rules`', edits: asRules };

function asRules({ text, path: [here] }: FixSite): Edit[] | undefined {
  const list = asList(here?.entry.value);
  const tool = entry(here?.map, 'step') === undefined ? here?.map : asMap(child(here?.map, 'tool'));
  if (here === undefined || list === undefined || tool === undefined || list.items.length === 0)
    return undefined;
  const rules = mapsIn(list);
  const older = rules.map((rule) => [...(renamedExpr(rule) ?? []), ...(actionsNested(text, rule) ?? [])]);
  const clear = rules.filter(
    (rule, i) =>
      entry(rule, 'else') !== undefined ||
      (CONDITION.some((key) => entry(rule, key)) && (older[i]!.length > 1 || entry(rule, 'then'))),
  );
  if (clear.length < list.items.length || entry(tool, 'retry') !== undefined) return undefined;
  if (older.flat().length > 0) return older.flat();
  const lines = carried(text, here.entry, 'rules');
  const added = nestedText(text, tool, ['spec', 'policy'], lines, here.entry);
  const deletions = removal(text, here.map, here.entry);
  return added && deletions && [added, ...deletions];
}

/** A list under `pipe`, of a step or of its `tool`, becomes a list under `tool`. */
export const pipeAsTool: Change = { what: '`pipe` → `tool`', edits: asTool };

function asTool({ text, path: [here, around] }: FixSite): Edit[] | undefined {
  if (here?.entry.value.kind !== 'list') return undefined;
  const { map, entry: pipe } = here;
  if (entry(map, 'step') !== undefined)
    return entry(map, 'tool') === undefined ? [rename(pipe, 'tool')] : undefined;
  if (around?.entry.key !== 'tool' || map.entries.length !== 1 || around.entry.value !== map)
    return undefined;
  const { value, at } = pipe;
  if (isFlow(text, map)) {
    return [
      { start: map.start, end: value.start, text: '' },
      { start: value.end, end: map.end, text: '' },
    ];
  }
  if (!isBelow(text, pipe) || !leads(text, at.start)) return undefined;
  const end = afterColon(text, pipe);
  const remark = end + /^[ \t]*/.exec(text.slice(end))![0].length;
  const next = text.indexOf('\n', end) + 1;
  const blank = text.slice(end, next).trim() === '';
  const start = blank ? lineStart(text, at.start) : at.start;
  return [{ start, end: blank ? next : remark, text: '' }];
}

/**
 * `type` of a step becomes the kind of its tool, together with that kind's fields.
 *
 * @param own whether a key is one of steps
 */
export function typeAsTool(own: (key: string) => boolean): Change {
  return { what: '`type` → `tool.kind`', edits: (site) => withTool(site, own) };
}

function withTool({ text, path: [here] }: FixSite, own: (key: string) => boolean): Edit[] | undefined {
  const kind = asText(here?.entry.value);
  if (here === undefined || kind === undefined || !Object.hasOwn(KINDS, kind)) return undefined;
  const { map: step, entry: type } = here;
  if (isFlow(text, step)) return undefined;
  const tool = entry(step, 'tool');
  if (tool !== undefined) return intoTool(text, step, type, asMap(tool.value), kind);
  const fields = step.entries.filter(({ key }) => !own(key));
  if (!fields.every(({ key }) => Object.hasOwn(KINDS[kind]!.fields, key))) return undefined;
  if (![type, ...fields].every((each) => leads(text, each.at.start))) return undefined;
  const above = fields.map((each) => remarksAbove(text, each));
  const deletions = fields.map((each, i) => [...(removal(text, step, each) ?? []), ...above[i]!.edits]);
  const indent = ' '.repeat(columnOf(text, type.at.start));
  const moved = fields.flatMap((each, i) => [...above[i]!.lines, ...carried(text, each)]);
  const lines = [...carried(text, type, 'kind'), ...moved];
  const inner = lines.map((line) => (line === '' ? '' : `${indent}  ${line}`));
  const written = [`${indent}tool:`, ...inner, ''].join(newline(text));
  return [{ ...entryLines(text, type), text: written }, ...deletions.flat()];
}

/** The comments directly above an entry, and the edit that removes them. */
function remarksAbove(text: string, { at }: MapEntry): { lines: string[]; edits: Edit[] } {
  const end = lineStart(text, at.start);
  const lines: string[] = [];
  let start = end;
  while (start > 0) {
    const above = lineStart(text, start - 1);
    const line = text.slice(above, start).trim();
    if (!line.startsWith('#')) break;
    lines.unshift(line);
    start = above;
  }
  return { lines, edits: start === end ? [] : [{ start, end, text: '' }] };
}

function intoTool(
  text: string,
  step: MapNode,
  type: MapEntry,
  tool: MapNode | undefined,
  kind: string,
): Edit[] | undefined {
  const first = tool?.entries[0];
  const deletions = removal(text, step, type);
  const own = child(tool, 'kind');
  if (first === undefined || deletions === undefined || remarkBehind(text, type) !== '') return undefined;
  if (own !== undefined) return asText(own) === kind ? deletions : undefined;
  const written = text.slice(type.value.start, type.value.end).trimEnd();
  const { start } = first.at;
  const between = isFlow(text, tool!) ? ', ' : newline(text) + ' '.repeat(columnOf(text, start));
  return [{ start, end: start, text: `kind: ${written}${between}` }, ...deletions];
}

/** `when` of a step becomes its admission rule. */
export const whenAsAdmission: Change = { what: '`when` → `spec.policy.admit`', edits: asAdmission };

function asAdmission({ text, path: [here] }: FixSite): Edit[] | undefined {
  if (here === undefined) return undefined;
  const { map: step, entry: when } = here;
  if (when.value.kind !== 'scalar' || isNull(when.value) || !speaksOfAdmission(when.value)) return undefined;
  if (entry(mapUnder(step, 'spec'), 'admit') !== undefined) return undefined;
  const deletions = removal(text, step, when);
  const lines = carried(text, when).map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`));
  const rules = [...lines, '  then: { allow: true }', '- else: { then: { allow: false } }'];
  const all = ['rules:', ...rules.map((line) => `  ${line}`)];
  const added = nestedText(text, step, ['spec', 'policy', 'admit'], all, when);
  return deletions && added && [added, ...deletions];
}

/** Whether every name has a value before the step runs. */
function speaksOfAdmission(node: ScalarNode): boolean {
  const { value } = node;
  if (typeof value !== 'string' || !hasTemplateSyntax(value)) return typeof value === 'boolean';
  const roots = referencesIn(node, 'when').filter(({ kind }) => kind === 'name');
  return roots.every(({ root }) => ROOTS_AT.admit.has(root) || !ROOTS.has(root));
}

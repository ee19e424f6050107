import { ROOTS, ROOTS_AT } from '../../../plan';
import { hasTemplateSyntax } from '../../../template';
import { KINDS } from '../../kinds';
import { STEP } from '../../schema/step';
import { asList, asMap, asText, child, entry, type MapEntry, isNull, type MapNode } from '../../yaml/node';
import { type Rewrite, type RewriteSource } from '../rewrite';
import {
  afterColon,
  columnOf,
  contentEnd,
  type Edit,
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
} from '../text';
import { mapsOf, writtenSteps, toolsOf, under } from '../walk';
import { entriesWithin, referencesIn } from '../within';
import { carried, nestedText } from './nest';
import { rename } from './words';

const ACTIONS = new Set([
  ...['do', 'attempts', 'backoff', 'delay', 'max_delay', 'to', 'set', 'set_ctx', 'set_iter'],
]);

/** `expr` of a rule is called `when`. */
export function expr({ root }: RewriteSource): Rewrite[] {
  const lists = entriesWithin(root, ['rules', 'eval', 'case', 'retry', 'arcs', 'choose']);
  return lists.flatMap(({ entry: { value } }) =>
    mapsOf(value).flatMap((rule) => {
      const field = entry(rule, 'expr');
      if (field === undefined || entry(rule, 'when') !== undefined) return [];
      return [{ what: '`expr` → `when`', at: field.at, edits: [rename(field, 'when')] }];
    }),
  );
}

/** Actions beside the condition of a rule belong under its `then`. */
export function flatActions({ text, root }: RewriteSource): Rewrite[] {
  const rules = entriesWithin(root, ['rules', 'eval']).flatMap(({ entry: { value } }) => mapsOf(value));
  return rules.flatMap((rule): Rewrite[] => {
    const first = rule.entries.findIndex(({ key }) => ACTIONS.has(key));
    const actions = rule.entries.slice(first);
    const head = rule.entries.slice(0, first);
    if (first === -1 || !actions.every(({ key }) => ACTIONS.has(key))) return [];
    if (!head.some(({ key }) => key === 'when' || key === 'expr')) return [];
    if (head.some(({ key }) => key === 'then' || key === 'else')) return [];
    const what = 'actions → `then`';
    const { start } = actions[0]!.at;
    const last = actions.at(-1)!;
    if (isFlow(text, rule)) {
      const edits = surround(start, contentEnd(text, last), 'then: { ', ' }');
      return [{ what, at: actions[0]!.at, edits }];
    }
    const line = lineStart(text, start);
    const then = `${' '.repeat(columnOf(text, start))}then:${newline(text)}`;
    const edits = [
      { start: line, end: line, text: then },
      ...shift(text, line, entryLines(text, last).end, 2),
    ];
    return leads(text, start) ? [{ what, at: actions[0]!.at, edits }] : [];
  });
}

/** `eval` of a tool, or of a step with one tool, becomes the rules of its policy. */
export function evals({ text, root }: RewriteSource): Rewrite[] {
  const ofTools = toolsOf(root).map(({ tool }) => ({ owner: tool, tool }));
  const ofSteps = writtenSteps(root).flatMap((step) => {
    const tool = asMap(child(step, 'tool'));
    return tool === undefined ? [] : [{ owner: step, tool }];
  });
  return [...ofTools, ...ofSteps].flatMap(({ owner, tool }): Rewrite[] => {
    const evalEntry = entry(owner, 'eval');
    const rules = asList(evalEntry?.value);
    if (evalEntry === undefined || rules === undefined || rules.items.length === 0) return [];
    const clear = mapsOf(rules).filter(
      (rule) =>
        entry(rule, 'else') !== undefined || (entry(rule, 'when') !== undefined && entry(rule, 'then')),
    );
    if (clear.length < rules.items.length || entry(tool, 'retry') !== undefined) return [];
    const added = nestedText(text, tool, ['spec', 'policy'], carried(text, evalEntry, 'rules'), evalEntry);
    const deletions = removal(text, owner, evalEntry);
    if (added === undefined || deletions === undefined) return [];
    return [{ what: '`eval` → `spec.policy.rules`', at: evalEntry.at, edits: [added, ...deletions] }];
  });
}

/** A list under `pipe`, of a step or of its `tool`, becomes a list under `tool`. */
export function pipes({ text, root }: RewriteSource): Rewrite[] {
  return writtenSteps(root).flatMap((step): Rewrite[] => {
    const what = '`pipe` → `tool`';
    const own = entry(step, 'pipe');
    const tool = entry(step, 'tool');
    if (own?.value.kind === 'list' && tool === undefined)
      return [{ what, at: own.at, edits: [rename(own, 'tool')] }];
    const inner = asMap(tool?.value);
    const nestedPipe = entry(inner, 'pipe');
    if (tool === undefined || inner?.entries.length !== 1 || nestedPipe?.value.kind !== 'list') return [];
    const { value, at } = nestedPipe;
    if (isFlow(text, inner)) {
      const edits = [
        { start: inner.start, end: value.start, text: '' },
        { start: value.end, end: inner.end, text: '' },
      ];
      return [{ what, at, edits }];
    }
    if (!isBelow(text, nestedPipe) || !leads(text, at.start)) return [];
    const { start } = at;
    const end = afterColon(text, nestedPipe);
    const remark = end + /^[ \t]*/.exec(text.slice(end))![0].length;
    const next = text.indexOf('\n', end) + 1;
    const blank = text.slice(end, next).trim() === '';
    const edits = [
      blank ? { start: lineStart(text, start), end: next, text: '' } : { start, end: remark, text: '' },
    ];
    return [{ what, at, edits }];
  });
}

/** `type` of a step becomes the kind of its tool, together with that kind's fields. */
export function stepTypes({ text, root }: RewriteSource): Rewrite[] {
  return writtenSteps(root).flatMap((step): Rewrite[] => {
    const type = entry(step, 'type');
    const kind = asText(type?.value);
    if (type === undefined || kind === undefined || !Object.hasOwn(KINDS, kind) || isFlow(text, step))
      return [];
    const what = '`type` → `tool.kind`';
    const tool = entry(step, 'tool');
    if (tool !== undefined) {
      const edits = intoTool(text, step, type, tool.value.kind === 'map' ? tool.value : undefined, kind);
      return edits === undefined ? [] : [{ what, at: type.at, edits }];
    }
    const fields = step.entries.filter(({ key }) => !Object.hasOwn(STEP.fields, key));
    if (!fields.every(({ key }) => Object.hasOwn(KINDS[kind]!.fields, key))) return [];
    const above = fields.map((each) => remarksAbove(text, each));
    const deletions = fields.map((each, i) => [...(removal(text, step, each) ?? []), ...above[i]!.edits]);
    if (!leads(text, type.at.start) || !fields.every((each) => leads(text, each.at.start))) return [];
    const indent = ' '.repeat(columnOf(text, type.at.start));
    const moved = fields.flatMap((each, i) => [...above[i]!.lines, ...carried(text, each)]);
    const lines = [...carried(text, type, 'kind'), ...moved];
    const inner = lines.map((line) => (line === '' ? '' : `${indent}  ${line}`));
    const toolEdit = {
      ...entryLines(text, type),
      text: [`${indent}tool:`, ...inner, ''].join(newline(text)),
    };
    return [{ what, at: type.at, edits: [toolEdit, ...deletions.flat()] }];
  });
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
export function stepConditions({ text, root }: RewriteSource): Rewrite[] {
  return writtenSteps(root).flatMap((step): Rewrite[] => {
    const when = entry(step, 'when');
    if (when?.value.kind !== 'scalar' || isNull(when.value) || !speaksOfAdmission(when.value.value))
      return [];
    if (entry(under(step, 'spec'), 'admit') !== undefined) return [];
    const deletions = removal(text, step, when);
    const lines = carried(text, when).map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`));
    const rules = [...lines, '  then: { allow: true }', '- else: { then: { allow: false } }'];
    const all = ['rules:', ...rules.map((line) => `  ${line}`)];
    const added = nestedText(text, step, ['spec', 'policy', 'admit'], all, when);
    if (deletions === undefined || added === undefined) return [];
    return [{ what: '`when` → `spec.policy.admit`', at: when.at, edits: [added, ...deletions] }];
  });
}

/** Whether every name has a value before the step runs. */
function speaksOfAdmission(value: unknown): boolean {
  if (typeof value !== 'string' || !hasTemplateSyntax(value)) return typeof value === 'boolean';
  const roots = referencesIn(value, 'when').filter(({ kind }) => kind === 'name');
  return roots.every(({ root }) => ROOTS_AT.admit.has(root) || !ROOTS.has(root));
}

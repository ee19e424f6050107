import { references } from '../../template';
import { type Value } from '../../plan';
import { type Template } from '../../template/ir';
import { inCode } from '../check/keychain';
import { type Place } from '../check/place';
import { type ReferenceCheck } from '../check/references';
import { type Report } from '../diagnostics/diagnostic';
import { type ToolKind } from '../kinds';
import { asMap, child, type Entry, inside, type Node, type ScalarNode } from '../yaml/node';
import { type Values } from './values';

/** A program: rendered only if it is a template in which every name is known, otherwise kept verbatim. */
export function compileCode(
  node: ScalarNode,
  place: Place,
  values: Values,
  check: ReferenceCheck,
  report: Report,
): Value {
  if (!String(node.value).includes('{{') && !String(node.value).includes('{%'))
    return asWritten(node, values);
  const template = values.tryParse(node);
  const secret = template && references(template).find(({ root }) => root === 'keychain');
  if (secret && !place.step?.inputs.some(({ key }) => key === 'keychain')) {
    const { code, message, hint } = inCode(['keychain', ...secret.path].join('.'));
    report.add(code, inside(node, secret.offset, secret.root.length), message, hint);
  }
  if (template !== null && check.allKnown(template, place)) {
    const { step } = place;
    report.add(
      'NT4005',
      node,
      `the code${step === undefined ? '' : ` of \`${step.name}\``} holds a template`,
      'pass the value as `input`, and use it as a variable',
    );
    return { template };
  }
  report.add('NT4006', node, 'the braces in this code contain no known name, so the code is not rendered');
  return asWritten(node, values);
}

function asWritten(node: ScalarNode, values: Values): Value {
  if (typeof node.value === 'string') values.code.add(node);
  return { const: node.value };
}

/** Roots whose values the runtime generates, so they cannot break a statement; and secrets, which NT3107 covers. */
const SAFE_ROOTS = new Set(['keychain', 'execution_id', 'job', 'loop_index', '_attempt', 'attempt']);

/** Warns once per task about data interpolated into SQL. */
export function checkSplicing(
  toolKind: ToolKind | undefined,
  field: Entry,
  template: Template,
  report: Report,
): void {
  if (toolKind?.sql?.includes(field.key) === true) reportSplicing(field.value, template, report);
}

/** Warns of data in the statements of an end of a transfer. */
export function checkSides(
  toolKind: ToolKind | undefined,
  field: Entry,
  values: Values,
  report: Report,
): void {
  if (toolKind?.sides?.includes(field.key) !== true) return;
  const query = child(asMap(field.value), 'query');
  const template = query?.kind === 'scalar' ? values.tryParse(query) : null;
  if (query && template) reportSplicing(query, template, report);
}

function reportSplicing(value: Node, template: Template, report: Report): void {
  if (template.kind === 'expression' || value.kind !== 'scalar') return;
  const risky = references(template).find((reference) => {
    if (reference.kind !== 'name' || SAFE_ROOTS.has(reference.root)) return false;
    const open = template.source.lastIndexOf('{{', reference.offset);
    const close = template.source.indexOf('}}', reference.offset);
    const inner = template.source.slice(Math.max(open, 0), close === -1 ? undefined : close);
    return open !== -1 && !/\|\s*(tojson|int|float|length|count)\b/.test(inner);
  });
  if (risky === undefined) return;
  const name = [risky.root, ...risky.path].join('.');
  const hint =
    'write a placeholder (`$1`) and pass the value in `params`; names of tables and schemas cannot be parameters';
  report.add(
    'NT4005',
    inside(value, risky.offset, risky.root.length),
    `\`${name}\` becomes part of the SQL text`,
    hint,
  );
}

/** Whether Python code reads the variable `context`, which is then provided. */
export function readsContext(code: string): boolean {
  return code
    .split('\n')
    .some((line) => /(?<![.\w])context\b(?!\s*=[^=])/.test(line.replace(/^\s*#.*$/, '')));
}

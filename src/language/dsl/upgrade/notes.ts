import { compact } from '../../plan';
import { type Diagnostic, SILENT } from '../diagnostics/diagnostic';
import { LineIndex } from '../yaml/lines';
import { type MapEntry, entry, type MapNode } from '../yaml/node';
import { parseYaml } from '../yaml/parse';
import { compiled } from './compiled';
import { writtenActions, arcsOf, writtenSteps, toolsOf, under } from './walk';

/** A construct that no rule rewrites, and how to change it by hand. */
export interface UpgradeNote {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
  /** Why no rule rewrites it. */
  readonly why?: string;
}

/** Spellings of earlier generations, and why the remaining ones are ambiguous. */
const REASONS: Readonly<Record<string, string>> = {
  NT2006: 'it is not specified which of the two counts',
  NT2010: 'no version of the language has this name',
  NT2012:
    'a variable that steps write as well, or a value that is computed: the playbook does not define its first value',
  NT2013:
    'the condition reads what only an earlier step or no step has, or the step has an admission policy already',
  NT2014: 'it holds more than rules with a condition and actions, or the tool has rules or `retry` already',
  NT2015: 'no condition is evaluated here',
  NT2016: 'a `tool` stands beside it, or it is no list',
  NT2017: 'a kind stands at the tool already, or no kind of this name takes the fields of the step',
  NT2018:
    'several targets of one condition that is not plainly true or false, targets behind an `else`, a `case` beside it, or a condition that reads what arcs do not have',
  NT2024: 'it is not specified which event of the step each rule handles',
  NT2031: 'the action controls a pipeline, and there is none here',
  NT2032: 'a task ends its pipeline before an arc is followed: with `break`, or with `fail`',
  NT5013: 'a module of this name may be installed, which is sufficient',
  NT3009: 'a template reads the name where it can mean the reserved one as well, or it is compared as a text',
};

/** Constructs of the `case` vocabulary, with their current equivalents. */
const CONSTRUCTS: Readonly<Record<string, string>> = {
  case: 'route with `next.arcs`, handle outcomes with `tool.spec.policy.rules`, and store with a further task',
  retry:
    'write rules: `tool.spec.policy.rules: [{when: "{{ … }}", then: {do: retry, attempts: 3}}]`; pages are fetched with `do: jump`',
  sink: 'add a task under `tool` that stores the result',
};

/** Older spellings beside the newer one that cannot be merged line by line. */
const BESIDE: Readonly<Record<string, string>> = {
  args: 'join it with the entries of `input` (at an arc, of `set`)',
  with: 'join it with the entries of `input`',
  set_ctx: 'write `set: {ctx.name: …}`',
  set_iter: 'write `set: {iter.name: …}`',
  vars: 'write `set: {ctx.name: …}`',
};

/** The older spellings remaining in a playbook, in text order. */
export function notesOf(text: string): UpgradeNote[] {
  const root = parseYaml(text, SILENT);
  if (root === undefined) return [];
  const lines = new LineIndex(text);
  const owners: MapNode[] = [...writtenSteps(root), ...toolsOf(root).map(({ tool }) => tool)];
  const constructs = entriesOf(owners, CONSTRUCTS);
  const beside = entriesOf([...owners, ...writtenActions(root), ...arcsOf(root)], BESIDE);
  const inSpec = toolsOf(root).flatMap(({ tool }) =>
    ['input', 'args', 'with'].flatMap((key) => entry(under(tool, 'spec'), key) ?? []),
  );
  const left = [...constructs, ...beside, ...inSpec].map(({ key, at }): UpgradeNote => {
    const [line, column] = lines.position(at.start);
    const hint = CONSTRUCTS[key] ?? BESIDE[key] ?? 'join it with the entries of `input` of the tool';
    return { line, column, message: `\`${key}\` is not rewritten mechanically`, hint };
  });
  const places = new Set(left.map(({ line, column }) => `${line}:${column}`));
  const others = compiled(text).diagnostics.filter(
    (each) => isLeft(each) && !places.has(`${each.line}:${each.column}`),
  );
  return [...left, ...others.map(noteOf)].sort((a, b) => a.line - b.line || a.column - b.column);
}

function entriesOf(owners: readonly MapNode[], keys: Readonly<Record<string, string>>): MapEntry[] {
  const entries = owners.flatMap((owner) => Object.keys(keys).flatMap((key) => entry(owner, key) ?? []));
  // `args: [x]` of a container is a separate field; an aliased mapping is reported once.
  return [...new Set(entries)].filter(
    ({ key, value }) => keys !== BESIDE || key !== 'args' || value.kind === 'map',
  );
}

function isLeft({ code }: Diagnostic): boolean {
  return code.startsWith('NT5') || Object.hasOwn(REASONS, code);
}

function noteOf({ code, line, column, message, hint }: Diagnostic): UpgradeNote {
  const why = REASONS[code];
  return {
    line,
    column,
    message,
    ...compact({ hint, why }),
  };
}

import { compile } from '../compile';
import { type Diagnostic, SILENT } from '../diagnostics/diagnostic';
import { LineIndex } from '../yaml/lines';
import { type Entry, entry, type MapNode } from '../yaml/node';
import { parseYaml } from '../yaml/parse';
import { actionsOf, arcsOf, stepsOf, toolsOf } from './walk';

/** Something that no rule rewrites, and what to do about it. */
export interface Note {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

/** Refused spellings of earlier generations: what takes their place depends on what the author meant. */
const REFUSED = /^NT(2006|2010|2012|2013|2014|2015|2016|2017|2018)$/;

/** Constructs of the `case` vocabulary, with what the current vocabulary has instead. */
const CONSTRUCTS: Readonly<Record<string, string>> = {
  case: 'route with `next.arcs`, answer outcomes with `tool.spec.policy.rules`, and store with a further task',
  retry:
    'write rules: `tool.spec.policy.rules: [{when: "{{ … }}", then: {do: retry, attempts: 3}}]`; pages are fetched with `do: jump`',
  sink: 'write a further task under `tool` that stores the result',
};

/** Older spellings that stand beside the newer one, and cannot be joined with it line by line. */
const BESIDE: Readonly<Record<string, string>> = {
  args: 'join it with the entries of `input` (at an arc, of `set`)',
  with: 'join it with the entries of `input`',
  set_ctx: 'write `set: {ctx.name: …}`',
  set_iter: 'write `set: {iter.name: …}`',
  vars: 'write `set: {ctx.name: …}`',
};

/** What of the older spellings is left in a playbook, in the order of the text. */
export function notesOf(text: string): Note[] {
  const root = parseYaml(text, SILENT);
  if (root === undefined) return [];
  const lines = new LineIndex(text);
  const owners: MapNode[] = [...stepsOf(root), ...toolsOf(root).map(({ tool }) => tool)];
  const constructs = entriesOf(owners, CONSTRUCTS);
  const beside = entriesOf([...owners, ...actionsOf(root), ...arcsOf(root)], BESIDE);
  const left = [...constructs, ...beside].map(({ key, at }): Note => {
    const [line, column] = lines.position(at.start);
    const hint = CONSTRUCTS[key] ?? BESIDE[key]!;
    return { line, column, message: `\`${key}\` is not rewritten mechanically`, hint };
  });
  const told = new Set(left.map(({ line, column }) => `${line}:${column}`));
  const others = compile(text).diagnostics.filter(
    (each) => isLeft(each) && !told.has(`${each.line}:${each.column}`),
  );
  return [...left, ...others.map(noteOf)].sort((a, b) => a.line - b.line || a.column - b.column);
}

function entriesOf(owners: readonly MapNode[], keys: Readonly<Record<string, string>>): Entry[] {
  const found = owners.flatMap((owner) => Object.keys(keys).flatMap((key) => entry(owner, key) ?? []));
  // `args: [x]` of a container is a field of its own; an aliased mapping is told once.
  return [...new Set(found)].filter(
    ({ key, value }) => keys !== BESIDE || key !== 'args' || value.kind === 'map',
  );
}

function isLeft({ code }: Diagnostic): boolean {
  return code.startsWith('NT5') || REFUSED.test(code);
}

function noteOf({ line, column, message, hint }: Diagnostic): Note {
  return { line, column, message, ...(hint === undefined ? {} : { hint }) };
}

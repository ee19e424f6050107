import { compile } from '../compile';
import { type Diagnostic, SILENT } from '../diagnostics/diagnostic';
import { LineIndex } from '../yaml/lines';
import { type Entry, entry, type MapNode } from '../yaml/node';
import { parseYaml } from '../yaml/parse';
import { stepsOf, toolsOf } from './walk';

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

/** What of the older spellings is left in a playbook, in the order of the text. */
export function notesOf(text: string): Note[] {
  const left = entriesLeft(text);
  const lines = new LineIndex(text);
  const constructs = left.map(({ key, at }): Note => {
    const [line, column] = lines.position(at.start);
    return { line, column, message: `\`${key}\` is not rewritten mechanically`, hint: CONSTRUCTS[key]! };
  });
  const paths = new Set(left.map(({ at }) => at.path));
  const found = compile(text).diagnostics.flatMap((each) => (isLeft(each, paths) ? [noteOf(each)] : []));
  return [...constructs, ...found].sort((a, b) => a.line - b.line || a.column - b.column);
}

function entriesLeft(text: string): Entry[] {
  const root = parseYaml(text, SILENT);
  if (root === undefined) return [];
  const owners: MapNode[] = [...stepsOf(root), ...toolsOf(root).map(({ tool }) => tool)];
  return owners.flatMap((owner) => Object.keys(CONSTRUCTS).flatMap((key) => entry(owner, key) ?? []));
}

/** A structural `next` beside a `case` goes with it. */
function isLeft({ code, path }: Diagnostic, constructs: ReadonlySet<string>): boolean {
  if (code === 'NT5008' && constructs.has(path.replace(/next$/, 'case'))) return false;
  return code.startsWith('NT5') || REFUSED.test(code);
}

function noteOf({ line, column, message, hint }: Diagnostic): Note {
  return { line, column, message, ...(hint === undefined ? {} : { hint }) };
}

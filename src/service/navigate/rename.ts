/** Renames what a playbook declares, and proves that nothing else has changed. */
import { compile, type ToolKinds } from '../../language/dsl';
import { FORBIDDEN_NAMES, ROOTS } from '../../language/plan';
import { globalNames } from '../../language/template';
import { type PlaybookFacts } from '../names/facts';
import { scalarText, type TextRange, valueAt } from '../text/node';
import { placesInRehearsal } from './rehearsals';
import { type Declared, sameName, type Occurrence, occurrencesIn } from './occurrences';

export interface TextChange extends TextRange {
  readonly text: string;
}

/** The edits of a renaming, or why it cannot be done. */
export type Renaming =
  | {
      readonly edits: readonly TextChange[];
      readonly others: Readonly<Record<string, readonly TextChange[]>>;
    }
  | { readonly problem: string };

/** Another file, as it stands. */
export interface NamedText {
  readonly uri: string;
  readonly text: string;
}

export interface RenameRequest {
  readonly offset: number;
  readonly name: string;
  /** The rehearsals of the playbook. */
  readonly rehearsals: readonly NamedText[];
}

export function occurrenceAt(all: readonly Occurrence[], offset: number): Occurrence | undefined {
  return all.find(({ start, end }) => start <= offset && offset <= end);
}

/** Where the name at the offset is defined: its definition, or else where it is written. */
export function definitionsOf(facts: PlaybookFacts, offset: number): Occurrence[] {
  const all = occurrencesIn(facts);
  const at = occurrenceAt(all, offset);
  if (at === undefined) return [];
  const same = all.filter(({ of }) => sameName(of, at.of));
  const definitions = same.filter(({ role }) => role === 'definition');
  return definitions.length > 0 ? definitions : same.filter(({ role }) => role === 'write');
}

export function referencesOf(facts: PlaybookFacts, offset: number): Occurrence[] {
  const all = occurrencesIn(facts);
  const at = occurrenceAt(all, offset);
  return at === undefined ? [] : all.filter(({ of }) => sameName(of, at.of));
}

export function renamed(
  facts: PlaybookFacts,
  { offset, name, rehearsals }: RenameRequest,
  kinds: ToolKinds,
): Renaming {
  const all = occurrencesIn(facts);
  const at = occurrenceAt(all, offset);
  if (at === undefined) return { problem: 'here is no name that the playbook declares' };
  const { of } = at;
  const problem = problemOf(facts, all, of, name);
  if (problem !== undefined) return { problem };
  const edits = [
    ...all.filter((each) => sameName(each.of, of)).map(({ start, end }) => ({ start, end, text: name })),
    ...entryStep(facts, all, of, name),
  ];
  const text = applied(facts.text, edits);
  if (!isSameBut(facts.text, text, [of.name, name], kinds))
    return {
      problem: `\`${of.name}\` is also read where only a run can tell by which name: rename it by hand`,
    };
  const others = rehearsals.map(
    ({ uri, text: other }) =>
      [uri, placesInRehearsal(other, of).map((place) => ({ ...place, text: name }))] as const,
  );
  return { edits, others: Object.fromEntries(others.filter(([, changes]) => changes.length > 0)) };
}

/** A run begins with the step `start`, unless the playbook says with which: by another name, it has to. */
function entryStep(
  facts: PlaybookFacts,
  all: readonly Occurrence[],
  of: Declared,
  name: string,
): TextChange[] {
  const { root, text } = facts;
  const isNamed = all.some((each) => sameName(each.of, of) && each.role === 'read' && isEntry(facts, each));
  const workflow = root.entries.find(({ key }) => key === 'workflow');
  if (of.kind !== 'step' || of.name !== 'start' || isNamed || workflow === undefined) return [];
  const executor = valueAt(root, 'executor');
  const spec = valueAt(executor, 'spec');
  const at = spec ?? executor;
  if (at === undefined) return insertion(workflow.start, `executor: { spec: { entry_step: ${name} } }\n`);
  const entry = spec ? `entry_step: ${name}` : `spec: { entry_step: ${name} }`;
  const indent = ' '.repeat(at.start - (text.lastIndexOf('\n', at.start - 1) + 1));
  if (at.kind !== 'map') return [];
  return at.style === 'flow'
    ? insertion(at.start + 1, ` ${entry},`)
    : insertion(at.start, `${entry}\n${indent}`);
}

function insertion(start: number, text: string): TextChange[] {
  return [{ start, end: start, text }];
}

function isEntry({ root }: PlaybookFacts, { start }: TextRange): boolean {
  const node = valueAt(root, 'executor', 'spec', 'entry_step');
  return node !== undefined && node.start <= start && start <= node.end;
}

function problemOf(
  facts: PlaybookFacts,
  all: readonly Occurrence[],
  of: Declared,
  name: string,
): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name))
    return `\`${name}\` is not a name that expressions can read: use letters, digits and _`;
  if (FORBIDDEN_NAMES.has(name) || ROOTS.has(name) || globalNames.includes(name))
    return `\`${name}\` is a name of the language`;
  if (FORBIDDEN_NAMES.has(of.name))
    return `\`${of.name}\` is also a name of the runtime, which expressions mean by it`;
  const taken = all.find(
    (each) =>
      each.of.name === name &&
      (each.of.step === undefined || of.step === undefined || each.of.step === of.step),
  );
  if (taken) return `\`${name}\` is already the name of ${WHAT[taken.of.kind]}`;
  const callee = of.kind === 'input' ? calleeOf(facts, of) : undefined;
  if (callee !== undefined) return `the ${callee} that it calls reads the input \`${of.name}\``;
  const code = of.kind === 'input' ? codeReading(facts, of) : undefined;
  if (code !== undefined) return `the code of the step \`${code}\` reads the input \`${of.name}\``;
  const context = contextReading(facts, of.name);
  return context === undefined
    ? undefined
    : `the code of the step \`${context}\` reads \`${of.name}\` from \`context\``;
}

const WHAT: Readonly<Record<Declared['kind'], string>> = {
  ...{
    step: 'a step',
    task: 'a task',
    iterator: 'an iterator',
    input: 'an input',
    local: 'a variable of a step',
  },
  ...{
    iter: 'a variable of an iteration',
    ctx: 'a variable',
    workload: 'an input of the playbook',
    workbook: 'a task of the workbook',
  },
};

/** What a step calls that has inputs of its own: their names are not those of this playbook's variables. */
function calleeOf({ steps }: PlaybookFacts, { step }: Declared): string | undefined {
  const kinds = steps.find(({ name }) => name === step)?.tasks.map(({ kind }) => kind) ?? [];
  return kinds.find((kind) => kind === 'playbook' || kind === 'workbook');
}

/** The step whose code reads an input by its name: code is not changed. */
function codeReading(facts: PlaybookFacts, { name, step }: Declared): string | undefined {
  const word = new RegExp(`\\b${name}\\b`);
  return codes(facts).find((each) => each.step === step && word.test(each.code))?.step;
}

function contextReading(facts: PlaybookFacts, name: string): string | undefined {
  const literal = new RegExp(`\\bcontext\\b[\\s\\S]*["']${name}["']`);
  return codes(facts).find(({ code }) => literal.test(code))?.step;
}

function codes({ steps, text }: PlaybookFacts): { step: string; code: string }[] {
  return steps.flatMap((step) =>
    step.tasks.flatMap(({ node }) =>
      node.entries
        .filter(({ key }) => ['code', 'script', 'command', 'sql', 'query', 'cmds'].includes(key))
        .map(({ value }) => ({
          step: step.name,
          code: scalarText(text, value) ?? text.slice(value.start, value.end),
        })),
    ),
  );
}

/** The text with the edits made. */
export function applied(text: string, edits: readonly TextChange[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((all, { start, end, text: by }) => all.slice(0, start) + by + all.slice(end), text);
}

/** Whether two texts mean the same but for the name: the same findings, and the same plan where there is one. */
function isSameBut(before: string, after: string, names: readonly string[], kinds: ToolKinds): boolean {
  const [a, b] = [before, after].map((text) => {
    const { plan, diagnostics } = compile(text, { kinds });
    return canonical([plan, diagnostics.map(({ code }) => code)], names);
  });
  return a === b;
}

/** A plan in which one word stands for the names, and without places: another name is longer or shorter. */
export function canonical(plan: unknown, names: readonly string[]): string {
  const words = names.toSorted((a, b) => b.length - a.length).join('|');
  const word = new RegExp(`(?<![A-Za-z0-9])(?:${words})(?![A-Za-z0-9])`, 'g');
  const isNumbers = (value: unknown): boolean =>
    typeof value === 'number' || (Array.isArray(value) && value.every(isNumbers));
  const text = JSON.stringify(plan, (key, value: unknown) => {
    if (
      key === 'sha256' ||
      key === 'digest' ||
      (['at', 'map', 'p', 'codeAt'].includes(key) && isNumbers(value))
    )
      return undefined;
    // Lists of names are sorted by them.
    const isNames = Array.isArray(value) && value.every((each) => typeof each === 'string');
    return isNames ? value.map((each: string) => each.replaceAll(word, '§')).toSorted() : value;
  });
  return text.replaceAll(word, '§');
}

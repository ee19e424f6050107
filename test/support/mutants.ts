/** Edits of playbooks: mutants that change what they mean, and rewrites that do not. */
import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { upgrade } from '../../src/language/dsl/upgrade';

export interface Mutant {
  readonly name: string;
  /** The mutated playbook. */
  readonly text: () => string;
  readonly step: string;
  /** Line of what is changed. */
  readonly line: number;
  /** What must have happened there for a run to be able to tell: a guard evaluated, an arc or rule taken, a step run. */
  readonly needs: 'guard' | 'taken' | 'step';
}

/** Names and words; and time limits, which are no part of a request: whether one decided, the recording knows. */
const SKIPPED = new Set([
  ...['step', 'name', 'kind', 'desc', 'description', 'as', 'iterator', 'title', 'timeout'],
]);

/** Every mutant of a playbook, in the order of the YAML. */
export function mutantsOf(text: string): Mutant[] {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const steps = document.getIn(['workflow']) as YAMLSeq | undefined;
  const names = (steps?.items ?? []).map((step) => String((step as YAMLMap).get('step')));
  const mutants: Mutant[] = [];
  for (const [index, step] of (steps?.items ?? []).entries()) {
    for (const { path, name, needs, change } of sitesOf(step as YAMLMap, names)) {
      const full = ['workflow', index, ...path];
      const original = document.getIn(full, true) as Node;
      const { line } = counter.linePos(original.range?.[0] ?? 0);
      const mutated = (): string => {
        const copy = parseDocument(text);
        change(copy, full);
        return copy.toString({ lineWidth: 0 });
      };
      mutants.push({
        name: `${name} (line ${line})`,
        text: mutated,
        step: names[index]!,
        line,
        needs,
      });
    }
  }
  return mutants;
}

interface Edit {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly needs: Mutant['needs'];
  readonly change: (document: Document, path: readonly (string | number)[]) => void;
}

function* sitesOf(step: YAMLMap, names: readonly string[]): Generator<Edit> {
  yield* walk(step, [], names);
}

function* walk(node: Node, path: readonly (string | number)[], names: readonly string[]): Generator<Edit> {
  if (isMap(node)) {
    for (const pair of node.items) {
      if (!isPair(pair) || !isScalar(pair.key)) continue;
      const key = String(pair.key.value);
      const at = [...path, key];
      const value = pair.value as Node;
      yield* editsOf(key, value, at, names);
      if (isMap(value) || isSeq(value)) yield* walk(value, at, names);
    }
  } else if (isSeq(node)) {
    for (const [i, item] of node.items.entries()) {
      if (path.at(-1) === 'arcs')
        yield {
          path: [...path, i],
          name: 'an arc is gone',
          needs: 'taken',
          change: (d, p) => void d.deleteIn(p),
        };
      if (path.at(-1) === 'tool' && node.items.length > 1)
        yield {
          path: [...path, i],
          name: 'a task is gone',
          needs: 'step',
          change: (d, p) => void d.deleteIn(p),
        };
      yield* walk(item as Node, [...path, i], names);
    }
  }
}

function* editsOf(
  key: string,
  value: Node,
  path: readonly (string | number)[],
  names: readonly string[],
): Generator<Edit> {
  const set = (name: string, needs: Mutant['needs'], to: unknown): Edit => ({
    path,
    name,
    needs,
    change: (document, at) => document.setIn(at, to),
  });
  const text = isScalar(value) && typeof value.value === 'string' ? value.value : undefined;
  if (key === 'when' && text?.startsWith('{{'))
    yield set('a guard is negated', 'guard', text.replace(/^\{\{([\s\S]*)\}\}$/, '{{ not ($1) }}'));
  else if (key === 'step' && path.includes('arcs') && names.length > 1)
    yield set(
      'an arc leads elsewhere',
      'taken',
      names.find((name) => name !== text && name !== names[0])!,
    );
  else if (key === 'do' && text === 'retry') yield set('no retry', 'taken', 'fail');
  else if (key === 'do' && text === 'fail') yield set('no failure', 'taken', 'continue');
  else if (key === 'in' && text?.startsWith('{{'))
    yield set('an item less', 'step', text.replace(/^\{\{([\s\S]*)\}\}$/, '{{ ($1)[1:] }}'));
  else if (key === 'delay' && isScalar(value) && typeof value.value === 'number')
    yield set('another delay', 'taken', value.value * 10 + 1);
  else if (isSetting(path) && isScalar(value)) yield set('another write', 'step', 'mutated');
  else if (isField(path, key) && isScalar(value)) {
    if (typeof value.value === 'number') yield set('another number', 'step', value.value + 1);
    else if (text !== undefined && !/^\s*$/.test(text))
      yield set('another text', 'step', `${text} # mutated`);
  }
}

/** A value below `set` of a step or task. */
function isSetting(path: readonly (string | number)[]): boolean {
  return path.at(-2) === 'set' || path.at(-2) === 'set_ctx';
}

/** A field of a tool. */
function isField(path: readonly (string | number)[], key: string): boolean {
  const tool = path.lastIndexOf('tool');
  return (
    tool >= 0 &&
    !SKIPPED.has(key) &&
    !path.includes('spec') &&
    !path.includes('policy') &&
    !path.includes('rules')
  );
}

/** Numbers in [0, 1) that repeat. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

export interface Rewrite {
  readonly name: string;
  readonly text: string;
}

/** A playbook that means the same: upgraded, its steps in another order, its tasks with other names. */
export function rewriteOf(text: string, seed: number): Rewrite {
  const random = seeded(seed);
  const [name, change] = REWRITES[seed % REWRITES.length]!;
  return { name: `${name}, seed ${seed}`, text: change(text, random) };
}

const REWRITES: readonly (readonly [string, (text: string, random: () => number) => string])[] = [
  ['steps in another order', reordered],
  ['tasks with other names', renamed],
  ['both', (text, random) => reordered(renamed(text, random), random)],
  ['steps with other names', stepsRenamed],
  ['upgraded', (text) => upgrade(text).text],
];

/** The first step, which may be the entry, and steps without arcs, of which the last is the result, keep their order. */
function reordered(text: string, random: () => number): string {
  const document = parseDocument(text);
  const steps = document.getIn(['workflow']) as YAMLSeq;
  const [first, ...others] = steps.items as YAMLMap[];
  const keyed = others.map((step) => ({ step, key: random(), isLeaf: !step.has('next') }));
  const leaves = keyed.filter(({ isLeaf }) => isLeaf).map(({ step }) => step);
  const sorted = [...keyed].sort((a, b) => a.key - b.key);
  steps.items = [first!, ...sorted.map(({ step, isLeaf }) => (isLeaf ? leaves.shift()! : step))];
  return document.toString({ lineWidth: 0 });
}

/** Names of steps except the first, and every mention of them; `end` means something of its own. */
function stepsRenamed(text: string, random: () => number): string {
  const document = parseDocument(text);
  const names = new Map<string, string>();
  const steps = document.getIn(['workflow']) as YAMLSeq<YAMLMap>;
  for (const step of steps.items.slice(1)) {
    const name = String(step.get('step'));
    if (name !== 'end') names.set(name, `${name}_${Math.floor(random() * 90 + 10)}`);
  }
  visit(document, {
    Pair(_, { key, value }) {
      if (isScalar(key)) names.delete(String(key.value));
      if (isScalar(key) && ['name', 'iterator'].includes(String(key.value)) && isScalar(value))
        names.delete(String(value.value));
    },
  });
  visit(document, {
    Scalar(key, node: Scalar, path) {
      if (typeof node.value !== 'string' || key === 'key') return;
      const pair = path.findLast((one) => isPair(one));
      const field = isPair(pair) && isScalar(pair.key) ? String(pair.key.value) : '';
      const whole = names.get(node.value);
      if (whole !== undefined && ['step', 'next', 'then', 'else', 'to'].includes(field)) node.value = whole;
      else if (node.value.includes('{{') && field !== 'code') node.value = mentioning(node.value, names);
    },
  });
  return document.toString({ lineWidth: 0 });
}

function mentioning(template: string, names: ReadonlyMap<string, string>): string {
  return [...names].reduce(
    (text, [name, to]) =>
      text
        .replace(new RegExp(`(?<![\\w.'"])${name}(?=\\.|\\[| |\\)|\\})`, 'g'), to)
        .replaceAll(`results.${name}`, `results.${to}`),
    template,
  );
}

/** Names of tasks in lists, and every mention of them in templates, jumps and rules. */
function renamed(text: string, random: () => number): string {
  const names = new Map<string, string>();
  const document = parseDocument(text);
  const steps = new Set<string>();
  const keys = new Map<string, number>();
  visit(document, {
    Pair(_, pair) {
      if (isScalar(pair.key)) keys.set(String(pair.key.value), (keys.get(String(pair.key.value)) ?? 0) + 1);
      if (isScalar(pair.key) && pair.key.value === 'step' && isScalar(pair.value))
        steps.add(String(pair.value.value));
      if (!isScalar(pair.key) || pair.key.value !== 'tool' || !isSeq(pair.value)) return;
      for (const task of pair.value.items) {
        const name = isMap(task) ? task.get('name') : undefined;
        if (typeof name === 'string') names.set(name, `${name}_${Math.floor(random() * 90 + 10)}`);
      }
    },
  });
  for (const name of [...names.keys()]) if (steps.has(name) || keys.has(name)) names.delete(name);
  visit(document, {
    Scalar(key, node: Scalar, path) {
      if (typeof node.value !== 'string' || key === 'key') return;
      const pair = path.at(-1);
      const field = isPair(pair) && isScalar(pair.key) ? String(pair.key.value) : '';
      const whole = names.get(node.value);
      if (whole !== undefined && ['name', 'to', 'jump', 'task'].includes(field)) node.value = whole;
      else if (node.value.includes('{{') && field !== 'code') node.value = mentioning(node.value, names);
    },
  });
  return document.toString({ lineWidth: 0 });
}

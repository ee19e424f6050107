/**
 * `npm run bench -- complete --folder PLAYBOOKS`: at places of playbooks, cut at random, is what stands there among the first
 * proposals? `--edits 10000` types in a playbook of `--steps 1000`: how long a change and its proposals take, and what the heap holds. `--learn` writes how our own playbooks are written (src/service/completion/learned.json); `--show` prints misses.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Recheck } from '../src/language/dsl/recheck';
import { ROOTS } from '../src/language/plan';
import { LanguageService } from '../src/service';
import { countUsage, WritingUsage } from '../src/service/completion/usage';
import { playbookFacts } from '../src/service/names/facts';
import { keysExpected } from '../src/service/place/expected';
import { pathAt } from '../src/service/place/path';
import { chainsOf, templateParts } from '../src/service/text/expression';
import { type OutlineNode, scalarText } from '../src/service/text/node';
import { textOutline } from '../src/service/text/outline';

type Sort = 'key' | 'step' | 'name' | 'field';

/** A place where the answer is known: the text with the answer taken out, and where the cursor is. */
interface Cut {
  readonly file: string;
  readonly sort: Sort;
  readonly answer: string;
  readonly at: number;
  /** What is taken out: the answer, and what hangs on it. */
  readonly until: number;
  readonly isNew: boolean;
}

const NONE = { kinds: new Map() };

function cutsOf(file: string, text: string): Cut[] {
  const root = textOutline(text);
  const steps = new Set(playbookFacts(text, root).steps.map(({ name }) => name));
  const cuts: Cut[] = [];
  const add = (sort: Sort, answer: string, at: number, until: number): void => {
    const isNew = !new RegExp(`(?<![\\w.])${answer.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?!\\w)`).test(
      text.slice(0, at),
    );
    cuts.push({ file, sort, answer, at, until, isNew });
  };
  const visit = (node: OutlineNode, keys: readonly string[]): void => {
    for (const item of node.items) visit(item, keys);
    for (const { key, start, end, value } of node.entries) {
      const { expected } = pathAt(root, start, { text, ...NONE });
      const field = keysExpected(expected, node, { text, ...NONE }).fields[key];
      if (field && !field.rejected) add('key', key, start, Math.max(end, value.end));
      visit(value, [...keys, key]);
    }
    const word = scalarText(text, node);
    const key = keys.at(-1) ?? '';
    if (word === undefined) return;
    const isTarget = keys.includes('next') || keys.includes('arcs') || key === 'entry_step';
    if (steps.has(word) && isTarget && ['step', 'next', 'entry_step'].includes(key))
      add('step', word, node.start, node.end);
    if (key !== 'code')
      for (const each of templatePlaces(text, node)) add(each.sort, each.name, each.at, each.until);
  };
  visit(root, []);
  return cuts;
}

function templatePlaces(
  text: string,
  node: OutlineNode,
): { sort: Sort; name: string; at: number; until: number }[] {
  return chainsOf(templateParts(text, node)).flatMap((chain) => {
    const brackets = chain.findIndex(({ start }, index) => index > 0 && text[start - 1] !== '.');
    const dotted = brackets === -1 ? chain : chain.slice(0, brackets);
    const until = dotted.at(-1)!.end;
    return dotted.map(({ text: name, start: at }, index) => ({
      sort: index === 0 ? ('name' as const) : ('field' as const),
      ...{ name, at, until },
    }));
  });
}

/** A generator of numbers that a seed decides. */
function numbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export function filesIn(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!rehearsal)\.ya?ml$/.test(name))
    .map((name) => path.join(folder, name))
    .filter((file) => fs.readFileSync(file, 'utf8').includes('workflow:'))
    .toSorted();
}

/** What an editor proposes with the JSON Schema alone: the keys of the place, in the schema's order. */
function bySchema(text: string, cut: Cut): string[] {
  if (cut.sort !== 'key') return [];
  const path = pathAt(textOutline(text), cut.at, { text, ...NONE });
  const container = path.parts.at(-1);
  if (container === undefined) return [];
  const present = new Set(container.node.entries.filter(({ start }) => start < cut.at).map(({ key }) => key));
  const { fields } = keysExpected(container.expected, container.node, { text, ...NONE });
  return Object.keys(fields).filter(
    (key) => !present.has(key) && !fields[key]?.deprecated && !fields[key]?.rejected,
  );
}

interface Score {
  readonly cut: Cut;
  readonly mode: string;
  readonly rank: number;
  readonly schemaRank: number;
  readonly ms: number;
  readonly first: readonly string[];
}

function score(text: string, cut: Cut, mode: 'rest' | 'end'): Score {
  const service = new LanguageService();
  const after = mode === 'end' ? '' : text.slice(cut.until);
  service.openDocument('x', text.slice(0, cut.at) + after);
  const started = performance.now();
  const { proposals } = service.completionsAt('x', cut.at);
  const ms = performance.now() - started;
  const labels = proposals.map(({ label }) => label);
  const rank = labels.indexOf(cut.answer);
  return {
    cut,
    mode,
    rank,
    schemaRank: bySchema(text, cut).indexOf(cut.answer),
    ms,
    first: labels.slice(0, 3),
  };
}

const among = (ranks: readonly number[]): string => {
  const hits = ranks.filter((rank) => rank >= 0 && rank < 3).length;
  return ranks.length === 0 ? '-' : `${((100 * hits) / ranks.length).toFixed(1)}% of ${ranks.length}`;
};

/** Playbooks of folders, cut at random places, in the text and at its end. */
export function scoresOf(files: readonly string[], places: number, seed = 1): Score[] {
  const texts = new Map(files.map((file) => [file, fs.readFileSync(file, 'utf8')]));
  const cuts = [...texts].flatMap(([file, text]) => cutsOf(file, text));
  const next = numbers(seed * 7919);
  const drawn = Array.from({ length: Math.min(places, cuts.length) }, () =>
    cuts.splice(Math.floor(next() * cuts.length), 1),
  ).flat();
  return drawn.flatMap((cut) =>
    (['rest', 'end'] as const).map((mode) => score(texts.get(cut.file) ?? '', cut, mode)),
  );
}

export async function benchComplete(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: 'string', multiple: true, default: ['playbooks'] },
      places: { type: 'string', default: '400' },
      seed: { type: 'string', default: '1' },
      show: { type: 'boolean' },
      learn: { type: 'boolean' },
      edits: { type: 'string' },
      steps: { type: 'string', default: '1000' },
    },
  });
  if (values.edits !== undefined) return await edit(Number(values.edits), Number(values.steps));
  const files = values.folder.flatMap(filesIn);
  if (values.learn) return learn(files);
  const scores = scoresOf(files, Number(values.places), Number(values.seed));
  for (const mode of ['rest', 'end']) {
    const of = scores.filter((each) => each.mode === mode);
    const row = (name: string, some: readonly Score[]): void =>
      console.log(
        `${name.padEnd(22)} ${among(some.map(({ rank }) => rank)).padEnd(16)} new ${among(some.filter(({ cut }) => cut.isNew).map(({ rank }) => rank)).padEnd(16)} schema ${among(some.map(({ schemaRank }) => schemaRank))}`,
      );
    row(mode === 'rest' ? 'in the text: all' : 'at its end: all', of);
    for (const sort of ['key', 'step', 'name', 'field'] as const)
      row(
        `  ${sort}`,
        of.filter(({ cut }) => cut.sort === sort),
      );
  }
  const times = scores.map(({ ms }) => ms).toSorted((a, b) => a - b);
  console.log(
    `median ${times[Math.floor(times.length / 2)]?.toFixed(1)} ms, p95 ${times[Math.floor(times.length * 0.95)]?.toFixed(1)} ms`,
  );
  if (values.show)
    for (const { cut, mode, rank, first } of scores)
      if (rank < 0 || rank > 2)
        console.log(
          mode,
          path.basename(cut.file),
          cut.sort,
          cut.isNew ? 'new' : '',
          cut.answer,
          rank,
          first.join(' | '),
          '←',
          JSON.stringify(fs.readFileSync(cut.file, 'utf8').slice(Math.max(0, cut.at - 60), cut.at)),
        );
}

/** Types in a large playbook, character by character, and asks for proposals and for what is wrong after each. */
async function edit(edits: number, steps: number): Promise<void> {
  // What is loaded there measures at once.
  const { rich } = await import('./compile.js');
  const text = rich(steps);
  const service = new LanguageService();
  const recheck = new Recheck({ fixes: true });
  const spots = ['url: "{{ workload.', '    kind: ', '    - {step: ', 'ctx.'];
  const next = numbers(7);
  const times: Record<string, number[]> = { proposals: [], diagnostics: [], 'all diagnostics': [] };
  const measured = <T>(what: string, act: () => T): T => {
    const started = performance.now();
    const answer = act();
    times[what]?.push(performance.now() - started);
    return answer;
  };
  const heaps: number[] = [];
  let unanswered = 0;
  for (let i = 0; i < 5; i += 1) measured('all diagnostics', () => recheck.all(text));
  for (let i = 0; i < edits; i += 1) {
    const spot = spots[i % spots.length] ?? '';
    const step = text.indexOf(`- step: step_${1 + Math.floor(next() * (steps - 2))}\n`);
    const at = text.indexOf(spot, step) + spot.length;
    const typed = 'abcd'.slice(0, 1 + (i % 4));
    const changed = text.slice(0, at) + typed + text.slice(at);
    measured('proposals', () => {
      service.changeDocument('x', changed, i);
      return service.completionsAt('x', at + typed.length);
    });
    if (measured('diagnostics', () => recheck.edited(changed)) === undefined) unanswered += 1;
    if (i % Math.ceil(edits / 10) === 0) {
      globalThis.gc?.();
      heaps.push(Math.round(process.memoryUsage().heapUsed / 2 ** 20));
    }
  }
  console.log(
    `${edits} edits of ${steps} steps, ${unanswered} without diagnostics at once; heap in MiB ${heaps.join(' ')}`,
  );
  for (const [what, all] of Object.entries(times)) {
    const sorted = all.slice(Math.min(20, all.length / 2)).toSorted((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
    console.log(`  ${what.padEnd(16)} median ${at(0.5)} ms, p95 ${at(0.95)} ms`);
  }
}

/** Names of the author are counted by what they are: `~step`, `~iterator`. */
function learn(files: readonly string[]): void {
  const all = new WritingUsage();
  for (const file of files) {
    const text = fs.readFileSync(file, 'utf8');
    const root = textOutline(text);
    const facts = playbookFacts(text, root);
    const own = new WritingUsage();
    countUsage(text, root, own);
    const kinds = new Map<string, string>();
    for (const { key } of facts.workload?.entries ?? []) kinds.set(key, '~workload');
    for (const { name } of facts.ctx) kinds.set(name, '~variable');
    for (const step of facts.steps) {
      kinds.set(step.name, '~step');
      for (const { name } of step.inputs) kinds.set(name, '~input');
      for (const { name } of step.locals) kinds.set(name, '~variable');
      for (const { name } of step.iterators) kinds.set(name, '~iterator');
      for (const { name } of step.tasks)
        if (name !== undefined && name !== step.name) kinds.set(name, '~task');
    }
    own.each((context, what, times) => {
      const [sort, ...rest] = context.split(' ');
      const name = rest.join(' ');
      const say = (to: string, word: string): void => all.add(to, word, Math.min(times, 3));
      if (sort === 'k' && !/[^\w/()^ -]/.test(name)) say(context, what);
      if (sort === 'v' && !kinds.has(what)) say(context, what);
      const root = ROOTS.has(what) ? what : (kinds.get(what) ?? '');
      if (sort === 'r' && root !== '') {
        say(context, root);
        say('r', root);
      }
      if (sort !== 'p') return;
      const [first = '', ...keys] = name.split('.');
      if (ROOTS.has(first) && !['workload', 'ctx', 'vars', 'args', 'input', 'iter'].includes(first))
        say(context, what);
      else if (keys.length > 0 || kinds.get(first) === '~step')
        say(`p ~${kinds.get(first) ?? first}${keys.length > 0 ? `.${keys.join('.')}` : ''}`, what);
    });
  }
  const text = all
    .lines(2)
    .filter((line) => !/^v .*(step|name|path|url|desc)=/.test(line))
    .join('\n');
  fs.writeFileSync('src/service/completion/learned.json', `${JSON.stringify(text.split('\n'), null, 1)}\n`);
  console.log(`${text.length} characters from ${files.length} files`);
}

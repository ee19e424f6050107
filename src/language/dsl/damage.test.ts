import fc from 'fast-check';
import { cases } from '../../../test/support/properties';
import { LineCounter, parse, parseDocument, visit } from 'yaml';
import { DAMAGE } from '../../../test/support/damage';
import { isNightly } from '../../../test/support/sampled';
import { casePlaybook } from '../../../test/support/random-case-playbooks';
import {
  GENERATIONS,
  isBroken,
  realPlaybooks,
  testWithRealPlaybooks,
} from '../../../test/support/real-playbooks';
import { compile } from './compile';
import { type Diagnostic } from './diagnostics/diagnostic';

testWithRealPlaybooks();

/** Random valid playbooks: a chain of steps with random tools, rules, loops and routers. */
const name = fc.stringMatching(/^[a-z]{3,8}$/).filter((each) => !RESERVED_WORDS.has(each));
const RESERVED_WORDS = new Set([
  // No texts to YAML.
  'null',
  'true',
  'false',
  'end',
  'start',
  'ctx',
  'iter',
  'args',
  'input',
  'vars',
  'token',
  'event',
  'output',
  'outcome',
  'response',
  'error',
  'result',
  'this',
  'step',
  'loop',
  'attempt',
  'success',
  'data',
  'page',
  'job',
  'workload',
  'keychain',
]);

interface StepSeed {
  readonly tool: number;
  readonly loop: boolean;
  readonly rules: boolean;
  readonly set: boolean;
  readonly guard: boolean;
}

const TOOLS = [
  ['kind: noop'],
  ['kind: http', 'method: GET', 'url: "{{ workload.api_url }}/items"', 'params: {page: 1}'],
  ['kind: python', 'input: {value: "{{ workload.limit }}"}', 'code: |', '  result = {"value": value}'],
  ['kind: postgres', 'auth: pg_local', 'query: select * from t where id = {{ execution_id }}'],
  ['kind: shell', 'cmds: [echo hello]'],
];

function print(names: readonly string[], seeds: readonly StepSeed[]): string {
  const lines = [
    'apiVersion: noetl.io/v2',
    'kind: Playbook',
    'metadata:',
    '  name: random',
    '  path: random/playbook',
    'workload:',
    '  api_url: https://example.com',
    '  limit: 10',
    '  items: [1, 2, 3]',
    'workflow:',
  ];
  const steps = ['start', ...names];
  steps.forEach((step, i) => {
    const seed = seeds[i % seeds.length]!;
    lines.push(`- step: ${step}`, `  desc: The step number ${i}`);
    if (seed.loop)
      lines.push(
        '  loop:',
        '    in: "{{ workload.items }}"',
        '    iterator: one_item',
        '    spec:',
        '      mode: sequential',
      );
    lines.push('  tool:', '  - name: main_task', ...TOOLS[seed.tool]!.map((line) => `    ${line}`));
    if (seed.rules) {
      lines.push(
        '    spec:',
        '      policy:',
        '        rules:',
        `        - when: "{{ outcome.status == 'error' }}"`,
        '          then:',
        '            do: retry',
        '            attempts: 3',
        '            backoff: linear',
        '        - else:',
        '            then:',
        '              do: continue',
      );
    }
    if (seed.set) lines.push('  set:', `    ctx.${step}_done: true`);
    const target = steps[i + 1] ?? 'end';
    lines.push('  next:', '    spec:', '      mode: exclusive', '    arcs:', `    - step: ${target}`);
    if (seed.guard) lines.push(`      when: "{{ event.name == 'step.done' }}"`);
  });
  return `${lines.join('\n')}\n`;
}

const seed = fc.record({
  tool: fc.nat(TOOLS.length - 1),
  loop: fc.boolean(),
  rules: fc.boolean(),
  set: fc.boolean(),
  guard: fc.constant(false),
});
const playbook = fc
  .tuple(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), fc.array(seed, { minLength: 1, maxLength: 7 }))
  .map(([names, seeds]) => print(names, seeds));

test('random valid playbooks compile without errors, and to the same plan every time', () => {
  fc.assert(
    fc.property(playbook, (text) => {
      const { plan, diagnostics } = compile(text);
      expect(diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
      expect(compile(text).plan!.digest).toBe(plan!.digest);
    }),
    cases(75),
  );
});

test('any text at all ends in diagnostics or a plan, never in an exception', () => {
  const pieces = fc.constantFrom(
    '- ',
    'step: start',
    '{{',
    '}}',
    '\n',
    '  ',
    ': ',
    '"',
    "'",
    '|',
    '>',
    '[',
    ']',
    '{',
    '}',
    '&a',
    '*a',
    '#',
    'tool:',
    'kind: noop',
    'next:',
    '\t',
    'workflow:',
    'when:',
    '{% if',
    'null',
    '1e999',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const { plan, diagnostics } = compile(`apiVersion: noetl.io/v2\n${parts.join('')}`);
      expect(plan === undefined).toBe(diagnostics.some((each) => each.severity === 'error'));
    }),
    cases(500),
  );
});

/** On the damaged line, or on the one beside it, where the parser notices. */
function isNear(found: readonly Diagnostic[], line: number): boolean {
  return found.some((each) => Math.abs(each.line - line) <= 1);
}

/** What a diagnostic says, wherever it stands: damage may move the lines below it. */
function says(each: Diagnostic): string {
  return `${each.code} ${each.path} ${each.message}`;
}

/** A small generator with a seed, so that a failure can be repeated. */
function random(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

/** The examples, and real playbooks of all generations, where they are at hand. */
function allRealPlaybooks(): string[] {
  return [...GENERATIONS, 'examples' as const]
    .flatMap((source) => realPlaybooks(source))
    .filter(({ name }) => !isBroken(name))
    .map(({ text }) => text);
}

const QUIET = { logLevel: 'error' } as const;

/** Damage that leaves the data as it was is none: a mapping of one key may be indented as one likes. */
function isSame(data: string, broken: string): boolean {
  try {
    return data === JSON.stringify(parse(broken, QUIET));
  } catch {
    return false;
  }
}

/**
 * Hits one random line of each text with each kind of damage that fits it, or with a share of them; what was missed,
 * by kind.
 */
function hitAll(
  texts: readonly string[],
  seed: number,
  share: number,
): { count: number; missed: Record<string, string[]> } {
  const next = random(seed);
  const missed: Record<string, string[]> = {};
  let count = 0;
  for (const text of texts) {
    const { diagnostics } = compile(text);
    expect(diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
    const before = new Set(diagnostics.map(says));
    const lines = text.split('\n');
    const block = inText(text);
    const data = JSON.stringify(parse(text, QUIET));
    for (const [kind, damage] of Object.entries(DAMAGE)) {
      const able = lines.flatMap((line, i) =>
        block[i] || line.trim().startsWith('#') || damage(line) === undefined ? [] : [i],
      );
      if (able.length === 0 || next() > share) continue;
      const at = able[Math.floor(next() * able.length)]!;
      const broken = lines.map((line, i) => (i === at ? damage(line)! : line)).join('\n');
      if (isSame(data, broken)) continue;
      const found = compile(broken).diagnostics.filter((each) => !before.has(says(each)));
      count += 1;
      if (!isNear(found, at + 1)) (missed[kind] ??= []).push(`line ${at + 1}: ${lines[at]!.trim()}`);
    }
  }
  return { count, missed };
}

function casePlaybooks(): string[] {
  const all = fc.sample(casePlaybook, { seed: 12, numRuns: 20 });
  return all.filter((text) => compile(text).plan !== undefined).slice(0, 15);
}

test('there are 40 kinds of damage and more', () => {
  expect(Object.keys(DAMAGE).length).toBeGreaterThanOrEqual(40);
});

/** In CI less than half of what is hit nightly. */
const SHARE = isNightly ? 1 : 0.4;

test.each([
  ['random playbooks', (): string[] => fc.sample(playbook, { seed: 7, numRuns: 12 }), 1],
  ['random playbooks in the vocabulary of `case`', casePlaybooks, 1],
  ['real playbooks', allRealPlaybooks, 0.25],
])('95 %% of the damage to %s is reported near the damaged line', (_, texts, share) => {
  const { count, missed } = hitAll(texts(), 20260, share * SHARE);
  expect(count).toBeGreaterThan(100);
  const number = Object.values(missed).flat().length;
  process.stderr.write(`${(100 - (100 * number) / count).toFixed(1)} % of ${count}\n`);
  expect({ missed: number <= count * 0.05 ? {} : { number, count, ...missed } }).toEqual({ missed: {} });
});

/** Lines inside of texts of several lines hold programs, not playbook. */
function inText(text: string): boolean[] {
  const counter = new LineCounter();
  const inside = text.split('\n').map(() => false);
  visit(parseDocument(text, { lineCounter: counter }), {
    Scalar: (_, { range }) => {
      if (!range) return;
      const [from, to] = [
        counter.linePos(range[0]).line,
        counter.linePos(Math.max(range[0], range[1] - 1)).line,
      ];
      inside.fill(true, from, to);
    },
  });
  return inside;
}

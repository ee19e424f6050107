import fs from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { planOf, playbookOf } from '../../../test/support/simulator';
import { PLANTED } from '../../../test/support/planted-faults';
import { readRehearsals } from '../rehearsal';
import {
  addSimulationTally,
  emptySimulationTally,
  faultsSchema,
  simulationResult,
  readSimulation,
  runSeed,
  runSeeds,
  Setting,
  STANDARD_FAULTS,
} from '.';
import { Random } from './random';

const plan = planOf(
  playbookOf(`
- step: start
  loop: {in: "{{ workload.orders }}", iterator: order, spec: {mode: parallel}}
  tool:
    - name: charge
      kind: http
      url: "https://x/{{ iter.order }}"
      timeout: 3
      spec: {policy: {rules: [{when: "{{ output.error.retryable }}", then: {do: retry, attempts: 3, delay: 1}}]}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: python, code: "result = 1"}`),
);

const FAULTS = `
payload: {region: eu}
draw: {orders: [[1], [1, 2, 3]]}
faults:
  all: {failures: 20%, delay: [0s, 4s]}
  http: {failures: 0.3, errors: [timeout, {status: 503}], lost: 5%, duplicates: 5%}
  start/charge: {answers: [{body: {id: 1}, repeat: 3}, {body: {id: 2}}]}
events: [{after: [1s, 2s], pause: true, lost: 50%}, {after: 3s, resume: true, duplicates: 0.5}]
may_wait: true
`;

function settingOf(faults: string, rehearsals = ''): Setting {
  const { simulation, diagnostics } = readSimulation(faults, { file: 'a.faults.yaml', plan });
  expect(diagnostics).toEqual([]);
  const load = (file: string) => ({ file, plan });
  const read = rehearsals ? readRehearsals(rehearsals, { file: 'a.rehearsal.yaml', load }) : undefined;
  expect(read?.diagnostics ?? []).toEqual([]);
  return new Setting(plan, simulation!, read?.rehearsed?.rehearsals ?? []);
}

test('a seed draws the same numbers on every machine', () => {
  const random = new Random(42);
  expect(Array.from({ length: 5 }, () => random.between(0, 999_999))).toEqual(DRAWN);
  expect(new Random(42 + 2 ** 32).next()).not.toBe(new Random(42).next());
});

test('a seed gives the same run, byte for byte', () => {
  const run = (seed: number): string => {
    const { given, payload, messages, run: ran } = runSeed(settingOf(FAULTS), seed);
    const answers = given.map(({ choice, after, executions }) => [choice.words(), after, executions]);
    return JSON.stringify([payload, messages, answers, ran]);
  };
  expect(run(7)).toBe(run(7));
  const { run: ran, given } = runSeed(settingOf(FAULTS), 7);
  expect([ran.end, ran.elapsed, ran.batches, given.length]).toEqual(SEVENTH);
});

test('every fault is drawn, as often as the file says', () => {
  const setting = settingOf(FAULTS);
  const given = Array.from({ length: 300 }, (_, seed) => runSeed(setting, seed).given).flat();
  const charges = given.filter(({ call }) => call.task === 'charge');
  const share = (is: (one: (typeof given)[number]) => boolean): number =>
    charges.filter(is).length / charges.length;
  expect(share(({ executions }) => executions === 2)).toBeGreaterThan(0.01);
  const errors = charges.map(
    ({ choice }) => choice.words()['error'] as { status?: number } | string | undefined,
  );
  expect(errors).toEqual(expect.arrayContaining(['worker_lost', 'timeout', { status: 503 }, undefined]));
  // 30 % of failures, 5 % lost, and a quarter of the delays exceeds the timeout.
  expect(share(({ choice }) => choice.words()['error'] === undefined)).toBeGreaterThan(0.4);
  expect(share(({ choice }) => choice.words()['error'] === undefined)).toBeLessThan(0.6);
  expect(Math.max(...charges.map(({ after }) => after))).toBe(3_000);
  const bodies = charges.flatMap(({ choice }) => {
    const { id } = (choice.words()['body'] ?? {}) as { id?: number };
    return id === undefined ? [] : [id];
  });
  expect(bodies.filter((id) => id === 1).length).toBeGreaterThan(2 * bodies.filter((id) => id === 2).length);
});

test('runs that fail are grouped by code and step, also where that is no fault', () => {
  const setting = settingOf(
    'faults: {all: {failures: 0%}, http: {failures: 100%, errors: [{status: 503}]}}\nmay_wait: true\npayload: {orders: [1]}',
  );
  const seeds = { first: 1, count: 5 };
  const { ends, causes, ok } = simulationResult(setting, runSeeds(setting, seeds), seeds, './a.yaml');
  expect([ok, ends.failed]).toEqual([true, 5]);
  expect(causes).toEqual([
    { cause: 'HTTP_503 at start', message: 'http failed: HTTP_503 (after 3 attempts)', count: 5, seed: 1 },
  ]);
});

test('threads count what one of them would', () => {
  const setting = settingOf(`${FAULTS}at_end: ["{{ status == 'completed' }}"]\n`);
  const whole = runSeeds(setting, { first: 5, count: 40 });
  const sum = emptySimulationTally();
  for (const number of [2, 0, 1])
    addSimulationTally(sum, runSeeds(setting, { first: 5, count: 40, thread: { number, of: 3 } }));
  expect(sum).toEqual(whole);
  expect(whole.ends.failed).toBeGreaterThan(0);
  expect(simulationResult(setting, sum, { first: 5, count: 40 }, './a.yaml')).toEqual(
    simulationResult(setting, whole, { first: 5, count: 40 }, './a.yaml'),
  );
});

test('a run begins as one of the rehearsals, and a failure uses up no answer', () => {
  const rehearsals = `
playbook: ./a.yaml
mocks: {end: 1}
rehearsals:
  - {name: one, payload: {orders: [1]}, mocks: {charge: {body: one}}}
  - {name: two, payload: {orders: [1, 2]}, mocks: {"charge[0]": {body: first}, "charge[1]": {body: second}}}
  - {name: waits, payload: {orders: [9]}, mocks: {charge: {status: 200}}, events: [{after: 0s, pause: true}], expect: {status: waiting}}`;
  const setting = settingOf('faults: {http: {failures: 30%, errors: [timeout]}}', rehearsals);
  const runs = Array.from({ length: 60 }, (_, seed) => runSeed(setting, seed));
  expect(new Set(runs.map(({ payload }) => JSON.stringify(payload)))).toEqual(
    new Set(['{"orders":[1]}', '{"orders":[1,2]}']),
  );
  for (const { given } of runs) {
    const answered = given.filter(({ choice }) => choice.words()['body'] !== undefined);
    for (const { call, choice } of answered) {
      const body = call.iteration === 1 ? 'second' : expect.stringMatching(/^(one|first)$/);
      expect(choice.words()['body']).toEqual(body);
    }
  }
  const without = settingOf('rehearsals: false\npayload: {orders: []}', rehearsals);
  expect(runSeed(without, 1).payload).toEqual({ orders: [] });
});

test.each([
  ['faults: {htpt: {failures: 1}}', 'NT7002', 10],
  ['faults: {http: {failure: 1}}', 'NT2001', 17],
  ['faults: {http: {failures: often}}', 'NT7004', 27],
  ['faults: {http: {failures: 200%}}', 'NT7004', 27],
  ['faults: {http: {delay: [2s, 1s]}}', 'NT7004', 24],
  ['faults: {http: {errors: [{kind: nope}]}}', 'NT7003', 33],
  ['faults: {http: {answers: {status: ok}}}', 'NT7003', 35],
  ['draw: {orders: 1}', 'NT7004', 16],
  ['events: [{after: 1s, pause: true, resume: true}]', 'NT7007', 11],
  ['at_end: ["{{ cals }}"]', 'NT7009', 14],
  ['limit: none', 'NT2003', 8],
])('%s is refused with its place', (text, code, column) => {
  const { simulation, diagnostics } = readSimulation(text, { file: 'a.faults.yaml', plan });
  expect(simulation).toBeUndefined();
  expect(diagnostics.map((one) => [one.code, one.line, one.column, one.file])).toEqual([
    [code, 1, column, 'a.faults.yaml'],
  ]);
});

describe('the schema', () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(faultsSchema());

  test('is in docs/reference (UPDATE_REFERENCE=1 writes it)', () => {
    const file = path.resolve(__dirname, '../../../docs/reference/faults.schema.json');
    const made = `${JSON.stringify(faultsSchema(), null, 2)}\n`;
    if (process.env.UPDATE_REFERENCE === '1') fs.writeFileSync(file, made);
    expect(fs.readFileSync(file, 'utf8')).toBe(made);
  });

  test.each([FAULTS, STANDARD_FAULTS, ...PLANTED.map(({ faults }) => faults)])('accepts %j', (text) => {
    validate(parse(text));
    expect(validate.errors).toBeNull();
  });

  test.each([
    'faults: {all: {failure: 1}}',
    'faults: {all: 1}',
    'evnts: []',
    'events: [{pause: true}]',
    'limit: 0',
  ])('refuses %s', (text) => expect(validate(parse(text))).toBe(false));
});

const DRAWN = [430632, 983349, 27688, 906615, 33778];
const SEVENTH = ['complete', 3594, 5, 2];

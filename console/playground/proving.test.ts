import fs from 'node:fs';
import path from 'node:path';
import { Derivation } from '../../src/history';
import { KeyframeWriter } from '../../src/history/keyframes';
import { compile } from '../../src/language/dsl';
import { readRehearsals, rehearse } from '../../src/offline/rehearsal';
import { type PlaygroundTexts, type SimulatedRun } from './protocol';
import { proverAnswers } from './proving';

const PLAYBOOKS = path.resolve(__dirname, '../../playbooks');
const read = (name: string): string => fs.readFileSync(path.join(PLAYBOOKS, name), 'utf8');
const textsOf = (name: string): PlaygroundTexts => ({
  playbook: read(`${name}.yaml`),
  rehearsals: read(`${name}.rehearsal.yaml`),
  faults: '',
});

async function derived(run: SimulatedRun) {
  const keyframes = new KeyframeWriter(0, 100, Infinity);
  const derivation = new Derivation({ bodies: true, recorder: keyframes });
  const events = await derivation.take(run);
  return { derivation, keyframes, events };
}

const examples = fs
  .readdirSync(PLAYBOOKS, { recursive: true, encoding: 'utf8' })
  .flatMap((name) => /^((?!extensions|triggers).*)\.rehearsal\.yaml$/.exec(name)?.[1] ?? []);

test.each(examples)('%s: what is read of a rehearsal is what the engine did in it', async (name) => {
  const texts = textsOf(name);
  const { plan } = compile(texts.playbook);
  const load = (file: string) => ({ file, plan: plan! });
  const { rehearsed } = readRehearsals(texts.rehearsals, { file: 'rehearsals', load });
  for (const rehearsal of rehearsed!.rehearsals) {
    const { run } = rehearse(rehearsal, plan!);
    const { derivation, events, keyframes } = await derived(proverAnswers.rehearsal(texts, rehearsal.name));
    expect(derivation.divergence).toBeUndefined();
    const told = (event: { event_type: string; entity_id: string; status: string }): string =>
      `${event.event_type} ${event.entity_id} ${event.status}`;
    expect(events.map(told)).toEqual(run.events.map(told));
    expect(derivation.state.ctx).toEqual(run.state.ctx);
    const moment = await keyframes.momentAt(events.length);
    expect(moment?.status).toBe(derivation.state.status.toUpperCase());
  }
});

const DISTRIBUTED: PlaygroundTexts = {
  playbook: `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: many }
workflow:
- step: start
  loop: { in: [1, 2, 3], iterator: n, spec: { mode: parallel, policy: { exec: distributed } } }
  tool: { kind: noop, input: { n: "{{ iter.n }}" } }
  next: { arcs: [{ step: near }] }
- step: near
  loop: { in: [1, 2], iterator: n, spec: { mode: parallel, policy: { exec: local } } }
  tool: { kind: python, code: "result = 1" }
`,
  rehearsals:
    'playbook: ./a.yaml\nrehearsals:\n- name: all\n  mocks: { near: { result: 1, repeat: always } }\n  expect: { status: completed }\n',
  faults: '',
};

test('iterations elsewhere, and those on a lease, are read too', async () => {
  const { derivation, events } = await derived(proverAnswers.rehearsal(DISTRIBUTED, 'all'));
  expect(derivation.divergence).toBeUndefined();
  const done = events.filter(({ event_type }) => event_type === 'loop.iteration.done');
  expect(
    done.map(({ step_run_id, iteration }) => `${step_run_id ?? ''} ${String(iteration)}`).sort(),
  ).toEqual(['near#1 0', 'near#1 1', 'start#1 0', 'start#1 1', 'start#1 2']);
  expect(derivation.state.status).toBe('completed');
});

test('a seed is the same run whenever it is asked for, and what the simulation counted', async () => {
  const texts = { ...textsOf('fetch_transform_store'), faults: 'faults: { all: { failures: 60% } }' };
  const result = proverAnswers.simulate(texts, 1, 40);
  expect(result.runs).toBe(40);
  expect(result.ends.failed).toBeGreaterThan(0);
  const [{ seed, cause }] = result.causes as [(typeof result.causes)[number]];
  const runs = await Promise.all([1, 2].map(() => derived(proverAnswers.seed(texts, seed))));
  expect(runs[0]!.derivation.divergence).toBeUndefined();
  expect(runs[0]!.events).toEqual(runs[1]!.events);
  const failed = runs[0]!.events.find(({ event_type }) => event_type === 'workflow.finished');
  expect(cause).toContain((failed!.payload['error'] as { code: string }).code);
});

test('what the deep check finds is shown by a run', async () => {
  const playbook = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: waits }
workflow:
- step: start
  tool: { kind: wait, event: never_sent }
`;
  const { findings, complete } = proverAnswers.deep(playbook);
  expect(complete).toBe(true);
  const [first] = findings;
  expect(first).toMatchObject({ code: 'WAITS_FOR_OUTSIDE', at: [5, 9] });
  const { derivation, events } = await derived(proverAnswers.witness(playbook, first!.shownBy[0]!));
  expect(derivation.state.status).toBe('running');
  expect(events.at(-1)!.step_run_id).toBe('start#1');
});

test.each([
  ['rehearsal', () => proverAnswers.rehearsal({ playbook: 'x: [', rehearsals: '', faults: '' }, 'a')],
  [
    'simulation',
    () => proverAnswers.simulate({ ...textsOf('hello_world'), faults: 'faults: { all: 7 }' }, 1, 1),
  ],
  ['deep check', () => proverAnswers.deep('kind: Playbook')],
  ['name', () => proverAnswers.rehearsal(textsOf('hello_world'), 'no such')],
])('a %s of what is wrong is answered with why', (_, ask) => {
  expect(ask).toThrow(/NT\d{4}|no rehearsal/);
});

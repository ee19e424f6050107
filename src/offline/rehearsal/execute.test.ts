/** Mocks with `execute: python`: whoever rehearses runs the call. */
import { ok, planOf, playbookOf } from '../../../test/support/simulator';
import { type Outcome, type TaskCall } from '../../language/plan';
import { executes, readRehearsals, runRehearsal, runRehearsalWith } from './index';

const plan = planOf(
  playbookOf(`
- step: start
  loop: {in: [1, 2, 3], iterator: n}
  tool: {kind: python, input: {n: "{{ iter.n }}"}, code: result = n * 2}
  next: {arcs: [{step: sum}]}
- step: sum
  tool: {kind: python, input: {all: "{{ start.results }}"}, code: result = sum(all)}
  next: {arcs: [{step: fetch}]}
- step: fetch
  tool: {kind: http, url: "http://x/{{ sum }}"}`),
);

const read = (text: string) =>
  readRehearsals(`playbook: ./a.yaml\n${text}`, { file: 'a', load: (file) => ({ file, plan }) });

function runs({ step, input }: TaskCall): Promise<Outcome> {
  const { n, all } = input as { n: number; all: number[] };
  return Promise.resolve(ok(step === 'start' ? n * 2 : all.reduce((a, b) => a + b, 0)));
}

const MIXED = `
mocks:
  start: { execute: python, repeat: always }
  sum: { execute: python, duration: 2s }
  fetch: { status: 200 }
expect: { calls: { fetch: { first: { config: { url: http://x/12 } } } }, elapsed: 2s }`;

test('the outcomes are those of the calls, each run once; the rest is mocked', async () => {
  const { rehearsed, diagnostics } = read(MIXED);
  expect(diagnostics).toEqual([]);
  const [one] = rehearsed!.rehearsals;
  const calls: string[] = [];
  const result = await runRehearsalWith(one!, rehearsed!, (call) => {
    calls.push(call.task_run_id);
    return runs(call);
  });
  expect([executes(one!), result.problems, calls]).toEqual([
    true,
    [],
    ['start#1[0]~1@1', 'start#1[1]~1@1', 'start#1[2]~1@1', 'sum#1~1@1'],
  ]);
});

test('where nothing is run, it is said; a call that cannot be run is named', async () => {
  const { rehearsed } = read(MIXED);
  const [one] = rehearsed!.rehearsals;
  expect(() => runRehearsal(one!, rehearsed!)).toThrow('runs in `noetl-temporal test` and nowhere else');
  await expect(runRehearsalWith(one!, rehearsed!, () => Promise.resolve(undefined))).rejects.toThrow(
    'start/start_task cannot be executed: it needs a secret',
  );
});

test.each([
  ['fetch: { execute: python }', 'only `execute: python` is known, for tasks of kind python, not http'],
  ['sum: { execute: ruby }', 'only `execute: python` is known'],
  ['sum: { execute: python, result: 1 }', 'an answer has only one of'],
])('%s is refused', (mock, message) => {
  expect(read(`mocks:\n  ${mock}`).diagnostics).toMatchObject([
    { message: expect.stringContaining(message) as string },
  ]);
});

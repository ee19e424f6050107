import { PLANTED } from '../../../test/support/planted-faults';
import { someOf } from '../../../test/support/sampled';
import { planOf, playbookOf } from '../../../test/support/simulator';
import { diffText, readRehearsals, runRehearsal } from '../rehearsal';
import { type SimulationResult, simulationResult, readSimulation, runSeeds, Setting } from '.';

function simulate(
  workflow: string,
  faults: string,
  count: number,
): { found: SimulationResult; plan: Setting['plan'] } {
  const plan = planOf(playbookOf(workflow));
  const { simulation, diagnostics } = readSimulation(faults, { file: 'a.faults.yaml', plan });
  expect(diagnostics).toEqual([]);
  const setting = new Setting(plan, simulation!, []);
  const seeds = { first: 1, count };
  return { found: simulationResult(setting, runSeeds(setting, seeds), seeds, './a.yaml'), plan };
}

test('there are twenty', () => {
  expect(new Set(PLANTED.map(({ name }) => name)).size).toBe(20);
});

test.each(
  someOf(
    PLANTED.map((one) => [one.name, one] as const),
    2,
  ),
)('%s is found, and shrunk to a few lines', (_, one) => {
  const { found, plan } = simulate(one.workflow, one.faults, 100);
  const fault = found.faults.find(({ fault: id }) => id === one.finds);
  expect(found.faults.map(({ fault: id }) => id)).toContain(one.finds);
  expect(fault!.story.length).toBeGreaterThan(1);
  const text = fault!.rehearsal!;
  expect(text.trim().split('\n').length).toBeLessThanOrEqual(15);
  // `test` fails in the same way, and in no other.
  const load = (file: string) => ({ file, plan });
  const { rehearsed, diagnostics } = readRehearsals(text, { file: 'a.rehearsal.yaml', load });
  expect(diagnostics).toEqual([]);
  const result = runRehearsal(rehearsed!.rehearsals[0]!, rehearsed!);
  const parts = result.problems.map(({ part }) => part);
  expect([parts, diffText(result, { rehearsal: 'a', playbook: 'b' })]).toEqual([
    [one.finds.startsWith('end.') ? 'status' : one.finds],
    expect.anything(),
  ]);
  if (process.env['SHOW_PLANTED']) console.log(text, fault!.why, fault!.story);
});

test('a shrunk run still has the fault without which it would not fail, and the answers that the author gave', () => {
  const faults = `
faults: {get: {failures: 20%, errors: [{status: 503}], answers: [{body: {n: 7}}]}}
at_end: {seven is stored: "{{ calls | selectattr('step', 'equalto', 'store') | list | length == 1 }}"}`;
  const { found } = simulate(
    `
- step: start
  tool:
    - {name: get, kind: http, url: "https://x", spec: {policy: {rules: [{else: {then: {do: continue}}}]}}}
  next: {arcs: [{step: store, when: "{{ start.n == 7 }}"}, {step: end}]}
- step: store
  tool: {kind: http, method: POST, url: "https://x"}
- step: end
  tool: {kind: noop}`,
    faults,
    100,
  );
  const [fault] = found.faults;
  expect(fault!.rehearsal).toContain('503');
  const lost = `
faults: {l: {answers: [1]}, r: {answers: [2]}}
at_end: {nothing is lost: "{{ ctx.total == 3 }}"}`;
  const { found: other } = simulate(
    `
- step: start
  tool: [{name: l, kind: python, code: x}]
  set: {ctx.total: "{{ start.results.l }}"}
  next: {arcs: [{step: right}]}
- step: right
  tool: [{name: r, kind: python, code: x}]
  set: {ctx.total: "{{ right.results.r }}"}`,
    lost,
    5,
  );
  expect(other.faults[0]!.why).toContain('2 == 3 is false');
});

test('why runs fail is told; a list that must be empty, and the name of an event', () => {
  const { found } = simulate(
    `
- step: start
  tool: {kind: wait, event: go, timeout: 9}
  next: {arcs: [{step: pay}]}
- step: pay
  tool: {kind: http, url: "https://x"}`,
    `events: [{after: 1s, event: go}]\nfaults: {http: {failures: 0}}\nat_end: {nobody pays: "{{ not (calls | list) }}"}`,
    3,
  );
  const [fault] = found.faults;
  expect(fault!.why[0]).toMatch(/^1 of these, expected none: \[\{/);
  expect(fault!.story.map(({ what }) => what)).toContain('event go comes');
});

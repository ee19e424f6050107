import { PLANTED } from '../../../test/support/planted-faults';
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

test.each(PLANTED.map((one) => [one.name, one] as const))(
  '%s is found, and shrunk to a few lines',
  (_, one) => {
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
  },
);

/** A step whose task runs a body once per item: what the tests of such loops share. */
import { checkEvents } from './event-checks';
import { handPlan, type StepSketch, type TaskSketch } from './plans';
import { simulate, type Simulation, type SimulationOptions } from './simulator';

export const leaf: TaskSketch = { name: 'leaf', input: { x: '{{ x }}' } };

/** Simulates a playbook of one step, and checks its events. */
export function run(step: Partial<StepSketch>, options: SimulationOptions = {}): Simulation {
  const simulation = simulate(handPlan([{ name: 'start', tasks: [], ...step }]), options);
  expect(checkEvents(simulation.events, simulation.end === 'complete')).toEqual([]);
  return simulation;
}

export const inner = (body: TaskSketch[], more: Partial<TaskSketch> = {}): TaskSketch => ({
  name: 'inner',
  loop: { in: '{{ workload.inner }}', as: 'x' },
  body,
  ...more,
});

export const payload = { outer: ['a', 'b'], inner: [1, 2, 3] };
export const outer = { in: '{{ workload.outer }}', as: 'o' };

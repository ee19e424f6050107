/** Simulations whose events are held to the contract of events. */
import { checkEvents } from './event-checks';
import { playbookOf, simulate, type Simulation, type SimulationOptions } from './simulator';

/** Runs the workflow, with the state through JSON at every batch and the events checked. */
export function runChecked(workflow: string, options: SimulationOptions = {}): Simulation {
  const simulation = simulate(playbookOf(workflow), { persist: true, ...options });
  expect(checkEvents(simulation.events, simulation.end === 'complete')).toEqual([]);
  return simulation;
}

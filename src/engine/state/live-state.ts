/**
 * The state while a machine works on it. At rest it is plain JSON (state.ts), where tables are records. At work those
 * whose keys come and go, or are as many as the plan has steps, are tables that V8 is fast with: a key of a record is
 * entered into the table of all strings of the process, which costs more than the step it belongs to.
 */
import { ById } from './by-id';
import { ByStep } from './by-step';
import { type PlanIndex } from './plan-index';
import { type StepResult } from './marking';
import { type State } from './state';
import { WorkQueue } from './work-queue';

/** Records by ids of the engine's own. */
const BY_ID = ['tokens', 'runs', 'frames', 'pending', 'longTasks', 'children', 'waits'] as const;
const BY_STEP = ['results', 'runCounts'] as const;

type IdTable = (typeof BY_ID)[number];

type Tables = { [Name in IdTable]: ById<State[Name][string]> } & {
  results: ByStep<StepResult>;
  runCounts: ByStep<number>;
  work: WorkQueue;
};

export type LiveState = Omit<State, keyof Tables> & Tables;

/**
 * Takes a state over: the very object is the one at work, and no JSON any more.
 *
 * A copy would be of a hidden class of its own, which V8 forgets at the next collection, and with it all code that it
 * has optimised for states.
 */
export function atWork(state: State, index: PlanIndex): LiveState {
  const live = state as unknown as Record<string, unknown>;
  for (const name of BY_ID) live[name] = new ById<unknown>(state[name]);
  for (const name of BY_STEP) live[name] = new ByStep<unknown>(index, state[name]);
  live['work'] = new WorkQueue(state.work);
  return live as unknown as LiveState;
}

/** The state as plain JSON. It shares its parts with the machine: clone it before the machine goes on. */
export function atRest(live: LiveState): State {
  const state: Record<string, unknown> = { ...live };
  for (const name of BY_ID) state[name] = live[name].toRecord();
  for (const name of BY_STEP) state[name] = live[name].toRecord();
  state['work'] = live.work.toList();
  return state as unknown as State;
}

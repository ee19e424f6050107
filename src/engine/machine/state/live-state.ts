/**
 * The state while a machine works on it. At rest it is plain JSON (state.ts), where tables are records. While live,
 * tables whose keys come and go, or that have one key per step, use structures that V8 handles fast: every record key
 * is interned in the process's string table, which costs more than the step it belongs to.
 */
import { ById } from './by-id';
import { ByStep } from './by-step';
import { type PlanIndex } from './plan-index';
import { type Frame, type StepResult } from './marking';
import { type State } from './state';
import { WorkQueue } from './work-queue';

/** Tables keyed by engine-generated ids. */
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
 * The same object becomes live, and is no longer JSON: of a state that others may read, give it a copy (`copyState`).
 *
 * A copy would get its own hidden class, which V8 discards at the next collection together with all code optimised for
 * states.
 */
export function atWork(state: State, index: PlanIndex): LiveState {
  const live = state as unknown as Record<string, unknown>;
  for (const name of BY_ID) live[name] = new ById<unknown>(state[name]);
  for (const name of BY_STEP) live[name] = new ByStep<unknown>(index, state[name]);
  live['work'] = new WorkQueue(state.work);
  const whole = live as unknown as LiveState;
  for (const frame of whole.frames.values()) frame.args ??= argsAround(whole, frame);
  return whole;
}

/** The arguments that a frame has unless it has its own: those of the frame or the run around it. */
function argsAround({ frames, runs }: LiveState, { parent, run }: Frame): Frame['args'] {
  return (parent === null ? undefined : frames.get(parent)?.args) ?? runs.get(run)?.args ?? {};
}

/** Whether a frame has no arguments of its own. A thousand iterations in flight do not write theirs a thousand times. */
export function sharesArgs(live: LiveState, frame: Frame): boolean {
  return frame.args === argsAround(live, frame);
}

/** Without the arguments that `atWork` finds again. */
function frameAtRest(live: LiveState, frame: Frame): Frame {
  if (!sharesArgs(live, frame)) return frame;
  const { args: _, ...own } = frame;
  return own as Frame;
}

/** The state as plain JSON. It shares parts with the machine: clone it before the machine continues. */
export function atRest(live: LiveState): State {
  const state: Record<string, unknown> = { ...live };
  for (const name of BY_ID) state[name] = live[name].toRecord();
  for (const name of BY_STEP) state[name] = live[name].toRecord();
  const frames = Object.entries(live.frames.toRecord());
  state['frames'] = Object.fromEntries(frames.map(([id, frame]) => [id, frameAtRest(live, frame)]));
  state['work'] = live.work.toList();
  return state as unknown as State;
}

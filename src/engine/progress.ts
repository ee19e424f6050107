/** What a person watching wants to know, as the workflow's `progress` query answers it. */
import { type StepPlan } from '../plan';
import { type ExecutionStatus, type Frame, type State, type StepRun } from './state';
import { ownValue } from './record';

export interface Progress {
  status: ExecutionStatus;
  steps_executed: string[];
  live: LiveToken[];
  /** Activities started so far, and how many of them were retries by a rule. */
  tasks_run: number;
  retries: number;
}

export interface LiveToken {
  step: string;
  run: number;
  task?: string;
  iteration?: number;
  /** The attempt under way, or, while it is waited for, the coming one. */
  attempt?: number;
  state: 'running' | 'waiting' | 'retrying' | 'queued';
  /** Milliseconds since the epoch. */
  retry_at?: number;
  loop?: { done: number; total: number; failed: number; in_flight: number };
}

/** One line a step run in progress, and one a step before which tokens wait for their siblings. */
export function liveTokens(state: State, steps: ReadonlyMap<string, StepPlan>): Progress {
  const frames = new Map<string, Frame>();
  for (const frame of Object.values(state.frames)) if (!frames.has(frame.run)) frames.set(frame.run, frame);
  const live: LiveToken[] = Object.values(state.runs).map((run) =>
    liveRun(state, run, steps, frames.get(run.id)),
  );
  for (const token of Object.values(state.tokens)) {
    if (token.state === 'waiting') {
      live.push({
        step: token.step,
        run: (ownValue(state.runCounts, token.step) ?? 0) + 1,
        state: 'waiting',
      });
    }
  }
  return {
    status: state.status,
    steps_executed: state.executed,
    live,
    tasks_run: state.counters.tasks,
    retries: state.counters.retries,
  };
}

function liveRun(
  state: State,
  run: StepRun,
  steps: ReadonlyMap<string, StepPlan>,
  frame: Frame | undefined,
): LiveToken {
  const task = frame && steps.get(run.step)?.tasks[frame.pc]?.name;
  const line: LiveToken = {
    step: run.step,
    run: Number(run.id.slice(run.id.lastIndexOf('#') + 1)),
    state:
      frame && frame.retryAt !== null
        ? 'retrying'
        : frame && state.ready.includes(frame.id)
          ? 'queued'
          : 'running',
  };
  if (task !== undefined) line.task = task;
  if (frame && frame.retryAt !== null) line.retry_at = frame.retryAt;
  if (frame) line.attempt = frame.attempt;
  if (run.loop) {
    const { done, failed, inFlight, items } = run.loop;
    line.loop = { done, failed, total: items.length, in_flight: inFlight };
    if (frame && frame.index !== null && run.loop.maxInFlight === 1) line.iteration = frame.index;
  }
  return line;
}

/** What a person watching wants to know, as the workflow's `progress` query answers it. */
import { type Context } from '../batch';
import { isBoundary } from '../rules';
import {} from '../scope';
import { type ExecutionStatus, type Frame, type LiveState, type StepRun } from '../state';

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
  /** The sink under way: what the task's call gave is being stored, or what the step gave. */
  sink?: string;
  iteration?: number;
  /** The attempt under way, of the sink where there is one, or, while it is waited for, the coming one. */
  attempt?: number;
  state: 'running' | 'waiting' | 'retrying' | 'queued';
  /** Milliseconds since the epoch. */
  retry_at?: number;
  /** The sub-playbook that is waited for. */
  child?: { execution_id: string; path: string };
  /** What a task of kind `wait` waits for; `until` in milliseconds since the epoch. */
  wait?: { event?: string; until?: number };
  /** The step's loop, or else the outermost one in its pipeline. */
  loop?: { done: number; total: number; failed: number; in_flight: number };
}

/** One line a step run in progress, and one a step before which tokens wait for their siblings. */
export function liveTokens(context: Context): Progress {
  const { state } = context;
  const frames = new Map<string, Frame>();
  for (const frame of state.frames.values()) {
    // Not the frame of a loop inside the pipeline: what works is one of its iterations.
    if (frame.loop === null && !frames.has(frame.run)) frames.set(frame.run, frame);
  }
  const ready = new Set(state.ready);
  const live = [...state.runs.values()].map((run) => liveRun(context, run, frames.get(run.id), ready));
  for (const token of state.tokens.values()) {
    const { step } = token;
    if (token.state !== 'waiting') continue;
    live.push({ step, run: (state.runCounts.get(step) ?? 0) + 1, state: 'waiting' });
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
  context: Context,
  run: StepRun,
  frame: Frame | undefined,
  ready: ReadonlySet<string>,
): LiveToken {
  const line: LiveToken = {
    step: run.step,
    run: Number(run.id.slice(run.id.lastIndexOf('#') + 1)),
    state: frame && frame.retryAt !== null ? 'retrying' : frame && ready.has(frame.id) ? 'queued' : 'running',
    task: frame && calledTask(context, frame),
    sink: frame?.suspended?.at(-1)?.name,
    retry_at: frame?.retryAt ?? undefined,
    attempt: frame?.attempt,
  };
  const root = frame && (context.outersOf(frame).at(-1) ?? frame);
  const loop = run.loop ?? root?.loop;
  if (loop) {
    const { done, failed, inFlight, total } = loop;
    line.loop = { done, failed, total, in_flight: inFlight };
  }
  if (frame) Object.assign(line, awaited(context.state, frame));
  if (run.loop?.maxInFlight === 1 && root && root.index !== null) line.iteration = root.index;
  return line;
}

/** The task at work, or the one whose call a sink stores: at a loop's boundary and at ENTER there is none. */
function calledTask(context: Context, frame: Frame): string | undefined {
  const task = context.tasksOf(frame)[frame.pc];
  const isCalled = !frame.suspended || (task && Object.hasOwn(frame.visits, task.name));
  return isCalled && !isBoundary(context, frame) ? task?.name : undefined;
}

/** The sub-playbook or the moment that a frame waits for. */
function awaited(state: LiveState, frame: Frame): Pick<LiveToken, 'child' | 'wait'> {
  const { waits, children } = state;
  const wait = frame.taskRunId === null ? undefined : waits.get(frame.taskRunId);
  if (wait) {
    const { event, until } = wait;
    return { wait: { ...(event !== null && { event }), ...(until !== null && { until }) } };
  }
  const called = [...children.keys()].find((id) => children.get(id)!.frame === frame.id);
  return called === undefined ? {} : { child: { execution_id: called, path: children.get(called)!.path } };
}

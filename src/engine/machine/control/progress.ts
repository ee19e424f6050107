/** The answer to the workflow's `progress` query: what someone watching the run wants to know. */
import { type AwaitedEvent, compact, type WaitForm } from '../../../language/plan';
import { type Context } from '../batch';
import { waitsForSlot } from '../calls';
import { isBoundary } from '../rules';
import { type ExecutionStatus, type Frame, type LimitWait, type LiveState, type StepRun } from '../state';

export interface Progress {
  status: ExecutionStatus;
  steps_executed: string[];
  live: LiveToken[];
  /** Activities started so far, and how many of them were retries requested by a rule. */
  tasks_run: number;
  retries: number;
  /** The limit that the execution waits for before it begins. */
  queued?: Queued;
}

export interface Queued {
  of: LimitWait['of'];
  scope: string;
  key: string;
  limit: number | null;
  /** Milliseconds since the epoch. */
  since: number;
  /** Debounce: when it begins, unless a newer execution replaces it. Milliseconds since the epoch. */
  until: number | null;
  /** Execution ids; as of the time it was queued. */
  holders: string[];
  /** How many executions waited before it when it was queued. */
  ahead: number;
}

export interface LiveToken {
  step: string;
  run: number;
  task?: string;
  /** The running sink: it stores the result of the task's call or of the step. */
  sink?: string;
  iteration?: number;
  /** The current attempt (of the sink, if one runs), or the upcoming one during a retry delay. */
  attempt?: number;
  state: 'running' | 'waiting' | 'retrying' | 'queued';
  /** Milliseconds since the epoch. */
  retry_at?: number;
  /** The sub-playbook the step waits for. */
  child?: { execution_id: string; path: string };
  /** What a task of kind `wait` waits for; `until` in milliseconds since the epoch. */
  wait?: { event?: string; until?: number; form?: WaitForm };
  /** The step's loop, otherwise the outermost loop in its pipeline. */
  loop?: { done: number; total: number; failed: number; in_flight: number };
}

/** What is waited for from outside, the oldest first. */
export function awaitedEvents({ state }: Context): AwaitedEvent[] {
  return [...state.waits.keys()].flatMap((id) => {
    const { event, until, form, frame } = state.waits.get(id)!;
    const { step } = state.runs.get(state.frames.get(frame)!.run)!;
    return event === null
      ? []
      : [{ task_run_id: id, step, event, ...compact({ until: until ?? undefined, form }) }];
  });
}

/** One entry per step run in progress, and one per token that waits for its siblings, or for the end of a pause. */
export function liveTokens(context: Context): Progress {
  const { state } = context;
  const frames = new Map<string, Frame>();
  for (const frame of state.frames.values()) {
    // Skips the frame of a loop inside the pipeline: one of its iterations does the work.
    if (frame.loop === null && !frames.has(frame.run)) frames.set(frame.run, frame);
  }
  const ready = new Set(state.ready);
  const live = [...state.runs.values()].map((run) => liveRun(context, run, frames.get(run.id), ready));
  for (const token of state.tokens.values()) {
    const { step } = token;
    if (token.state !== 'waiting' && !token.afterPause) continue;
    const run = (state.runCounts.get(step) ?? 0) + 1;
    live.push({ step, run, state: token.afterPause ? 'queued' : 'waiting' });
  }
  return {
    status: state.status,
    steps_executed: state.executed,
    live,
    tasks_run: state.counters.tasks,
    retries: state.counters.retries,
    ...(state.gate?.limit && { queued: queuedBy(state.gate.limit) }),
  };
}

function queuedBy({ of, scope, key, limit, since, behind }: LimitWait): Queued {
  const { holders = [], ahead = 0, until = null } = behind ?? {};
  return { of, scope, key, limit, since, until, holders, ahead };
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
    state: frame ? stateOf(context.state, frame, ready) : 'running',
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

function stateOf(
  state: LiveState,
  { id, slot, retryAt }: Frame,
  ready: ReadonlySet<string>,
): LiveToken['state'] {
  if (retryAt !== null) return slot === undefined ? 'retrying' : 'queued';
  return ready.has(id) || waitsForSlot(state, id) ? 'queued' : 'running';
}

/** The running task, or the task whose call a sink stores; none at a loop's boundary or at ENTER. */
function calledTask(context: Context, frame: Frame): string | undefined {
  const task = context.tasksOf(frame)[frame.pc];
  const isCalled = !frame.suspended || (task && Object.hasOwn(frame.visits, task.name));
  return isCalled && !isBoundary(context, frame) ? task?.name : undefined;
}

/** The sub-playbook or the point in time a frame waits for. */
function awaited(state: LiveState, frame: Frame): Pick<LiveToken, 'child' | 'wait'> {
  const { waits, children } = state;
  const wait = frame.taskRunId === null ? undefined : waits.get(frame.taskRunId);
  if (wait) {
    const { event, until, form } = wait;
    return {
      wait: { ...(event !== null && { event }), ...(until !== null && { until }), ...(form && { form }) },
    };
  }
  const called = [...children.keys()].find((id) => children.get(id)!.frame === frame.id);
  return called === undefined ? {} : { child: { execution_id: called, path: children.get(called)!.path } };
}

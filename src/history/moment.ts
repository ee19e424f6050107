/** How a run stood after an event, as its page shows it: the engine's state, and what the engine does not keep of earlier events. */
import { type EngineEvent, type LiveState, ownValue, type State } from '../engine/machine';
import { compact, type JsonObject, type WaitForm } from '../language/plan';

/** The status of a step or a task. */
export type StepState = 'waiting' | 'queued' | 'running' | 'asleep' | 'done' | 'failed' | 'skipped';

export interface StepStand {
  readonly look: StepState;
  /** How often it has started; how many of these are under way. */
  readonly runs: number;
  readonly open: number;
  /** Of its loop, the one that began last. */
  readonly loop?: LoopStand;
  /** Tasks under way, and those of them that only wait. */
  readonly tasks: number;
  readonly waits: number;
  /** Executions of sub-playbooks that it called: the first of them, and how many. */
  readonly children: readonly MomentChild[];
  readonly called: number;
}

export interface MomentChild {
  readonly execution: string;
  readonly path: string;
}

/** A task that waits for an event or a point in time. */
export interface OpenWait {
  readonly taskRun: string;
  readonly step: string;
  /** The name of the event; absent of a sleep. */
  readonly event?: string;
  /** ISO 8601; absent without a limit. */
  readonly until?: string;
  /** It takes only answers that fit. */
  readonly form?: WaitForm;
}

export interface LoopStand {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
}

type Pairs<Value> = readonly (readonly [string, Value])[];

/** Plain JSON. */
export interface Moment {
  readonly status: string;
  /** A limit ended the run before its first step. */
  readonly skipped: boolean;
  readonly steps: Pairs<StepStand>;
  /** Token → the step that it is at. */
  readonly tokens: Pairs<string>;
  /** Step → how often each arc of its router fired. */
  readonly fired: Pairs<readonly number[]>;
  /** Step runs under way → when they began, in milliseconds since the epoch. */
  readonly runs: Pairs<number>;
  /** By task run. */
  readonly waits: Pairs<OpenWait>;
  readonly workload: JsonObject;
  readonly variables: JsonObject;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** What the engine forgets of a step. */
interface StepMemory {
  readonly fired: number[];
  readonly children: MomentChild[];
  called: number;
  /** The end of its last run, or that its rules did not admit the token. */
  ended?: { readonly look: StepState; readonly token?: string; readonly loop?: LoopStand };
}

interface RunEnd {
  readonly status: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Plain JSON. */
export interface KeptMoments {
  readonly steps: Pairs<StepMemory>;
  readonly end?: RunEnd;
}

/** Called executions that are kept of a step. */
const CHILDREN = 100;

const ENDS: Readonly<Record<string, StepState>> = {
  'step.done': 'done',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
};

/** An event of the engine, or a canonical one. */
type MovingEvent = Omit<EngineEvent, 'event_type'> & { readonly event_type: string };

/** What moments must remember of earlier events. */
export class MomentMemory {
  private readonly steps: Map<string, StepMemory>;
  private end: RunEnd | undefined;

  constructor(kept?: KeptMoments) {
    this.steps = new Map(structuredClone(kept?.steps));
    this.end = kept?.end;
  }

  /** Valid until the next event. */
  get kept(): KeptMoments {
    return { steps: [...this.steps], ...compact({ end: this.end }) };
  }

  /** @param state when the event was emitted; absent of events that the engine does not know */
  take(event: MovingEvent, state?: LiveState): void {
    const { event_type, entity_id, step_run_id = '', payload } = event;
    const look = ENDS[event_type];
    if (look) this.stepEnds(event, look, state);
    else if (event_type === 'next.selected') count(this.of(entity_id).fired, payload['arcs'] as number[]);
    else if (event_type === 'task.started' && payload['child']) {
      const { execution_id: execution, path = '' } = payload['child'] as Record<string, string>;
      const step = this.of(stepOfRun(step_run_id));
      if (step.called++ < CHILDREN) step.children.push({ execution: execution!, path });
    } else if (event_type === 'workflow.finished') this.end = runEnd(event);
    else if (event_type === 'playbook.reset') this.end = undefined;
  }

  private stepEnds(
    { entity_id, parent_id: token, step_run_id = '' }: MovingEvent,
    look: StepState,
    state: LiveState | undefined,
  ): void {
    const step = this.of(entity_id);
    const own = state?.runs.get(step_run_id)?.loop;
    const loop = own ? loopStand([own]) : step.ended?.loop;
    step.ended = { look, ...compact({ token, loop }) };
  }

  /**
   * Shares values with the state.
   *
   * @param chunks states of the chunks of loops
   */
  moment(state: State, chunks: Readonly<Record<string, State>>): Moment {
    const { end } = this;
    // The results of others are in the loop already.
    const open = Object.values(chunks).filter(({ part }) => Object.hasOwn(state.chunks, part!.id));
    const parts = [state, ...open];
    const tokens = Object.values(state.tokens).filter(
      ({ id, step }) => id !== this.steps.get(step)?.ended?.token,
    );
    const names = [...Object.keys(state.runCounts), ...tokens.map(({ step }) => step), ...this.steps.keys()];
    return {
      ...{ status: state.status.toUpperCase(), ...end, skipped: state.skipped !== undefined },
      steps: [...new Set(names)].map((step) => [step, this.stand(step, state, parts)]),
      tokens: tokens.map(({ id, step }) => [id, step]),
      fired: [...this.steps]
        .filter(([, { fired }]) => fired.length > 0)
        .map(([step, { fired }]) => [step, fired]),
      runs: Object.values(state.runs).map(({ id, startedAt }) => [id, startedAt]),
      waits: end ? [] : parts.flatMap(waitsIn),
      workload: state.workload,
      variables: { ...state.ctx },
    };
  }

  private stand(step: string, state: State, parts: readonly State[]): StepStand {
    const { ended, children = [], called = 0 } = this.steps.get(step) ?? {};
    const runs = Object.values(state.runs).filter((run) => run.step === step && run.token !== ended?.token);
    const busy = parts.flatMap((part) => tasksIn(part, new Set(runs.map(({ id }) => id))));
    const waits = busy.filter(Boolean).length;
    const isAsleep = waits > 0 && waits === busy.length;
    const isCalled = Object.values(state.tokens).some(
      ({ id, step: at }) => at === step && id !== ended?.token,
    );
    const atRest = isCalled ? 'queued' : (ended?.look ?? lookOf(ownValue(state.results, step)));
    const loops = parts.flatMap(({ runs: own }) => ownValue(own, runs.at(-1)?.id ?? '')?.loop ?? []);
    return {
      look: runs.length === 0 ? atRest : isAsleep ? 'asleep' : 'running',
      runs: ownValue(state.runCounts, step) ?? 0,
      ...{ open: runs.length, tasks: busy.length, waits, children, called },
      ...compact({ loop: loops.length > 0 ? loopStand(loops) : ended?.loop }),
    };
  }

  private of(step: string): StepMemory {
    const memory = this.steps.get(step) ?? { fired: [], children: [], called: 0 };
    this.steps.set(step, memory);
    return memory;
  }
}

/** How often each arc fired. */
function count(fired: number[], arcs: readonly number[]): void {
  for (const arc of arcs) {
    while (fired.length <= arc) fired.push(0);
    fired[arc]! += 1;
  }
}

function runEnd({ status, payload }: MovingEvent): RunEnd {
  const word = status === 'success' ? 'COMPLETED' : status === 'cancelled' ? 'CANCELLED' : 'FAILED';
  return { status: word, ...compact({ result: payload['result'], error: payload['error'] }) };
}

/** Of a step that ran before this run, which continues another. */
function lookOf(result: State['results'][string] | undefined): StepState {
  return result === undefined ? 'waiting' : result.status === 'ok' ? 'done' : 'failed';
}

/** Tasks of step runs that are under way: of each, whether it waits. */
function tasksIn({ frames, waits }: State, runs: ReadonlySet<string>): readonly boolean[] {
  return Object.values(frames)
    .filter(({ run, taskRunId, retryAt }) => runs.has(run) && taskRunId !== null && retryAt === null)
    .map(({ taskRunId }) => Object.hasOwn(waits, taskRunId!));
}

type LoopState = NonNullable<State['runs'][string]['loop']>;

/** @param loops the loop itself, and its parts in chunks */
function loopStand([whole, ...chunks]: readonly LoopState[]): LoopStand {
  const all = [whole!, ...chunks];
  const sum = (of: (loop: LoopState) => number, loops: readonly LoopState[]): number =>
    loops.reduce((count, loop) => count + of(loop), 0);
  return {
    total: whole!.total,
    done: sum(({ done }) => done, all),
    failed: sum(({ failed }) => failed, all),
    running: sum(({ inFlight }) => inFlight, whole!.chunks ? chunks : all),
  };
}

function waitsIn({ waits, frames }: State): Pairs<OpenWait> {
  return Object.entries(waits).map(([taskRun, { frame, event, until, form }]) => {
    const limit = until === null ? undefined : new Date(until).toISOString();
    const step = stepOfRun(frames[frame]!.run);
    return [taskRun, { taskRun, step, ...compact({ event: event ?? undefined, until: limit, form }) }];
  });
}

function stepOfRun(run: string): string {
  return run.slice(0, run.lastIndexOf('#'));
}

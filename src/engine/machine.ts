/**
 * The engine as the rest of the world sees it: a pure, deterministic state machine. `apply(batch)` consumes inputs
 * and answers with commands for the driver and the canonical events of the batch. No clock, no randomness, no I/O:
 * the workflow, the exporter, tests and rehearsals drive the very same code (DESIGN.md section 1).
 */
import { PLAN_VERSION, type Json, type JsonObject, type Outcome, type Plan, type Secrets } from '../plan';
import { plain } from '../template/runtime';
import { chunkSettled, chunkState, endPart, iterate, settle, startChunk } from './loop';
import {
  type Batch,
  BATCH_BUDGET,
  type Chunk,
  type Command,
  Context,
  EngineError,
  type EngineEvent,
  type Input,
  knowsEngineVersion,
  MAX_PENDING_TASKS,
  type Observer,
  unbook,
} from './batch';
import {
  begin as beginExecution,
  beginAgain,
  continueExecution,
  deleteVariables,
  KEYCHAIN_RUN,
  keychainChecked,
  liveTokens,
  pause,
  type Progress,
  rerun,
  resume,
  setVariables,
  start,
} from './control';
import { childSettled, childStarted, childTimedOut, receive, startTask, waitElapsed } from './calls';
import {
  admit,
  arrive,
  begin,
  cancelExecution,
  endRun,
  finishIfOver,
  frameEnded,
  resolveJoins,
  stopRun,
} from './tokens';
import {
  atRest,
  atWork,
  type ExecutionStatus,
  initialState,
  type LiveState,
  PlanIndex,
  seedFrom,
  type State,
  type Work,
} from './state';
import { pursue } from './rules';
import { keepSecrets, secretsIn, stepView } from './scope';

export interface Applied {
  readonly commands: readonly Command[];
  readonly events: readonly EngineEvent[];
}

export class Machine {
  private constructor(plan: Plan, state: State) {
    const index = new PlanIndex(plan);
    this.live = atWork(state, index);
    this.context = new Context(index, this.live);
  }

  /** The state at work, for observers of machines. */
  readonly live: LiveState;
  private readonly context: Context;

  /**
   * A machine before its first input.
   *
   * @throws EngineError when this build does not know the plan's shape or engine version.
   */
  static create(plan: Plan, executionId: string, at = 0): Machine {
    checkVersions(plan);
    return new Machine(plan, initialState(plan.engineVersion, executionId, seedFrom(executionId), at));
  }

  /** A machine that goes on from a recorded state (continue-as-new, rerun, time travel). The state is taken over. */
  static from(plan: Plan, state: State): Machine {
    checkVersions(plan);
    return new Machine(plan, state);
  }

  /** A machine that runs some iterations of a loop for another; its first input is `chunkStarted`. */
  static forChunk(plan: Plan, chunk: Chunk, at = 0): Machine {
    checkVersions(plan);
    return new Machine(plan, chunkState(plan, chunk, at));
  }

  /** Consumes one batch. Parts of a `state` taken before change with it: take `structuredClone(machine.state)` for a snapshot. */
  apply(batch: Batch, observer?: Observer): Applied {
    const events: EngineEvent[] = [];
    return { commands: this.run(batch, events, observer), events };
  }

  /** As `apply`, for a driver that needs no events: they are not even built. The state comes out the same. */
  advance(batch: Batch): readonly Command[] {
    return this.run(batch, null);
  }

  private run(batch: Batch, events: EngineEvent[] | null, observer?: Observer): readonly Command[] {
    const { context, live: state } = this;
    context.begin(events, observer);
    state.now = Math.max(state.now, batch.at);
    if (batch.continueAsNewSuggested) state.draining = true;
    for (const input of batch.inputs) ACCEPT[input.type](context, input as never);
    const finished = work(context);
    if (finished) {
      finishIfOver(context);
      if (state.draining && isQuiet(state)) context.command({ type: 'continueAsNew' });
    } else {
      const key = `yield:${++state.counters.yield}`;
      state.timers[key] = { deadline: state.now, purpose: { type: 'yield' } };
      context.command({ type: 'startTimer', key, deadline: state.now });
    }
    return context.commands;
  }

  /** What a person watching wants to know. */
  progress(): Progress {
    return liveTokens(this.context);
  }

  /** Where the execution is, whole, as plain JSON: put together when asked for, and good until the next batch. */
  get state(): State {
    return atRest(this.live);
  }

  get status(): ExecutionStatus {
    return this.live.status;
  }

  get executionId(): string {
    return this.live.executionId;
  }

  get plan(): Plan {
    return this.context.plan;
  }

  /** The plain result of a step's last run; null when it did not run. */
  resultOf(step: string): Json {
    const result = this.live.results.get(step);
    return result === undefined ? null : ((plain(stepView(result)) ?? null) as Json);
  }

  /** What the handles in a value stand for. */
  secretsIn(value: Json): Secrets | undefined {
    return secretsIn([value], [this.live.secrets]);
  }

  /** Variables of the execution: `ctx`, also called `vars`. */
  variables(): JsonObject {
    return this.live.ctx;
  }
}

function checkVersions(plan: Plan): void {
  if (plan.planVersion !== PLAN_VERSION) {
    throw new EngineError(
      'PLAN_VERSION',
      `this worker reads plans of version ${PLAN_VERSION}, got ${String(plan.planVersion)}: compile the playbook with the worker's release`,
    );
  }
  if (!knowsEngineVersion(plan.engineVersion)) {
    throw new EngineError(
      'ENGINE_VERSION',
      `this worker does not know engine version ${String(plan.engineVersion)}: update it`,
    );
  }
}

/** Nothing in flight, and the execution goes on: the moment for a fresh history (D21). */
function isQuiet(state: LiveState): boolean {
  return state.pendingCount === 0 && (state.status === 'running' || state.status === 'paused');
}

/** One entry an input: one without is an error of the compiler. */
const ACCEPT: {
  readonly [T in Input['type']]: (context: Context, input: Extract<Input, { type: T }>) => void;
} = {
  started: start,
  rerun,
  continued: continueExecution,
  taskSettled: (context, { taskRunId, outcome }) => {
    const { state } = context;
    if (taskRunId === KEYCHAIN_RUN) return settleKeychain(context, outcome);
    const frame = unbook(state, taskRunId);
    if (frame !== undefined) context.enqueue({ op: 'settled', frame, outcome: keepSecrets(state, outcome) });
  },
  childStarted,
  childSettled,
  externalEvent: receive,
  chunkStarted: (context) => context.enqueue({ op: 'iterate', run: context.state.part!.run, frame: null }),
  chunkSettled: (context, { ref, settled }) => context.enqueue({ op: 'chunkSettled', ref, settled }),
  // For whoever tells the chunk's events.
  chunkTold: () => undefined,
  timerFired: (context, { key }) => timerFired(context, key),
  paused: (context, { reason }) => pause(context, reason ?? null),
  resumed: resume,
  cancelRequested: (context, { reason }) => cancelExecution(context, reason ?? null),
  variablesSet: (context, { variables }) => setVariables(context, variables),
  variablesDeleted: (context, { names }) => deleteVariables(context, names),
};

/** The keychain was checked: what waited for it goes on. */
function settleKeychain(context: Context, outcome: Outcome): void {
  const opened = keychainChecked(context, outcome);
  if (!opened) return;
  const { rerun: again } = opened;
  if (again) beginAgain(context, again.step, again.variables);
  else beginExecution(context);
}

type Purpose = State['timers'][string]['purpose'];

const ELAPSED: {
  readonly [T in Purpose['type']]: (context: Context, of: Extract<Purpose, { type: T }>) => void;
} = {
  retry: (context, { frame }) => context.enqueue({ op: 'task', frame }),
  timeout: (context, { run }) => stepTimedOut(context, run),
  child: (context, { child }) => childTimedOut(context, child),
  wait: (context, { wait }) => waitElapsed(context, wait),
  chunk: (context, { chunk }) => context.enqueue({ op: 'chunk', chunk }),
  // The batch goes on.
  yield: () => undefined,
};

function timerFired(context: Context, key: string): void {
  const { timers } = context.state;
  const timer = timers[key];
  if (!timer) return;
  delete timers[key];
  ELAPSED[timer.purpose.type](context, timer.purpose as never);
}

function stepTimedOut(context: Context, id: string): void {
  const { state } = context;
  const run = state.runs.get(id);
  if (!run) return;
  const step = context.step(run.step);
  const seconds = Math.round((state.now - run.startedAt) / 100) / 10;
  const message = `step ${step.name} did not end within its time limit (it ran ${seconds} s)`;
  stopRun(context, run, { kind: 'timeout', code: 'STEP_TIMEOUT', message, at: step.at });
}

/** Does queued work until none is left (true) or the budget is used up (false). */
function work(context: Context): boolean {
  const { state } = context;
  if (state.gate) return true;
  const queue = state.work;
  let isDone = false;
  for (let budget = BATCH_BUDGET; budget > 0 && !isDone; budget--) {
    const item = queue.shift();
    if (item) {
      if (item.op === 'admit' && context.observer?.admitting && state.tokens.has(item.token)) {
        context.observer.admitting(item.token, state);
      }
      perform(context, item);
      continue;
    }
    if (state.joinsDirty) {
      // It looks at every token, some of them often: with thousands that is the work of a batch.
      budget -= state.tokens.size >> 4;
      resolveJoins(context);
    }
    if (queue.isEmpty) releaseReady(context);
    isDone = queue.isEmpty;
  }
  return isDone || (queue.isEmpty && !state.joinsDirty);
}

/** Starts tasks that waited for a free place, in the order they came. */
function releaseReady(context: Context): void {
  const { state } = context;
  if (state.ready.length === 0 || state.draining || state.status !== 'running') return;
  const places = MAX_PENDING_TASKS - state.pendingCount - state.childCount;
  if (places <= 0) return;
  for (const id of state.ready.splice(0, places)) {
    if (Object.hasOwn(state.chunks, id)) context.enqueue({ op: 'chunk', chunk: id });
    else context.enqueue({ op: 'task', frame: id });
  }
}

/** What a micro-step is done on; one whose token, frame or run is gone has nothing to do. */
const PERFORM: { readonly [T in Work['op']]: (context: Context, work: Extract<Work, { op: T }>) => void } = {
  arrive: (context, { token }) => on(context.state.tokens.get(token), (one) => arrive(context, one)),
  admit: (context, { token }) => on(context.state.tokens.get(token), (one) => admit(context, one)),
  task: (context, { frame }) => startTask(context, frame),
  settled: (context, { frame, outcome }) => settle(context, frame, outcome),
  agenda: (context, { frame, cause }) =>
    on(context.state.frames.get(frame), (one) => pursue(context, one, cause)),
  begin: (context, { frame }) => on(context.state.frames.get(frame), (one) => begin(context, one)),
  frameEnded: (context, { frame, cause }) =>
    on(context.state.frames.get(frame), (one) => frameEnded(context, one, cause)),
  iterate: (context, { run: id, frame }) => {
    const run = context.state.runs.get(id);
    const outer = frame === null ? null : context.state.frames.get(frame);
    if (run && outer !== undefined) iterate(context, { run, outer });
  },
  chunk: (context, { chunk }) => startChunk(context, chunk),
  chunkSettled: (context, { ref, settled }) => chunkSettled(context, ref, settled),
  stop: (context, { run, cause }) => on(context.state.runs.get(run), (one) => stopRun(context, one, cause)),
  endRun: (context, { run, cause }) =>
    on(context.state.runs.get(run), (one) =>
      context.state.part ? endPart(context, cause) : endRun(context, one, cause),
    ),
};

function on<T>(found: T | undefined, act: (found: T) => void): void {
  if (found !== undefined) act(found);
}

function perform(context: Context, item: Work): void {
  const { status } = context.state;
  // While the execution is being stopped, outcomes are still recorded and nothing follows from them.
  const isOver = status === 'failing' || status === 'cancelling';
  if (isOver && item.op !== 'settled' && item.op !== 'chunkSettled') return;
  PERFORM[item.op](context, item as never);
}

/**
 * The engine as the rest of the world sees it: a pure, deterministic state machine. `apply(batch)` consumes inputs
 * and answers with commands for the driver and the canonical events of the batch. No clock, no randomness, no I/O:
 * the workflow, the exporter, tests and rehearsals drive the very same code (DESIGN.md section 1).
 */
import { PLAN_VERSION, type Json, type JsonObject, type Outcome, type Plan, type Secrets } from '../plan';
import { plain } from '../template/runtime';
import { chunkState, endPart } from './chunk';
import { type Chunk } from './chunk-input';
import { chunkSettled, startChunk } from './chunks';
import { type Command } from './commands';
import { Context } from './context';
import {
  begin as beginExecution,
  continueExecution,
  deleteVariables,
  pause,
  resume,
  setVariables,
  start,
} from './control';
import { childSettled, childStarted, childTimedOut } from './child';
import { type EngineEvent } from './events';
import { EngineError } from './failure';
import { cancelExecution, finishIfOver } from './finish';
import { type Batch, type Input } from './inputs';
import { BATCH_BUDGET, MAX_PENDING_TASKS } from './limits';
import { KEYCHAIN_RUN, keychainChecked } from './keychain';
import { atRest, atWork, type LiveState } from './live-state';
import { PlanIndex } from './plan-index';
import { unbook } from './pending';
import { settle } from './pipeline';
import { type Observer } from './observer';
import { pursue } from './rules/agenda';
import { startTask } from './task';
import { liveTokens, type Progress } from './progress';
import { seedFrom } from './random';
import { keepSecrets, secretsIn } from './secrets';
import { beginAgain, rerun } from './rerun';
import { type ExecutionStatus, initialState, type State, type Work } from './state';
import { admit, begin, endRun, frameEnded, stopRun } from './step';
import { arrive, resolveJoins } from './token';
import { knowsEngineVersion } from './versions';
import { stepView } from './views';
import { iterate } from './loop';
import { receive, waitElapsed } from './wait';

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
    for (const input of batch.inputs) accept(context, input);
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

function accept(context: Context, input: Input): void {
  const { state } = context;
  switch (input.type) {
    case 'started':
      return start(context, input);
    case 'rerun':
      return rerun(context, input);
    case 'continued':
      return continueExecution(context);
    case 'taskSettled': {
      if (input.taskRunId === KEYCHAIN_RUN) return settleKeychain(context, input.outcome);
      const frame = unbook(state, input.taskRunId);
      if (frame === undefined) return;
      return context.enqueue({ op: 'settled', frame, outcome: keepSecrets(state, input.outcome) });
    }
    case 'childStarted':
      return childStarted(context, input);
    case 'childSettled':
      return childSettled(context, input);
    case 'externalEvent':
      return receive(context, input);
    case 'chunkStarted':
      return context.enqueue({ op: 'iterate', run: state.part!.run, frame: null });
    case 'chunkSettled':
      return context.enqueue({ op: 'chunkSettled', ref: input.ref, settled: input.settled });
    case 'chunkTold':
      return;
    case 'timerFired':
      return timerFired(context, input.key);
    case 'paused':
      return pause(context, input.reason ?? null);
    case 'resumed':
      return resume(context);
    case 'cancelRequested':
      return cancelExecution(context, input.reason ?? null);
    case 'variablesSet':
      return setVariables(context, input.variables);
    case 'variablesDeleted':
      return deleteVariables(context, input.names);
  }
}

/** The keychain was checked: what waited for it goes on. */
function settleKeychain(context: Context, outcome: Outcome): void {
  const opened = keychainChecked(context, outcome);
  if (!opened) return;
  const { rerun: again } = opened;
  if (again) beginAgain(context, again.step, again.variables);
  else beginExecution(context);
}

function timerFired(context: Context, key: string): void {
  const { state } = context;
  const timer = state.timers[key];
  if (!timer) return;
  delete state.timers[key];
  const { purpose } = timer;
  switch (purpose.type) {
    case 'retry':
      return context.enqueue({ op: 'task', frame: purpose.frame });
    case 'timeout':
      return stepTimedOut(context, purpose.run);
    case 'child':
      return childTimedOut(context, purpose.child);
    case 'wait':
      return waitElapsed(context, purpose.wait);
    case 'chunk':
      return context.enqueue({ op: 'chunk', chunk: purpose.chunk });
    case 'yield':
      return;
  }
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
    if (state.joinsDirty) resolveJoins(context);
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

function perform(context: Context, item: Work): void {
  const { state } = context;
  // While the execution is being stopped, outcomes are still recorded and nothing follows from them.
  const isOver = state.status === 'failing' || state.status === 'cancelling';
  if (isOver && item.op !== 'settled' && item.op !== 'chunkSettled') return;
  switch (item.op) {
    case 'arrive':
    case 'admit': {
      const token = state.tokens.get(item.token);
      if (token) (item.op === 'arrive' ? arrive : admit)(context, token);
      return;
    }
    case 'task':
      return startTask(context, item.frame);
    case 'settled':
      return settle(context, item.frame, item.outcome);
    case 'agenda':
    case 'begin': {
      const frame = state.frames.get(item.frame);
      if (!frame) return;
      return item.op === 'agenda' ? pursue(context, frame, item.cause) : begin(context, frame);
    }
    case 'frameEnded': {
      const frame = state.frames.get(item.frame);
      if (frame) frameEnded(context, frame, item.cause);
      return;
    }
    case 'iterate': {
      const run = state.runs.get(item.run);
      const outer = item.frame === null ? null : state.frames.get(item.frame);
      if (run && outer !== undefined) iterate(context, { run, outer });
      return;
    }
    case 'chunk':
      return startChunk(context, item.chunk);
    case 'chunkSettled':
      return chunkSettled(context, item.ref, item.settled);
    case 'stop': {
      const run = state.runs.get(item.run);
      if (run) stopRun(context, run, item.cause);
      return;
    }
    case 'endRun': {
      const run = state.runs.get(item.run);
      if (run && state.part) endPart(context, item.cause);
      else if (run) endRun(context, run, item.cause);
      return;
    }
  }
}

/**
 * Public face of the engine: a pure, deterministic state machine. `apply(batch)` consumes inputs and returns commands
 * for the driver and the canonical events of the batch. No clock, no randomness, no I/O: the workflow, the exporter,
 * tests and rehearsals all drive this same code.
 */
import {
  type AwaitedEvent,
  inMiB,
  MAX_STATE_SIZE,
  PLAN_VERSION,
  unchanging,
  type Json,
  type JsonObject,
  type Plan,
  type Secrets,
} from '../../language/plan';
import { plainValue } from '../../language/template/runtime';
import { ACCEPT, perform } from './dispatch';
import { cancelledIn, lend, stillAsked } from './lease';
import { chunkState } from './loop';
import {
  type Applied,
  type InputBatch,
  causeOf,
  type Chunk,
  type Command,
  Context,
  EngineError,
  type EngineEvent,
  type Evaluator,
  freeCalls,
  freePlaces,
  type Input,
  type Interim,
  knowsEngineVersion,
  type Observer,
} from './batch';
import { requestSlots } from './calls';
import { awaitedEvents, liveTokens, type Progress } from './control';
import { failExecution, finishIfOver, resolveJoins } from './tokens';
import {
  atRest,
  atWork,
  copyState,
  type ExecutionStatus,
  heldSize,
  initialState,
  type Lease,
  type LiveState,
  PlanIndex,
  seedFrom,
  type State,
} from './state';
import { secretsIn, stepView } from './scope';

export class Machine {
  /** @throws EngineError when this build does not know the plan's shape or engine version. */
  private constructor(plan: Plan, state: State, isNew = false) {
    checkVersions(plan);
    const index = new PlanIndex(plan);
    this.live = atWork(state, index);
    this.context = new Context(index, this.live, { isNew });
  }

  /** `exec: local`: tasks run on lease. A driver that runs them itself, like all others, sets this to false. */
  lends = true;
  /** It does not have all of the state: whether that is too large, its lender decides. */
  private isLent = false;
  /** The live state, for observers of machines. */
  readonly live: LiveState;
  private readonly context: Context;

  /** A machine before its first input. */
  static create(plan: Plan, executionId: string, at = 0): Machine {
    return new Machine(plan, initialState(plan.engineVersion, executionId, seedFrom(executionId), at), true);
  }

  /** A machine that continues from a recorded state (continue-as-new, rerun, time travel), which stays as it is. */
  static from(plan: Plan, state: State): Machine {
    return new Machine(plan, copyState(unchanging(state)));
  }

  /** The leased machine: runs in the activity it was lent to. */
  static onLease(plan: Plan, state: State): Machine {
    const machine = Machine.from(plan, state);
    machine.lends = false;
    machine.isLent = true;
    return machine;
  }

  /** A machine that runs some iterations of a loop for another; its first input is `chunkStarted`. */
  static forChunk(plan: Plan, chunk: Chunk, at = 0): Machine {
    return new Machine(plan, copyState(chunkState(plan, unchanging(chunk), at)));
  }

  /** Another evaluator of templates than the language's own: for model checking, never for a run. */
  set evaluator(evaluator: Evaluator) {
    this.context.evaluate = evaluator;
  }

  /** Consumes one batch. The machine keeps parts of its inputs, and never changes them. */
  apply(batch: InputBatch, observer?: Observer): Applied {
    const events: EngineEvent[] = [];
    return { commands: this.run(batch, events, observer), events };
  }

  /** The rest of a batch, on a machine `from` the state in its middle. */
  resume(interim: Omit<Interim, 'state'>, observer?: Observer): Applied {
    const events: EngineEvent[] = [];
    this.context.resume(interim, events, observer);
    const commands = this.finish(true);
    return { commands: this.lends ? lend(this.live, commands) : commands, events };
  }

  /** Like `apply`, for a driver that needs no events: they are not even built. The resulting state is the same. */
  advance(batch: InputBatch): readonly Command[] {
    return this.run(batch, null);
  }

  private run(batch: InputBatch, events: EngineEvent[] | null, observer?: Observer): readonly Command[] {
    unchanging(batch);
    const { lease } = this.live;
    if (lease) return this.whileLent(lease, batch, events, observer);
    const commands = this.step(batch, events, observer);
    return this.lends ? lend(this.live, commands) : commands;
  }

  /** Inputs are queued until the leased machine returns, together with the batches it processed. */
  private whileLent(
    lease: Lease,
    batch: InputBatch,
    events: EngineEvent[] | null,
    observer?: Observer,
  ): readonly Command[] {
    const { ref, pending } = lease;
    // What it does is one whole: nothing goes on from its middle.
    const apart = observer && withoutBetween(observer);
    const back = batch.inputs.find((input) => input.type === 'leaseEnded' && input.ref === ref);
    const others = batch.inputs.filter((input) => input !== back);
    pending.push(...(others as unknown as Json[]));
    if (back?.type !== 'leaseEnded') {
      return others.some(isCancel) ? [{ type: 'cancelLease', ref }] : [];
    }
    const inputs = pending as unknown as readonly Input[];
    // The leased machine does not know the reason.
    const cancel = inputs.find(isCancel);
    this.live.lease = null;
    const commands: Command[] = [];
    for (const { at, inputs: taken } of back.trace) {
      const delivered = taken.map((input) => (isCancel(input) ? (cancel ?? input) : input));
      commands.push(...this.step({ at, inputs: delivered }, events, apart, ref));
    }
    const { commands: remaining, lost } = stillAsked(lease, commands, back);
    if (isOver(this.live)) return remaining;
    remaining.push(...this.step({ ...batch, inputs: [...lost, ...inputs] }, events, apart));
    for (let open = cancelledIn(remaining); open.length > 0; open = cancelledIn(remaining)) {
      remaining.push(...this.step({ at: batch.at, inputs: open }, events, apart));
    }
    return lend(this.live, remaining);
  }

  /** Applies one batch; `lease`: the lease in which it was processed. */
  private step(
    batch: InputBatch,
    events: EngineEvent[] | null,
    observer?: Observer,
    lease?: string,
  ): readonly Command[] {
    const { context, live: state } = this;
    const before = events?.length;
    observer?.applying?.(batch);
    context.begin(events, observer, lease === undefined ? undefined : { lease, at: batch.at });
    state.now = Math.max(state.now, batch.at);
    if (batch.continueAsNewSuggested) state.draining = true;
    for (const input of batch.inputs) ACCEPT[input.type](context, input as never);
    const commands = this.finish(!this.isLent && lease === undefined);
    observer?.applied?.(batch, { commands, events: events?.slice(before) ?? [] });
    return commands;
  }

  /** Works off what the inputs of a batch led to. @param isWhole this machine has all of the state */
  private finish(isWhole: boolean): readonly Command[] {
    const { context, live: state } = this;
    if (workWithin(context, isWhole)) {
      requestSlots(context);
      finishIfOver(context);
      if (state.draining && isQuiet(state)) context.command({ type: 'continueAsNew' });
    } else {
      const key = `yield:${++state.counters.yield}`;
      context.startTimer(key, state.now, { type: 'yield' });
    }
    return context.commands;
  }

  /** Progress, for someone watching the run. */
  progress(): Progress {
    return liveTokens(this.context);
  }

  /** What it waits for from outside, the oldest first. */
  awaited(): AwaitedEvent[] {
    return awaitedEvents(this.context);
  }

  /** The execution's complete state as plain JSON: built on demand, valid until the next batch. */
  get state(): State {
    return atRest(this.live);
  }

  /** As `state`, for ever. */
  snapshot(): State {
    return copyState(this.state);
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

  /** The plain result of a step's last run; null when it has not run. */
  resultOf(step: string): Json {
    const result = this.live.results.get(step);
    return result === undefined ? null : ((plainValue(stepView(result)) ?? null) as Json);
  }

  /**
   * What `return_result` returns: the result of a step that succeeded with one, else of the step that ended last with a
   * call's; undefined if there is none.
   */
  answer(preferred?: string): { readonly step: string; readonly result: Json } | undefined {
    const isNamed = preferred !== undefined && this.live.results.get(preferred)?.status === 'ok';
    const step = isNamed && this.resultOf(preferred) !== null ? preferred : this.live.answered;
    return step === undefined ? undefined : { step, result: this.resultOf(step) };
  }

  /** The secrets that the handles in a value refer to. */
  secretsIn(value: Json): Secrets | undefined {
    return secretsIn([value], [this.live.secrets]);
  }

  /** Variables of the execution: `ctx`, also called `vars`. */
  variables(): JsonObject {
    return this.live.ctx;
  }
}

function withoutBetween({ between: _between, ...observer }: Observer): Observer {
  return observer;
}

function isCancel({ type }: Input): boolean {
  return type === 'cancelRequested';
}

function checkVersions({ planVersion, engineVersion }: Plan): void {
  if (planVersion !== PLAN_VERSION) {
    const message = `this worker supports plan version ${PLAN_VERSION}, got ${String(planVersion)}: compile the playbook with the release of the worker`;
    throw new EngineError('PLAN_VERSION', message);
  }
  if (!knowsEngineVersion(engineVersion)) {
    const message = `this worker does not support engine version ${String(engineVersion)}: update it`;
    throw new EngineError('ENGINE_VERSION', message);
  }
}

/** Whether the execution has ended. */
function isOver({ status }: LiveState): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** As `work`; `isWhole`: this machine has all of the state, and ends the execution if that is too large. */
function workWithin(context: Context, isWhole: boolean): boolean {
  const isDone = work(context, isWhole);
  return isWhole && holdsTooMuch(context) ? work(context) : isDone;
}

/**
 * Ends an execution that keeps too much. Looks at the whole state only once so much was written that it may be the
 * case, and always before a batch ends: the answer depends on the state alone.
 */
function holdsTooMuch(context: Context): boolean {
  const { state } = context;
  if (context.heldAtMost <= MAX_STATE_SIZE || isOver(state)) return false;
  context.heldAtMost = heldSize(state);
  if (context.heldAtMost <= MAX_STATE_SIZE) return false;
  const message =
    `the execution keeps more than ${inMiB(MAX_STATE_SIZE)} of inputs, variables and results as JSON: ` +
    'keep less, or let tasks store it and pass its location on';
  failExecution(context, { kind: 'engine', code: 'STATE_TOO_LARGE', message });
  return true;
}

/** Nothing is in flight and the execution is not over: the moment for continue-as-new. */
function isQuiet(state: LiveState): boolean {
  return state.pending.size === 0 && (state.status === 'running' || state.status === 'paused');
}

/**
 * Processes queued work until none is left (true) or the budget of the batch is used up (false).
 *
 * @param isOpen another machine may go on from the middle
 */
function work(context: Context, isOpen = false): boolean {
  const { state } = context;
  if (state.gate) return true;
  const queue = state.work;
  const between = isOpen ? betweenSteps(context) : undefined;
  let isDone = false;
  while (!isDone && context.spent < context.costs.batchBudget) {
    between?.();
    context.nextStep();
    const item = queue.shift();
    if (item) {
      if (item.op === 'admit') announce(context, item.token);
      perform(context, item);
      continue;
    }
    if (state.joinsDirty) {
      context.charge(state.tokens.size * context.costs.joinPerToken);
      join(context);
    }
    if (queue.isEmpty) releaseReady(context);
    isDone = queue.isEmpty;
  }
  return isDone || (queue.isEmpty && !state.joinsDirty);
}

/** Tells an observer of a token that is about to be admitted. */
function announce({ observer, state }: Context, token: string): void {
  if (observer?.admitting && state.tokens.has(token)) observer.admitting(token, state);
}

/** What an observer is told between two micro-steps. */
function betweenSteps(context: Context): (() => void) | undefined {
  const { observer, state } = context;
  if (!observer?.between) return undefined;
  const interim = (): Interim => ({
    state: atRest(state),
    spent: context.spent,
    commands: context.commands,
  });
  return () => observer.between?.(interim);
}

function join(context: Context): void {
  try {
    resolveJoins(context);
  } catch (error) {
    failExecution(context, causeOf(error, 'join', [1, 1]));
  }
}

/** Starts deferred tasks, in the order they arrived. Calls of sub-playbooks wait for each other, and keep nobody else waiting. */
function releaseReady(context: Context): void {
  const { state } = context;
  const { ready } = state;
  if (ready.length === 0 || state.draining || state.status !== 'running') return;
  let [next, places, calls] = [0, freePlaces(state), freeCalls(state)];
  const waiting: string[] = [];
  for (; next < ready.length && places > 0; next++) {
    const id = ready[next]!;
    if (isCall(context, id) && calls-- <= 0) {
      waiting.push(id);
      continue;
    }
    places--;
    if (Object.hasOwn(state.chunks, id)) context.enqueue({ op: 'chunk', chunk: id });
    else context.enqueue({ op: 'task', frame: id });
  }
  ready.splice(0, next, ...waiting);
}

function isCall(context: Context, id: string): boolean {
  const frame = context.state.frames.get(id);
  return frame !== undefined && context.taskOf(frame).kind === 'playbook';
}

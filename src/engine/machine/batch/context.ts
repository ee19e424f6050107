/**
 * Shared by every part of the engine during one batch: the plan, the state, and the batch's output. Parts in different
 * folders do not call each other directly: they `enqueue` work, which the machine processes in order.
 */
import {
  type Json,
  type LoopPlan,
  type Outcome,
  type Plan,
  type StepPlan,
  type TaskPlan,
} from '../../../language/plan';
import {
  type TemplateEnvironment,
  evaluate,
  type TemplateScope,
  type Template,
  hostWatch,
} from '../../../language/template/runtime';
import { type Command } from './commands';
import { type Emit, type EngineEvent, engineEvent } from './events';
import { cancelledCause, cancelledOutcome } from './failure';
import { PLACES_OF_A_VALUE } from './bounds';
import { type Interim, type Observer } from './observer';
import { unbook } from './pending';
import { type Costs, costsOf, pricesOf } from './versions';
import {
  type ChunkInFlight,
  type FailureCause,
  type Frame,
  frameId,
  claimId,
  innerFrameId,
  type LiveState,
  type LoopState,
  nextRandom,
  ownValue,
  type Span,
  spanOf,
  type PlanIndex,
  type StepRun,
  table,
  taskRunBase,
  type Timer,
  type QueuedWork,
} from '../state';

/** What a template is worth in a scope. @throws TemplateError as `evaluate` does */
export type Evaluator = (
  template: Template,
  scope: TemplateScope,
  environment: TemplateEnvironment,
  strict?: boolean,
) => unknown;

/** Work between two looks at the host's clock. */
const PORTION = 50_000;

export class Context {
  /** A model checker evaluates otherwise: it knows values that stand for any value. */
  evaluate: Evaluator = evaluate;
  /** Commands that this batch issues to the driver. */
  commands: Command[] = [];
  readonly environment: TemplateEnvironment;
  /** What the templates of this micro-step may still take. */
  private readonly budget: { left: number };
  /** Of the engine version that the plan pins. */
  readonly costs: Costs;
  /** `costs.microStep` and `costs.microStepLimit`: read for each micro-step. */
  private readonly each: number;
  private readonly most: number;
  /** Work of this batch without those templates. */
  private charged = 0;
  /** Work after which the host's clock is asked. */
  private asking = PORTION;

  constructor(
    readonly index: PlanIndex,
    readonly state: LiveState,
    { isNew }: { readonly isNew: boolean },
  ) {
    this.heldAtMost = isNew ? 0 : Infinity;
    this.costs = costsOf(index.plan.engineVersion);
    this.each = this.costs.microStep;
    this.most = this.costs.microStepLimit;
    this.budget = { left: this.most };
    this.environment = {
      now: () => state.now,
      random: () => nextRandom(state.seed),
      budget: this.budget,
      prices: pricesOf(index.plan.engineVersion),
      digitsLost: (literal) => void (this.rounded ??= literal),
    };
  }

  /** A decimal that a template read from JSON, of which a double does not keep all digits. */
  rounded: string | undefined;

  /** Absent when no events are requested: `context.emit?.(…)` then does not even build them. */
  emit: Emit | undefined;

  /** Set only when events are requested. */
  observer: Observer | undefined;

  /** Begins a batch. `events`: receives its events; null when none are requested. `within`: added to each event. */
  begin(events: EngineEvent[] | null, observer?: Observer, within?: EngineEvent['within']): void {
    this.commands = [];
    this.charged = 0;
    this.asking = PORTION;
    this.budget.left = this.most;
    this.observer = observer;
    this.emit = events ? this.teller(events, observer, within) : undefined;
  }

  /** Goes on with a batch, of which another machine did a part. */
  resume({ spent, commands }: Omit<Interim, 'state'>, events: EngineEvent[], observer?: Observer): void {
    this.begin(events, observer);
    this.charged = spent;
    this.commands = [...commands];
  }

  /** Work of this batch, in units of the template language's meter (0.1 to 0.2 µs each). */
  get spent(): number {
    return this.charged + this.most - this.budget.left;
  }

  /** Begins a micro-step. */
  nextStep(): void {
    this.charged = this.spent + this.each;
    this.budget.left = this.most;
    if (this.charged < this.asking) return;
    this.asking = this.charged + PORTION;
    hostWatch.ask();
  }

  /** Characters of all values written so far. */
  written = 0;
  /** The execution keeps no more than this, in characters; Infinity: not known. */
  heldAtMost: number;

  /** Charges for a value of so many characters that enters the state or a command. */
  write(size: number): void {
    this.written += size;
    this.heldAtMost += size * PLACES_OF_A_VALUE;
    this.charged += size / this.costs.charsPerUnit;
  }

  /** Adds work other than that of templates. */
  charge(units: number): void {
    this.charged += units;
  }

  private teller(events: EngineEvent[], observer?: Observer, within?: EngineEvent['within']): Emit {
    return (...args) => {
      const event = within ? { ...engineEvent(...args), within } : engineEvent(...args);
      events.push(event);
      observer?.emitted?.(event, this.state);
    };
  }

  get plan(): Plan {
    return this.index.plan;
  }

  command(command: Command): void {
    this.commands.push(command);
  }

  /**
   * Cancels a pending task. A task scheduled in this same batch is removed instead: Temporal would never learn of it,
   * and a completion that is missing from history could not be replayed offline.
   */
  cancelTask(taskRunId: string): void {
    const long = this.state.longTasks.has(taskRunId);
    if (this.takeBack((one) => one.type === 'runTask' && one.call.task_run_id === taskRunId)) {
      this.settle(unbook(this.state, taskRunId)!, cancelledOutcome());
    } else this.command({ type: 'cancelTask', taskRunId, ...(long && { long }) });
  }

  /** Cancels a running chunk; one started in this same batch is removed instead. */
  cancelChunk({ id, ref }: ChunkInFlight): void {
    if (this.takeBack((one) => one.type === 'runChunk' && one.chunk.id === id)) {
      const cause = cancelledCause('the chunk was cancelled');
      this.enqueue({ op: 'chunkSettled', ref, settled: { status: 'lost', cause } });
    } else this.command({ type: 'cancelChunk', ref });
  }

  /** Removes a command issued in this batch; returns false if there is none. */
  takeBack(isMeant: (command: Command) => boolean): boolean {
    const position = this.commands.findIndex(isMeant);
    if (position >= 0) this.commands.splice(position, 1);
    return position >= 0;
  }

  /** `at`: milliseconds since the epoch. */
  startTimer(key: string, at: number, purpose: Timer['purpose']): void {
    const deadline = Math.round(at);
    this.state.timers[key] = { deadline, purpose };
    this.command({ type: 'startTimer', key, deadline });
  }

  /** Cancels a timer if it exists. */
  dropTimer(key: string): void {
    const { timers } = this.state;
    if (!Object.hasOwn(timers, key)) return;
    delete timers[key];
    this.command({ type: 'cancelTimer', key });
  }

  /** Records the outcome of the frame's task. */
  settle(frame: string, outcome: Outcome): void {
    this.enqueue({ op: 'settled', frame, outcome });
  }

  /** Ends the frame; `cause`: why it failed. */
  endFrame({ id }: Frame, cause: FailureCause | null): void {
    this.enqueue({ op: 'frameEnded', frame: id, cause });
  }

  enqueue(work: QueuedWork): void {
    this.state.work.push(work);
  }

  step(name: string): StepPlan {
    return this.index.step(name);
  }

  run(id: string): StepRun {
    return this.state.runs.get(id)!;
  }

  // A frame is a step's pipeline, an iteration of its loop, or an iteration of a loop inside a pipeline. The latter has
  // a parent: the frame whose current task is that loop. Parents nest.

  /** The step the frame belongs to. */
  stepOf(frame: Frame): StepPlan {
    return this.step(this.run(frame.run).step);
  }

  /**
   * Adds a frame for the step run (index null), for one of its iterations, or, with `outer`, for an iteration of the
   * loop that is the current task of that frame.
   */
  newFrame(run: StepRun, index: number | null, outer: Frame | null): Frame {
    const frame = this.frameOf(run, index, outer);
    if (index === null && run.rules?.kept) Object.assign(frame, run.rules.kept);
    return frame;
  }

  /** Adds a frame for a claim of a slot of the run's loop. */
  newClaim(run: StepRun, number: number, slot: number): Frame {
    const frame = this.frameOf(run, null, null, claimId(run.id, number));
    frame.claim = slot;
    return frame;
  }

  private frameOf(
    run: StepRun,
    index: number | null,
    outer: Frame | null,
    id = outer ? innerFrameId(outer.taskRunId!, index!) : frameId(run.id, index),
  ): Frame {
    const frame: Frame = {
      id,
      run: run.id,
      parent: outer?.id ?? null,
      index,
      loop: null,
      pc: 0,
      visits: table(),
      attempt: 1,
      args: outer?.args ?? run.args,
      iter: {},
      locals: {},
      results: table(),
      last: null,
      taskRunId: null,
      retryAt: null,
    };
    this.state.frames.set(id, frame);
    return frame;
  }

  /** The frame whose current task is the loop this frame is an iteration of. */
  outerOf(frame: Frame): Frame | null {
    return frame.parent === null ? null : this.state.frames.get(frame.parent)!;
  }

  /** The tasks of a frame: those of the step, or the body of the loop it iterates; or the claim that it is. */
  tasksOf(frame: Frame): readonly TaskPlan[] {
    if (frame.claim !== undefined) return [this.sinkNamed(frame, this.stepOf(frame).loop!.cursor!.claim)];
    const outer = this.outerOf(frame);
    return outer ? this.taskOf(outer).body! : this.stepOf(frame).tasks;
  }

  /** The current task of a frame: the sink, while one is running. */
  taskOf(frame: Frame): TaskPlan {
    const sink = frame.suspended?.at(-1);
    return sink ? this.sinkNamed(frame, sink.name) : this.tasksOf(frame)[frame.pc]!;
  }

  /** A task that runs only when called as a sink. */
  sinkNamed(frame: Frame, name: string): TaskPlan {
    return this.stepOf(frame).sinks!.find((sink) => sink.name === name)!;
  }

  /** The loop a frame is an iteration of (plan and state), its item and where that is; null outside loops. */
  loopOf(frame: Frame): { plan: LoopPlan; loop: LoopState; span: Span; item: Json | undefined } | null {
    if (frame.index === null) return null;
    const outer = this.outerOf(frame);
    const { loop: plan } = outer ? this.taskOf(outer) : this.stepOf(frame);
    const loop = (outer ?? this.run(frame.run)).loop!;
    const span = spanOf(loop, frame.index);
    return { plan: plan!, loop, span, item: span.items[frame.index - span.first] };
  }

  /** The frames whose loops enclose this one, innermost first. */
  outersOf(frame: Frame): Frame[] {
    const outer = this.outerOf(frame);
    return outer ? [outer, ...this.outersOf(outer)] : [];
  }

  /** Why a frame must not continue: its step run, or an enclosing loop, is being stopped. */
  stoppingOf(frame: Frame): FailureCause | null {
    const { stopping } = this.run(frame.run);
    if (stopping || frame.parent === null) return stopping;
    return this.outersOf(frame).find(({ loop }) => loop?.stopping)?.loop!.stopping ?? null;
  }

  /** Indexes of the enclosing iterations, outermost first. */
  iterationsOf(frame: Frame): number[] {
    const { index, parent } = frame;
    if (parent === null) return index === null ? [] : [index];
    const around = this.iterationsOf(this.outerOf(frame)!);
    return index === null ? around : [...around, index];
  }

  /**
   * Identifies the frame's current task as a unit of work, independent of its attempts and those of enclosing loops:
   * `fetch#2[7].inner~1[3].store~1`, the tail of the idempotency key.
   */
  workOf(frame: Frame): string {
    const outer = this.outerOf(frame);
    const base = outer ? `${this.workOf(outer)}[${frame.index}]` : frame.id;
    const { name } = this.taskOf(frame);
    return taskRunBase(base, name, ownValue(frame.visits, name) ?? 1);
  }
}

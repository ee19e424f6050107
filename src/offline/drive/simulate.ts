/**
 * Runs a Plan on the pure engine in a simulated world: the world answers tasks, time jumps to the next event. Without
 * server and waiting: a year of retries takes milliseconds.
 */
import {
  type Chunk,
  type ChunkResult,
  type EngineEvent,
  type Evaluator,
  type Input,
  Machine,
  type Observer,
  ofChunk,
  type State,
} from '../../engine/machine';
import { type Json, type JsonObject, type Plan, type TaskCall } from '../../language/plan';
import { appendAll } from '../../language/plan/append';
import { carryOutCommand, type Open, type DriveStage } from './effects';
import { earliest, Happenings, type Pick } from './happenings';
import { Keepers, type OtherExecution } from './keepers';
import { type Awaited, type Due, type WorldFailure, type Next, type World } from './world';

export interface SimulateOptions {
  readonly payload?: JsonObject;
  /** The inputs of the first batch, instead of a start with `payload`. */
  readonly first?: readonly Input[];
  /** A recorded state to continue from; it is not modified. */
  readonly state?: State;
  /** Decimal; seeds the engine's randomness. */
  readonly executionId?: string;
  /** Milliseconds since the epoch: the simulated time of the first batch. */
  readonly startAt?: number;
  /** External messages, with their times in milliseconds after the start. */
  readonly messages?: readonly { readonly after: number; readonly input: Input }[];
  /** Executions with the same key, for limits; default none. */
  readonly others?: readonly OtherExecution[];
  /** Picks the next scheduled event if the world does not; by default the earliest. */
  readonly pick?: Pick;
  /** Serialises and revives the state between batches. */
  readonly persist?: boolean;
  /** Inputs added to the batch of that number, before its own. */
  readonly inject?: Readonly<Record<number, readonly Input[]>>;
  readonly maxBatches?: number;
  /** A call without an answer: `stop` (default) ends the simulation, `open` leaves it in flight. */
  readonly unanswered?: 'stop' | 'open';
  readonly observer?: Observer;
  /** Another evaluator of templates than the language's own. */
  readonly evaluator?: Evaluator;
  /** Events and calls are passed only to the observer; the returned value contains none. */
  readonly isLean?: boolean;
}

export interface Simulated {
  readonly state: State;
  readonly events: readonly EngineEvent[];
  readonly calls: readonly TaskCall[];
  readonly result: Json | undefined;
  readonly error: WorldFailure | undefined;
  /** Milliseconds of simulated time. */
  readonly elapsed: number;
  readonly batches: number;
  /**
   * The engine's final command; `stuck` if it waits for something that is not scheduled, or was stopped (no answer,
   * `maxBatches`).
   */
  readonly end: 'complete' | 'fail' | 'cancelled' | 'stuck';
}

/** The default start time of a simulation: 2023-11-14T22:13:20Z. */
export const START = 1_700_000_000_000;
const EXECUTION_ID = '123456789012345678';
const MAX_BATCHES = 200_000;

/** Runs the plan until it ends, or until nothing more can happen. @throws EngineError as the engine does */
export function simulatePlan(plan: Plan, world: World, options: SimulateOptions = {}): Simulated {
  const { startAt: start = START, executionId = EXECUTION_ID, state } = options;
  const machine = state
    ? Machine.from(plan, structuredClone(state))
    : Machine.create(plan, executionId, start);
  const keepers = new Keepers(options.others ?? [], start);
  const simulation = new Simulation(machine, { world, keepers }, start, options);
  for (const { after, input } of options.messages ?? []) {
    simulation.happenings.announce({ at: start + after, input });
  }
  simulation.run(options.first ?? [{ type: 'started', payload: options.payload ?? {} }]);
  return simulation.outcome(start);
}

/** As it would be read from history. */
function jsonOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

class Simulation implements DriveStage {
  readonly happenings = new Happenings();
  readonly calls: TaskCall[] = [];
  readonly open = new Map<string, Open>();
  end: Simulated['end'] = 'stuck';
  result: Json | undefined;
  error: Simulated['error'];
  isStopped = false;
  chunkResult: ChunkResult | undefined;
  private readonly events: EngineEvent[] = [];
  private batches = 0;
  /** Events of ended chunks: emitted when the loop learns of the end. */
  private readonly chunkEvents = new Map<string, readonly EngineEvent[]>();

  constructor(
    private machine: Machine,
    private readonly outside: { readonly world: World; readonly keepers: Keepers },
    public now: number,
    private readonly options: SimulateOptions,
  ) {
    this.adopt(machine);
  }

  private adopt(machine: Machine): void {
    this.machine = machine;
    machine.lends = false;
    if (this.options.evaluator) machine.evaluator = this.options.evaluator;
  }

  get world(): World {
    return this.outside.world;
  }

  get keepers(): Keepers {
    return this.outside.keepers;
  }

  private get plan(): Plan {
    return this.machine.plan;
  }

  get staysOpen(): boolean {
    return this.options.unanswered === 'open';
  }

  run(first: readonly Input[]): void {
    this.apply(first);
    while (this.end === 'stuck' && !this.isStopped) {
      if (this.batches >= (this.options.maxBatches ?? MAX_BATCHES)) return;
      const next = this.next();
      if (next === undefined) return;
      this.happenings.take(next.happenings);
      this.now = Math.max(this.now, next.at);
      this.apply(next.inputs, next.continueAsNewSuggested);
    }
  }

  private next(): Next | undefined {
    const { all } = this.happenings;
    if (this.world.next) return this.world.next(all, this.now);
    if (all.length === 0) return undefined;
    const one = (this.options.pick ?? earliest)(all);
    return { at: one.at, happenings: [one], inputs: [one.input] };
  }

  /** When it occurs, as determined by the world. */
  due(awaited: Awaited): Due | undefined {
    const { world, now } = this;
    return world.due ? world.due(awaited, now) : { at: awaited.type === 'timer' ? awaited.deadline : now };
  }

  /**
   * A chunk is a separate simulation in the same world; its end is scheduled for the loop at its simulated time.
   */
  runChunk(ref: string, chunk: Chunk): void {
    const { id } = chunk;
    const begins = this.due({ type: 'chunkStart', chunk: id });
    if (!begins) return;
    const { persist, pick, maxBatches, unanswered, observer, evaluator } = this.options;
    const machine = Machine.forChunk(this.plan, jsonOf(chunk), begins.at);
    const world = this.world.within?.(id) ?? this.world;
    const options = { persist, pick, maxBatches, unanswered, evaluator, observer: ofChunk(observer, id) };
    const inner = new Simulation(machine, { world, keepers: this.keepers }, begins.at, options);
    inner.run([{ type: 'chunkStarted' }]);
    appendAll(this.calls, inner.calls);
    if (inner.chunkResult === undefined) return;
    this.chunkEvents.set(ref, inner.events);
    const settled = { status: 'done', result: jsonOf(inner.chunkResult) } as const;
    const { now } = this;
    this.now = inner.now;
    const due = this.due({ type: 'chunkEnd', chunk: id });
    this.now = now;
    if (due) this.happenings.announce({ ...due, input: { type: 'chunkSettled', ref, settled } });
  }

  /** Continue-as-new: the state is serialized to JSON and restored, and timers are set again. */
  continueAsNew(): void {
    if (!this.world.next) return;
    const due = this.due({ type: 'continued' });
    if (!due) return;
    this.happenings.cancel(({ type }) => type === 'continued');
    this.happenings.announce({ ...due, input: { type: 'continued' } });
  }

  private apply(own: readonly Input[], continueAsNewSuggested?: boolean): void {
    const inputs = [...(this.options.inject?.[this.batches] ?? []), ...own];
    for (const input of inputs) {
      if (input.type === 'chunkSettled' && !this.options.isLean)
        appendAll(this.events, this.chunkEvents.get(input.ref) ?? []);
      else if (input.type === 'taskSettled') this.open.delete(input.taskRunId);
      else if (input.type === 'childSettled') this.open.delete(input.child);
      else if (input.type === 'continued' && this.batches > 0) this.revive();
    }
    if (this.options.persist) this.revive();
    const batch = { at: this.now, inputs, ...(continueAsNewSuggested && { continueAsNewSuggested }) };
    const { commands, events } = this.machine.apply(batch, this.options.observer);
    this.batches++;
    if (!this.options.isLean) appendAll(this.events, events);
    for (const command of commands) carryOutCommand(this, command);
  }

  notes(call: TaskCall): void {
    if (!this.options.isLean) this.calls.push(call);
  }

  private revive(): void {
    this.adopt(Machine.from(this.plan, jsonOf<State>(this.machine.state)));
  }

  outcome(start: number): Simulated {
    const { events, calls, result, error, batches, end } = this;
    const { state } = this.machine;
    return { state, events, calls, result, error, batches, end, elapsed: this.now - start };
  }
}

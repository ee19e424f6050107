/**
 * Runs a Plan on the pure engine in a simulated world: mocks answer tasks, time jumps to the next event. Without
 * server and waiting: a year of retries takes milliseconds.
 */
import {
  type Chunk,
  type ChunkResult,
  type ChunkSettled,
  type Command,
  type EngineEvent,
  type Input,
  KEYCHAIN_RUN,
  Machine,
  type State,
} from '../../engine';
import {
  type Json,
  type JsonObject,
  KEYCHAIN_KIND,
  LIMIT_KIND,
  type LimitCall,
  type Outcome,
  type Plan,
  type TaskCall,
} from '../../plan';
import { earliest, type Happening, Happenings, type Pick } from './happenings';
import { Keepers, type OtherExecution } from './keepers';

/** The outcome of a task call, and after how many simulated milliseconds. */
export interface Answer {
  readonly outcome: Outcome;
  readonly after: number;
}

/** Everything outside the engine. */
export interface World {
  /**
   * @param at milliseconds since the epoch
   * @returns undefined if there is no answer: the simulation stops there
   */
  answer(call: TaskCall, at: number): Answer | undefined;
}

export interface SimulateOptions {
  readonly payload?: JsonObject;
  /** Decimal; seeds the engine's randomness. */
  readonly executionId?: string;
  /** Milliseconds since the epoch: the simulated time of the first batch. */
  readonly startAt?: number;
  /** External messages, with their times in milliseconds after the start. */
  readonly messages?: readonly { readonly after: number; readonly input: Input }[];
  /** Executions with the same key, for limits; default none. */
  readonly others?: readonly OtherExecution[];
  /** Which of the announced happenings comes next; default the earliest. */
  readonly pick?: Pick;
  /** Serialises and revives the state between batches. */
  readonly persist?: boolean;
  /** Inputs added to the batch of that number, before its own. */
  readonly inject?: Readonly<Record<number, readonly Input[]>>;
  readonly maxBatches?: number;
}

export interface Simulated {
  readonly state: State;
  readonly events: readonly EngineEvent[];
  readonly calls: readonly TaskCall[];
  readonly result: Json | undefined;
  readonly error: Extract<Command, { type: 'fail' }>['error'] | undefined;
  /** Milliseconds of simulated time. */
  readonly elapsed: number;
  readonly batches: number;
  /**
   * The engine's final command; `stuck` if it waits for something not announced, or was stopped (no answer,
   * `maxBatches`).
   */
  readonly end: 'complete' | 'fail' | 'cancelled' | 'stuck';
}

/** The default start time of a simulation: 2023-11-14T22:13:20Z. */
export const START = 1_700_000_000_000;
const EXECUTION_ID = '123456789012345678';
const MAX_BATCHES = 200_000;

/** Runs the plan until it ends, or until nothing more can happen. */
export function simulatePlan(plan: Plan, world: World, options: SimulateOptions = {}): Simulated {
  const start = options.startAt ?? START;
  const machine = Machine.create(plan, options.executionId ?? EXECUTION_ID, start);
  const keepers = new Keepers(options.others ?? [], start);
  const simulation = new Simulation(plan, machine, { world, keepers }, start, options);
  for (const { after, input } of options.messages ?? []) {
    simulation.happenings.announce({ at: start + after, input });
  }
  simulation.run([{ type: 'started', payload: options.payload ?? {} }]);
  return simulation.outcome(start);
}

/** As it would be read from history. */
function jsonOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** The driver's reaction to each command (workflows/), with a simulated clock. */
const EFFECTS: {
  readonly [T in Command['type']]: (s: Simulation, command: Extract<Command, { type: T }>) => void;
} = {
  runTask: (s, { call }) =>
    Object.hasOwn(OWN_CALLS, call.kind)
      ? OWN_CALLS[call.kind]!(s, call)
      : settles(s, call, (outcome) => ({ type: 'taskSettled', taskRunId: call.task_run_id, outcome })),
  cancelTask: (s, { taskRunId }) =>
    s.happenings.replace(
      (input) => input.type === 'taskSettled' && input.taskRunId === taskRunId,
      ({ at }) => ({
        at: Math.min(at, s.now),
        input: { type: 'taskSettled', taskRunId, outcome: CANCELLED },
      }),
    ),
  runPlaybook: (s, { child, call }) =>
    settles(s, call, (outcome) => ({ type: 'childSettled', child, outcome })),
  cancelPlaybook: (s, { child }) =>
    s.happenings.replace(
      (input) => input.type === 'childSettled' && input.child === child,
      ({ at }) => ({ at: Math.min(at, s.now), input: { type: 'childSettled', child, outcome: CANCELLED } }),
    ),
  leaveLimit: () => undefined,
  // A mocked child is only an answer: there is nothing to pause.
  answerEvent: () => undefined,
  pausePlaybook: () => undefined,
  resumePlaybook: () => undefined,
  runChunk: (s, { ref, chunk }) => s.runChunk(ref, chunk),
  cancelChunk: (s, { ref }) =>
    s.happenings.replace(
      (input) => input.type === 'chunkSettled' && input.ref === ref,
      ({ at }) => ({ at: Math.min(at, s.now), input: { type: 'chunkSettled', ref, settled: LOST } }),
    ),
  // Simulated chunks end as soon as they start.
  pauseChunk: () => undefined,
  resumeChunk: () => undefined,
  // The simulation has a single machine.
  startLease: () => undefined,
  cancelLease: () => undefined,
  leaseSpent: () => undefined,
  chunkEnded: (s, { result }) => {
    s.chunkResult = result;
    s.end = 'complete';
  },
  startTimer: (s, { key, deadline }) =>
    s.happenings.announce({ at: deadline, input: { type: 'timerFired', key } }),
  cancelTimer: (s, { key }) =>
    s.happenings.cancel((input) => input.type === 'timerFired' && input.key === key),
  continueAsNew: () => undefined,
  complete: (s, { result }) => {
    s.result = result;
    s.end = 'complete';
  },
  fail: (s, { error }) => {
    s.error = error;
    s.end = 'fail';
  },
  cancelled: (s) => {
    s.end = 'cancelled';
  },
};

/** Activities that are not tasks of the playbook. */
const OWN_CALLS: Readonly<Record<string, (s: Simulation, call: TaskCall) => void>> = {
  [KEYCHAIN_KIND]: (s) => s.happenings.announce({ at: s.now, input: KEYCHAIN_HOLDS }),
  [LIMIT_KIND]: (s, { task_run_id: taskRunId, config }) => {
    s.happenings.announce({ at: s.now, input: { type: 'taskSettled', taskRunId, outcome: DELIVERED } });
    const heard = s.keepers.ask(config as unknown as LimitCall, s.now);
    for (const happening of heard) s.happenings.announce(happening);
  },
};

const DELIVERED: Outcome = { status: 'ok', result: null, error: null, meta: {} };

/** The world answers a call of a tool or sub-playbook, now or later. */
function settles(s: Simulation, call: TaskCall, as: (outcome: Outcome) => Input): void {
  s.calls.push(call);
  const answer = s.world.answer(call, s.now);
  if (answer === undefined) {
    s.unanswered = true;
    return;
  }
  s.happenings.announce({ at: s.now + answer.after, input: as(answer.outcome) });
}

/** No secrets are looked up in a simulation: every entry resolves. */
const KEYCHAIN_HOLDS: Input = {
  type: 'taskSettled',
  taskRunId: KEYCHAIN_RUN,
  outcome: { status: 'ok', result: { nonce: 'simulated' }, error: null, meta: {} },
};

const CANCELLED: Outcome = {
  status: 'error',
  result: null,
  error: { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled', retryable: false },
  meta: {},
};

const LOST: ChunkSettled = {
  status: 'lost',
  cause: { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled' },
};

class Simulation {
  readonly happenings: Happenings;
  readonly calls: TaskCall[] = [];
  end: Simulated['end'] = 'stuck';
  result: Json | undefined;
  error: Simulated['error'];
  unanswered = false;
  private readonly events: EngineEvent[] = [];
  /** The result of a chunk. */
  chunkResult: ChunkResult | undefined;
  private batches = 0;
  /** Events of ended chunks: emitted when the loop learns of the end. */
  private readonly chunkEvents = new Map<string, readonly EngineEvent[]>();

  constructor(
    private readonly plan: Plan,
    private machine: Machine,
    private readonly outside: { readonly world: World; readonly keepers: Keepers },
    public now: number,
    private readonly options: SimulateOptions,
  ) {
    machine.lends = false;
    this.happenings = new Happenings(options.pick ?? earliest);
  }

  get world(): World {
    return this.outside.world;
  }

  get keepers(): Keepers {
    return this.outside.keepers;
  }

  run(first: readonly Input[]): void {
    let inputs = first;
    while (this.batches < (this.options.maxBatches ?? MAX_BATCHES)) {
      this.apply([...(this.options.inject?.[this.batches] ?? []), ...inputs]);
      if (this.end !== 'stuck' || this.unanswered) return;
      const next: Happening | undefined = this.happenings.next();
      if (next === undefined) return;
      this.now = Math.max(this.now, next.at);
      inputs = [next.input];
    }
  }

  /**
   * A chunk is a simulation of its own, in the same world; its end is announced to the loop at its simulated time.
   */
  runChunk(ref: string, chunk: Chunk): void {
    const { persist, pick, maxBatches } = this.options;
    const machine = Machine.forChunk(this.plan, jsonOf(chunk), this.now);
    const inner = new Simulation(this.plan, machine, this.outside, this.now, { persist, pick, maxBatches });
    inner.run([{ type: 'chunkStarted' }]);
    this.calls.push(...inner.calls);
    if (inner.chunkResult === undefined) return;
    this.chunkEvents.set(ref, inner.events);
    const settled = { status: 'done', result: jsonOf(inner.chunkResult) } as const;
    this.happenings.announce({ at: inner.now, input: { type: 'chunkSettled', ref, settled } });
  }

  private apply(inputs: readonly Input[]): void {
    for (const input of inputs) {
      if (input.type === 'chunkSettled') this.events.push(...(this.chunkEvents.get(input.ref) ?? []));
    }
    if (this.options.persist) {
      this.machine = Machine.from(this.plan, jsonOf<State>(this.machine.state));
      this.machine.lends = false;
    }
    const { commands, events } = this.machine.apply({ at: this.now, inputs });
    this.batches++;
    for (const event of events) this.events.push(event);
    for (const command of commands) (EFFECTS[command.type] as (s: this, c: Command) => void)(this, command);
  }

  outcome(start: number): Simulated {
    const { events, calls, result, error, batches, end } = this;
    return {
      state: this.machine.state,
      events,
      calls,
      result,
      error,
      elapsed: this.now - start,
      batches,
      end,
    };
  }
}

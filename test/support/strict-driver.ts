/**
 * Drives the engine as the workflow does, and holds it to the contract between them: nothing asked for twice, nothing
 * taken back that was never asked for, a fresh history only when nothing is in flight (DESIGN.md section 3, D21).
 */
import {
  type Command,
  type EngineEvent,
  type Input,
  Machine,
  type Observer,
  type State,
} from '../../src/engine';
import { type Json, type Outcome, type Plan, type TaskCall } from '../../src/plan';
import { START } from './simulator';

export interface Drive {
  readonly answer: (call: TaskCall) => Outcome;
  /** Numbers that choose what happens next, and how much of it at once; then the oldest, one by one. */
  readonly order?: readonly number[];
  /** Inputs from outside, by batch. */
  readonly inject?: Readonly<Record<number, Input>>;
  /** Temporal asks for a fresh history with these batches. */
  readonly drainAt?: readonly number[];
  /** The state goes through JSON between batches. */
  readonly persist?: true;
  /** Without events, as the workflow drives. */
  readonly blind?: true;
  readonly observer?: Observer;
  /** A recorded state to go on from, and the first input after it. */
  readonly from?: { readonly state: State; readonly input: Input };
}

export interface Driven {
  readonly state: State;
  readonly events: readonly EngineEvent[];
  readonly end: 'complete' | 'fail' | 'cancelled' | 'stuck' | 'endless';
  readonly result: Json | undefined;
  readonly continuations: number;
  /** What the engine did against the contract, in words. */
  readonly broken: readonly string[];
}

const MAX_BATCHES = 5000;
const MAX_PENDING = 1500;

export function drive(plan: Plan, options: Drive): Driven {
  return new Driver(plan, options).run();
}

class Driver {
  private machine: Machine;
  private readonly tasks = new Map<string, Outcome>();
  private readonly timers = new Map<string, number>();
  private readonly seen = new Set<string>();
  /** Keys of what the next batch brings the end of. */
  private readonly happened = new Set<string>();
  private readonly broken: string[] = [];
  private readonly events: EngineEvent[] = [];
  private end: Driven['end'] | undefined;
  private result: Json | undefined;
  private isFresh = false;
  private continuations = 0;
  private now = START;
  private chosen = 0;

  constructor(
    private readonly plan: Plan,
    private readonly options: Drive,
  ) {
    const { from } = options;
    this.machine = from
      ? Machine.from(plan, structuredClone(from.state))
      : Machine.create(plan, '123456789012345678', START);
  }

  run(): Driven {
    let inputs: Input[] = [this.options.from?.input ?? { type: 'started', payload: {} }];
    for (let batch = 0; this.end === undefined; batch++) {
      if (batch > MAX_BATCHES) this.end = 'endless';
      else if (inputs.length === 0) this.end = 'stuck';
      else inputs = this.batch(batch, inputs);
    }
    if (this.tasks.size > 0 && this.end !== 'endless')
      this.broken.push(`ended with ${this.tasks.size} tasks pending`);
    const { end, events, result, continuations, broken } = this;
    return { state: this.machine.state, events, end, result, continuations, broken };
  }

  private batch(number: number, given: readonly Input[]): Input[] {
    const injected = this.options.inject?.[number];
    const inputs = injected ? [injected, ...given] : [...given];
    if (this.options.persist) this.revive();
    const continueAsNewSuggested = this.options.drainAt?.includes(number) ?? false;
    const batch = { at: this.now, inputs, continueAsNewSuggested };
    if (this.options.blind) for (const command of this.machine.advance(batch)) this.perform(command);
    else {
      const { commands, events } = this.machine.apply(batch, this.options.observer);
      this.events.push(...events);
      for (const command of commands) this.perform(command);
    }
    if (this.tasks.size > MAX_PENDING) this.broken.push(`${this.tasks.size} tasks are pending`);
    if (this.isFresh) return this.freshHistory();
    const next = this.next();
    // Whoever is stuck with a message to come gets it.
    const later = Object.keys(this.options.inject ?? {}).some((key) => Number(key) > number);
    return next.length === 0 && this.end === undefined && later
      ? [{ type: 'timerFired', key: 'nothing' }]
      : next;
  }

  private revive(): void {
    this.machine = Machine.from(this.plan, JSON.parse(JSON.stringify(this.machine.state)) as State);
  }

  private freshHistory(): Input[] {
    if (this.tasks.size > 0) this.broken.push('a fresh history with tasks in flight');
    this.timers.clear();
    this.isFresh = false;
    this.continuations++;
    this.revive();
    return [{ type: 'continued' }];
  }

  private perform(command: Command): void {
    if (this.end !== undefined) this.broken.push(`${command.type} after the end`);
    switch (command.type) {
      case 'runTask': {
        const id = command.call.task_run_id;
        if (this.seen.has(id)) this.broken.push(`${id} is run twice`);
        this.seen.add(id);
        this.tasks.set(id, this.options.answer(command.call));
        break;
      }
      case 'cancelTask':
        if (this.tasks.has(command.taskRunId)) this.tasks.set(command.taskRunId, CANCELLED);
        else this.takenBack(command.taskRunId);
        break;
      case 'startTimer':
        if (this.timers.has(command.key)) this.broken.push(`timer ${command.key} is started twice`);
        this.timers.set(command.key, command.deadline);
        break;
      case 'cancelTimer':
        if (!this.timers.delete(command.key)) this.takenBack(command.key);
        break;
      case 'continueAsNew':
        this.isFresh = true;
        break;
      case 'complete':
        this.result = command.result;
        this.end = 'complete';
        break;
      case 'fail':
      case 'cancelled':
        this.end = command.type;
        break;
      default:
        this.broken.push(`an unexpected command ${JSON.stringify(command)}`);
    }
  }

  /** What this very batch brought the end of may still be taken back: the workflow finds nothing to cancel. */
  private takenBack(key: string): void {
    if (!this.happened.has(key)) this.broken.push(`${key} is cancelled without being in flight`);
  }

  /** One or a few of the tasks, else the earliest timer: sorted by key, as the workflow does. */
  private next(): Input[] {
    this.happened.clear();
    const happened: Input[] = [];
    const many = 1 + (this.choose() % 3);
    for (let n = 0; n < many && this.tasks.size > 0; n++) {
      const ids = [...this.tasks.keys()];
      const taskRunId = ids[this.choose() % ids.length]!;
      happened.push({ type: 'taskSettled', taskRunId, outcome: this.tasks.get(taskRunId)! });
      this.tasks.delete(taskRunId);
      this.happened.add(taskRunId);
    }
    if (happened.length > 0) return happened.sort(byKey);
    const [earliest] = [...this.timers].sort(([, a], [, b]) => a - b);
    if (!earliest) return [];
    const [key, deadline] = earliest;
    this.timers.delete(key);
    this.happened.add(key);
    this.now = Math.max(this.now, deadline);
    return [{ type: 'timerFired', key }];
  }

  private choose(): number {
    return this.options.order?.[this.chosen++] ?? 0;
  }
}

function byKey(a: Input, b: Input): number {
  const [one, other] = [a, b].map((input) => (input.type === 'taskSettled' ? input.taskRunId : '')) as [
    string,
    string,
  ];
  return one < other ? -1 : 1;
}

const CANCELLED: Outcome = {
  status: 'error',
  result: null,
  error: { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled', retryable: false },
  meta: {},
};

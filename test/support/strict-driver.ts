/**
 * Drives the engine as the workflow does, and holds it to the contract between them: nothing asked for twice, nothing
 * taken back that was never asked for, a fresh history only when nothing is in flight, nothing under way at the end.
 */
import {
  type Command,
  type EngineEvent,
  type Input,
  Machine,
  type Observer,
  type StartLease,
  type State,
} from '../../src/engine/machine';
import {
  type Json,
  LIMIT_KIND,
  type LimitCall,
  type Outcome,
  type Plan,
  type TaskCall,
} from '../../src/language/plan';
import { CANCELLED, onLease } from './lease';
import { START } from './simulator';

export interface Drive {
  readonly answer: (call: TaskCall) => Outcome;
  /** Numbers that choose what happens next, and how much of it at once; then the oldest, one by one. */
  readonly order?: readonly number[];
  /** Inputs from outside, by batch. */
  readonly inject?: Readonly<Record<number, readonly Input[]>>;
  /** Temporal asks for a fresh history with these batches. */
  readonly drainAt?: readonly number[];
  /** The state goes through JSON between batches. */
  readonly persist?: true;
  /** Without events, as the workflow drives. */
  readonly blind?: true;
  readonly observer?: Observer;
  /** Every lease whose number this divides loses its worker, and what it had not told. */
  readonly loses?: number;
  /** A recorded state to go on from, and the first input after it. */
  readonly from?: { readonly state: State; readonly input: Input };
}

export interface Driven {
  readonly state: State;
  readonly events: readonly EngineEvent[];
  readonly end: 'complete' | 'fail' | 'cancelled' | 'stuck' | 'endless';
  readonly result: Json | undefined;
  readonly continuations: number;
  readonly leases: number;
  readonly batches: number;
  /** What the engine did against the contract, in words. */
  readonly broken: readonly string[];
}

const MAX_BATCHES = 50_000;
const MAX_PENDING = 1500;

export function drive(plan: Plan, options: Drive): Driven {
  return new Driver(plan, options).run();
}

/** What the world owes the engine, by the key it was asked for: the end of a task, of a child, of a time. */
interface Owed {
  readonly input: Input;
  /** Timers only. */
  readonly deadline?: number;
}

class Driver {
  private machine: Machine;
  private readonly tasks = new Map<string, Owed>();
  private readonly children = new Map<string, Owed>();
  /** Of keepers; what is not answered at the end needs no answer. */
  private readonly answers = new Map<string, Owed>();
  private readonly timers = new Map<string, Owed>();
  private lease: { readonly command: StartLease; cancelled: boolean } | undefined;
  private leases = 0;
  private readonly detached = new Set<string>();
  private readonly seen = new Set<string>();
  /** Keys of what the next batch brings the end of. */
  private readonly happened = new Set<string>();
  private readonly broken: string[] = [];
  private readonly events: EngineEvent[] = [];
  private end: Driven['end'] | undefined;
  private result: Json | undefined;
  private isFresh = false;
  private continuations = 0;
  private batches = 0;
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
    for (; this.end === undefined; this.batches++) {
      if (this.batches > MAX_BATCHES) this.end = 'endless';
      else if (inputs.length === 0) this.end = 'stuck';
      else inputs = this.batch(this.batches, inputs);
    }
    if (this.end !== 'endless') this.leftBehind();
    const { end, events, result, continuations, leases, batches, broken } = this;
    return { state: this.machine.state, events, end, result, continuations, leases, batches, broken };
  }

  private leftBehind(): void {
    const awaited = [...this.children.keys()].filter((child) => !this.detached.has(child));
    const owed = { tasks: [...this.tasks.keys()], 'sub-playbooks': awaited, timers: [...this.timers.keys()] };
    for (const [what, keys] of Object.entries(owed)) {
      if (keys.length > 0) this.broken.push(`ended with ${what} under way: ${keys.join(', ')}`);
    }
  }

  private batch(number: number, given: readonly Input[]): Input[] {
    const inputs = [...(this.options.inject?.[number] ?? []), ...given];
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
    if (this.end !== undefined) return [];
    const next = this.next();
    return next.length > 0 ? next : this.lastResort(number);
  }

  private revive(): void {
    this.machine = Machine.from(this.plan, JSON.parse(JSON.stringify(this.machine.state)) as State);
  }

  /** Sub-playbooks outlive the history they were started in. */
  private freshHistory(): Input[] {
    if (this.tasks.size > 0 || this.lease) this.broken.push('a fresh history with tasks in flight');
    // A message that comes before the history begins may end a wait of the last one.
    for (const key of this.timers.keys()) this.happened.add(key);
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
        const { kind, config } = command.call;
        if (kind === LIMIT_KIND)
          this.answers.set(id, { input: answerOf(config as unknown as LimitCall, this.now) });
        const outcome = kind === LIMIT_KIND ? DELIVERED : this.options.answer(command.call);
        this.owe(this.tasks, id, { input: { type: 'taskSettled', taskRunId: id, outcome } });
        break;
      }
      case 'cancelTask': {
        const { taskRunId } = command;
        const input: Input = { type: 'taskSettled', taskRunId, outcome: CANCELLED };
        if (this.tasks.has(taskRunId)) this.tasks.set(taskRunId, { input });
        else this.takenBack(taskRunId);
        break;
      }
      case 'runPlaybook': {
        const { child, detached } = command;
        if (detached) this.detached.add(child);
        const input: Input = detached
          ? { type: 'childStarted', child, digest: 'd' }
          : { type: 'childSettled', child, outcome: this.options.answer(command.call) };
        this.owe(this.children, child, { input });
        break;
      }
      case 'cancelPlaybook': {
        const { child } = command;
        const input: Input = { type: 'childSettled', child, outcome: CANCELLED };
        if (this.steered(child)) this.children.set(child, { input });
        break;
      }
      case 'pausePlaybook':
      case 'resumePlaybook':
        this.steered(command.child);
        break;
      case 'startTimer': {
        const { key, deadline } = command;
        if (this.timers.has(key)) this.broken.push(`timer ${key} is started twice`);
        this.timers.set(key, { input: { type: 'timerFired', key }, deadline });
        break;
      }
      case 'cancelTimer':
        if (!this.timers.delete(command.key)) this.takenBack(command.key);
        break;
      case 'startLease':
        if (this.lease) this.broken.push('lent twice');
        this.leases++;
        this.lease = { command: JSON.parse(JSON.stringify(command)) as StartLease, cancelled: false };
        break;
      case 'cancelLease':
        if (this.lease) this.lease.cancelled = true;
        else this.broken.push('a lease is cancelled that is over');
        break;
      case 'continueAsNew':
        this.isFresh = true;
        break;
      case 'answerEvent':
      case 'leaveLimit':
        break;
      case 'complete':
        this.result = command.result;
        this.end = 'complete';
        break;
      case 'fail':
      case 'cancelled':
        this.end = command.type;
        break;
    }
  }

  private owe(where: Map<string, Owed>, key: string, owed: Owed): void {
    if (this.seen.has(key)) this.broken.push(`${key} is run twice`);
    this.seen.add(key);
    where.set(key, owed);
  }

  /** A message to a sub-playbook: it has to be there, and waited for. */
  private steered(child: string): boolean {
    if (this.detached.has(child)) this.broken.push(`${child} is detached and gets a message`);
    if (!this.children.has(child)) this.takenBack(child);
    return this.children.has(child);
  }

  /** What this very batch brought the end of may still be taken back: the workflow finds nothing to cancel. */
  private takenBack(key: string): void {
    if (!this.happened.has(key)) this.broken.push(`${key} is cancelled without being in flight`);
  }

  /** A few of what may happen: tasks, sub-playbooks, events that are waited for; timers when they are next in time. */
  private next(): Input[] {
    // What ends while the machine is away, it hears of when it is back.
    if (!this.lease) this.happened.clear();
    const happened: [string, Input][] = [];
    const many = 1 + (this.choose() % 3);
    for (let n = 0; n < many; n++) {
      const back: [string, Owed][] = this.lease ? [[this.lease.command.ref, { input: PENDING }]] : [];
      const possible = [
        ...this.tasks,
        ...this.children,
        ...this.answers,
        ...back,
        ...this.awaitedEvents(happened.length),
      ];
      if (possible.length === 0) break;
      const [key, owed] = possible[this.choose() % possible.length]!;
      const input = owed.input === PENDING ? this.comeBack() : owed.input;
      this.take(key, owed);
      this.happened.add(key);
      happened.push([key, input]);
    }
    const timer = happened.length === 0 || this.choose() % 8 === 7 ? this.elapse() : [];
    const sorted = happened.sort(byKey).map(([, input]) => input);
    return [...sorted, ...timer];
  }

  /** An answer has the key of its request, which may still be under way. */
  private take(key: string, owed: Owed): void {
    for (const where of [this.tasks, this.children, this.answers]) {
      if (where.get(key) === owed) where.delete(key);
    }
  }

  /** The machine comes back, or what its worker had told before it died. */
  private comeBack(): Input {
    const { command, cancelled } = this.lease!;
    this.lease = undefined;
    const { answer, loses } = this.options;
    const choose = (): number => this.choose();
    const { trace, ran, now } = onLease(this.plan, command, { answer, choose, cancelled, now: this.now });
    this.now = now;
    if (loses !== undefined && this.leases % loses === 0) {
      // What its worker was at may be taken back in the batch that tells of the loss: nothing is there to cancel.
      for (const id of ran) this.happened.add(id);
      const told = trace.slice(0, this.choose() % (trace.length + 1));
      return { type: 'leaseEnded', ref: command.ref, trace: told, lost: LOST };
    }
    for (const id of ran) {
      if (this.seen.has(id)) this.broken.push(`${id} is run twice`);
      this.seen.add(id);
    }
    return { type: 'leaseEnded', ref: command.ref, trace };
  }

  /** The earliest timer fires. */
  private elapse(): Input[] {
    const [earliest] = [...this.timers].sort(([, a], [, b]) => a.deadline! - b.deadline!);
    if (!earliest) return [];
    const [key, { input, deadline }] = earliest;
    this.timers.delete(key);
    this.happened.add(key);
    this.now = Math.max(this.now, deadline!);
    return [input];
  }

  /** Events that tasks wait for; one a batch, because the first may be the end of the second's wait. */
  private awaitedEvents(alreadyHappening: number): [string, Owed][] {
    if (alreadyHappening > 0) return [];
    const names = new Set(Object.values(this.machine.state.waits).flatMap(({ event }) => event ?? []));
    return [...names].map((name) => [
      `event ${name}`,
      { input: { type: 'externalEvent', name, payload: { to: name } } },
    ]);
  }

  /** Nothing can happen any more: messages that are still to come, and somebody who resumes what was paused. */
  private lastResort(number: number): Input[] {
    const later = Object.keys(this.options.inject ?? {}).some((key) => Number(key) > number);
    if (later) return [{ type: 'timerFired', key: 'nothing' }];
    return this.machine.state.status === 'paused' ? [{ type: 'resumed' }] : [];
  }

  private choose(): number {
    return this.options.order?.[this.chosen++] ?? 0;
  }
}

function byKey([a]: readonly [string, Input], [b]: readonly [string, Input]): number {
  return a < b ? -1 : 1;
}

const DELIVERED: Outcome = { status: 'ok', result: null, error: null, meta: {} };

/** Nobody else has the key; slots are a second apart. */
function answerOf({ keeper, request: { execution, rate } }: LimitCall, now: number): Input {
  const to = { keeper, execution };
  if (!rate) return { type: 'limitAnswered', answer: { ...to, type: 'granted' } };
  const slots = Array.from({ length: rate.count }, (_, n) => [now + n * 1000, 1] as const);
  return { type: 'limitAnswered', answer: { ...to, type: 'slots', ref: rate.ref, slots } };
}

/** Stands for what a lease will have been when it is over. */
const PENDING: Input = { type: 'resumed' };

const LOST: Outcome = {
  ...CANCELLED,
  error: { kind: 'worker_lost', code: 'WORKER_LOST', message: 'the worker was lost', retryable: true },
};

/** How long things took and which ids sub-playbooks got depends on order, and on nothing that a plan can read. */
const OF_THE_ORDER = new Set(['duration_ms', 'received_at', 'execution_id', 'workflow_id']);

/** Everything that must not depend on the order of completions. */
export function essence({ end, result, state }: Driven): unknown {
  const { results, executed, ctx, leaves } = state;
  return JSON.parse(
    JSON.stringify({ end, result, results, executed: [...executed].sort(), ctx, leaves }),
    (key: string, value: unknown) => (OF_THE_ORDER.has(key) ? undefined : value),
  );
}

/** One execution in virtual time: what is shared by its steps, how it ends, and what was seen of it. */
import { Limits, type Other, type Refusal } from './limits';
import { type Message, Outside } from './outside';
import { Clock, type Flow, Gate, type Process } from './clock';
import { type Dict, dict, type Playbook, readPlaybook, type Step } from './document';
import { isAdmitted, runStep } from './step';
import { type HitName, hitsOf } from './hits';
import { Net, type Target, type Token } from './tokens';
import { deepMerge, mapOf, type Outcome, type ResultView } from './values';

/** A call of a tool, as the oracle predicts it. Times are milliseconds since the start. */
export interface Call {
  readonly id: string;
  readonly step: string;
  readonly task: string;
  readonly kind: string;
  readonly input: Dict;
  readonly config: Dict;
  readonly from: number;
  to: number;
  isCancelled: boolean;
}

/** What a tool answers, and after how many milliseconds. */
export interface Answer {
  readonly outcome: Outcome;
  readonly after: number;
}

/** What surrounds an execution, besides its tools. */
export interface Around {
  readonly messages?: readonly Message[];
  /** Playbooks that it can call, by path; calls of others are answered like those of a tool. */
  readonly children?: Readonly<Record<string, string>>;
  /** Of a sub-playbook: the `iter` of its caller. */
  readonly callerIter?: Dict | undefined;
  /** Executions that ask for the same key. */
  readonly others?: readonly Other[];
}

export type Mock = (call: Pick<Call, 'id' | 'step' | 'task' | 'kind' | 'input' | 'config'>) => Answer;

export interface Failure {
  readonly code: string;
  readonly step?: string;
  readonly task?: string;
  readonly [more: string]: unknown;
}

export interface StepBegun {
  readonly step: string;
  readonly at: number;
}

export interface Ending {
  readonly status: 'completed' | 'failed' | 'cancelled' | 'waiting';
  readonly result: unknown;
  readonly error: Failure | undefined;
  readonly steps: readonly StepBegun[];
  /** Those of executions that it called. */
  readonly inner?: readonly StepBegun[];
  readonly calls: readonly Call[];
  /** Events that it waited for, and from when. */
  readonly waits?: readonly string[];
  readonly ctx: Dict;
  readonly notes: readonly { readonly code: string; readonly at: number }[];
  readonly elapsed: number;
  readonly hits?: readonly HitName[];
}

/** How a run of a step ended. `targets` are where its token goes; none ends it. */
export interface StepEnd {
  readonly result: unknown;
  readonly failure: Failure | undefined;
  readonly targets: readonly Target[];
}

export class Execution {
  readonly clock = new Clock();
  readonly steps: ReadonlyMap<string, Step>;
  readonly workload: Dict;
  readonly ctx: Dict = {};
  /** Views of the results of steps that have ended. */
  readonly results: Dict = {};
  readonly calls: Call[] = [];
  readonly notes: { code: string; at: number }[] = [];
  /** Rules that decided something, of those that are told. */
  readonly hits = new Set<HitName>();
  /** Events for tasks that wait, pause and cancel. */
  readonly outside: Outside;
  readonly limits: Limits;
  isOver = false;
  isCancelled = false;
  private readonly started: { step: string; at: number }[] = [];
  private readonly inner: StepBegun[] = [];
  private readonly ended: {
    readonly step: string;
    readonly succeeded: boolean;
    readonly hasResult: boolean;
    readonly isAnswer: boolean;
  }[] = [];
  private readonly runs: Record<string, number> = {};
  private readonly processes = new Set<Process>();
  private readonly leaves = new Map<string, unknown>();
  private readonly net: Net;
  private failure: Failure | undefined;
  private isQueued = false;
  private skipped: Dict | undefined;

  constructor(
    private readonly playbook: Playbook,
    private readonly mock: Mock,
    payload: Dict,
    readonly around: Around = {},
  ) {
    this.outside = new Outside(this, around.messages ?? []);
    const defaults = mapOf(playbook.workload, [{ workload: deepMerge(playbook.workload, payload) }]);
    this.workload = dict(deepMerge(defaults, payload));
    this.limits = new Limits(this, playbook.limits, around.others ?? []);
    this.steps = new Map(playbook.steps.map((step) => [step.name, step]));
    this.net = new Net(this.steps, (token) => this.begin(token), {
      hit: (rule) => this.hits.add(rule),
      isHeld: () => this.outside.isPaused,
    });
  }

  run(): Ending {
    if (this.limits.isFree) this.net.enter(this.playbook.entry);
    else this.queues();
    this.outside.arrive();
    this.clock.run(() => this.isOver || this.hasEnded);
    const status = this.status();
    return {
      status,
      result: status === 'completed' ? this.result() : undefined,
      error: status === 'failed' ? this.failure : undefined,
      steps: this.started,
      inner: this.inner,
      waits: this.outside.begun,
      calls: this.calls,
      ctx: this.ctx,
      notes: this.notes,
      elapsed: this.clock.now,
      hits: [...this.hits],
    };
  }

  /** It runs once its limits let it. */
  private queues(): void {
    this.isQueued = true;
    const { limits, clock } = this;
    const decided = (refusal: Refusal | undefined): void => {
      this.isQueued = false;
      this.processes.delete(process);
      if (!refusal) return this.net.enter(this.playbook.entry);
      if ('skipped' in refusal) this.skipped = refusal.skipped;
      else {
        this.failure = { code: refusal.code };
        this.stop();
      }
    };
    const process = clock.start(
      (function* (): Flow<void> {
        decided(yield* limits.enter());
      })(),
    );
    this.processes.add(process);
  }

  /** It does not end by itself while it is paused. */
  private get hasEnded(): boolean {
    return this.net.isEmpty && !this.isQueued && !this.outside.isPaused;
  }

  private status(): Ending['status'] {
    if (this.isCancelled) return 'cancelled';
    if (!this.isOver && !this.hasEnded) return 'waiting';
    return this.failure ? 'failed' : 'completed';
  }

  /** Tokens that had to stay where they are go on. */
  goOn(): void {
    if (!this.isOver) this.net.settle();
  }

  /** Everything stops at once. */
  cancel(): void {
    this.isCancelled = true;
    this.stop();
  }

  private stop(): void {
    this.isOver = true;
    for (const process of this.processes) this.clock.stop(process);
  }

  /** A call of a tool: recorded, and cancelled if its flow is stopped. */
  *call(call: Pick<Call, 'id' | 'step' | 'task' | 'kind' | 'input' | 'config'>): Flow<Outcome> {
    const { outcome, after } = this.mock(call);
    const from = this.clock.now;
    const entry: Call = { ...call, from, to: from + after, isCancelled: false };
    this.calls.push(entry);
    let isOver = false;
    try {
      yield { until: entry.to };
      isOver = true;
    } finally {
      if (!isOver && entry.to > this.clock.now) {
        entry.to = this.clock.now;
        entry.isCancelled = true;
      }
    }
    return outcome;
  }

  /** A call of another playbook, which runs in the same time: its calls are told under the id of this one. */
  *callPlaybook(
    call: Pick<Call, 'id' | 'step' | 'task' | 'kind' | 'input' | 'config'>,
    iter: Dict,
  ): Flow<Outcome> {
    const { id, config } = call;
    const { children } = this.around;
    const mock: Mock = (inner) => this.mock({ ...inner, id: `${id}/${inner.id}` });
    const callerIter = Object.keys(iter).length > 0 ? iter : undefined;
    const path = String(config['path']);
    const from = this.clock.now;
    const isDetached = config['wait'] === false;
    const around = {
      children: children!,
      callerIter,
      messages: isDetached ? [] : pausesFrom(from, this.around.messages ?? []),
    };
    const child = new Execution(readPlaybook(children![path]!), mock, call.input, around);
    const end = child.run();
    this.inner.push(...end.steps.map(({ step, at }) => ({ step: `${id}/${step}`, at })));
    if (isDetached) {
      const to = from + STARTING_MS;
      this.calls.push(
        { ...call, from, to, isCancelled: false },
        ...end.calls.map((one) => movedCall(one, id, from)),
      );
      yield { until: to };
      return { status: 'ok', result: { path, status: 'started', workflow_id: '' }, error: null };
    }
    const limit = config['timeout'] === undefined ? Infinity : Number(config['timeout']) * 1000;
    // One that nobody resumes.
    const elapsed = end.status === 'waiting' ? Infinity : end.elapsed;
    const entry: Call = { ...call, from, to: from + Math.min(elapsed, limit), isCancelled: false };
    this.calls.push(entry, ...end.calls.map((inner) => movedCall(inner, id, from)));
    try {
      yield entry.to === Infinity ? new Gate() : { until: entry.to };
    } finally {
      const until = Math.min(entry.to, this.clock.now);
      if (until < from + elapsed) this.cut(entry, until);
    }
    if (elapsed > limit) return { status: 'error', result: null, error: LATE };
    if (end.error) {
      const { code, step, task, retryable } = end.error;
      return { status: 'error', result: null, error: { code, step, task, retryable: retryable === true } };
    }
    const { return_step, return_result, result_step } = config;
    const named = (step: unknown): unknown =>
      (child.results[String(step)] as ResultView | undefined)?.plain();
    const step = return_step ?? (return_result || result_step ? child.answerOf(result_step) : undefined);
    return { status: 'ok', result: step === undefined ? end.result : (named(step) ?? null), error: null };
  }

  /** The call was stopped, and with it what it called itself. */
  private cut(entry: Call, at: number): void {
    entry.to = at;
    for (const call of this.calls.filter(({ id }) => id.startsWith(`${entry.id}/`))) {
      if (call.from >= at) this.calls.splice(this.calls.indexOf(call), 1);
      else call.to = Math.min(call.to, at);
    }
  }

  /** The step of `result_step`, if it succeeded; otherwise the one that ended last with a result of a call. */
  private answerOf(wanted: unknown): string | undefined {
    const named = this.ended.findLast(({ step }) => step === wanted);
    return named?.succeeded && named.hasResult ? named.step : this.answered();
  }

  private answered(): string | undefined {
    return this.ended.findLast(({ isAnswer }) => isAnswer)?.step;
  }

  note(code: string): void {
    this.notes.push({ code, at: this.clock.now });
  }

  /** The token has reached its step: a run begins, unless the step does not admit it. */
  private begin(token: Token): void {
    const step = this.steps.get(token.step)!;
    if (!isAdmitted(this, step, token.args)) {
      this.net.leave(token, []);
      return;
    }
    const number = (this.runs[step.name] = (this.runs[step.name] ?? 0) + 1);
    this.started.push({ step: step.name, at: this.clock.now });
    const run = runStep(this, step, `${step.name}#${number}`, token.args);
    const process: Process = this.clock.start(this.step(token, run, () => process));
    this.processes.add(process);
  }

  private *step(token: Token, run: Flow<StepEnd>, own: () => Process): Flow<void> {
    const step = this.steps.get(token.step)!;
    const end = yield* run;
    const targets = end.targets.filter(({ step: to }) => this.steps.has(to));
    const succeeded = !end.failure;
    this.ended.push({
      step: step.name,
      succeeded,
      hasResult: end.result !== null,
      isAnswer: succeeded && isAnswer(step, end.result),
    });
    this.processes.delete(own());
    if (!end.failure && targets.length === 0) this.leaves.set(step.name, end.result);
    if (end.failure && end.targets.length === 0) this.failed(step, end.failure);
    if (!this.isOver) this.net.leave(token, targets);
  }

  /** A failure that nobody handled: it ends the execution at once, or when the others have finished. */
  private failed(step: Step, failure: Failure): void {
    this.failure ??= failure;
    if (step.isBestEffort) return;
    this.stop();
  }

  private result(): unknown {
    if (this.skipped) return this.skipped;
    if ((this.runs['end'] ?? 0) > 0) return (this.results['end'] as ResultView | undefined)?.plain() ?? null;
    const last = this.playbook.steps.findLast(({ name }) => this.leaves.has(name));
    return last ? this.leaves.get(last.name) : null;
  }
}

/** Whether a tool, or another playbook, gave the step what it returns. */
function isAnswer({ tasks, loop }: Step, result: unknown): boolean {
  const calls = tasks.map(({ kind }) => !['noop', 'wait', 'event_log'].includes(kind));
  return result !== null && (loop ? calls.includes(true) : calls.at(-1) === true);
}

/** How long a sub-playbook takes to start, for one that does not wait for more. */
export const STARTING_MS = 37;

/** A pause reaches those that an execution waits for. */
export function pausesFrom(start: number, messages: readonly Message[]): Message[] {
  const pauses = messages.filter(({ at, control }) => at > start && control && control !== 'cancel');
  return pauses.map((each) => ({ ...each, at: each.at - start }));
}

const LATE = { kind: 'timeout', code: 'TIMEOUT', retryable: true };

const movedCall = (call: Call, parent: string, by: number): Call => ({
  ...call,
  id: `${parent}/${call.id}`,
  from: call.from + by,
  to: call.to + by,
});

/** What the specifications say that happens. */
export function interpret(text: string, mock: Mock, payload: Dict = {}, around: Around = {}): Ending {
  const execution = new Execution(readPlaybook(text), mock, payload, around);
  for (const hit of hitsOf(text)) execution.hits.add(hit);
  return execution.run();
}

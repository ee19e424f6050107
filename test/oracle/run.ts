/** One execution in virtual time: what is shared by its steps, how it ends, and what was seen of it. */
import { Clock, type Flow, type Process } from './clock';
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

export type Mock = (call: Pick<Call, 'id' | 'step' | 'task' | 'kind' | 'input' | 'config'>) => Answer;

export interface Failure {
  readonly code: string;
  readonly step: string;
  readonly task?: string;
  readonly [more: string]: unknown;
}

export interface Ending {
  readonly status: 'completed' | 'failed' | 'waiting';
  readonly result: unknown;
  readonly error: Failure | undefined;
  readonly steps: readonly { readonly step: string; readonly at: number }[];
  readonly calls: readonly Call[];
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
  isOver = false;
  private readonly started: { step: string; at: number }[] = [];
  private readonly runs: Record<string, number> = {};
  private readonly processes = new Set<Process>();
  private readonly leaves = new Map<string, unknown>();
  private readonly net: Net;
  private failure: Failure | undefined;

  constructor(
    private readonly playbook: Playbook,
    private readonly mock: Mock,
    payload: Dict,
  ) {
    const defaults = mapOf(playbook.workload, [{ workload: deepMerge(playbook.workload, payload) }]);
    this.workload = dict(deepMerge(defaults, payload));
    this.steps = new Map(playbook.steps.map((step) => [step.name, step]));
    this.net = new Net(
      this.steps,
      (token) => this.begin(token),
      (rule) => this.hits.add(rule),
    );
  }

  run(): Ending {
    this.net.enter(this.playbook.entry);
    this.clock.run(() => this.isOver);
    const isStuck = !this.isOver && this.processes.size > 0;
    return {
      status: this.failure ? 'failed' : isStuck ? 'waiting' : 'completed',
      result: this.failure ? undefined : this.result(),
      error: this.failure,
      steps: this.started,
      calls: this.calls,
      ctx: this.ctx,
      notes: this.notes,
      elapsed: this.clock.now,
      hits: [...this.hits],
    };
  }

  /** A call of a tool: recorded, and cancelled if its flow is stopped. */
  *call(call: Pick<Call, 'id' | 'step' | 'task' | 'kind' | 'input' | 'config'>): Flow<Outcome> {
    const entry: Call = { ...call, from: this.clock.now, to: -1, isCancelled: false };
    this.calls.push(entry);
    const { outcome, after } = this.mock(call);
    try {
      yield { until: this.clock.now + after };
      entry.to = this.clock.now;
    } finally {
      if (entry.to < 0) {
        entry.to = this.clock.now;
        entry.isCancelled = true;
      }
    }
    return outcome;
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
    this.processes.delete(own());
    if (!end.failure && targets.length === 0) this.leaves.set(step.name, end.result);
    if (end.failure && end.targets.length === 0) this.failed(step, end.failure);
    if (!this.isOver) this.net.leave(token, targets);
  }

  /** A failure that nobody handled: it ends the execution at once, or when the others have finished. */
  private failed(step: Step, failure: Failure): void {
    this.failure ??= failure;
    if (step.isBestEffort) return;
    this.isOver = true;
    for (const process of this.processes) this.clock.stop(process);
  }

  private result(): unknown {
    if ((this.runs['end'] ?? 0) > 0) return (this.results['end'] as ResultView | undefined)?.plain() ?? null;
    const last = this.playbook.steps.findLast(({ name }) => this.leaves.has(name));
    return last ? this.leaves.get(last.name) : null;
  }
}

/** What the specifications say that happens. */
export function interpret(text: string, mock: Mock, payload: Dict = {}): Ending {
  const execution = new Execution(readPlaybook(text), mock, payload);
  for (const hit of hitsOf(text)) execution.hits.add(hit);
  return execution.run();
}

/** The product, as a black box: the same playbook, the same answers, virtual time. */
import { compile } from '../../src/language/dsl';
import { type Applied, type Input, Machine, type RunPlaybook } from '../../src/engine/machine';
import { type Outcome as TaskOutcome, type Plan } from '../../src/language/plan';
import {
  type WorldAnswer,
  CANCELLED,
  type Simulated,
  type SimulateOptions,
  simulatePlan,
  START,
} from '../../src/offline/drive';
import { outcomeOfEnd } from '../../src/temporal/contract/outcomes';
import { type Dict, dict } from './document';
import { type Around, type Call, type Ending, type Failure, type Mock, pausesFrom, STARTING_MS } from './run';
import { plainEnd } from './compare';
import { type Message } from './outside';

/** What the product does, or the codes of the diagnostics with which it refuses a playbook. */
export function perform(
  text: string,
  mock: Mock,
  payload: Dict = {},
  { messages = [], children = {}, others = [] }: Around = {},
): Ending | { readonly refused: string[] } {
  const plans: Record<string, Plan> = {};
  for (const [path, each] of Object.entries({ '': text, ...children })) {
    const { plan, diagnostics } = compile(each, { file: 'random.yaml' });
    if (!plan)
      return { refused: diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code) };
    plans[path] = plan;
  }
  const { '': plan, ...callable } = plans;
  const performance = new Performance(plan!, { mock, children: callable, messages });
  const run = performance.run({
    payload: payload as never,
    others: others.map(({ ends, ...other }) => ({ ...other, ...(ends !== undefined && { ends }) })),
  });
  return plainEnd(performance.ending(run));
}

interface Child {
  readonly outcome: object;
  readonly after: number;
  readonly isDetached: boolean;
}

type Told = Parameters<typeof taskOf>[0];

/** One execution, and those that it calls. */
class Performance {
  readonly calls: Call[] = [];
  private readonly steps: { step: string; at: number }[] = [];
  private readonly notes: { code: string; at: number }[] = [];
  private readonly commands = new Map<string, RunPlaybook>();

  constructor(
    private readonly plan: Plan,
    private readonly around: {
      readonly mock: Mock;
      readonly children: Readonly<Record<string, Plan>>;
      readonly messages: readonly Message[];
    },
  ) {}

  run(options: SimulateOptions): Simulated {
    const observer = {
      applied: ({ at }: { readonly at: number }, { commands, events }: Applied) => {
        for (const command of commands)
          if (command.type === 'runPlaybook') this.commands.set(command.call.task_run_id, command);
        for (const event of events) this.see(at - START, event as never);
      },
    };
    const world = {
      answer: (call: Told, at: number) => this.answer(call, at - START),
      cancelled: (call: Told, at: number) => {
        this.cut(call.task_run_id, at - START);
        return { outcome: CANCELLED, after: 0 };
      },
    };
    const messages = this.around.messages.map((message) => ({ after: message.at, input: inputOf(message) }));
    const own = { messages, observer: observer as never, maxBatches: 2_000, unanswered: 'open' } as const;
    return simulatePlan(this.plan, world, { ...options, ...own });
  }

  ending(run: Simulated): Ending {
    const { steps, calls, notes } = this;
    const { result, error, state, elapsed } = run;
    const status = STATUS[run.end];
    return {
      status,
      result,
      error: error as Failure | undefined,
      steps,
      calls,
      ctx: state.ctx,
      notes,
      elapsed,
    };
  }

  private see(
    at: number,
    {
      event_type: type,
      step_run_id: run,
      payload,
    }: { event_type: string; step_run_id?: string; payload?: unknown },
  ): void {
    if (type === 'step.started') this.steps.push({ step: String(run).replace(/#\d+$/, ''), at });
    if (type === 'step.note') this.notes.push({ code: String(dict(payload)['code']), at });
  }

  private answer(told: Told, from: number): WorldAnswer | undefined {
    const entry: Call = { ...taskOf(told), from, to: -1, isCancelled: false };
    this.calls.push(entry);
    const { children, mock } = this.around;
    const plan = children[String(dict(told.config)['path'])];
    const { outcome, after, isDetached } =
      plan && told.kind === 'playbook' ? this.child(plan, entry) : { ...mock(entry), isDetached: false };
    entry.to = from + after;
    if (after === Infinity) return undefined;
    const started = isDetached ? { started: { digest: 'd' } } : {};
    return { outcome: { meta: {}, ...outcome } as unknown as TaskOutcome, after, ...started };
  }

  /** The sub-playbook as an execution of its own, and its end as the workflow of a call tells it. */
  private child(plan: Plan, { id, from, input }: Call): Child {
    const mock: Mock = (call) => this.around.mock({ ...call, id: `${id}/${call.id}` });
    const { caller, path, returnStep, returnResult, detached } = this.commands.get(id)!;
    const messages = detached ? [] : pausesFrom(from, this.around.messages);
    const inner = new Performance(plan, { mock, children: this.around.children, messages });
    const run = inner.run({ first: [{ type: 'started', payload: input as never, caller }] });
    for (const call of inner.calls) {
      const { from: began, to } = call;
      this.calls.push({ ...call, id: `${id}/${call.id}`, from: from + began, to: from + to });
    }
    if (detached) return { outcome: {}, after: STARTING_MS, isDetached: true };
    // One that nobody resumes.
    if (run.end === 'stuck') return { outcome: {}, after: Infinity, isDetached: false };
    const ending =
      run.end === 'complete' ? { type: 'complete', result: run.result } : { type: 'fail', error: run.error };
    const request = { path, returnStep, returnResult, detached: false, caller, callerWorkflowId: '' };
    const machine = Machine.from(plan, structuredClone(run.state));
    return {
      outcome: outcomeOfEnd(request as never, ending as never, machine),
      after: run.elapsed,
      isDetached: false,
    };
  }

  /** The call was cancelled, and with it what it called itself. */
  private cut(id: string, at: number): void {
    const own = this.calls.findLast((call) => call.id === id);
    if (own) Object.assign(own, { to: at, isCancelled: true });
    const within = this.calls.filter((call) => call.id.startsWith(`${id}/`));
    for (const call of within) {
      if (call.from >= at) this.calls.splice(this.calls.indexOf(call), 1);
      else call.to = Math.min(call.to, at);
    }
  }
}

const STATUS = { complete: 'completed', fail: 'failed', cancelled: 'cancelled', stuck: 'waiting' } as const;

function taskOf(call: {
  task_run_id: string;
  step: string;
  task: string;
  kind: string;
  input: object;
  config: object;
}): Pick<Call, 'id' | 'step' | 'task' | 'kind' | 'input' | 'config'> {
  const { task_run_id: id, step, task, kind, input, config } = call;
  return { id, step, task, kind, input: { ...input }, config: { ...config } };
}

function inputOf({ event, set, control }: Message): Input {
  if (event) return { type: 'externalEvent', ...event, payload: event.payload as never };
  if (set) return { type: 'variablesSet', variables: set as never };
  if (control === 'pause') return { type: 'paused' };
  return control === 'resume' ? { type: 'resumed' } : { type: 'cancelRequested' };
}

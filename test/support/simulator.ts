/**
 * The simulation of src/offline/rehearsal with mocks written in TypeScript, for tests of the engine.
 */
import { type OtherExecution } from '../../src/offline/drive';
import { compile, formatDiagnostics } from '../../src/language/dsl';
import { type Input } from '../../src/engine/machine';
import { type Json, type JsonObject, type Outcome, type Plan, type TaskCall } from '../../src/language/plan';
import { earliest, type Pick, type Simulated, simulatePlan } from '../../src/offline/drive';

export { START } from '../../src/offline/drive';

/** What a mocked task answers: a value (ok), an outcome, or a function of the call. */
export type Answer = Json | Outcome | ((call: TaskCall) => Json | Outcome);
/** By task name or `step/task`: one answer for all calls, or a first-in-first-out list. */
export type Mocks = Record<string, Answer | { readonly sequence: readonly Answer[] }>;

export interface Simulation extends Simulated {
  readonly types: readonly string[];
}

export interface SimulationOptions {
  readonly payload?: JsonObject;
  readonly mocks?: Mocks;
  /** Picks which of n possible happenings comes next; default the oldest. */
  readonly choose?: (n: number) => number;
  /** Serialises and revives the state between batches. */
  readonly persist?: boolean;
  /** Inputs to inject before the batch of that number. */
  readonly inject?: Readonly<Record<number, readonly Input[]>>;
  /** Messages from outside, each so many milliseconds after the start. */
  readonly messages?: readonly { readonly after: number; readonly input: Input }[];
  /** Executions with the same key. */
  readonly others?: readonly OtherExecution[];
  /** Default 30,000: a run without an end is soon stuck. */
  readonly maxBatches?: number;
}

/** Compiles YAML, failing with the diagnostics. */
export function planOf(yaml: string): Plan {
  const { plan, diagnostics } = compile(yaml, { file: 'test.yaml' });
  if (!plan) throw new Error(formatDiagnostics(diagnostics, yaml));
  return plan;
}

/** A playbook with this workflow, the short way. */
export function playbookOf(workflow: string, head = ''): string {
  return `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: test, path: test/test}\n${head}\nworkflow:\n${workflow}`;
}

export function ok(result: Json): Outcome {
  return { status: 'ok', result, error: null, meta: {} };
}

export function httpError(status: number, more: JsonObject = {}): Outcome {
  const retryable = status === 429 || status >= 500;
  const kind =
    status === 429
      ? 'rate_limit'
      : status >= 500
        ? 'server_error'
        : status === 404
          ? 'not_found'
          : 'client_error';
  return {
    status: 'error',
    result: { status_code: status, headers: {}, url: 'http://x', elapsed_ms: 1, data: null },
    error: {
      kind,
      code: `HTTP_${status}`,
      message: `HTTP ${status}`,
      status,
      status_code: status,
      retryable,
      ...more,
    },
    meta: {},
    http: { status, headers: {} },
  };
}

export function httpOk(data: Json, status = 200): Outcome {
  return {
    status: 'ok',
    result: { status_code: status, headers: {}, url: 'http://x', elapsed_ms: 1, data },
    error: null,
    meta: {},
    http: { status, headers: {} },
  };
}

const MAX_BATCHES = 30_000;

/** Runs the plan until it ends, or until nothing can happen any more. Every task takes a millisecond. */
export function simulate(source: string | Plan, options: SimulationOptions = {}): Simulation {
  const plan = typeof source === 'string' ? planOf(source) : source;
  const { mocks = {}, choose = () => 0, ...rest } = options;
  const sequences = new Map<string, number>();
  const world = { answer: (call: TaskCall) => ({ outcome: answer(mocks, sequences, call), after: 1 }) };
  const run = simulatePlan(plan, world, { maxBatches: MAX_BATCHES, ...rest, pick: tasksFirst(choose) });
  return { ...run, types: run.events.map((event) => event.event_type) };
}

/** Any of the pending tasks may settle next; timers fire and messages come, by their time, when none is left. */
function tasksFirst(choose: (n: number) => number): Pick {
  return (happenings) => {
    const due = happenings.filter(
      ({ input }) => input.type === 'taskSettled' || input.type === 'childSettled',
    );
    return due.length > 0 ? due[choose(due.length)]! : earliest(happenings);
  };
}

function answer(mocks: Mocks, sequences: Map<string, number>, call: TaskCall): Outcome {
  for (const name of [`${call.step}/${call.task}`, call.task, call.step]) {
    if (!Object.hasOwn(mocks, name)) continue;
    let mock = mocks[name] as Answer | { sequence: readonly Answer[] };
    if (typeof mock === 'object' && mock !== null && 'sequence' in mock) {
      const list = mock.sequence as readonly Answer[];
      const position = sequences.get(name) ?? 0;
      sequences.set(name, position + 1);
      mock = list[Math.min(position, list.length - 1)]!;
    }
    const said = typeof mock === 'function' ? mock(call) : mock;
    return isOutcome(said) ? said : ok(said as Json);
  }
  return ok({ ...call.input });
}

function isOutcome(value: unknown): value is Outcome {
  return (
    typeof value === 'object' && value !== null && 'status' in value && 'meta' in value && 'error' in value
  );
}

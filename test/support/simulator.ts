/**
 * Runs a playbook on the pure engine with mocked tasks and a simulated clock: no server, milliseconds, and a year of
 * retries takes no time.
 */
import { type Command, type EngineEvent, type Input, Machine, type State } from '../../src/engine';
import { compile, formatDiagnostics } from '../../src/dsl';
import { type Json, type JsonObject, type Outcome, type Plan, type TaskCall } from '../../src/plan';

/** What a mocked task answers: a value (ok), an outcome, or a function of the call. */
export type Answer = Json | Outcome | ((call: TaskCall) => Json | Outcome);
/** By task name or `step/task`: one answer for all calls, or a first-in-first-out list. */
export type Mocks = Record<string, Answer | { readonly sequence: readonly Answer[] }>;

export interface Simulation {
  readonly state: State;
  readonly events: readonly EngineEvent[];
  readonly calls: readonly TaskCall[];
  readonly result: Json | undefined;
  readonly error: Extract<Command, { type: 'fail' }>['error'] | undefined;
  /** Milliseconds of simulated time. */
  readonly elapsed: number;
  readonly batches: number;
  readonly end: Command['type'] | 'stuck';
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
  readonly maxBatches?: number;
}

export const START = 1_700_000_000_000;

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

type Happening = { at: number; input: Input };

/** Runs the plan until it ends, or until nothing can happen any more. */
export function simulate(source: string | Plan, options: SimulationOptions = {}): Simulation {
  const plan = typeof source === 'string' ? planOf(source) : source;
  let machine = Machine.create(plan, '123456789012345678', START);
  const choose = options.choose ?? (() => 0);
  const sequences = new Map<string, number>();
  const happenings: Happening[] = [];
  const cancelled = new Map<string, Happening>();
  const events: EngineEvent[] = [];
  const calls: TaskCall[] = [];
  let now = START;
  let end: Simulation['end'] = 'stuck';
  let result: Json | undefined;
  let error: Simulation['error'];
  let batches = 0;
  let inputs: Input[] = [{ type: 'started', payload: options.payload ?? {} }];
  while (batches < (options.maxBatches ?? 200_000)) {
    if (options.persist) machine = Machine.from(plan, JSON.parse(JSON.stringify(machine.state)) as State);
    inputs = [...(options.inject?.[batches] ?? []), ...inputs];
    const applied = machine.apply({ at: now, inputs });
    batches++;
    events.push(...applied.events);
    for (const command of applied.commands) {
      switch (command.type) {
        case 'runTask': {
          calls.push(command.call);
          const outcome = answer(options.mocks ?? {}, sequences, command.call);
          const happening: Happening = {
            at: now + 1,
            input: { type: 'taskSettled', taskRunId: command.call.task_run_id, outcome },
          };
          happenings.push(happening);
          cancelled.set(command.call.task_run_id, happening);
          break;
        }
        case 'cancelTask': {
          const happening = cancelled.get(command.taskRunId);
          if (happening) {
            const outcome: Outcome = {
              status: 'error',
              result: null,
              error: { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled', retryable: false },
              meta: {},
            };
            happening.input = { type: 'taskSettled', taskRunId: command.taskRunId, outcome };
          }
          break;
        }
        case 'startTimer':
          happenings.push({ at: command.deadline, input: { type: 'timerFired', key: command.key } });
          break;
        case 'cancelTimer': {
          const position = happenings.findIndex(
            ({ input }) => input.type === 'timerFired' && input.key === command.key,
          );
          if (position >= 0) happenings.splice(position, 1);
          break;
        }
        case 'continueAsNew':
          break;
        case 'complete':
          result = command.result;
          end = 'complete';
          break;
        case 'fail':
          error = command.error;
          end = 'fail';
          break;
        case 'cancelled':
          end = 'cancelled';
          break;
      }
    }
    if (end !== 'stuck' || happenings.length === 0) break;
    const due = happenings.filter(({ input }) => input.type !== 'timerFired');
    const pool = due.length > 0 ? due : [happenings.reduce((a, b) => (b.at < a.at ? b : a))];
    const next = pool[choose(pool.length)]!;
    happenings.splice(happenings.indexOf(next), 1);
    now = Math.max(now, next.at);
    inputs = [next.input];
  }
  const types = events.map((event) => event.event_type);
  return { state: machine.state, events, calls, result, error, elapsed: now - START, batches, end, types };
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

/**
 * What two versions of a playbook really do, without any recording: both run in the engine against tools that answer by
 * what they are asked, and what they did is compared. The judge of `verify` in the bench: it shares no code with it.
 */
import { references } from '../../src/language/template';
import {
  declarationOf,
  failedOutcomeOf,
  isMapping,
  objectsIn,
  okOutcome,
  type Json,
  type JsonObject,
  type Outcome,
  type Plan,
  refusedInputs,
  type TaskCall,
  withoutDetails,
} from '../../src/language/plan';
import { type InputBatch, type Applied } from '../../src/engine/machine';
import {
  type Simulated,
  simulatePlan,
  type SimulateOptions,
  type World,
  type WorldAnswer,
} from '../../src/offline/drive';

/** One situation: inputs, and what tools answer to requests. */
export interface Situation {
  readonly options: Pick<SimulateOptions, 'payload' | 'startAt' | 'messages'>;
  /** For a request, and where it comes from; the same request at the same place gets the same answer. */
  answer(call: TaskCall, times: number): { readonly outcome: Outcome; readonly after: number } | undefined;
}

/** Everything that a tool, a caller or a reader of the result can see of a run. */
export interface Deeds {
  readonly refused: boolean;
  readonly end: string;
  readonly result: string;
  readonly error: string;
  readonly steps: readonly string[];
  readonly routes: readonly string[];
  readonly ctx: string;
  readonly requests: readonly string[];
}

/** Keys in another order are the same. */
function text(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isMapping(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

const UNSEEN = new Set(['at', 'map', 'p', 'source', 'seed', 'now', 'timeout', 'timeout_seconds']);

/** What reaches the tool: fields and inputs, with the secrets that their handles stand for. */
export function requestOf(
  { kind, input, config, options, context, secrets = {}, task }: TaskCall,
  pool?: string,
): string {
  const shown = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shown);
    if (!isMapping(value)) return value;
    const id = value['$secret'];
    if (typeof id === 'string' && secrets[id]) {
      const { [id]: secret, ...others } = secrets;
      return { secret: bare(secret), field: value['field'], others: Object.keys(others).length };
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one)]));
  };
  const { timeout: _, timeout_seconds: __, name, ...fields } = config;
  const label = name === task ? undefined : name;
  const own =
    kind === 'keychain'
      ? (config['entries'] as JsonObject[]).map(({ name: _n, at: _a, ...one }) => one)
      : fields;
  return text(shown({ kind, input, own, label, options, context, pool }));
}

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      UNSEEN.has(key) && !isMapping(one) ? [] : [[key, bare(one)]],
    ),
  );
}

/** The shortest time limit of a call, in milliseconds. */
function limitOf({ timeout, config }: TaskCall): number {
  const own = Number(config['timeout'] ?? config['timeout_seconds'] ?? Infinity);
  return 1000 * Math.min(Number.isNaN(own) ? Infinity : own, timeout.total ?? Infinity);
}

const TIMED_OUT = failedOutcomeOf({
  kind: 'timeout',
  code: 'TIMEOUT',
  message: 'timed out',
  retryable: true,
});

/** The tools of a situation. @param pools that have workers; others are waited for forever */
function worldOf(
  situation: Situation,
  pools: ReadonlySet<string>,
  requests: string[],
  isLean: boolean,
): World & Watcher {
  const times = new Map<string, number>();
  let pool = new Map<string, string | undefined>();
  const answerTo = (call: TaskCall): WorldAnswer | undefined => {
    const request = requestOf(call, pool.get(call.task_run_id));
    requests.push(request);
    if (!pools.has(pool.get(call.task_run_id) ?? '')) return undefined;
    const count = times.get(request) ?? 0;
    times.set(request, count + 1);
    const given = situation.answer(call, count);
    if (!given) return undefined;
    const limit = limitOf(call);
    if (given.after > limit) {
      // The tool sees that nobody waits for its answer any more.
      requests.push(`given up: ${request}`);
      return { outcome: TIMED_OUT, after: limit };
    }
    return { ...given, outcome: isLean ? withoutDetails(given.outcome, call) : given.outcome };
  };
  return {
    applied: (_batch, { commands }) => {
      pool = new Map(
        commands.flatMap((one) => (one.type === 'runTask' ? [[one.call.task_run_id, one.pool]] : [])),
      );
    },
    answer: answerTo,
    keychain: (call) => {
      requests.push(requestOf(call));
      return { outcome: okOutcome({ nonce: 'n' }), after: 0 };
    },
  };
}

interface Watcher {
  applied(batch: InputBatch, applied: Applied): void;
}

export const poolsOf = (plan: Plan): ReadonlySet<string> =>
  new Set([
    '',
    ...[...objectsIn(plan.steps)].flatMap(({ pool }) => (typeof pool === 'string' ? [pool] : [])),
  ]);

const NO_TOOL = new Set(['noop', 'iterator', 'wait', 'event_log']);

const MAX_BATCHES = 3_000;

/** Runs it. @param pools with workers, of the version in use */
export function deedsOf(plan: Plan, situation: Situation, pools: ReadonlySet<string>): Deeds {
  const { payload = {} } = situation.options;
  const requests: string[] = [];
  const none = { result: '', error: '', steps: [], routes: [], ctx: '', requests };
  if (refusedInputs(plan.inputs, payload).length > 0) return { ...none, refused: true, end: 'refused' };
  const { run } = runIn(plan, situation, pools, { requests });
  // Tasks without a tool are seen in the events.
  for (const { event_type, payload } of run.events)
    if (event_type === 'task.started' && NO_TOOL.has(String(payload['kind'])))
      requests.push(text([payload['kind'], payload['input']]));
  const routes = run.events.flatMap(({ event_type, step_run_id = '', payload }) =>
    event_type === 'next.selected'
      ? [`${step_run_id} ${(payload['steps'] as Json[]).map(String).sort().join()}`]
      : [],
  );
  return { refused: false, routes: routes.sort(), ...told(run), requests: [...requests].sort() };
}

/** As it is recorded. */
export function runIn(
  plan: Plan,
  situation: Situation,
  pools: ReadonlySet<string>,
  {
    requests = [],
    observer,
    isLean = false,
  }: { requests?: string[]; observer?: SimulateOptions['observer']; isLean?: boolean },
): { run: Simulated } {
  const world = worldOf(situation, pools, requests, isLean);
  const run = simulatePlan(plan, world, {
    ...situation.options,
    maxBatches: MAX_BATCHES,
    unanswered: 'open',
    observer: {
      ...observer,
      applied: (batch, applied, chunk) => {
        world.applied(batch, applied);
        observer?.applied?.(batch, applied, chunk);
      },
    },
  });
  return { run };
}

function told({ end, result, error, state }: Simulated): Omit<Deeds, 'refused' | 'requests' | 'routes'> {
  const plain = error && { code: error.code, step: error.step, kind: error.kind, message: error.message };
  return {
    end,
    result: text(result ?? null),
    error: text(plain ?? null),
    steps: [...state.executed].sort(),
    ctx: text(state.ctx),
  };
}

/** Names of steps are not seen from outside, so renamed ones are compared by number only. */
export function areSame(a: Deeds, b: Deeds, isRenamed: boolean): boolean {
  const seen = (one: Deeds): string =>
    text(
      isRenamed
        ? {
            ...one,
            steps: one.steps.length,
            routes: one.routes.length,
            // The name of a step, and of a task in words.
            error: one.error.replace(/"step":"[^"]*",?/, '').replaceAll('_renamed', ''),
          }
        : one,
    );
  return seen(a) === seen(b);
}

/** A number from 0 to 2³², the same for the same text. */
export function hashOf(value: string): number {
  let hash = 2166136261;
  for (let i = 0; i < value.length; i++) hash = Math.imul(hash ^ value.charCodeAt(i), 16777619);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 2246822507);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/**
 * Tools for a playbook of which nothing is known: their answers have the members that its templates read, with values near
 * those that it compares with.
 */
export function guessedSituation(plan: Plan, seed: number): Situation {
  const members = new Set<string>();
  const values: Json[] = [true, false, null, 0, 1, 2, 'x', 'done'];
  for (const node of objectsIn(plan.steps)) {
    const { kind, source, op, v } = node;
    if (op === 'lit' && (typeof v === 'number' || typeof v === 'string')) values.push(v);
    if (op === 'lit' && typeof v === 'number') values.push(v + 1, v - 1);
    if (typeof source !== 'string' || (kind !== 'expression' && kind !== 'text')) continue;
    for (const { path } of references(node as never))
      for (const key of path) if (typeof key === 'string') members.add(key);
  }
  const known = [...members].filter(
    (key) => !['status', 'error', 'data', 'result', 'results', 'headers'].includes(key),
  );
  const pick = (what: string): Json => values[hashOf(`${seed} ${what}`) % values.length]!;
  return {
    options: {},
    answer: (call, times) => {
      const key = `${requestOf(call)} ${times}`;
      const hash = hashOf(`${seed} ${key}`);
      const kind = declarationOf(call.kind);
      const after = 10 + (hash % 3_000);
      if (hash % 11 === 0) return { outcome: failureOf(kind?.respondsOverHttp === true), after };
      const whole: JsonObject = Object.fromEntries(known.map((name) => [name, pick(`${key} ${name}`)]));
      if (kind?.sql)
        return {
          outcome: okOutcome({ rows: [whole, { ...whole, n: times }], row_count: 2, columns: [] }),
          after,
        };
      if (!kind?.respondsOverHttp) return { outcome: okOutcome(whole), after };
      const http = { status: 200, headers: { 'x-id': String(hash) } };
      const result = {
        status_code: 200,
        headers: http.headers,
        url: 'https://x',
        elapsed_ms: after,
        data: whole,
      };
      return { outcome: { ...okOutcome(result), http }, after };
    },
  };
}

function failureOf(isHttp: boolean): Outcome {
  const fields = { message: 'it failed', retryable: true };
  if (!isHttp) return failedOutcomeOf({ ...fields, kind: 'exception', code: 'PY_ValueError' });
  const error = { ...fields, kind: 'server_error', code: 'HTTP_503', status: 503, status_code: 503 } as const;
  return { ...failedOutcomeOf(error), http: { status: 503, headers: {} } };
}

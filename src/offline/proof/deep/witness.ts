/** A run of the real plan that shows a finding: with concrete values in place of the unknown ones. */
import { type Input } from '../../../engine/machine';
import {
  declarationOf,
  failedOutcomeOf,
  type Json,
  type JsonObject,
  okOutcome,
  type Outcome,
  type Plan,
  type TaskCall,
} from '../../../language/plan';
import { type Simulated, simulatePlan, START } from '../../drive';
import { isStuck } from './endless';
import { type StateNode } from './explore';
import { type GuardFacts, witness } from './facts';
import { taskNamed, type ExploredWay } from './ways';

/** A run with all its inputs, as needed for a rehearsal. */
interface Witness {
  readonly run: Simulated;
  readonly payload: JsonObject;
  /** Milliseconds since the epoch. */
  readonly startAt: number;
  readonly answers: readonly { readonly call: TaskCall; readonly outcome: Outcome; readonly after: number }[];
  readonly messages: readonly { readonly after: number; readonly input: Input }[];
}

interface WayTaken {
  readonly way: ExploredWay;
  /** The assumptions about the values that it introduced. */
  readonly facts: GuardFacts;
}

const SECOND = 1_000;
const MAX_BATCHES = 2_000;
const MAX_ANSWERS = 100;

/** @returns undefined if no concrete values could be found that lead there */
export function witnessOf(plan: Plan, target: StateNode): Witness | undefined {
  const nodes = chainTo(target);
  const passages = nodes.flatMap((node, at): WayTaken[] =>
    node.by ? [{ way: node.by.way, facts: factsOf(nodes, at) }] : [],
  );
  const open = new Set(passages.keys());
  const answers: { call: TaskCall; outcome: Outcome; after: number }[] = [];
  const world = {
    answer: (call: TaskCall, now: number) => {
      const position = [...open].find((at) => isAnswer(passages[at]!.way, call));
      // Beyond the trace every call fails, because a rehearsal is a complete run.
      const isBeyond = position === undefined;
      if (isBeyond && (target.end !== null || isStuck(target) || answers.length >= MAX_ANSWERS))
        return undefined;
      const { way, facts } = isBeyond ? { way: null, facts: [] } : passages[position]!;
      if (!isBeyond) open.delete(position);
      const outcome = concrete(way?.type === 'ok', facts, call);
      const after = Math.max(0, START + ((position ?? passages.length) + 1) * SECOND - now);
      answers.push({ call, outcome, after });
      return { outcome, after };
    },
  };
  const messages = passages.flatMap(({ way, facts }, position) =>
    way.input.type === 'externalEvent'
      ? [{ after: (position + 1) * SECOND, input: { ...way.input, payload: valueBelow(way.brings!, facts) } }]
      : [],
  );
  const payload = payloadFor(target.assumed);
  const run = simulatePlan(plan, world, { payload, messages, maxBatches: MAX_BATCHES, unanswered: 'open' });
  return shows(run, target)
    ? { run: { ...run, result: undefined }, payload, startAt: START, answers, messages }
    : undefined;
}

/** Whether it covered the whole trace and ended in the same way, if the trace ends. */
function shows({ end, state }: Simulated, target: StateNode): boolean {
  const { executed } = target.state;
  if (target.end === 'cut') return false;
  if (target.end !== null || isStuck(target))
    return end === (target.end ?? 'stuck') && sorted(executed) === sorted(state.executed);
  const count = (steps: readonly string[], name: string): number =>
    steps.filter((one) => one === name).length;
  return executed.every((name) => count(state.executed, name) >= count(executed, name));
}

function sorted(steps: readonly string[]): string {
  return [...steps].sort().join('\n');
}

function chainTo(node: StateNode): StateNode[] {
  const chain: StateNode[] = [];
  for (let one: StateNode | undefined = node; one; one = one.by?.from) chain.unshift(one);
  return chain;
}

/** Until the same task answers again. */
function factsOf(nodes: readonly StateNode[], at: number): GuardFacts {
  const { brings } = nodes[at]!.by!.way;
  let until = at + 1;
  while (until < nodes.length && nodes[until]!.by!.way.brings !== brings) until++;
  return nodes[until - 1]!.assumed;
}

function isAnswer({ input, brings }: ExploredWay, { task_run_id: id }: TaskCall): boolean {
  if (input.type === 'taskSettled') return input.taskRunId === id;
  return input.type !== 'externalEvent' && brings === taskNamed(id);
}

const ERRORS = {
  kind: ['client_error', 'server_error', 'rate_limit', 'timeout', 'connection', 'exception'],
  code: ['HTTP_400'],
  message: ['it fails'],
  status: [400, 500, 429, 404, 401],
  retryable: [false, true],
} as const;

function concrete(isOk: boolean, facts: GuardFacts, call: TaskCall): Outcome {
  const name = taskNamed(call.task_run_id);
  const isHttp = declarationOf(call.kind)?.respondsOverHttp === true;
  const member = (part: string, preferred: readonly unknown[]): Json =>
    (witness(facts, `${name}!${part}`, preferred)?.value ?? null) as Json;
  if (isOk) {
    const value = valueBelow(name, facts);
    if (!isHttp) return okOutcome(value);
    const status = Number(member('status', [200, 201, 404])) || 200;
    return { ...okOutcome({ data: value }), http: { status, headers: {} } };
  }
  const fields = Object.entries(ERRORS).map(([part, preferred]) => [part, member(part, preferred)]);
  const { status, ...error } = Object.fromEntries(fields) as NonNullable<Outcome['error']>;
  return {
    ...failedOutcomeOf({ ...error, ...(isHttp && { status, code: `HTTP_${status}` }) }),
    ...(isHttp && { http: { status: Number(status), headers: {} } }),
  };
}

/** The value of a root whose parts satisfy the facts; deeper parts first. */
function valueBelow(root: string, facts: GuardFacts): Json {
  const paths = rootsIn(facts).filter((of) => of === root || of.startsWith(`${root}.`));
  let whole: Json = (witness(facts, root, [{}])?.value ?? {}) as Json;
  for (const of of paths.sort((a, b) => a.length - b.length)) {
    const keys = of.slice(root.length).split('.').slice(1);
    // `fetch.data` is the payload itself.
    if (keys[0] === 'data' || keys[0] === 'result') keys.shift();
    whole = placed(whole, keys, witness(facts, of)?.value as Json);
  }
  return whole;
}

function placed(whole: Json, keys: readonly string[], value: Json | undefined): Json {
  const [key, ...below] = keys;
  if (key === undefined) return value === undefined ? whole : value;
  const here = typeof whole === 'object' && whole !== null && !Array.isArray(whole) ? { ...whole } : {};
  const next = placed((here as JsonObject)[key] ?? {}, below, value);
  if (value === undefined && below.length === 0) return here;
  return { ...here, [key]: next };
}

function rootsIn(facts: GuardFacts): string[] {
  return [...new Set(facts.map(([question]) => (JSON.parse(question) as { of: string }).of))];
}

function payloadFor(facts: GuardFacts): JsonObject {
  const payload = valueBelow(
    'workload',
    facts.filter(([question]) => question.includes('"of":"workload.')),
  );
  return typeof payload === 'object' && payload !== null && !Array.isArray(payload)
    ? (payload as JsonObject)
    : {};
}

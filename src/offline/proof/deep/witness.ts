/** A run of the real plan that shows a finding: with concrete values in place of the unknown ones. */
import { type Input } from '../../../engine/machine';
import {
  declarationOf,
  failedOutcomeOf,
  isMapping,
  type Json,
  type JsonObject,
  objectsIn,
  okOutcome,
  type Outcome,
  type Plan,
  type TaskCall,
} from '../../../language/plan';
import { type Simulated, simulatePlan, START } from '../../drive';
import { isStuck } from './endless';
import { type Race } from './finding';
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

/** Decisions after which a run counts as one without an end. */
export const ENDLESS = 24;

/** What happens beyond the state that is shown. */
type Beyond =
  /** Every call fails, because a rehearsal is a complete run. */
  | undefined
  /** Everything answers as before, until the run counts as endless. */
  | { readonly isEndless: true }
  /** Everything answers, the calls of this step last, with the members that templates read. */
  | { readonly late: string };

/** @returns undefined if no concrete values could be found that lead there */
export function witnessOf(plan: Plan, target: StateNode, beyond?: Beyond): Witness | undefined {
  const isEndless = beyond !== undefined && 'isEndless' in beyond;
  const late = beyond && 'late' in beyond ? beyond.late : undefined;
  const nodes = chainTo(target);
  const passages = nodes.flatMap((node, at): WayTaken[] =>
    node.by ? [{ way: node.by.way, facts: factsOf(nodes, at) }] : [],
  );
  const open = new Set(passages.keys());
  const answers: { call: TaskCall; outcome: Outcome; after: number }[] = [];
  const world = {
    answer: (call: TaskCall, now: number) => {
      const position = [...open].find((at) => isAnswer(passages[at]!.way, call));
      const isBeyond = position === undefined;
      if (isBeyond && beyond) {
        const before = passages.findLast(
          ({ way }) => way.type === 'ok' && way.brings === taskNamed(call.task_run_id),
        );
        const outcome = concrete(true, before?.facts ?? [], call);
        const after = call.step === late ? LATE : SECOND;
        answers.push({
          call,
          outcome: late === undefined ? outcome : withMembers(plan, call, outcome),
          after,
        });
        return answers.at(-1);
      }
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
  const messages: Witness['messages'][number][] = passages.flatMap(({ way, facts }, position) =>
    way.input.type === 'externalEvent'
      ? [{ after: (position + 1) * SECOND, input: { ...way.input, payload: valueBelow(way.brings!, facts) } }]
      : [],
  );
  if (isEndless) messages.push(...repeatedEvents(plan, passages.length));
  const payload = payloadFor(target.assumed);
  const maxBatches = isEndless ? ENDLESS : MAX_BATCHES;
  const run = simulatePlan(plan, world, { payload, messages, maxBatches, unanswered: 'open' });
  const isShown = isEndless
    ? run.batches >= ENDLESS && run.end === 'stuck'
    : late === undefined
      ? shows(run, target)
      : run.end === 'complete';
  return isShown
    ? { run: { ...run, result: undefined }, payload, startAt: START, answers, messages }
    : undefined;
}

/** Longer than anything else takes. */
const LATE = 60 * SECOND;

/** The outcome, with the members that the playbook reads of any result: other ones for each task. */
function withMembers(plan: Plan, { step, task }: TaskCall, outcome: Outcome): Outcome {
  const read = [...objectsIn(plan.steps)].flatMap(({ op, o, k }) => {
    const { n, k: below } = (o ?? {}) as { readonly n?: unknown; readonly k?: unknown };
    return op === 'get' && typeof k === 'string' && (n === step || n === task || below === 'data') ? [k] : [];
  });
  const members = Object.fromEntries(read.map((key) => [key, `${step}.${key}`]));
  const { result } = outcome;
  const isHttp = outcome.http !== undefined && isMapping(result);
  const whole = isHttp
    ? { ...result, data: { ...members, ...mapping(result['data']) } }
    : { ...members, ...mapping(result) };
  return { ...outcome, result: whole as Json };
}

function mapping(value: unknown): object {
  return isMapping(value) ? value : {};
}

/** The run with each of two branches as the last: if what they leave in that key, or ask for, differs, their order decides. */
export function raceOf(plan: Plan, node: StateNode, { key, steps }: Race): readonly RaceRun[] {
  const runs = steps.flatMap((late): RaceRun[] => {
    const witness = witnessOf(plan, node, { late });
    if (!witness) return [];
    const [reader] = steps;
    const request = witness.answers.findLast(({ call }) => call.step === reader)?.call;
    const calls = request && { [reader]: { last: { input: request.input, config: request.config } } };
    const value = witness.run.state.ctx[key] as Json | undefined;
    return [
      {
        ...witness,
        name: `${late} comes last`,
        expect: { ...(value !== undefined && { ctx_includes: { [key]: value } }), ...(calls && { calls }) },
      },
    ];
  });
  const [one, other] = runs.map(({ expect }) => JSON.stringify(expect));
  return one !== other && runs.length === 2 ? runs : [];
}

interface RaceRun extends Witness {
  readonly name: string;
  readonly expect: JsonObject;
}

/** Everything that the playbook waits for comes again and again. */
function repeatedEvents(plan: Plan, after: number): Witness['messages'] {
  const names = new Set(
    [...objectsIn(plan.steps)].flatMap(({ event }) => (typeof event === 'string' ? [event] : [])),
  );
  return Array.from({ length: names.size > 0 ? ENDLESS : 0 }, (_, n) => (after + 2 * n + 1) * SECOND).flatMap(
    (at) =>
      [...names].map((name) => ({ after: at, input: { type: 'externalEvent', name, payload: {} } as const })),
  );
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

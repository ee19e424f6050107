/** The YAML of a playbook, read into the few forms that the interpreter knows. No defaults of the compiler, no plan. */
import { parse } from 'yaml';

export type Dict = Record<string, unknown>;

export interface Arc {
  readonly step: string;
  readonly when: unknown;
  readonly args: Dict;
  readonly set: Dict;
}

export interface Router {
  readonly inclusive: boolean;
  readonly arcs: readonly Arc[];
}

/** A rule of `spec.policy.rules`, or of `case`. Without `when` it is an `else`. */
export interface Rule {
  readonly when?: unknown;
  readonly then: Dict;
  /** Single actions in the order in which they happen. */
  readonly actions: readonly [string, unknown][];
}

export interface LoopClause {
  readonly in: unknown;
  readonly iterator: string;
  readonly isParallel: boolean;
  readonly maxInFlight: number;
}

export interface Task {
  readonly name: string;
  readonly kind: string;
  readonly input: Dict;
  /** What a call of a workbook task gives: evaluated where the caller is. */
  readonly given: Dict;
  readonly fields: Dict;
  readonly rules: readonly Rule[] | undefined;
  readonly set: Dict;
  /** An iterator: a loop with a pipeline of its own. */
  readonly body?: { readonly loop: LoopClause; readonly tasks: readonly Task[] };
}

/** A task that stores what another one returned. */
export interface Sink {
  readonly when: unknown;
  readonly task: Task;
}

export interface RetryPolicy {
  readonly when: unknown;
  readonly until: unknown;
  /** A mapping, whose attempts are used up by a failure as long as `retry_when` holds. */
  readonly isMapping: boolean;
  readonly then: Dict;
}

export interface Step {
  readonly name: string;
  readonly input: Dict;
  readonly admit: readonly Rule[];
  readonly isBestEffort: boolean;
  readonly timeout: number | undefined;
  readonly deadline: number | undefined;
  readonly joinsEach: boolean;
  readonly loop: LoopClause | undefined;
  readonly tasks: readonly Task[];
  readonly set: Dict;
  readonly rules: readonly Rule[];
  readonly isInclusive: boolean;
  readonly retry: readonly RetryPolicy[];
  readonly sinks: readonly Sink[];
  readonly next: Router;
}

export interface Playbook {
  readonly workload: Dict;
  readonly entry: string;
  readonly steps: readonly Step[];
}

export const dict = (value: unknown): Dict =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Dict) : {};
export const list = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

export function readPlaybook(text: string): Playbook {
  const root = dict(parse(text));
  const entry = dict(dict(root['executor'])['spec'])['entry_step'] ?? 'start';
  const workbook = new Map(
    list(root['workbook']).map((each) => [dict(each)['name'], dict(dict(each)['tool'])]),
  );
  const steps = list(root['workflow']).map((each) => readStep(dict(each), workbook));
  return {
    workload: dict(root['workload']),
    entry: String(entry),
    steps,
  };
}

function readStep(written: Dict, workbook: ReadonlyMap<unknown, Dict>): Step {
  const raw = withNamedSinks(written);
  const spec = dict(raw['spec']);
  const policy = dict(spec['policy']);
  const lifecycle = dict(policy['lifecycle']);
  const name = String(raw['step']);
  const seconds = (key: string): number | undefined =>
    lifecycle[key] === undefined ? undefined : Number(lifecycle[key]) * 1000;
  return {
    name,
    input: { ...dict(raw['args']), ...dict(raw['input']) },
    admit: list(dict(policy['admit'])['rules']).map((each) => readRule(dict(each))),
    isBestEffort: dict(policy['failure'])['mode'] === 'best_effort',
    timeout: seconds('timeout_s'),
    deadline: seconds('deadline_s'),
    joinsEach: policy['join'] === 'each',
    loop: raw['loop'] === undefined ? undefined : readLoop(dict(raw['loop'])),
    tasks: readTasks(name, raw['tool'], workbook),
    set: { ...prefixed(dict(raw['vars'])), ...dict(raw['set']) },
    rules: list(raw['case']).map((each) => readRule(dict(each))),
    isInclusive: spec['case_mode'] === 'inclusive',
    retry: readRetry(raw['retry']),
    sinks: readSinks(name, raw['sink']),
    next: readRouter(raw['next']),
  };
}

const prefixed = (vars: Dict): Dict =>
  Object.fromEntries(Object.entries(vars).map(([key, value]) => [`ctx.${key}`, value]));

function readLoop(raw: Dict): LoopClause {
  const spec = dict(raw['spec']);
  const isParallel = (spec['mode'] ?? raw['mode'] ?? 'sequential') !== 'sequential';
  return {
    in: raw['in'],
    iterator: String(raw['iterator']),
    isParallel,
    maxInFlight: isParallel ? Number(spec['max_in_flight'] ?? 64) : 1,
  };
}

function readTasks(step: string, tool: unknown, workbook: ReadonlyMap<unknown, Dict>): Task[] {
  if (tool === undefined) return [];
  if (Array.isArray(tool)) return tool.map((each, n) => readTask(dict(each), `task_${n}`, workbook));
  return [readTask(dict(tool), `${step}_task`, workbook)];
}

const NOT_FIELDS = new Set([
  'name',
  'kind',
  'input',
  'args',
  'with',
  'spec',
  'set',
  'tool',
  'in',
  'iterator',
  'mode',
]);

function readTask(raw: Dict, otherwise: string, workbook: ReadonlyMap<unknown, Dict>): Task {
  const inputOf = (tool: Dict): Dict => ({
    ...dict(tool['args']),
    ...dict(tool['input']),
    ...dict(tool['with']),
  });
  const called = raw['kind'] === 'workbook' ? dict(workbook.get(raw['name'])) : undefined;
  const tool = called ?? raw;
  const policy = dict(dict(tool['spec'])['policy']);
  const rules = policy['rules'];
  const body =
    tool['kind'] === 'iterator'
      ? { loop: readLoop(tool), tasks: readTasks(otherwise, tool['tool'], workbook) }
      : undefined;
  return {
    name: String(called ? otherwise : (raw['name'] ?? otherwise)),
    kind: String(tool['kind']),
    input: inputOf(tool),
    given: called ? inputOf(raw) : {},
    fields: Object.fromEntries(Object.entries(tool).filter(([key]) => !NOT_FIELDS.has(key))),
    rules: rules === undefined ? undefined : list(rules).map((each) => readRule(dict(each))),
    set: dict(tool['set']),
    ...(body && { body }),
  };
}

const ORDER = ['set', 'collect', 'result', 'sink', 'log', 'end_loop'];

function readRule(raw: Dict): Rule {
  const isElse = Object.hasOwn(raw, 'else');
  const inner = isElse ? (dict(raw['else'])['then'] ?? raw['else'] ?? raw['then']) : raw['then'];
  const actions: [string, unknown][] = Array.isArray(inner)
    ? inner.flatMap((each) => Object.entries(dict(each)))
    : ordered(Object.entries(dict(inner)));
  const then = Array.isArray(inner) ? Object.fromEntries(actions) : dict(inner);
  return { ...(isElse ? {} : { when: raw['when'] }), then, actions };
}

/** Sinks without a name are called after their step, and numbered from the second sink of it on: those of `retry`, `case`, the step. */
function withNamedSinks(step: Dict): Dict {
  let number = 0;
  const named = (raw: unknown): Dict[] =>
    list(raw).map((each) => {
      number += 1;
      const name = `${String(step['step'])}_sink${number > 1 ? `_${number}` : ''}`;
      return { name, ...dict(each) };
    });
  const within = (then: unknown): unknown => {
    if (Array.isArray(then)) return then.map(within);
    return dict(then)['sink'] === undefined ? then : { ...dict(then), sink: named(dict(then)['sink']) };
  };
  const all = (rules: unknown): unknown =>
    Array.isArray(rules)
      ? rules.map((rule) => ({
          ...dict(rule),
          ...('then' in dict(rule) && { then: within(dict(rule)['then']) }),
        }))
      : rules;
  const copy = { ...step };
  if (step['retry'] !== undefined) copy['retry'] = all(step['retry']);
  if (step['case'] !== undefined) copy['case'] = all(step['case']);
  if (step['sink'] !== undefined) copy['sink'] = named(step['sink']);
  return copy;
}

/** `{tool, args, when, name}`, or a list of these. */
export function readSinks(step: string, raw: unknown): Sink[] {
  return list(raw)
    .map(dict)
    .map(({ tool, args, when, name }) => ({
      when,
      task: readTask({ name, ...dict(tool), args }, `${step}_sink`, new Map()),
    }));
}

function ordered(actions: [string, unknown][]): [string, unknown][] {
  const rank = ([key]: [string, unknown]): number =>
    ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length;
  return actions.sort((a, b) => rank(a) - rank(b));
}

function readRetry(raw: unknown): RetryPolicy[] {
  if (raw === undefined) return [];
  if (Array.isArray(raw)) {
    return raw.map((each) => ({
      when: dict(each)['when'],
      until: undefined,
      isMapping: false,
      then: dict(dict(each)['then']),
    }));
  }
  const { retry_when: when, stop_when: until, ...then } = dict(raw);
  return [{ when, until, isMapping: true, then }];
}

/** A structural `next` (a name, names, `{step, args}`), the `next` of a rule, or a router with arcs. */
export function readRouter(raw: unknown): Router {
  const arcs = dict(raw)['arcs'];
  if (arcs === undefined) return { inclusive: true, arcs: list(raw).map(readArc) };
  return { inclusive: dict(dict(raw)['spec'])['mode'] === 'inclusive', arcs: list(arcs).map(readArc) };
}

function readArc(raw: unknown): Arc {
  const { step, when, args, set } = typeof raw === 'string' ? ({ step: raw } as Dict) : dict(raw);
  return { step: String(step), when, args: dict(args), set: dict(set) };
}

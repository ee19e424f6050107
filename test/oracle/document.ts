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
  readonly cursor?: CursorClause;
}

/** `loop.cursor`, with what `spec` of the loop says of it. */
export interface CursorClause {
  readonly claim: Task;
  readonly slots: unknown;
  readonly frame: Dict;
  readonly process: unknown;
}

export interface Task {
  readonly name: string;
  readonly kind: string;
  readonly input: Dict;
  /** What a call of a workbook task gives: evaluated where the caller is. */
  readonly given: Dict;
  readonly fields: Dict;
  readonly rules: readonly Rule[] | undefined;
  /** An error that no rule matches stays one. */
  readonly failsUnmatched: boolean;
  readonly set: Dict;
  readonly rate: RateLimit | undefined;
  /** An iterator: a loop with a pipeline of its own. */
  readonly body?: { readonly loop: LoopClause; readonly tasks: readonly Task[] };
  /** `choose`, `while`, `until`. */
  readonly block?: Block;
}

/** Lists of tasks under conditions: of `while` and `until` one, of `choose` any number, the last without `when` if it has an `else`. */
export interface Block {
  readonly keyword: 'choose' | 'while' | 'until';
  readonly branches: readonly { readonly when: unknown; readonly tasks: readonly Task[] }[];
  readonly max: unknown;
}

/** So many tasks with the key start in a period, so many at once. */
export interface RateLimit {
  readonly key: unknown;
  readonly limit: unknown;
  /** Seconds. */
  readonly per: unknown;
  readonly burst: unknown;
}

/** Executions with the same key. Times in seconds. */
export interface KeyLimits {
  readonly concurrency?: Dict;
  readonly debounce?: Dict;
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
  /** The `spec` that its tasks inherit. */
  readonly around: Dict;
  readonly next: Router;
}

export interface Playbook {
  readonly workload: Dict;
  readonly limits: KeyLimits;
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
  const around = dict(dict(root['executor'])['spec']);
  const steps = list(root['workflow']).map((each) => readStep(dict(each), { workbook, around }));
  const { concurrency, debounce } = around;
  return {
    workload: dict(root['workload']),
    limits: {
      ...(concurrency !== undefined && { concurrency: dict(concurrency) }),
      ...(debounce !== undefined && { debounce: dict(debounce) }),
    },
    entry: String(entry),
    steps,
  };
}

/** What a task is read in. */
interface Reading {
  readonly workbook: ReadonlyMap<unknown, Dict>;
  /** The `spec` of what is around it. */
  readonly around: Dict;
}

function readStep(written: Dict, outer: Reading): Step {
  const raw = withNamedSinks(written);
  const spec = dict(raw['spec']);
  const reading = { ...outer, around: withRate(outer.around, spec) };
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
    loop: raw['loop'] === undefined ? undefined : readStepLoop(name, dict(raw['loop']), reading),
    tasks: readTasks(`${name}_task`, raw['tool'], reading),
    set: { ...prefixed(dict(raw['vars'])), ...dict(raw['set']) },
    rules: list(raw['case']).map((each) => readRule(dict(each))),
    isInclusive: spec['case_mode'] === 'inclusive',
    retry: readRetry(raw['retry']),
    sinks: readSinks(name, raw['sink'], reading.around),
    around: reading.around,
    next: readRouter(raw['next']),
  };
}

const prefixed = (vars: Dict): Dict =>
  Object.fromEntries(Object.entries(vars).map(([key, value]) => [`ctx.${key}`, value]));

function readStepLoop(step: string, raw: Dict, reading: Reading): LoopClause {
  const loop = readLoop(raw);
  if (raw['cursor'] === undefined) return loop;
  const { kind = 'postgres', claim, options: _options, ...fields } = dict(raw['cursor']);
  const { max_in_flight: slots = 1, frame } = dict(raw['spec']);
  const task = readTask({ kind, command: claim, ...fields }, `${step}_claim`, reading);
  const cursor = { claim: task, slots, frame: dict(frame), process: dict(frame)['process'] };
  return { ...loop, isParallel: true, cursor };
}

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

/** @param only the name of a task that is no list */
function readTasks(only: string, tool: unknown, reading: Reading): Task[] {
  if (tool === undefined) return [];
  const isBlock = KEYWORDS.some((keyword) => Object.hasOwn(dict(tool), keyword));
  if (Array.isArray(tool) || isBlock) return readList('', list(tool), reading);
  return [readTask(dict(tool), only, reading)];
}

function readList(prefix: string, all: readonly unknown[], reading: Reading): Task[] {
  const keywords = all.map((each) => KEYWORDS.find((one) => Object.hasOwn(dict(each), one)));
  return all.map(dict).map((each, n) => {
    const keyword = keywords[n];
    if (!keyword) return readTask(each, `${prefix}task_${n}`, reading);
    const number = keywords.slice(0, n + 1).filter((one) => one === keyword).length;
    const label = String(each['name'] ?? `${prefix}${keyword}_${number}`);
    const nothing = readTask({ name: label, kind: 'noop' }, label, reading);
    return { ...nothing, block: readBlock(label, keyword, each[keyword], reading) };
  });
}

const KEYWORDS = ['choose', 'while', 'until'] as const;

/** The tasks, and those in their blocks. */
export const withinBlocks = (tasks: readonly Task[]): Task[] =>
  tasks.flatMap((task) =>
    task.block ? task.block.branches.flatMap((branch) => withinBlocks(branch.tasks)) : [task],
  );

function readBlock(label: string, keyword: Block['keyword'], raw: unknown, reading: Reading): Block {
  if (keyword !== 'choose') {
    const { when, do: tasks, max } = dict(raw);
    return { keyword, branches: [{ when, tasks: readList(`${label}_do_`, list(tasks), reading) }], max };
  }
  const branches = list(raw).map((each, n) => {
    const { when, then, else: otherwise } = dict(each);
    return otherwise === undefined
      ? { when, tasks: readList(`${label}_when_${n + 1}_`, list(then), reading) }
      : { when: undefined, tasks: readList(`${label}_else_`, list(otherwise), reading) };
  });
  return { keyword, branches, max: undefined };
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

function readTask(raw: Dict, otherwise: string, reading: Reading): Task {
  const { workbook, around } = reading;
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
      ? { loop: readLoop(tool), tasks: readTasks(otherwise, tool['tool'], reading) }
      : undefined;
  return {
    name: String(called ? otherwise : (raw['name'] ?? otherwise)),
    kind: String(tool['kind']),
    input: inputOf(tool),
    given: called ? inputOf(raw) : {},
    fields: Object.fromEntries(Object.entries(tool).filter(([key]) => !NOT_FIELDS.has(key))),
    rules: rules === undefined ? undefined : list(rules).map((each) => readRule(dict(each))),
    failsUnmatched: policy['on_unmatched'] === 'fail',
    set: dict(tool['set']),
    rate: rateIn(withRate(around, dict(tool['spec'])), String(tool['kind'])),
    ...(body && { body }),
  };
}

/** The effective `spec`, of which the rate limit matters: key by key. */
const withRate = (outer: Dict, inner: Dict): Dict => ({
  rate_limit: { ...dict(outer['rate_limit']), ...dict(inner['rate_limit']) },
});

/** Kinds that no worker runs have none. */
function rateIn(spec: Dict, kind: string): RateLimit | undefined {
  const { key, limit, per, burst, kind: only } = dict(spec['rate_limit']);
  if (key === undefined || ['noop', 'wait', 'playbook', 'iterator'].includes(kind)) return undefined;
  return only === undefined || list(only).includes(kind) ? { key, limit, per, burst } : undefined;
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
export function readSinks(step: string, raw: unknown, around: Dict): Sink[] {
  return list(raw)
    .map(dict)
    .map(({ tool, args, when, name }) => ({
      when,
      task: readTask({ name, ...dict(tool), args }, `${step}_sink`, { workbook: new Map(), around }),
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

/**
 * After some rounds of a cycle, values written by its steps become unknown, so that counters converge. A key of ctx that they only
 * increase, or only decrease, stays above, or below, what it was.
 */
import { type State } from '../../../engine/machine';
import { isMapping, objectsIn, type Plan, type StepPlan } from '../../../language/plan';
import { type Expr, type Template } from '../../../language/template/ir';
import { type Choices, type GuardFacts } from './facts';
import { type Relevance } from './relevance';
import { ANY, unknown, unknownIn } from './unknown';

const ANYTHING = unknown(ANY);

export class Widening {
  /** By step: the steps of the cycles that it is on. */
  private readonly cycles: ReadonlyMap<string, readonly StepPlan[]>;

  constructor(
    { steps }: Plan,
    private readonly relevance: Relevance,
    private readonly options: { readonly bound: number; readonly coarse?: boolean },
  ) {
    const isAfter = (step: string, other: string): boolean => relevance.reachable(step).has(other);
    this.cycles = new Map(
      steps.map(({ name, router }) => {
        const cycle = steps.filter((other) => isAfter(name, other.name) && isAfter(other.name, name));
        const isOne = cycle.length > 1 || router?.arcs.some(({ step }) => step === name);
        return [name, isOne ? cycle : []];
      }),
    );
  }

  /** @returns what was forgotten, in words */
  apply(state: State, choices: Choices): string | undefined {
    const { bound, coarse } = this.options;
    const rounds = coarse ? 0 : bound + 1;
    const widened = new Set(
      Object.entries(state.runCounts).flatMap(([step, count]) => {
        const cycle = this.cycles.get(step)!;
        return count > rounds && cycle.length > 0 ? [cycle] : [];
      }),
    );
    for (const cycle of widened) this.forget(state, cycle, choices);
    const frames = Object.values(state.frames).filter(({ visits }) =>
      Object.values(visits).some((count) => count > bound + 1),
    );
    for (const { iter, locals, repeats } of frames) {
      for (const table of [iter, locals]) for (const key of Object.keys(table)) table[key] = ANYTHING;
      if (repeats && repeats.count > bound + 1) repeats.count = repeats.page = bound + 1;
    }
    return widened.size + frames.length > 0
      ? `after ${rounds} rounds of a cycle, what its steps write may be anything`
      : undefined;
  }

  private forget(state: State, cycle: readonly StepPlan[], choices: Choices): void {
    const names = new Set(cycle.map(({ name }) => name));
    const keys = new Set([...names].flatMap((one) => [...this.relevance.writes(one).keys()]));
    for (const key of keys) {
      if (!(key in state.ctx)) continue;
      const drift = driftOf(cycle, key);
      const counter = drift && further(state.ctx[key], key, drift, choices.facts);
      state.ctx[key] = counter ? counter.value : ANYTHING;
      if (counter) choices.facts = counter.facts;
    }
    for (const one of names) {
      const result = state.results[one];
      if (result?.type === 'tasks') state.results[one] = forgotten(result);
    }
    for (const token of [...Object.values(state.tokens), ...Object.values(state.runs)])
      if (names.has(token.step))
        token.args = Object.fromEntries(Object.keys(token.args).map((key) => [key, ANYTHING]));
  }
}

type TasksResult = Extract<State['results'][string], { type: 'tasks' }>;

/** The result of a step, with unknown values in place of its tasks' results. */
function forgotten(result: TasksResult): TasksResult {
  const { last, tasks } = result;
  const anything = <T extends NonNullable<TasksResult['last']>>(task: T): T => ({
    ...task,
    outcome: { ...task.outcome, result: ANYTHING },
  });
  return {
    ...result,
    last: last && anything(last),
    tasks: tasks && Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, anything(task)])),
  };
}

/** 1: only increased, -1: only decreased; undefined: written otherwise too. */
function driftOf(steps: readonly StepPlan[], key: string): number | undefined {
  const writes = [...objectsIn(steps)].filter(
    ({ scope, path }) => scope === 'ctx' && Array.isArray(path) && path[0] === key,
  );
  const signs = writes.map(({ value, path }) => {
    const template = isMapping(value) ? (value['template'] as Template | undefined) : undefined;
    return (path as unknown[]).length === 1 && template?.kind === 'expression'
      ? signOf(template.expr, key)
      : 0;
  });
  const [first] = signs;
  return first && signs.every((sign) => sign === first) ? first : undefined;
}

/** Of what is added to the key itself; 0: something else. */
function signOf(expr: Expr, key: string): number {
  if (expr.op !== 'bin' || (expr.f !== '+' && expr.f !== '-')) return 0;
  const { l, r, f } = expr;
  if (isItself(l, key) && r.op === 'lit' && typeof r.v === 'number') return Math.sign(f === '+' ? r.v : -r.v);
  return f === '+' && isItself(r, key) && l.op === 'lit' && typeof l.v === 'number' ? Math.sign(l.v) : 0;
}

function isItself(expr: Expr, key: string): boolean {
  if (expr.op === 'filter') return expr.o !== undefined && isItself(expr.o, key);
  return expr.op === 'get' && expr.k === key && expr.o.op === 'name' && expr.o.n === 'ctx';
}

/** A bound is not a question that a guard asked. */
const BOUND = -1;

/** The counter after more rounds, and what is known of it; undefined if it is no number. */
function further(
  value: unknown,
  key: string,
  drift: number,
  facts: GuardFacts,
): { readonly value: string; readonly facts: GuardFacts } | undefined {
  const of = `counter ${key}`;
  const isKnown = typeof value === 'number';
  if (!isKnown && unknownIn(value)?.of !== of) return undefined;
  const isOwn = ([question]: GuardFacts[number]): boolean =>
    question.startsWith(`{"of":${JSON.stringify(of)}`);
  const others = facts.filter((fact) => !isOwn(fact));
  const before = facts.filter((fact) => isOwn(fact) && fact[0].includes(`"p":${BOUND}`));
  const by: Expr = {
    op: 'cmp',
    l: { op: 'name', n: '$', p: 0 },
    c: [[drift > 0 ? '>=' : '<=', { op: 'lit', v: value as number }]],
    p: BOUND,
  };
  const bound = isKnown ? [[JSON.stringify({ of, by }), true] as const] : before;
  return { value: unknown({ of }), facts: [...others, ...bound] };
}

/** Mistakes that the text of a router or rule shows: values between its arcs, a repetition of what must not be repeated. */
import {
  everyTask,
  failedOutcomeOf,
  isMapping,
  type Plan,
  type StepPlan,
  type TaskPlan,
  type Json,
  type PlanValue,
} from '../../../language/plan';
import { type Expr, evaluate, type Template, truthOfCondition } from '../../../language/template/runtime';
import { type DeepFinding, finding } from './finding';

export function routerFindings(plan: Plan): DeepFinding[] {
  return plan.steps.flatMap((step) => [
    ...holeIn(plan, step),
    ...everyTask(step).flatMap((task) => repeated(plan, step, task)),
  ]);
}

/** A number that no arc takes, between numbers that arcs take. */
function holeIn(plan: Plan, { name: step, router }: StepPlan): DeepFinding[] {
  const arcs = router?.arcs ?? [];
  const tests = arcs.flatMap(({ when }) => (when?.kind === 'expression' ? [when.expr] : []));
  if (arcs.length < 2 || tests.length < arcs.length) return [];
  const parts = tests.flatMap((expr) => [...leavesOf(expr)]);
  const subjects = new Set(parts.filter(({ op }) => op !== 'lit').map(textOf));
  const numbers = parts.flatMap((part) => (part.op === 'lit' && typeof part.v === 'number' ? [part.v] : []));
  if (subjects.size !== 1 || parts.some((part) => part.op === 'lit' && typeof part.v !== 'number')) return [];
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const points = sorted.flatMap((number, i) => [number, (number + (sorted[i + 1] ?? number + 2)) / 2]);
  const isTaken = (value: number): boolean => tests.some((expr) => holds(expr, value));
  const hole = [sorted[0]! - 1, ...points].findIndex((value, i, all) => {
    const [before, after] = [all.slice(0, i), all.slice(i + 1)];
    return !isTaken(value) && before.some(isTaken) && after.some(isTaken);
  });
  if (hole < 1) return [];
  const subject = [...subjects][0]!;
  const message = `no arc of ${step} is taken if ${subject} is ${points[hole - 1]}: the branch ends there`;
  return [finding(plan, 'ROUTER_HOLE', { message, step })];
}

/** Of conditions that only compare one value with numbers: that value, and the numbers. */
function* leavesOf(expr: Expr): Generator<Expr> {
  if (expr.op === 'and' || expr.op === 'or') yield* [expr.l, expr.r].flatMap((one) => [...leavesOf(one)]);
  else if (expr.op === 'not') yield* leavesOf(expr.e);
  else if (expr.op === 'cmp') yield* [expr.l, ...expr.c.map(([, right]) => right)];
  else yield expr;
}

function holds(expr: Expr, value: number): boolean {
  const put = (part: unknown): unknown => {
    if (!isMapping(part) && !Array.isArray(part)) return part;
    if (Array.isArray(part)) return part.map(put);
    const { op } = part as unknown as Expr;
    if (op === 'get' || op === 'name' || op === 'item' || op === 'filter') return { op: 'lit', v: value };
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, put(one)]));
  };
  return isTrue({ kind: 'expression', source: '', expr: put(expr) as Expr }, {});
}

function isTrue(when: Template, names: Readonly<Record<string, unknown>>): boolean {
  try {
    return truthOfCondition(evaluate(when, { lookup: (name) => names[name] }));
  } catch {
    return false;
  }
}

/** `start.n`; anything else as the expression that it is. */
function textOf(expr: Expr): string {
  if (expr.op === 'name') return expr.n;
  return expr.op === 'get' ? `${textOf(expr.o)}.${expr.k}` : JSON.stringify(expr);
}

/** A call that may run at most once, repeated by a rule when its worker was lost. */
function repeated(plan: Plan, { name: step }: StepPlan, { name, spec, rules, at }: TaskPlan): DeepFinding[] {
  if (spec.delivery !== 'at_most_once') return [];
  const lost = failedOutcomeOf({ kind: 'worker_lost', code: 'WORKER_LOST', message: '', retryable: true });
  const names = { output: lost, outcome: lost, this: lost, error: lost.error, event: { name: 'call.error' } };
  const rule = rules?.rules.find(
    ({ on, when }) => on.some((one) => one !== 'store') && (!when || isTrue(when, names)),
  );
  if (rule?.move?.do !== 'retry') return [];
  const message = `${step}/${name} may run at most once, but a rule repeats it when its worker is lost, after it may have acted`;
  return [finding(plan, 'REPEATED_AT_MOST_ONCE', { message, step, at: rule.at ?? at })];
}

/** Another playbook by its path, if it is known. */
export type PlanByPath = (path: string) => Plan | undefined;

export function deadlocks(plan: Plan, planOf: PlanByPath = () => undefined): DeepFinding[] {
  const { concurrency } = plan;
  const path = plan.metadata.path;
  if (!concurrency || !isOne(concurrency.limit)) return [];
  return plan.steps.flatMap(({ name: step, ...own }) =>
    everyTask({ name: step, ...own }).flatMap((task): DeepFinding[] => {
      const called = constantIn(task.config, 'path') ?? constantIn(task.config, 'name');
      if (task.kind !== 'playbook' || typeof called !== 'string') return [];
      if (['wait', 'return_result'].some((flag) => constantIn(task.config, flag) === false)) return [];
      const child = called === path ? plan : planOf(called);
      // An execution that is skipped ends at once.
      if (!child?.concurrency || child.concurrency.onConflict === 'skip') return [];
      if ((child.concurrency.scope ?? called) !== (concurrency.scope ?? path)) return [];
      const own = keysOf(plan);
      if (!keysOf(child, task).some((key) => own.includes(key))) return [];
      const message = `step ${step} waits for ${called}, which needs the limit that this execution holds: it fails with LIMIT_DEADLOCK`;
      return [finding(plan, 'LIMIT_DEADLOCK', { message, step, at: task.at })];
    }),
  );
}

function isOne(limit: PlanValue): boolean {
  return 'const' in limit && Number(limit.const) === 1;
}

/** What the key of an execution may be: a constant, or an input of the playbook that is checked. @param by the task that calls it */
function keysOf({ concurrency, workload }: Plan, by?: TaskPlan): readonly string[] {
  const key = concurrency?.key;
  if (!key) return [''];
  if (!('template' in key)) return [JSON.stringify(key)];
  const own = sourceOf(key);
  const [, input = ''] = /^\{\{workload\.(\w+)\}\}$/.exec(own ?? '') ?? [];
  const payloads = by ? [memberOf(by.config, 'payload'), memberOf(by.config, 'args'), by.input] : [];
  const [given] = payloads.flatMap((one) => (one && memberOf(one, input)) || []);
  const value = given ?? memberOf(workload, input);
  const other = value && ('const' in value ? JSON.stringify(value) : sourceOf(value));
  return [...(by || own === undefined ? [] : [own]), ...(other === undefined ? [] : [other])];
}

function sourceOf(value: PlanValue): string | undefined {
  return 'template' in value ? value.template.source.replaceAll(' ', '') : undefined;
}

function memberOf(value: PlanValue, name: string): PlanValue | undefined {
  if ('map' in value) return value.map.find(([key]) => key === name)?.[1];
  const whole = 'const' in value && isMapping(value.const) ? value.const[name] : undefined;
  return whole === undefined ? undefined : { const: whole as Json };
}

function constantIn(value: PlanValue, name: string): Json | undefined {
  const member = memberOf(value, name);
  return member && 'const' in member ? member.const : undefined;
}

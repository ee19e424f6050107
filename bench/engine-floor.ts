/**
 * The floor under the engine's speed: what memory costs any program that walks a sequential plan as the engine does. It
 * decides nothing: of every step it reads what the engine reads, enters the step's ids into records and removes them,
 * leaves as much garbage, and keeps a result by the step's name. Ten steps stay in the processor's caches, and V8 knows
 * their names. Of ten thousand each lies elsewhere in memory, its ids are new strings, and the results outlive
 * collections of garbage: by as much as the floor rises, nothing that the engine could leave out would make it flatter.
 */
import { type Plan } from '../src/plan';

/** What an input reads of a step of `sequential` (engine.ts); nearly every mapping and list is a place of its own. */
interface Step {
  readonly name: string;
  readonly set: readonly unknown[];
  readonly tasks: readonly [
    {
      readonly name: string;
      readonly kind: string;
      readonly input: { readonly map: readonly [readonly [string, { readonly template: Template }]] };
      readonly config: { readonly const: { readonly code: string } };
      readonly strict: readonly unknown[];
      readonly spec: { readonly delivery: string; readonly options: { readonly const: object } };
      readonly set: readonly unknown[];
    },
  ];
  readonly router?: { readonly arcs: readonly [{ readonly step: string; readonly set: readonly unknown[] }] };
}

interface Template {
  readonly kind: string;
  readonly expr: { readonly op: string; readonly k: string; readonly o: { readonly n: string } };
}

/** Bytes that the engine makes in passing for one input (`node --trace-gc`), and those of one object here. */
const GARBAGE = 5000;
const OBJECT = 72;

/** Walks the plan; returns how many steps that took. */
export function walk(plan: Plan): number {
  const steps = new Map((plan.steps as unknown as Step[]).map((step) => [step.name, step]));
  const tokens = record<Step>();
  const runs = record<Step>();
  const pending = record<string>();
  const counts = record<number>();
  const results = record<object>();
  let count = 0;
  for (let step = steps.get(plan.start); step; step = steps.get(step.router?.arcs[0].step ?? '')) {
    const token = `t${++count}`;
    const run = `${step.name}#1`;
    const task = `${run}.${step.tasks[0].name}~1@1`;
    tokens[token] = step;
    runs[run] = step;
    pending[task] = run;
    const outcome = read(step) + litter(step);
    delete pending[task];
    delete runs[run];
    delete tokens[token];
    counts[step.name] = 1;
    results[step.name] = { status: 'ok', last: { kind: 'python', outcome }, iter: {} };
  }
  return count;
}

/** A hash table, as the state of the engine has it. */
function record<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

function read({ name, set, tasks: [task], router }: Step): number {
  const [[field, { template }]] = task.input.map;
  const { kind, expr } = template;
  const words = [name, task.kind, task.config.const.code, task.spec.delivery, field, kind];
  const lists = [set, task.set, task.strict, router?.arcs[0].set ?? set];
  let length = expr.op.length + expr.k.length + expr.o.n.length + (task.spec.options.const ? 1 : 0);
  for (const { length: more } of words) length += more;
  for (const { length: more } of lists) length += more;
  return length;
}

function litter(step: Step): number {
  let last = { step, a: 0, b: 0, c: 0, d: 0, e: 0 };
  for (let made = 0; made < GARBAGE; made += OBJECT) last = { step, a: last.b, b: made, c: 0, d: 0, e: 0 };
  return last.a;
}

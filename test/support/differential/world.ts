/** What the tools of an abstract playbook answer, whichever way it is written, and what is read of a run. */
import { type Json, type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { httpError, ok } from '../simulator';
import { type Driven } from '../strict-driver';
import { type AbstractPlaybook, type AbstractStep, type Item } from './abstract';

/** Tasks that store, and the number of their step. */
const STORES = /^s(\d+)_(?:.*_)?k_\w+$/;

/** Answers by step, item, page and attempt. */
export function worldOf({ steps }: AbstractPlaybook): (call: TaskCall) => Outcome {
  return ({ task, input, attempt }) => {
    if (task.endsWith('_out')) return ok(input['value']!);
    const [, index] = /^s(\d+)_/.exec(task) ?? [];
    if (index === undefined) return ok({ ...input });
    const item = steps[Number(index)]!.items[Number(input['n'] ?? 0)]!;
    const store = /_k_([a-z]+)$/.exec(task);
    if (store) return item.broken === store[1] ? httpError(500) : ok({ stored: true });
    return fetched(item, input, attempt);
  };
}

function fetched({ failures, pages, unready }: Item, input: JsonObject, attempt: number): Outcome {
  const page = Number(input['page']);
  const failed = failures.page === page ? failures.times : 0;
  if (attempt <= failed) return httpError(failures.status);
  return ok({
    n: input['n']!,
    page,
    via: input['via'] ?? null,
    more: page < pages,
    ready: page > 1 || attempt > failed + unready,
    rows: [`${String(input['n'])}.${page}.0`, `${String(input['n'])}.${page}.1`],
  });
}

/** What the calls of the storing tools were given, by step; in a parallel loop by iteration, each in order. */
export function rowsOf(calls: readonly TaskCall[], { steps }: AbstractPlaybook): Json {
  const rows: Record<string, Json[]> = {};
  for (const { task, input } of calls) {
    const [, index] = STORES.exec(task) ?? [];
    if (index === undefined) continue;
    const group = steps[Number(index)]!.loop?.parallel ? `${index}[${String(input['n'])}]` : index;
    const { at, n, got } = input;
    (rows[group] ??= []).push({ at: at!, n: n!, ...(got === undefined ? {} : { got }) });
  }
  return rows;
}

/** Which steps stored, and at what. */
export function storesOf(
  calls: readonly TaskCall[],
  { steps }: AbstractPlaybook,
): { step: AbstractStep; at: string }[] {
  return calls.flatMap(({ task, input }) => {
    const [, index] = STORES.exec(task) ?? [];
    return index === undefined ? [] : [{ step: steps[Number(index)]!, at: String(input['at']) }];
  });
}

/** End, result, results of the steps, variables and steps executed; what one vocabulary needs besides is left out. */
export function essenceOf({ end, result, state }: Driven, { steps }: AbstractPlaybook): JsonObject {
  // A step that collects begins with an empty list, of which the other vocabulary knows nothing.
  const isEmpty = (value: Json): boolean => Array.isArray(value) && value.length === 0;
  const ctx = Object.entries(state.ctx).filter(([name, value]) => !name.startsWith('f_') && !isEmpty(value));
  const results = steps.map((_, index) => {
    const found = state.results[`s${index}`];
    if (!found) return null;
    if (found.type === 'loop') return { loop: found.results, success: found.success, failed: found.failed };
    return found.status === 'ok' ? (found.last?.outcome.result ?? null) : 'failed';
  });
  const executed = state.executed.filter((name) => !name.includes('__'));
  return JSON.parse(
    JSON.stringify({
      end,
      result: result ?? null,
      results,
      ctx: Object.fromEntries(ctx.sort()),
      executed: executed.sort(),
    }),
  ) as JsonObject;
}

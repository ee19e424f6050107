/** Differences between two executions, aligned by step run and task run. */
import { isMapping, type Json } from '../../plan';
import { type CanonicalEvent } from '../events';
import { emptySummary, type ExecutionSummary, note } from './summary';

export interface Difference {
  readonly kind: 'execution' | 'step' | 'task' | 'ctx';
  /** Step run, task run or key of ctx; empty for the execution. */
  readonly id: string;
  /** The differing part: `input`, `outcome.result.data[3]`, …; `only` if one side lacks it altogether. */
  readonly what: string;
  readonly a: Json;
  readonly b: Json;
}

export interface Timing {
  readonly id: string;
  readonly a_ms: number;
  readonly b_ms: number;
}

export interface Comparison {
  readonly a: { readonly execution_id: string; readonly playbook: string; readonly status: string };
  readonly b: { readonly execution_id: string; readonly playbook: string; readonly status: string };
  readonly same: boolean;
  readonly differences: readonly Difference[];
  /** Task runs, and the whole execution, that took clearly longer on one side: never a difference by themselves. */
  readonly timings: readonly Timing[];
}

/** A duration is reported when it is longer by this much and at least twice as long. */
const SLOWER_MS = 100;
const MAX_VALUE_PATHS = 20;

/** Consumes the events of one execution in order; `summary` accumulates them. */
export class Summariser {
  readonly summary: ExecutionSummary = emptySummary();

  take(events: readonly CanonicalEvent[]): void {
    for (const event of events) note(this.summary, event);
  }
}

export function compare(a: ExecutionSummary, b: ExecutionSummary): Comparison {
  const differences = [
    ...(['playbook', 'digest', 'workload', 'status', 'result', 'error'] as const).flatMap((what) =>
      values('execution', '', what, a[what], b[what]),
    ),
    ...aligned('step', a.steps, b.steps, ['args', 'status', 'error', 'next']),
    ...aligned('task', a.tasks, b.tasks, ['input', 'outcome', 'decision']),
    ...[...new Set([...a.ctx.keys(), ...b.ctx.keys()])].flatMap((key) =>
      values('ctx', key, '', a.ctx.get(key), b.ctx.get(key)),
    ),
  ];
  return {
    a: headOf(a),
    b: headOf(b),
    same: differences.length === 0,
    differences,
    timings: timings(a, b),
  };
}

function headOf({ execution_id, playbook, status }: ExecutionSummary): Comparison['a'] {
  return { execution_id, playbook, status };
}

function aligned<T extends object>(
  kind: Difference['kind'],
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  fields: readonly (keyof T & string)[],
): Difference[] {
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((id) => {
    const [left, right] = [a.get(id), b.get(id)];
    if (!left || !right) return [{ kind, id, what: 'only', a: left !== undefined, b: right !== undefined }];
    return fields.flatMap((what) => values(kind, id, what, left[what] as Json, right[what] as Json));
  });
}

/** The paths at which two values differ; where one is missing or of another type, the path as a whole. */
function values(
  kind: Difference['kind'],
  id: string,
  what: string,
  a: Json | undefined,
  b: Json | undefined,
): Difference[] {
  const differences: Difference[] = [];
  walk(what, a ?? null, b ?? null, (path, left, right) => {
    if (differences.length < MAX_VALUE_PATHS) differences.push({ kind, id, what: path, a: left, b: right });
  });
  return differences;
}

function walk(path: string, a: Json, b: Json, tell: (path: string, a: Json, b: Json) => void): void {
  if (Object.is(a, b)) return;
  const bothLists = Array.isArray(a) && Array.isArray(b);
  const bothMaps = isMapping(a) && isMapping(b);
  if (!bothLists && !bothMaps) return tell(path, a, b);
  const [left, right] = [a as Record<string, Json>, b as Record<string, Json>];
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const below = bothLists ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const has = [left, right].map((side) => Object.hasOwn(side, key));
    if (has[0] && has[1]) walk(below, left[key]!, right[key]!, tell);
    else tell(below, has[0] ? left[key]! : null, has[1] ? right[key]! : null);
  }
}

function timings(a: ExecutionSummary, b: ExecutionSummary): Timing[] {
  const pairs: [string, number | undefined, number | undefined][] = [
    ['', a.duration_ms, b.duration_ms],
    ...[...a.tasks].map(([id, task]): [string, number | undefined, number | undefined] => [
      id,
      task.duration_ms,
      b.tasks.get(id)?.duration_ms,
    ]),
  ];
  return pairs.flatMap(([id, left, right]) => {
    if (left === undefined || right === undefined) return [];
    const [short, long] = left < right ? [left, right] : [right, left];
    return long - short >= SLOWER_MS && long >= 2 * short ? [{ id, a_ms: left, b_ms: right }] : [];
  });
}

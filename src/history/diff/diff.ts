/** Differences between two executions, aligned by step run and task run. */
import { isMapping, type Json } from '../../language/plan';
import { type CanonicalEvent } from '../events';
import { emptySummary, type ComparedExecution, noteEvent } from './summary';

export interface ExecutionDifference {
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

export interface ExecutionComparison {
  readonly a: { readonly execution_id: string; readonly playbook: string; readonly status: string };
  readonly b: { readonly execution_id: string; readonly playbook: string; readonly status: string };
  readonly same: boolean;
  readonly differences: readonly ExecutionDifference[];
  /** Task runs, and the whole execution, that took clearly longer on one side: never a difference by themselves. */
  readonly timings: readonly Timing[];
}

/** A duration is reported when it is longer by this much and at least twice as long. */
const SLOWER_MS = 100;
const MAX_VALUE_PATHS = 20;

/** Consumes the events of one execution in order; `summary` accumulates them. */
export class Summariser {
  readonly summary: ComparedExecution = emptySummary();

  take(events: readonly CanonicalEvent[]): void {
    for (const event of events) noteEvent(this.summary, event);
  }
}

/** Of executions that are known as a whole. */
export function compareExecutions(a: ComparedExecution, b: ComparedExecution): ExecutionComparison {
  const of = (kind: 'step' | 'task', left: Map<string, object>, right: Map<string, object>) =>
    [...new Set([...left.keys(), ...right.keys()])].map((id) =>
      compareOne(kind, id, left.get(id), right.get(id)),
    );
  const [steps, tasks] = [of('step', a.steps, b.steps), of('task', a.tasks, b.tasks)];
  return compareAll(a, b, {
    steps: steps.flatMap(({ differences }) => differences),
    tasks: tasks.flatMap(({ differences }) => differences),
    timings: tasks.flatMap(({ timing }) => (timing ? [timing] : [])),
  });
}

/** What is known of the parts, in order. */
interface Parts {
  readonly steps: readonly ExecutionDifference[];
  readonly tasks: readonly ExecutionDifference[];
  readonly timings: readonly Timing[];
}

/** @param parts the comparison of step runs and task runs */
export function compareAll(a: ComparedExecution, b: ComparedExecution, parts: Parts): ExecutionComparison {
  const differences = [
    ...(['playbook', 'digest', 'workload', 'status', 'result', 'error'] as const).flatMap((what) =>
      values('execution', '', what, a[what], b[what]),
    ),
    ...parts.steps,
    ...parts.tasks,
    ...[...new Set([...a.ctx.keys(), ...b.ctx.keys()])].flatMap((key) =>
      values('ctx', key, '', a.ctx.get(key), b.ctx.get(key)),
    ),
  ];
  const whole = timingOf('', a.duration_ms, b.duration_ms);
  return {
    a: headOf(a),
    b: headOf(b),
    same: differences.length === 0,
    differences,
    timings: [...(whole ? [whole] : []), ...parts.timings],
  };
}

function headOf({ execution_id, playbook, status }: ComparedExecution): ExecutionComparison['a'] {
  return { execution_id, playbook, status };
}

const FIELDS = {
  step: ['args', 'status', 'error', 'next'],
  task: ['input', 'outcome', 'decision'],
} as const;

/** A step run, or a task run, of both; undefined where there is none. */
export function compareOne(
  kind: 'step' | 'task',
  id: string,
  a: object | undefined,
  b: object | undefined,
): { readonly differences: readonly ExecutionDifference[]; readonly timing?: Timing | undefined } {
  if (!a || !b) return { differences: [{ kind, id, what: 'only', a: a !== undefined, b: b !== undefined }] };
  const [left, right] = [a as Record<string, Json | undefined>, b as Record<string, Json | undefined>];
  const differences = FIELDS[kind].flatMap((what) => values(kind, id, what, left[what], right[what]));
  const times = [left['duration_ms'], right['duration_ms']] as [number | undefined, number | undefined];
  return { differences, ...(kind === 'task' && { timing: timingOf(id, ...times) }) };
}

/** The paths at which two values differ; where one is missing or of another type, the path as a whole. */
function values(
  kind: ExecutionDifference['kind'],
  id: string,
  what: string,
  a: Json | undefined,
  b: Json | undefined,
): ExecutionDifference[] {
  const differences: ExecutionDifference[] = [];
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

function timingOf(id: string, a: number | undefined, b: number | undefined): Timing | undefined {
  if (a === undefined || b === undefined) return undefined;
  const [short, long] = a < b ? [a, b] : [b, a];
  return long - short >= SLOWER_MS && long >= 2 * short ? { id, a_ms: a, b_ms: b } : undefined;
}

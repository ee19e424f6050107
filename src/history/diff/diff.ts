/** Differences between two executions, aligned by step run and task run. */
import { isMapping, type Json, compact } from '../../language/plan';
import { type CanonicalEvent } from '../events';

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
  task: ['input', 'cached', 'outcome', 'decision'],
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

export interface TaskSummary {
  input?: Json;
  outcome?: Json;
  /** Its result is one that another execution made: the tool was not called. */
  cached?: Json;
  /** The decision of its rules, with the rule's number. */
  decision?: Json;
  duration_ms?: number;
}

export interface StepSummary {
  args?: Json;
  status?: string;
  error?: Json;
  /** Where its token went. */
  next?: Json;
  duration_ms?: number;
}

export interface ComparedExecution {
  execution_id: string;
  playbook: string;
  digest?: Json;
  workload?: Json;
  result?: Json;
  error?: Json;
  status: string;
  duration_ms?: number;
  readonly steps: Map<string, StepSummary>;
  readonly tasks: Map<string, TaskSummary>;
  readonly ctx: Map<string, Json>;
}

export function emptySummary(): ComparedExecution {
  return {
    execution_id: '',
    playbook: '',
    status: 'running',
    steps: new Map(),
    tasks: new Map(),
    ctx: new Map(),
  };
}

type Note = (summary: ComparedExecution, event: CanonicalEvent) => void;

function noted<T>(map: Map<string, T>, id: string | undefined, values: T): void {
  if (id !== undefined) map.set(id, { ...map.get(id), ...values });
}

const stepEnded: Note = ({ steps }, { step_run_id, status, payload, duration_ms }) =>
  noted(steps, step_run_id, {
    status,
    duration_ms,
    ...(payload['error'] ? { error: payload['error'] } : {}),
  });
const taskEnded: Note = ({ tasks }, { task_run_id, payload, duration_ms }) =>
  noted(tasks, task_run_id, {
    outcome: comparable(payload['outcome'] ?? null),
    ...(isCached(payload['outcome']) && { cached: true }),
    duration_ms,
  });
const directed: Note = ({ tasks }, { task_run_id, payload }) => {
  const { directive = null, rule = null, to } = payload;
  noted(tasks, task_run_id, { decision: { directive, rule, ...compact({ to }) } });
};

const NOTES: Readonly<Record<string, Note>> = {
  'playbook.execution.requested': (summary, event) => {
    summary.execution_id = event.execution_id;
    summary.playbook = event.entity_id;
  },
  'playbook.request.evaluated': (summary, { payload }) => (summary.digest = payload['digest']),
  'playbook.started': (summary, { payload }) => (summary.workload = payload['workload']),
  'step.scheduled': ({ steps }, { step_run_id, payload }) =>
    noted(steps, step_run_id, { args: payload['args'] ?? {} }),
  'step.done': stepEnded,
  'step.failed': stepEnded,
  'step.skipped': stepEnded,
  'next.selected': ({ steps }, { step_run_id, payload }) =>
    noted(steps, step_run_id, { next: payload['steps'] ?? [] }),
  'task.started': ({ tasks }, { task_run_id, payload }) =>
    noted(tasks, task_run_id, { input: payload['input'] ?? {} }),
  'task.done': taskEnded,
  'task.failed': taskEnded,
  'task.directive': directed,
  'task.retrying': directed,
  'ctx.patched': ({ ctx }, { payload }) => {
    for (const [key, value] of Object.entries((payload['patch'] ?? {}) as Record<string, Json>))
      ctx.set(key, value);
  },
  'workflow.finished': (summary, { status, payload }) => {
    summary.status = status === 'success' ? 'completed' : status === 'cancelled' ? 'cancelled' : 'failed';
    summary.result = payload['result'];
    summary.error = payload['error'];
  },
  'playbook.processed': (summary, { duration_ms }) => (summary.duration_ms = duration_ms),
};

/** Adds an event. */
export function noteEvent(summary: ComparedExecution, event: CanonicalEvent): void {
  NOTES[event.event_type]?.(summary, event);
}

function isCached(outcome: Json | undefined): boolean {
  const meta = isMapping(outcome) ? outcome['meta'] : undefined;
  return isMapping(meta) && meta['cached'] !== undefined;
}

/** An outcome without the parts that vary between identical calls. */
function comparable(outcome: Json): Json {
  if (typeof outcome !== 'object' || outcome === null || Array.isArray(outcome)) return outcome;
  const { meta: _meta, http, ...rest } = outcome;
  return {
    ...rest,
    ...(rest['result'] === undefined ? {} : { result: withoutClock(rest['result']) }),
    ...(http === undefined ? {} : { http: withoutClock(http) }),
  };
}

/** For http: the duration, and headers, half of which are dates. */
function withoutClock(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (!('status_code' in value) && !('status' in value)) return value;
  const { elapsed_ms: _elapsed, headers: _headers, ...rest } = value;
  return rest;
}

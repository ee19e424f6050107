/** The parts of an execution that are compared: its step runs and task runs, by id. */
import { compact, type Json } from '../../language/plan';
import { type CanonicalEvent } from '../events';

export interface TaskSummary {
  input?: Json;
  outcome?: Json;
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
  noted(tasks, task_run_id, { outcome: comparable(payload['outcome'] ?? null), duration_ms });
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

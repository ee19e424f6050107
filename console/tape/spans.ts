/**
 * The timeline's spans: a tree of step runs, iterations, tasks and attempts. Waiting (for the step's turn, a retry or an
 * external event), time in a queue, and work are separate parts.
 */
import { type CanonicalEvent } from '../../src/history';
import { type Moment, type StepState } from '../../src/history/moment';

/** Events are in causal order: of parallel ends, a later one may have happened earlier. */
const occurredAt = ({ timestamp, meta }: CanonicalEvent): number => Date.parse(meta.occurred_at ?? timestamp);

export type SpanPartKind = 'waiting' | 'queue' | 'work' | 'outside';

/** Milliseconds since the epoch; `to` is undefined while it runs. */
export interface SpanPart {
  readonly kind: SpanPartKind;
  readonly from: number;
  to?: number;
  failed?: true;
}

export interface TapeSpan {
  /** Step run, iteration (`fetch#1[3]`), task (without `@`) or attempt. */
  readonly id: string;
  readonly kind: 'step' | 'iteration' | 'task' | 'attempt';
  readonly step: string;
  readonly label: string;
  readonly depth: number;
  readonly children: TapeSpan[];
  readonly parts: SpanPart[];
  readonly from: number;
  to?: number;
  look: StepState;
  /** Of its tool. */
  tool?: string;
  /** Of a loop: when iterations failed. */
  failures?: number[];
}

/** Kinds whose work is done elsewhere: they only wait. */
const OUTSIDE: ReadonlySet<string> = new Set(['wait', 'playbook']);

export class Spans {
  readonly roots: TapeSpan[] = [];
  private readonly byId = new Map<string, TapeSpan>();
  /** Token → arrival at its step. */
  private readonly arrivals = new Map<string, number>();
  /** Grows with every change. */
  version = 0;
  /** Iterations that failed. */
  failures = 0;

  /** @param open step runs that are under way at the beginning, and when they began */
  constructor(open: Moment['runs']) {
    for (const [id, from] of open) {
      const span = this.add(undefined, { id, kind: 'step', label: stepOf(id), step: stepOf(id), from });
      span.parts.push({ kind: 'work', from });
    }
  }

  get(id: string): TapeSpan | undefined {
    return this.byId.get(id);
  }

  take(event: CanonicalEvent): void {
    TAKES[event.event_type]?.(this, event);
    this.version++;
  }

  cameTo(token: string, at: number): void {
    this.arrivals.set(token, at);
  }

  stepBegins(event: CanonicalEvent): void {
    const at = occurredAt(event);
    const arrival = this.arrivals.get(event.parent_id ?? '') ?? at;
    const span = this.begin(undefined, event, {
      id: event.step_run_id ?? event.entity_id,
      kind: 'step',
      label: event.entity_id,
      from: arrival,
    });
    if (at > arrival) span.parts.push({ kind: 'waiting', from: arrival, to: at });
    span.parts.push({ kind: 'work', from: at });
  }

  iterationBegins(event: CanonicalEvent): void {
    const span = this.iterationOf(event);
    if (span && span.parts.length === 0) span.parts.push({ kind: 'work', from: occurredAt(event) });
  }

  taskBegins(event: CanonicalEvent): void {
    const id = event.task_run_id;
    if (id === undefined) return;
    const at = occurredAt(event);
    const tool = String(event.payload['kind'] ?? '');
    const above = this.iterationOf(event) ?? this.byId.get(event.step_run_id ?? '');
    const base = id.replace(/@\d+$/, '');
    const task =
      this.byId.get(base) ??
      this.begin(above, event, { id: base, kind: 'task', label: event.entity_id, from: at });
    const label = `attempt ${String(event.attempt ?? 1)}`;
    const attempt = this.begin(task, event, { id, kind: 'attempt', label, from: at });
    task.look = attempt.look = OUTSIDE.has(tool) ? 'asleep' : 'running';
    task.tool = attempt.tool = tool;
    delete task.to;
    attempt.parts.push({ kind: OUTSIDE.has(tool) ? 'outside' : 'queue', from: at });
    endLast(task, at);
    task.parts.push({ ...attempt.parts[0]! });
  }

  taskEnds(event: CanonicalEvent): void {
    const attempt = this.byId.get(event.task_run_id ?? '');
    if (!attempt) return;
    const at = occurredAt(event);
    const failed = event.event_type === 'task.failed';
    const began = event.meta.started_at ? Date.parse(event.meta.started_at) : undefined;
    const task = this.byId.get(attempt.id.replace(/@\d+$/, ''))!;
    for (const span of [attempt, task]) {
      const last = span.parts.at(-1);
      const from = last?.from ?? attempt.from;
      if (last) span.parts.pop();
      if (last?.kind === 'outside') span.parts.push({ ...last, to: at, ...(failed && { failed }) });
      else {
        const start = Math.min(at, Math.max(from, began ?? from));
        if (start > from) span.parts.push({ kind: 'queue', from, to: start });
        span.parts.push({ kind: 'work', from: start, to: at, ...(failed && { failed }) });
      }
      span.to = at;
      span.look = failed ? 'failed' : 'done';
    }
  }

  retries(event: CanonicalEvent): void {
    const task = this.byId.get((event.task_run_id ?? '').replace(/@\d+$/, ''));
    if (!task) return;
    task.parts.push({ kind: 'waiting', from: occurredAt(event) });
    task.look = 'asleep';
  }

  ends(id: string, event: CanonicalEvent, look: StepState): void {
    const span = this.byId.get(id);
    if (!span) return;
    const at = occurredAt(event);
    endLast(span, at);
    span.to = at;
    span.look = look;
    const last = span.parts.at(-1);
    if (look === 'failed' && last) last.failed = true;
  }

  iterationFails(event: CanonicalEvent): void {
    this.failures++;
    const run = this.byId.get(event.step_run_id ?? '');
    if (run) (run.failures ??= []).push(occurredAt(event));
  }

  private iterationOf(event: CanonicalEvent): TapeSpan | undefined {
    const { step_run_id: run, iteration } = event;
    if (run === undefined || iteration === undefined) return undefined;
    const id = iterationId(run, iteration);
    const at = occurredAt(event);
    return (
      this.byId.get(id) ??
      this.begin(this.byId.get(run), event, {
        id,
        kind: 'iteration',
        label: `[${String(iteration)}]`,
        from: at,
      })
    );
  }

  private begin(
    above: TapeSpan | undefined,
    event: CanonicalEvent,
    about: Pick<TapeSpan, 'id' | 'kind' | 'label' | 'from'>,
  ): TapeSpan {
    return this.add(above, { ...about, step: stepOf(event.step_run_id ?? event.entity_id) });
  }

  private add(
    above: TapeSpan | undefined,
    about: Pick<TapeSpan, 'id' | 'kind' | 'label' | 'from' | 'step'>,
  ): TapeSpan {
    const span: TapeSpan = {
      ...about,
      depth: above ? above.depth + 1 : 0,
      children: [],
      parts: [],
      look: 'running',
    };
    (above?.children ?? this.roots).push(span);
    this.byId.set(about.id, span);
    return span;
  }
}

function stepOf(run: string): string {
  return run.replace(/#\d+$/, '');
}

/** The status of a span at a time, in milliseconds since the epoch. */
export function spanStateAt({ from, to, look, tool }: TapeSpan, at: number): StepState {
  if (from > at) return 'waiting';
  if (to !== undefined && to <= at) return look;
  return isOutside({ tool }) ? 'asleep' : to === undefined ? look : 'running';
}

/** Its work is done elsewhere: it only waits. */
export function isOutside({ tool }: { readonly tool?: string | undefined }): boolean {
  return tool !== undefined && OUTSIDE.has(tool);
}

export function iterationId(run: string, iteration: number): string {
  return `${run}[${String(iteration)}]`;
}

function endLast(span: TapeSpan, at: number): void {
  const last = span.parts.at(-1);
  if (last && last.to === undefined) last.to = Math.max(last.from, at);
}

const endOf =
  (look: StepState) =>
  (spans: Spans, event: CanonicalEvent): void =>
    spans.ends(event.step_run_id ?? '', event, look);

const endOfIteration =
  (look: StepState) =>
  (spans: Spans, event: CanonicalEvent): void => {
    spans.iterationBegins(event);
    if (look === 'failed') spans.iterationFails(event);
    spans.ends(iterationId(event.step_run_id ?? '', event.iteration ?? -1), event, look);
  };

const TAKES: Partial<Record<string, (spans: Spans, event: CanonicalEvent) => void>> = {
  'token.enqueued': (spans, event) => spans.cameTo(event.entity_id, occurredAt(event)),
  'step.started': (spans, event) => spans.stepBegins(event),
  'step.done': endOf('done'),
  'step.failed': endOf('failed'),
  'step.skipped': endOf('skipped'),
  'loop.iteration.started': (spans, event) => spans.iterationBegins(event),
  'loop.iteration.done': endOfIteration('done'),
  'loop.iteration.failed': endOfIteration('failed'),
  'task.started': (spans, event) => spans.taskBegins(event),
  'task.done': (spans, event) => spans.taskEnds(event),
  'task.failed': (spans, event) => spans.taskEnds(event),
  'task.retrying': (spans, event) => spans.retries(event),
};

/** What the events say of one thing: a step, a run of it, an iteration, a task, an attempt. */
import { type CanonicalEvent } from '../../src/history';
import { compact } from '../../src/plan/compact';
import { type Span } from '../tape/spans';
import { type Tape } from '../tape/tape';

export interface TaskError {
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly at?: readonly [number, number];
}

export interface Facts {
  readonly events: readonly CanonicalEvent[];
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: TaskError;
  readonly child?: { readonly execution_id: string; readonly path: string };
  readonly worker?: string;
  /** Temporal's own: above 1 after a crash of a worker. */
  readonly tries?: number;
}

/** The step that a selection is about. */
export function stepOf(selection: string | undefined): string | undefined {
  if (selection === undefined) return undefined;
  return selection.startsWith('step:') ? selection.slice(5) : selection.replace(/#.*$/, '');
}

export function eventsOf(tape: Tape, selection: string, count: number): CanonicalEvent[] {
  const events = tape.events.slice(0, count);
  if (selection.startsWith('step:')) {
    const step = selection.slice(5);
    return events.filter(
      (event) => event.step_run_id?.startsWith(`${step}#`) ?? event.payload['step'] === step,
    );
  }
  const iteration = /^([^[\]]+#\d+)\[(\d+)\]$/.exec(selection);
  if (iteration)
    return events.filter(
      (event) => event.step_run_id === iteration[1] && event.iteration === Number(iteration[2]),
    );
  return events.filter(
    ({ step_run_id: run, task_run_id: task }) =>
      run === selection || task === selection || task?.replace(/@\d+$/, '') === selection,
  );
}

interface Outcome {
  readonly result?: unknown;
  readonly error?: TaskError | null;
}

export function factsOf(tape: Tape, selection: string, count: number): Facts {
  const events = eventsOf(tape, selection, count);
  const last = (...types: string[]): CanonicalEvent | undefined =>
    events.findLast((event) => types.includes(event.event_type));
  const started = last('task.started');
  const ended = endOf(started, last('task.done', 'task.failed'));
  const outcome = ended?.payload['outcome'] as Outcome | undefined;
  const failed = last('step.failed', 'loop.iteration.failed')?.payload['error'] as TaskError | undefined;
  const error = outcome?.error ?? failed;
  return {
    events,
    ...compact({
      input: started ? started.payload['input'] : last('step.scheduled')?.payload['args'],
      output: outcome?.result,
      error: error && { ...error, ...placeOf(failed) },
      child: started?.payload['child'] as Facts['child'],
      worker: ended?.meta.worker,
      tries: ended?.meta.tries,
    }),
  };
}

/** The end of what began last; undefined while it goes on. */
function endOf(
  started: CanonicalEvent | undefined,
  ended: CanonicalEvent | undefined,
): CanonicalEvent | undefined {
  return ended && (!started || ended.seq > started.seq) ? ended : undefined;
}

function placeOf(failed: TaskError | undefined): Pick<TaskError, 'at'> {
  return failed?.at ? { at: failed.at } : {};
}

/** The runs of a step that had begun by then, oldest first. */
export function runsOf(tape: Tape, step: string, until: number): readonly Span[] {
  return tape.spans.roots.filter((span) => span.step === step && span.from <= until);
}

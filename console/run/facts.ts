/** What events say about a step, step run, iteration, task or attempt. */
import { type CanonicalEvent } from '../../src/history';
import { compact } from '../../src/language/plan/compact';
import { iterationId, type TapeSpan } from '../tape/spans';
import { type Tape } from '../tape/tape';

export interface TaskError {
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly at?: readonly [number, number];
}

export interface StepFacts {
  readonly events: readonly CanonicalEvent[];
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: TaskError;
  readonly child?: { readonly execution_id: string; readonly path: string };
  readonly worker?: string;
  /** Attempts by Temporal: above 1 after a worker was lost. */
  readonly tries?: number;
  /** For a loop, instead of the input and output of one iteration. */
  readonly loop?: LoopFacts;
}

export interface LoopFacts {
  /** Undefined until the loop has started. */
  readonly total?: number;
  readonly done: number;
  readonly failed: readonly FailedIteration[];
  /** By iteration; null if it failed or has not ended. */
  readonly results: readonly unknown[];
}

export interface FailedIteration {
  /** As a selection. */
  readonly id: string;
  readonly index: number;
  readonly error?: TaskError;
}

/** The step of a selection. */
export function stepOf(selection: string | undefined): string | undefined {
  if (selection === undefined) return undefined;
  return selection.startsWith('step:') ? selection.slice(5) : selection.replace(/#.*$/, '');
}

export function eventsOf(tape: Tape, selection: string, count: number): CanonicalEvent[] {
  const events = tape.until(count);
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

export function factsOf(tape: Tape, selection: string, count: number): StepFacts {
  const events = eventsOf(tape, selection, count);
  const run = loopingRunOf(selection, events);
  return run === undefined ? factsOfEvents(events) : factsOfLoop(run, events);
}

/** The selected step run, or the last one of the selected step, if events of its iterations are at hand. */
function loopingRunOf(selection: string, events: readonly CanonicalEvent[]): string | undefined {
  const isRun = selection.startsWith('step:') || /^[^[\].]+#\d+$/.test(selection);
  return isRun ? events.findLast(({ iteration }) => iteration !== undefined)?.step_run_id : undefined;
}

function factsOfLoop(run: string, events: readonly CanonicalEvent[]): StepFacts {
  const failed = new Map<number, FailedIteration>();
  const results: unknown[] = [];
  let done = 0;
  let total: number | undefined;
  let error: TaskError | undefined;
  for (const { event_type, step_run_id, iteration: index, payload } of events) {
    if (step_run_id !== run) continue;
    if (event_type === 'loop.started') total ??= Number(payload['total']);
    else if (event_type === 'step.failed') error = payload['error'] as TaskError | undefined;
    if (index === undefined) continue;
    if (event_type === 'task.done')
      results[index] = (payload['outcome'] as Outcome | undefined)?.result ?? null;
    else if (event_type === 'loop.iteration.done') done += 1;
    else if (event_type === 'loop.iteration.failed') {
      const why = payload['error'] as TaskError | undefined;
      failed.set(index, { id: iterationId(run, index), index, ...compact({ error: why }) });
      results[index] = null;
    }
  }
  const all = Array.from({ length: results.length }, (_, index) => results[index] ?? null);
  const loop = { done, failed: [...failed.values()], results: all, ...compact({ total }) };
  return { events, loop, ...compact({ error }) };
}

function factsOfEvents(events: readonly CanonicalEvent[]): StepFacts {
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
      child: started?.payload['child'] as StepFacts['child'],
      worker: ended?.meta.worker,
      tries: ended?.meta.tries,
    }),
  };
}

/** The end of the last start; undefined while it runs. */
function endOf(
  started: CanonicalEvent | undefined,
  ended: CanonicalEvent | undefined,
): CanonicalEvent | undefined {
  return ended && (!started || ended.seq > started.seq) ? ended : undefined;
}

function placeOf(failed: TaskError | undefined): Pick<TaskError, 'at'> {
  return failed?.at ? { at: failed.at } : {};
}

/** Runs of a step that had started by then, oldest first. */
export function runsOf(tape: Tape, step: string, until: number): readonly TapeSpan[] {
  return tape.spans.roots.filter((span) => span.step === step && span.from <= until);
}

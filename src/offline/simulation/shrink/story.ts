/** A description of a run for readers who have not seen it. */
import { type EngineEvent } from '../../../engine/machine';
import { isMapping, type Json, type JsonObject, type Plan, taskPath } from '../../../language/plan';
import { type Call, STATUS_OF_END, rehearse, type Rehearsal } from '../../rehearsal';

export interface Happened {
  /** Milliseconds since the start. */
  readonly at_ms: number;
  readonly what: string;
}

/** Longer than is useful to read: the middle is omitted. */
const MOST = 16;

export function storyOf(rehearsal: Rehearsal, plan: Plan): Happened[] {
  const batches: { readonly at: number; readonly events: readonly EngineEvent[] }[] = [];
  const { world, run } = rehearse(rehearsal, plan, {
    applied: ({ at }, { events }, chunk) => void (chunk === undefined && batches.push({ at, events })),
  });
  const calls = new Map(world.calls.map((entry) => [entry.call.task_run_id, entry]));
  const happenings = batches.flatMap(({ at, events }) =>
    events.flatMap((event): Happened[] => {
      const what = TELLERS[event.event_type]?.(event, calls.get(event.task_run_id ?? ''));
      return what === undefined ? [] : [{ at_ms: at - rehearsal.startAt, what }];
    }),
  );
  const end = {
    at_ms: run.elapsed,
    what: `the run is ${STATUS_OF_END[run.end]}${run.error ? `: ${run.error.message}` : ''}`,
  };
  const whole = [...happenings, end];
  if (whole.length <= MOST) return whole;
  const half = MOST / 2;
  const middle = whole.slice(half, -half);
  return [
    ...whole.slice(0, half),
    { at_ms: middle[0]!.at_ms, what: `… ${middle.length} more` },
    ...whole.slice(-half),
  ];
}

type Tell = (event: EngineEvent, call: Call | undefined) => string | undefined;

const TELLERS: Partial<Record<EngineEvent['event_type'], Tell>> = {
  'step.started': ({ entity_id }) => `step ${entity_id} starts`,
  'step.failed': ({ entity_id, payload }) => `step ${entity_id} fails${because(payload['error'])}`,
  'task.done': (event, call) => call && `${nameOf(event, call)} answers ${answerOf(call)}${twice(call)}`,
  'task.failed': (event, call) => call && `${nameOf(event, call)} ${failureOf(call)}`,
  'loop.done': ({ entity_id }) => `the loop of ${entity_id} is done`,
  'ctx.patched': ({ payload }) => `ctx is changed: ${show(payload['patch'])}`,
  'external.received': ({ entity_id }) => `event ${entity_id} comes`,
  'playbook.paused': () => 'the run is paused',
  'playbook.resumed': () => 'the run is resumed',
  'playbook.cancel.requested': () => 'the run is cancelled from outside',
};

function nameOf({ entity_id }: EngineEvent, { call }: Call): string {
  const { step, iteration, attempt } = call;
  const place = step === entity_id ? step : taskPath(step, entity_id);
  const item = iteration === undefined ? '' : `[${iteration}]`;
  return `${place}${item}${attempt > 1 ? `, attempt ${attempt},` : ''}`;
}

function answerOf({ answer }: Call): string {
  const { http, result } = answer?.outcome ?? {};
  return show(http && isMapping(result) ? (result as JsonObject)['data'] : result);
}

function failureOf(call: Call): string {
  if (call.cancelledAt !== undefined) return 'is cancelled';
  return `fails${because(call.answer?.outcome.error as Json | undefined)}${lost(call)}`;
}

function twice({ answer }: Call): string {
  return answer && answer.executions > 1 ? `, having done its work ${answer.executions} times` : '';
}

function lost({ answer }: Call): string {
  return answer?.outcome.error?.kind === 'worker_lost' ? ', after the tool may have done its work' : '';
}

function because(error: Json | undefined): string {
  const { message, code } = (error ?? {}) as { readonly message?: string; readonly code?: string };
  return message === undefined ? '' : `: ${message} [${code ?? ''}]`;
}

const LONGEST = 80;

function show(value: Json | undefined): string {
  const text = JSON.stringify(value ?? null);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

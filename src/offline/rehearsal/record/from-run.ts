/** Writes a run as a rehearsal: its inputs and answers as they were, its end as the expectation. */
import { type Input } from '../../../engine/machine';
import {
  compact,
  isMapping,
  type Json,
  type JsonObject,
  type Outcome,
  type TaskCall,
} from '../../../language/plan';
import { type Simulated } from '../../drive';
import { outlineOf, rehearsalText } from './record';

interface RunToRehearse {
  /** The path of the playbook in the file. */
  readonly playbook: string;
  readonly name: string;
  readonly run: Simulated;
  readonly payload: JsonObject;
  /** Milliseconds since the epoch. */
  readonly startAt: number;
  /** The answers in the order of their calls; `after` in milliseconds. */
  readonly answers: readonly {
    readonly call: TaskCall;
    readonly outcome: Outcome;
    readonly after: number;
  }[];
  /** Messages from outside; `after` in milliseconds from the start. */
  readonly messages: readonly { readonly after: number; readonly input: Input }[];
}

/** The text of a rehearsal file with one rehearsal. */
export function rehearsalOfRun(recordedRun: RunToRehearse): string {
  const { playbook, name, run, payload, startAt, answers, messages } = recordedRun;
  const mocks: Record<string, JsonObject[]> = {};
  for (const { call, outcome, after } of answers) {
    if (!call.step || call.kind === 'keychain') continue;
    (mocks[`${call.step}/${call.task}`] ??= []).push({
      ...answerOf(outcome),
      ...(after > 0 && { duration: `${after}ms` }),
    });
  }
  const events = messages.flatMap(({ after, input }) => {
    const event = recordedEvent(input);
    return event ? [{ after: `${after}ms`, ...event }] : [];
  });
  const expect = { ...(run.end === 'stuck' && { status: 'waiting' }), ...outlineOf(run) };
  const whole = {
    name,
    payload,
    start_at: new Date(startAt).toISOString(),
    mocks,
    ...(events.length > 0 && { events }),
    expect,
  };
  return rehearsalText(playbook, [whole]);
}

function answerOf({ status, result, error, http, pg, py }: Outcome): JsonObject {
  if (http && isMapping(result) && 'data' in result)
    return { status: http.status, headers: http.headers, body: result['data'] ?? null };
  if (status === 'ok' || !error) return { result };
  const { kind, code, message, status: of, retryable, retry_after } = error;
  const fields: Record<string, Json | undefined> = {
    kind,
    code,
    message,
    status: of,
    retryable,
    retry_after,
    sqlstate: pg?.sqlstate ?? undefined,
    exception_type: py?.exception_type ?? undefined,
  };
  return {
    error: Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  };
}

/** A message from outside as an entry of `events`, without its time. */
export function recordedEvent(input: Input): JsonObject | undefined {
  switch (input.type) {
    case 'externalEvent': {
      const { name, payload, id } = input;
      return { event: { name, payload, ...compact({ id }) } };
    }
    case 'paused':
      return { pause: input.reason ?? true };
    case 'resumed':
      return { resume: true };
    case 'cancelRequested':
      return { cancel: input.reason ?? true };
    case 'variablesSet':
      return { set: { ...input.variables } };
    case 'variablesDeleted':
      return { delete: [...input.names] };
    default:
      return undefined;
  }
}

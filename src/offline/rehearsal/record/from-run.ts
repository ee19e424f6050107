/** Writes a run as a rehearsal: its inputs and answers as they were, its end as the expectation. */
import { type Input } from '../../../engine/machine';
import {
  compact,
  isMapping,
  type JsonObject,
  KEYCHAIN_KIND,
  LIMIT_KIND,
  type Outcome,
  type Plan,
  type TaskCall,
} from '../../../language/plan';
import { type ToolKinds } from '../../../language/dsl/kinds';
import { type Simulated } from '../../drive';
import { readRehearsals } from '../format/read';
import { runRehearsal } from '../run';
import { Document, isScalar, visit } from 'yaml';
import { errorFields } from '../event-fields';

interface RunToRehearse {
  /** The path of the playbook in the file. */
  readonly playbook: string;
  readonly name: string;
  readonly run: Simulated;
  readonly payload: JsonObject;
  /** Milliseconds since the epoch. */
  readonly startAt: number;
  /** Seeds what is random; default: that of rehearsals. */
  readonly executionId?: string;
  /** Of a run without an end: the rehearsal asserts that, and no more. */
  readonly limit?: number;
  /** Instead of how the run ended. */
  readonly expect?: JsonObject;
  /** Events that must not occur. */
  readonly never?: readonly JsonObject[];
  /** The answers in the order of their calls; `after` in milliseconds. */
  readonly answers: readonly {
    readonly call: TaskCall;
    readonly outcome: Outcome;
    readonly after: number;
  }[];
  /** Messages from outside; `after` in milliseconds from the start. */
  readonly messages: readonly { readonly after: number; readonly input: Input }[];
}

/** Calls that a rehearsal answers itself. */
const INSIDE: ReadonlySet<string> = new Set([KEYCHAIN_KIND, LIMIT_KIND]);

/** The text of a rehearsal file with these rehearsals. */
export function rehearsalOfRun(run: RunToRehearse, ...others: readonly Rehearsable[]): string {
  return rehearsalText(run.playbook, [run, ...others].map(recordingOf));
}

/** Whether all rehearsals of a file pass, as they are written, with this playbook. */
export function isPassed(
  text: string,
  { file, plan, kinds }: { readonly file: string; readonly plan: Plan; readonly kinds: ToolKinds },
): boolean {
  const { rehearsed } = readRehearsals(text, { file, load: () => ({ file, plan }), kinds });
  return rehearsed?.rehearsals.every((one) => runRehearsal(one, rehearsed).ok) ?? false;
}

type Rehearsable = Omit<RunToRehearse, 'playbook'>;

function recordingOf(recordedRun: Rehearsable) {
  const { name, run, payload, startAt, executionId, answers, messages } = recordedRun;
  const mocks: Record<string, JsonObject[]> = {};
  for (const { call, outcome, after } of answers) {
    if (!call.step || INSIDE.has(call.kind)) continue;
    (mocks[`${call.step}/${call.task}`] ??= []).push({
      ...answerOf(call, outcome),
      ...(after > 0 && { duration: `${after}ms` }),
    });
  }
  const events = messages.flatMap(({ after, input }) => {
    const event = recordedEvent(input);
    return event ? [{ after: `${after}ms`, ...event }] : [];
  });
  if (recordedRun.limit !== undefined)
    for (const [name, list] of Object.entries(mocks)) mocks[name] = repeating(list);
  const end = recordedRun.limit === undefined ? outlineOf(run) : {};
  const { never } = recordedRun;
  const expect = recordedRun.expect ?? {
    ...(run.end === 'stuck' && { status: 'waiting' }),
    ...end,
    ...(never && never.length > 0 && { never: [...never] }),
  };
  return {
    name,
    payload,
    start_at: new Date(startAt).toISOString(),
    ...(executionId !== undefined && { execution_id: executionId }),
    ...compact({ limit: recordedRun.limit }),
    mocks,
    ...(events.length > 0 && { events }),
    expect,
  };
}

/** With the last answer again and again. */
function repeating(list: readonly JsonObject[]): JsonObject[] {
  const [last, isLast] = [list.at(-1)!, JSON.stringify(list.at(-1))];
  const first = list.findLastIndex((answer) => JSON.stringify(answer) !== isLast) + 1;
  return [...list.slice(0, first), { ...last, repeat: 'always' }];
}

function answerOf({ kind: tool }: TaskCall, { status, result, error, http, pg, py }: Outcome): JsonObject {
  if (tool === 'http' && http && isMapping(result) && 'data' in result) {
    const { data: body, url, elapsed_ms } = result as JsonObject;
    const { status: code, headers } = http;
    return { status: code, headers, body: body ?? null, ...compact({ url, elapsed_ms }) };
  }
  if (status === 'ok' || !error) return { result };
  const { kind, code, message, status: of, retryable, retry_after } = error;
  const fields = { kind, code, message, status: of, retryable, retry_after };
  const own = { sqlstate: pg?.sqlstate ?? undefined, exception_type: py?.exception_type ?? undefined };
  return { error: compact({ ...fields, ...own }) as JsonObject };
}

/** A message from outside as an entry of `events`, without its time. */
export function recordedEvent(input: Input): JsonObject | undefined {
  switch (input.type) {
    case 'externalEvent': {
      const { name, payload, id, answer } = input;
      return { event: { name, payload, ...compact({ id, by: answer?.by }) } };
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

interface Recording {
  readonly name: string;
  readonly payload?: JsonObject;
  /** As written in `mocks`. */
  readonly mocks: JsonObject;
  readonly expect: JsonObject;
}

/** A rehearsal file of these recordings. `playbook` is the path in the file. */
export function rehearsalText(playbook: string, recordings: readonly Recording[]): string {
  const document = new Document({ playbook, rehearsals: recordings }, { aliasDuplicateObjects: false });
  visit(document, {
    Pair(_, { key }) {
      // Without quotes it would merge what follows.
      if (isScalar(key) && key.value === '<<') key.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 110, flowCollectionPadding: true });
}

/** How the run ended and its steps: the first expectations a person would write. */
export function outlineOf(run: Simulated): JsonObject {
  const { error, end, state } = run;
  return {
    ...(end === 'cancelled' ? { status: 'cancelled' } : {}),
    ...(error === undefined ? {} : { error: errorFields(error) }),
    steps: state.executed,
    ...compact({ result: run.result }),
  };
}

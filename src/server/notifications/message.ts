/** What is told: the same document for every target; people get it as text. */
import {
  type NotificationCause,
  compact,
  isMapping,
  type Json,
  type NotificationTarget,
} from '../../language/plan';

/** As Standard Webhooks recommends: a type, a time, and the data. */
export interface Message {
  /** `execution.failed`, `schedule.late`, `schedule.failed` */
  readonly type: string;
  /** RFC 3339: when it happened. */
  readonly timestamp: string;
  readonly data: MessageData;
  /** In the outbox only: the wait whose form may be answered by a link. */
  readonly asks?: AskedForm;
}

export interface AskedForm {
  readonly task_run_id: string;
  /** Seconds that a link is good for. */
  readonly link: number;
}

export interface MessageData {
  readonly cause: NotificationCause;
  /** Absent for a schedule that has not started what was due. */
  readonly execution_id?: string;
  readonly workflow_id?: string;
  readonly namespace: string;
  readonly path: string;
  readonly version?: string;
  /** running, paused, completed, failed, cancelled; `not_started` for a schedule */
  readonly status: string;
  /** The step that failed, that waits, or that was entered last. */
  readonly step?: string;
  readonly task?: string;
  readonly error?: { readonly code?: string; readonly message: string; readonly at?: Json };
  /** RFC 3339. */
  readonly started_at?: string;
  readonly ended_at?: string;
  readonly deadline_at?: string;
  readonly duration_s?: number;
  /** With title and text of its form. */
  readonly waiting_for?: {
    readonly event: string;
    readonly until?: string;
    readonly title?: string;
    readonly text?: string;
  };
  readonly schedule?: { readonly name: string; readonly scheduled_at: string | null };
  readonly links?: {
    readonly execution?: string;
    readonly console?: string;
    readonly temporal?: string;
    /** Whoever has it may answer, once. */
    readonly answer?: string;
  };
}

/** Addresses for links, without a slash at their end. */
export interface Addresses {
  readonly url?: string;
  readonly temporalUi?: string;
}

/** Characters of an error message: an e-mail and a chat have to be read. */
const MAX_ERROR = 2000;

/** The error of an execution, as its events have it: redacted there, shortened here. */
export function messageError(error: Json | undefined): MessageData['error'] {
  if (typeof error === 'string') return { message: shortened(error) };
  if (!isMapping(error)) return undefined;
  const { code, message, at } = error;
  return {
    message: shortened(typeof message === 'string' ? message : 'no message'),
    ...compact({ code: typeof code === 'string' ? code : undefined, at }),
  };
}

export function linksOf(
  { url, temporalUi }: Addresses,
  {
    execution_id: id,
    workflow_id: workflow,
    namespace,
  }: Pick<MessageData, 'execution_id' | 'workflow_id' | 'namespace'>,
): MessageData['links'] {
  const links = {
    ...(url && id && { execution: `${url}/api/executions/${id}`, console: `${url}/runs/${id}` }),
    ...(temporalUi &&
      workflow && {
        temporal: `${temporalUi}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflow)}`,
      }),
  };
  return Object.keys(links).length > 0 ? links : undefined;
}

/** The path of a link under which somebody answers. */
export type AnswerPath = (about: {
  readonly execution_id: string;
  readonly asks: AskedForm;
  readonly until?: string;
  readonly to: string;
}) => string | undefined;

/**
 * The message as it is sent: with a link for its receiver, made anew for each attempt and kept nowhere. A playbook gets
 * none: it would be in the history of an execution, for everybody who may read.
 */
export function addressed(
  { asks, ...message }: Message,
  target: NotificationTarget,
  { url, answerPath }: Addresses & { readonly answerPath?: AnswerPath },
): Message {
  const { execution_id, waiting_for, links } = message.data;
  if (!asks || execution_id === undefined || url === undefined || 'playbook' in target) return message;
  // Postgres orders keys: the credential may come first.
  const [kind, value] = Object.entries(target).find(([key]) => /^(webhook|email|chat)$/.test(key)) ?? [];
  const address = String(value);
  const to = `${kind} ${URL.canParse(address) ? new URL(address).host : address}`;
  const path = answerPath?.({ execution_id, asks, to, ...compact({ until: waiting_for?.until }) });
  if (path === undefined) return message;
  return { ...message, data: { ...message.data, links: { ...links, answer: `${url}${path}` } } };
}

/** One line: the subject of an e-mail, the beginning of a chat message. */
export function headline({ data }: Message): string {
  const { path, execution_id, schedule } = data;
  if (execution_id === undefined) {
    const what = data.cause === 'failed' ? 'could not start' : 'has not started';
    return `Schedule ${schedule?.name ?? ''} ${what} ${path}`.trimEnd();
  }
  return `${path} ${SAYS[data.cause]} (${execution_id})`;
}

const SAYS: Readonly<Record<NotificationCause, string>> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'was cancelled',
  late: 'is late',
  waiting: 'waits',
};

/** The lines below the headline. */
export function details({ timestamp, data }: Message): string[] {
  const { step, task, error, waiting_for: wait, deadline_at, started_at, ended_at, schedule, links } = data;
  const place = [step, task].filter(Boolean).join('/');
  return [
    ...question(data),
    place && `Step: ${place}`,
    error && `Error: ${error.code ? `${error.code}: ` : ''}${error.message}`,
    wait && `Waits for: event ${wait.event}${wait.until ? ` until ${timeText(wait.until)}` : ''}`,
    deadline_at && `Deadline: ${timeText(deadline_at)}`,
    started_at && `Started: ${timeText(started_at)}`,
    ended_at &&
      `Ended: ${timeText(ended_at)}${data.duration_s === undefined ? '' : ` after ${data.duration_s} s`}`,
    schedule &&
      `Schedule: ${schedule.name}${schedule.scheduled_at ? `, due ${timeText(schedule.scheduled_at)}` : ''}`,
    !ended_at && `Noticed: ${timeText(timestamp)}`,
    ...Object.values({ ...links, answer: undefined }),
  ].filter((line): line is string => Boolean(line));
}

function question({ waiting_for: wait, links }: MessageData): (string | undefined)[] {
  return [wait?.title, wait?.text, links?.answer && `Answer: ${links.answer}`];
}

/** As people read it; with its zone, which readers of a chat do not share. */
function timeText(rfc3339: string): string {
  const time = new Date(rfc3339);
  return Number.isNaN(time.getTime()) ? rfc3339 : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function shortened(text: string): string {
  return text.length > MAX_ERROR ? `${text.slice(0, MAX_ERROR)}…` : text;
}

/** What of an execution's events is worth telling. */
import { type CanonicalEvent } from '../../history';
import { type NotificationCause, compact, isMapping } from '../../language/plan';
import { type AskedForm, messageError, type MessageData } from './message';

export interface News {
  readonly cause: NotificationCause;
  /** Tells apart what is told more than once of one execution: each wait, and each end after a reset. */
  readonly subject: string;
  /** RFC 3339. */
  readonly at: string;
  readonly about: Pick<MessageData, 'status' | 'step' | 'task' | 'error' | 'waiting_for'>;
  readonly asks?: AskedForm;
}

const ENDS: Partial<Record<CanonicalEvent['status'], 'completed' | 'cancelled'>> = {
  success: 'completed',
  cancelled: 'cancelled',
};

/** @param events consecutive ones of one execution */
export function newsIn(events: readonly CanonicalEvent[]): News[] {
  const over = new Set(
    events.filter(({ event_type: type }) => isEndOfTask(type)).map((one) => one.task_run_id),
  );
  return events.flatMap((event) => {
    if (event.event_type === 'workflow.finished') return [ending(event)];
    if (event.event_type !== 'task.started' || over.has(event.task_run_id)) return [];
    const wait = waiting(event);
    return wait ? [wait] : [];
  });
}

function isEndOfTask(type: CanonicalEvent['event_type']): boolean {
  return type === 'task.done' || type === 'task.failed';
}

function ending({ status, timestamp, event_id, payload }: CanonicalEvent): News {
  const cause = ENDS[status] ?? 'failed';
  const { error, reason } = payload;
  const detail = isMapping(error) ? error : {};
  return {
    cause,
    subject: resetIn(event_id),
    at: timestamp,
    about: {
      status: cause,
      ...compact({ step: text(detail['step']), task: text(detail['task']) }),
      ...(cause !== 'completed' && { error: messageError(error ?? reason ?? undefined) }),
    },
  };
}

/** The part of an event's id that a reset changes. */
function resetIn(eventId: string): string {
  return /^[^/]*\/\d+~([^/]*)/.exec(eventId)?.[1] ?? '';
}

/** The beginning of a wait for an event, unless it came before. */
function waiting({
  timestamp,
  payload,
  entity_id: task,
  task_run_id,
  step_run_id,
}: CanonicalEvent): News | undefined {
  const { wait } = payload;
  if (!isMapping(wait) || typeof wait['event'] !== 'string') return undefined;
  const { title, text: question, who } = isMapping(wait['form']) ? wait['form'] : {};
  const link = isMapping(who) ? who['link'] : undefined;
  return {
    cause: 'waiting',
    subject: task_run_id ?? '',
    at: timestamp,
    about: {
      status: 'running',
      task,
      ...compact({ step: step_run_id?.replace(/#\d+$/, '') }),
      waiting_for: {
        event: wait['event'],
        ...compact({ until: text(wait['until']), title: text(title), text: text(question) }),
      },
    },
    ...(typeof link === 'number' && task_run_id && { asks: { task_run_id, link } }),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

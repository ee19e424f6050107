/** An execution read from its history: its playbook, progress and outcome. */
import {
  type CanonicalEvent,
  deadlineAt,
  type Derivation,
  eventMillis,
  type RecordedExecution,
} from '../../../history';
import { compact } from '../../../language/plan';
import { type HostReading } from '../../reading/from-host';
import { errorSentence, isOver } from './words';
import { type ExecutionStatusWord } from '../documents/executions';

type EventPayload = CanonicalEvent['payload'];

export interface ReadExecution {
  readonly id: string;
  readonly plan: RecordedExecution['plan'];
  readonly state: RecordedExecution['state'];
  /** Progress for display. */
  readonly progress: Derivation['progress'];
  readonly status: ExecutionStatusWord;
  readonly result: unknown;
  /** The error, or the reason of a cancellation; null otherwise. */
  readonly error: string | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds since the epoch; undefined while running. */
  readonly endedAt?: number;
  /** Milliseconds since the epoch; undefined without a deadline. */
  readonly deadlineAt?: number;
  readonly lastEventId: string;
}

/**
 * @param onEvents receives the canonical events in portions, in order
 * @throws CodedError `HISTORY` if the history is not a playbook's
 */
export async function readExecution(
  reading: HostReading,
  onEvents: (events: readonly CanonicalEvent[]) => void = () => undefined,
): Promise<ReadExecution> {
  const derivation = reading.derivation();
  let end: EventPayload = {};
  let lastEventId = '';
  let acceptedAt = 0;
  for await (const page of reading.pages()) {
    acceptedAt ||= eventMillis(page[0]?.eventTime);
    for await (const events of derivation.portions(page)) {
      for (const event of events) {
        if (event.event_type === 'workflow.finished') end = event.payload;
        if (event.event_type === 'playbook.reset') end = {};
      }
      lastEventId = events.at(-1)?.event_id ?? lastEventId;
      onEvents(events);
    }
  }
  return toReadExecution(reading.id, derivation, { end, lastEventId, acceptedAt });
}

interface Seen {
  readonly end: EventPayload;
  readonly lastEventId: string;
  /** Milliseconds since the epoch: when Temporal accepted it; no worker may have started it yet. */
  readonly acceptedAt: number;
}

function toReadExecution(
  id: string,
  derivation: Derivation,
  { end, lastEventId, acceptedAt }: Seen,
): ReadExecution {
  const { plan, state, progress, closed, origin } = derivation;
  const startedAt = state.startedAt || acceptedAt;
  const finished = closed && closed.status !== 'continued_as_new' ? closed : undefined;
  const status = statusOf(state.status, finished !== undefined);
  return {
    id,
    plan,
    state,
    progress,
    status,
    result: end['result'] ?? null,
    error:
      errorSentence(end['error']) ?? (status === 'CANCELLED' ? (state.cancelReason ?? 'cancelled') : null),
    startedAt,
    ...compact({ deadlineAt: deadlineAt(startedAt, plan, origin) }),
    ...(isOver(status) ? { endedAt: finished?.at ?? state.now } : {}),
    lastEventId,
  };
}

/** The engine's status, unless Temporal or an operator closed the run without the engine. */
function statusOf(engine: string, isFinished: boolean): ExecutionStatusWord {
  const status = engine.toUpperCase() as ExecutionStatusWord;
  return isFinished && !isOver(status) ? 'FAILED' : status;
}

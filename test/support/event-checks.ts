/** Order, pairing and ownership of canonical events: what every run must satisfy. */
import { type EngineEvent } from '../../src/engine/machine';
import { CANONICAL_EVENT_TYPES, type CanonicalEventType } from '../../src/history';

type Checked = Omit<EngineEvent, 'event_type'> & { event_type: CanonicalEventType; source?: string };

/** What opens, and what may close it. */
const PAIRS: {
  opens: string;
  closes: string[];
  mayClose?: string[];
  key: (event: Checked) => string;
}[] = [
  { opens: 'task.started', closes: ['task.done', 'task.failed'], key: (event) => event.task_run_id! },
  {
    opens: 'step.started',
    closes: ['step.done', 'step.failed'],
    key: (event) => event.step_run_id!,
    // Before it starts admission skips a step, after that a rule of `case`.
    mayClose: ['step.skipped'],
  },
  {
    opens: 'case.started',
    closes: ['case.evaluated'],
    key: (event) => `${String(event.payload['frame'])} ${String(event.payload['event'])}`,
  },
  { opens: 'sink.started', closes: ['sink.processed'], key: (event) => String(event.payload['sink']) },
  {
    opens: 'loop.iteration.started',
    closes: ['loop.iteration.done', 'loop.iteration.failed'],
    key: (event) => `${event.task_run_id ?? event.step_run_id}[${event.iteration}]`,
  },
  {
    opens: 'token.created',
    closes: ['token.claimed', 'token.merged', 'token.ended'],
    key: (event) => event.entity_id,
  },
];

/** The violations found, in words; `complete` also demands that everything opened was closed. */
export function checkEvents(events: readonly Checked[], complete = false): string[] {
  const found: string[] = [];
  // A run that was reset before its first workflow task had nothing to tell until then.
  const [first] = events.filter(({ event_type }) => event_type !== 'playbook.reset');
  if (first && first.event_type !== 'playbook.execution.requested') {
    found.push(`begins with ${first.event_type}`);
  }
  for (const { opens, closes, mayClose, key } of PAIRS) {
    const open = new Set<string>();
    for (const event of events) {
      if (event.event_type === opens) {
        if (open.has(key(event))) found.push(`${opens} twice for ${key(event)}`);
        open.add(key(event));
      } else if (closes.includes(event.event_type) && !open.has(key(event)) && opens !== 'token.created') {
        found.push(`${event.event_type} without ${opens} for ${key(event)}`);
      } else if ([...closes, ...(mayClose ?? [])].includes(event.event_type)) open.delete(key(event));
    }
    if (complete && opens !== 'token.created')
      for (const id of open) found.push(`${opens} never closed for ${id}`);
  }
  for (const event of events) {
    if (event.source !== undefined && event.source !== CANONICAL_EVENT_TYPES[event.event_type]) {
      found.push(
        `${event.event_type} is owned by ${CANONICAL_EVENT_TYPES[event.event_type]}, not ${event.source}`,
      );
    }
  }
  return found;
}

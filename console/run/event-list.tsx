/** The events of the run, or of the selected thing, up to the moment that is shown. */
import { type JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Value } from '../parts/json';
import { moment as timeOf } from '../parts/time';
import { Rows } from '../parts/virtual';
import { type Tape } from '../tape/tape';
import { eventsOf } from './facts';

const ROW = 30;

interface Props {
  readonly tape: Tape;
  readonly count: number;
  readonly selected: string | undefined;
  readonly onMove: (at: number) => void;
}

export function EventList({ tape, count, selected, onMove }: Props): JSX.Element {
  const events = useMemo(
    () => (selected === undefined ? tape.events.slice(0, count) : eventsOf(tape, selected, count)),
    [tape, count, selected],
  );
  const [open, setOpen] = useState<number>();
  const shown = events.find((event) => event.seq === open);
  return (
    <div class="events">
      <Rows
        label="Events"
        role="listbox"
        count={events.length}
        rowHeight={ROW}
        tail
        row={(index) => {
          const event = events[index]!;
          return (
            <button
              key={event.seq}
              type="button"
              role="option"
              aria-selected={event.seq === open}
              class={`event-row${event.seq === open ? ' selected' : ''} ${event.status}`}
              onClick={() => setOpen(event.seq === open ? undefined : event.seq)}
              onDblClick={() => onMove(event.seq)}
            >
              <span>{event.seq}</span>
              <time dateTime={event.timestamp}>{timeOf(event.timestamp)}</time>
              <code>{event.event_type}</code>
              <span>{event.task_run_id ?? event.step_run_id ?? event.entity_id}</span>
            </button>
          );
        }}
      />
      {shown && (
        <div class="event-shown">
          <button type="button" onClick={() => onMove(shown.seq)}>
            Go to this moment
          </button>
          <Value value={shown} open={3} label="the event" />
        </div>
      )}
    </div>
  );
}

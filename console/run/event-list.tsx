/** Events of the run, or of the selected element, up to the displayed one. */
import { type JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { searchedText } from '../../src/history/searched';
import { JsonValue } from '../parts/json';
import { shortTime as timeOf } from '../parts/time';
import { VirtualRows } from '../parts/virtual';
import { useParam } from '../shell/address';
import { type Tape } from '../tape/tape';
import { type EventSearchState, type Find, useEventSearch } from './event-search';
import { eventsOf } from './facts';

export { type Find } from './event-search';

const ROW = 30;

interface Props {
  readonly tape: Tape;
  readonly count: number;
  readonly selected: string | undefined;
  readonly onMove: (at: number) => void;
  /** Searches events that the page does not have. */
  readonly onFind?: Find;
}

export function EventList({ tape, count, selected, onMove, onFind }: Props): JSX.Element {
  const [text = '', setText] = useParam('event');
  const [failures, setFailures] = useParam('failures');
  const needle = text.trim().toLowerCase();
  const search = useEventSearch(onFind, needle, failures !== undefined);
  const own = useMemo(() => {
    const all = selected === undefined ? tape.until(count) : eventsOf(tape, selected, count);
    return all.filter(
      (event) =>
        (needle === '' || searchedText(event).includes(needle)) && (!failures || event.status === 'error'),
    );
  }, [tape, count, selected, needle, failures]);
  const events = search?.events ?? own;
  const [open, setOpen] = useState<number>();
  const shown = events.find((event) => event.seq === open);
  return (
    <div class="events">
      <div class="filters">
        <input
          type="search"
          placeholder="Type or id of an event"
          aria-label="Search the events"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button
          type="button"
          class="chip"
          aria-pressed={failures !== undefined}
          onClick={() => setFailures(failures ? undefined : 'only')}
        >
          Failures only
        </button>
      </div>
      {search && <Progress search={search} total={tape.total} />}
      <VirtualRows
        label="Events"
        role="listbox"
        count={events.length}
        rowHeight={ROW}
        tail={search === undefined}
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
          <JsonValue value={shown} open={3} label="the event" />
        </div>
      )}
    </div>
  );
}

/** Progress of a search in a long run. */
function Progress({ search, total }: { search: EventSearchState; total: number }): JSX.Element {
  const { events, searched, failed } = search;
  const words = `${events.length.toLocaleString('en')} found`;
  const where =
    searched === undefined
      ? 'in the whole run'
      : `in ${searched.toLocaleString('en')} of ${total.toLocaleString('en')} events`;
  return (
    <p class="hint" role="status" data-found={events.length} data-over={searched === undefined || undefined}>
      {failed ?? `${words} ${where}`}
    </p>
  );
}

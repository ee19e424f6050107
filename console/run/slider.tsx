/** Selects the displayed event; at its end the page follows the run. */
import { type JSX } from 'preact';
import { shortTime as timeOf } from '../parts/time';
import { type Tape } from '../tape/tape';

interface Props {
  readonly tape: Tape;
  /** Number of events up to the displayed one; undefined follows the run. */
  readonly at: number | undefined;
  readonly over: boolean;
  readonly onMove: (at: number | undefined) => void;
}

export function Slider({ tape, at, over, onMove }: Props): JSX.Element {
  const count = tape.total;
  const now = Math.min(at ?? count, count);
  const event = tape.eventAt(now);
  const move = (to: number): void => onMove(to >= count ? undefined : Math.max(1, to));
  const label = event
    ? `event ${String(now)} of ${String(count)}: ${event.event_type} ${event.entity_id}`
    : 'no event';
  return (
    <div class="slider">
      <button type="button" onClick={() => move(1)} aria-label="First event" disabled={now <= 1}>
        «
      </button>
      <button type="button" onClick={() => move(now - 1)} aria-label="Event before" disabled={now <= 1}>
        ‹
      </button>
      <input
        type="range"
        min={1}
        max={Math.max(1, count)}
        step={1}
        value={now}
        aria-label="Moment of the run"
        aria-valuetext={label}
        onInput={(change) => move(Number(change.currentTarget.value))}
      />
      <button type="button" onClick={() => move(now + 1)} aria-label="Next event" disabled={at === undefined}>
        ›
      </button>
      <button
        type="button"
        class={at === undefined ? 'live on' : 'live'}
        onClick={() => onMove(undefined)}
        aria-pressed={at === undefined}
      >
        {over ? 'End' : 'Live'}
      </button>
      <span class="slider-said">
        <strong>{now}</strong> / {count}
        {event && (
          <>
            {' '}
            · {timeOf(event.timestamp)} · <code>{event.event_type}</code> {event.entity_id}
          </>
        )}
      </span>
    </div>
  );
}

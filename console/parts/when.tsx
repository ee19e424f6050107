import { type JSX } from 'preact';
import { ago, fullMoment } from './time';

/** A time as people read it; in full in its tooltip. */
export function Timestamp({ at, now, as = ago }: { at: string; now?: number; as?: typeof ago }): JSX.Element {
  return (
    <time dateTime={at} title={fullMoment(at)}>
      {as(at, now)}
    </time>
  );
}

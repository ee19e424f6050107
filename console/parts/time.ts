/** Times and durations as people read them. */

import { duration } from '../../src/language/plan/duration';

export { duration };

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** The time of day, with the date unless it is today. */
export function shortTime(iso: string, now = Date.now()): string {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return isToday ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`;
}

/** With seconds and zone, for tooltips. */
export function fullMoment(iso: string): string {
  return whole.format(new Date(iso));
}

/** `just now`, `5 min ago`, `in 2 h` */
export function ago(iso: string, now = Date.now()): string {
  const ms = now - Date.parse(iso);
  if (Math.abs(ms) < 5_000) return 'just now';
  const text = duration(Math.abs(ms)).split(' ').slice(0, 2).join(' ');
  return ms > 0 ? `${text} ago` : `in ${text}`;
}

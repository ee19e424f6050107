/** Times and durations as people read them. */

/** `12 ms`, `3.4 s`, `2 min 5 s`, `3 h 2 min`, `4 d 1 h` */
export function duration(ms: number): string {
  if (ms < 1000) return `${String(Math.max(0, Math.round(ms)))} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds))} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return two(minutes, 'min', Math.floor(seconds % 60), 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, 'h', minutes % 60, 'min');
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function two(large: number, unit: string, small: number, smaller: string): string {
  return small === 0 ? `${String(large)} ${unit}` : `${String(large)} ${unit} ${String(small)} ${smaller}`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** The time of day, with the date unless it is today. */
export function moment(iso: string, now = Date.now()): string {
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

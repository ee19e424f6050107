/** A calendar of Temporal in words, for the command line and the console. */

/** Ranges that all of a field covers say nothing; 0 seconds is usual. */
const WHOLE: Readonly<Record<string, string>> = {
  second: '0',
  dayOfMonth: '1-31',
  month: 'JANUARY-DECEMBER',
  dayOfWeek: 'SUNDAY-SATURDAY',
};

/** @example 'minute 0, hour 2, dayOfWeek MONDAY-FRIDAY' */
export function calendarText(calendar: unknown): string {
  return Object.entries(calendar as Record<string, unknown>)
    .flatMap(([field, ranges]) => {
      if (!Array.isArray(ranges) || ranges.length === 0) return [];
      const text = ranges.map(rangeText).join(',');
      return WHOLE[field] === text ? [] : [`${field} ${text}`];
    })
    .join(', ');
}

function rangeText({ start, end = start, step = 1 }: Readonly<Record<string, unknown>>): string {
  const span = start === end ? String(start) : `${String(start)}-${String(end)}`;
  return step === 1 ? span : `${span}/${String(step)}`;
}

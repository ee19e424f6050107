/** When a schedule starts something, in words, for the command line and the console. */
import { duration } from '../../language/plan/duration';

interface Range {
  readonly start: number | string;
  readonly end?: number | string;
  readonly step?: number;
}
type Field = 'second' | 'minute' | 'hour' | 'dayOfMonth' | 'month' | 'year' | 'dayOfWeek';

/** Ranges that all of a field covers say nothing. */
const WHOLE: Readonly<Partial<Record<Field, string>>> = {
  second: '0',
  minute: '0-59',
  hour: '0-23',
  dayOfMonth: '1-31',
  month: 'January to December',
  dayOfWeek: 'Sunday to Saturday',
};

/** Of each interval and calendar, as Temporal describes them. */
export function timesText(spec: {
  readonly intervals?: readonly unknown[];
  readonly calendars?: readonly unknown[];
}): string[] {
  const every = (spec.intervals ?? []).map((interval) => {
    const { every: ms = 0, offset = 0 } = interval as { every?: number; offset?: number };
    return `every ${duration(ms)}${offset > 0 ? `, ${duration(offset)} later` : ''}`;
  });
  return [...every, ...(spec.calendars ?? []).map(calendarText)];
}

/** @example 'at 02:00, Monday to Friday' */
export function calendarText(calendar: unknown): string {
  const fields = calendar as Partial<Record<Field, readonly Range[]>>;
  const wording = (field: Field, before = '', after = ''): string | undefined => {
    const text = (fields[field] ?? []).map(rangeText).join(', ');
    return text === '' || text === WHOLE[field] ? undefined : `${before}${text}${after}`;
  };
  return [
    clockText(fields, wording('minute'), wording('hour')),
    wording('second', 'at second '),
    wording('dayOfWeek'),
    wording('dayOfMonth', 'on day ', ' of the month'),
    wording('month', 'in '),
    wording('year', 'in '),
  ]
    .filter(Boolean)
    .join(', ');
}

/** `minute`, `hour`: unless they are all. */
function clockText(
  fields: Partial<Record<Field, readonly Range[]>>,
  minute: string | undefined,
  hour: string | undefined,
): string {
  const minutes = singles(fields.minute);
  const hours = singles(fields.hour);
  if (minutes && hours) {
    const two = (value: number | string): string => String(value).padStart(2, '0');
    return `at ${hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`)).join(', ')}`;
  }
  const every = (text: string | undefined, last: number, unit: string): string | undefined =>
    text === undefined ? `every ${unit}` : new RegExp(`^0-${last}/(\\d+)$`).exec(text)?.[1];
  const step = every(minute, 59, 'minute');
  const often =
    step === undefined ? `at minute ${minute}` : /^\d/.test(step) ? `every ${step} minutes` : step;
  const hourly = every(hour, 23, 'hour');
  if (hour === undefined) return step === undefined ? `${often} of every hour` : often;
  return hourly === undefined ? `${often}, hours ${hour}` : `${often} of every ${hourly} hours`;
}

function singles(ranges: readonly Range[] = []): readonly (number | string)[] | undefined {
  const isSingle = ({ start, end = start }: Range): boolean => start === end;
  return ranges.length > 0 && ranges.every(isSingle) ? ranges.map(({ start }) => start) : undefined;
}

function rangeText({ start, end = start, step = 1 }: Range): string {
  const [first, last] = [start, end].map((one) =>
    typeof one === 'string' ? one.charAt(0) + one.slice(1).toLowerCase() : String(one),
  );
  const to = typeof start === 'string' ? ' to ' : '-';
  const span = start === end ? first! : `${first}${to}${last}`;
  return step === 1 ? span : `${span}/${String(step)}`;
}

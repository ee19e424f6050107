/**
 * What the next two years of a schedule bring that its author may not expect. Temporal is asked when it would start
 * something: nobody else knows how it reads a calendar.
 */
import { type CalendarSpecDescription, type Client, type ScheduleDescription } from '@temporalio/client';
import { isMapping } from '../../language/plan';
import { describeSchedule } from './schedules';
import { matchingTimes } from './matching';
import { type Transition, transitionsOf, zoneOf } from './zones';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const YEARS_MS = 2 * 365 * DAY_MS;
/** Local times of one change of the clocks that are named. */
const MOST_NAMED = 3;

/**
 * @param cron lines as their author wrote them: Temporal converts them to calendars
 * @param now milliseconds since the epoch
 * @returns sentences; none if nothing is unusual
 */
export async function doubtsOf(
  client: Client,
  name: string,
  { cron = [] }: { readonly cron?: readonly string[] },
  now: number = Date.now(),
): Promise<string[]> {
  const described = await describeSchedule(client, name);
  const doubts = cron.flatMap((line) => both(line) ?? []);
  const [first] = await matchingTimes(client, name, { from: now, to: now + YEARS_MS, most: 1 });
  if (first === undefined) return [...doubts, `it starts nothing in the next two years`];
  return [...doubts, ...(await doubtsOfClocks(client, described, now))];
}

/** Temporal takes the days that fit both, cron those that fit one of them. */
function both(line: string): string | undefined {
  const fields = line
    .trim()
    .replace(/^(CRON_)?TZ=\S+\s+/, '')
    .split(/\s+/);
  if (fields.length < 5) return undefined;
  // Seven fields begin with seconds; the sixth of six is the year.
  const [, , day, , weekday] = fields.length === 7 ? fields.slice(1) : fields;
  if (isAny(day) || isAny(weekday)) return undefined;
  return (
    `${JSON.stringify(line)} names days of the month and days of the week: Temporal starts it on days that are ` +
    'both, where cron takes either; for either, give two cron lines'
  );
}

function isAny(field: string | undefined): boolean {
  return field === undefined || field === '?' || /^\*(\/1)?$/.test(field);
}

async function doubtsOfClocks(
  client: Client,
  { scheduleId: name, spec }: ScheduleDescription,
  now: number,
): Promise<string[]> {
  const calendars = spec.calendars ?? [];
  const { timezone = 'UTC' } = spec;
  const zone = calendars.length === 0 || timezone === 'UTC' ? undefined : zoneOf(timezone);
  if (!zone) return [];
  const sentences = await Promise.all(
    transitionsOf(zone, now, now + YEARS_MS).map(async (change) => {
      const times = (from: number, to: number): Promise<number[]> =>
        matchingTimes(client, name, { from, to });
      const what = everyHour(calendars)
        ? await pauseIn(change, times)
        : await unusualTimes(change, calendars, times);
      return what === undefined ? undefined : `${dayOf(change)}: ${what}`;
    }),
  );
  const all = sentences.filter((one) => one !== undefined);
  return all.length === 0 ? [] : [`the clocks of ${timezone} change: ${all.join('; ')}`];
}

type Times = (from: number, to: number) => Promise<number[]>;

/** Of a schedule for every hour only its pace counts. */
async function pauseIn({ at }: Transition, times: Times): Promise<string | undefined> {
  const around = async (middle: number): Promise<{ length: number; from: number; to: number }> => {
    const all = await times(middle - 3 * HOUR_MS, middle + 3 * HOUR_MS);
    const gaps = all.slice(1).map((to, index) => ({ length: to - all[index]!, from: all[index]!, to }));
    return gaps.reduce((a, b) => (b.length > a.length ? b : a), { length: 0, from: middle, to: middle });
  };
  const [usual, then] = await Promise.all([around(at - DAY_MS), around(at)]);
  if (then.length <= usual.length) return undefined;
  return `nothing is started between ${timeOf(then.from)} and ${timeOf(then.to)} UTC`;
}

async function unusualTimes(
  change: Transition,
  calendars: readonly CalendarSpecDescription[],
  times: Times,
): Promise<string | undefined> {
  const { at, before, after } = change;
  const [from, to] = [at + Math.min(before, after), at + Math.max(before, after)];
  const locals = localTimes(calendars, from, to);
  if (locals.length === 0) return undefined;
  if (after > before) return `${named(locals)} does not exist, and nothing is started for it`;
  const started = new Set(await times(at - 3 * HOUR_MS, at + 3 * HOUR_MS));
  const count = (local: number): number =>
    [local - before, local - after].filter((instant) => started.has(instant)).length;
  const [none, twice] = [locals.filter((one) => count(one) === 0), locals.filter((one) => count(one) === 2)];
  const sentences = [
    ...(none.length > 0 ? [`nothing is started for ${named(none)}, which comes twice`] : []),
    ...(twice.length > 0 ? [`${named(twice)} comes twice, and it is started twice`] : []),
  ];
  return sentences.length === 0 ? undefined : sentences.join(', ');
}

function named(locals: readonly number[]): string {
  const some = locals.slice(0, MOST_NAMED).map(timeOf).join(', ');
  return locals.length > MOST_NAMED ? `${some} and ${locals.length - MOST_NAMED} more` : some;
}

/** Wall-clock times that a calendar names, as if they were UTC. */
function localTimes(calendars: readonly CalendarSpecDescription[], from: number, to: number): number[] {
  const times: number[] = [];
  for (let local = from; local < to; local += 1000)
    if (calendars.some((calendar) => matches(calendar, new Date(local)))) times.push(local);
  return times;
}

const MONTHS = [
  ...['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE'],
  ...['JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER'],
];
const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

function matches(calendar: CalendarSpecDescription, local: Date): boolean {
  const { second, minute, hour, dayOfMonth, month, year, dayOfWeek } = calendar;
  return (
    within(second, local.getUTCSeconds()) &&
    within(minute, local.getUTCMinutes()) &&
    within(hour, local.getUTCHours()) &&
    within(dayOfMonth, local.getUTCDate()) &&
    within(month, local.getUTCMonth() + 1, (name) => MONTHS.indexOf(name) + 1) &&
    ((year ?? []).length === 0 || within(year, local.getUTCFullYear())) &&
    within(dayOfWeek, local.getUTCDay(), (name) => DAYS.indexOf(name))
  );
}

export function within(
  ranges: readonly unknown[] | undefined,
  value: number,
  numberOf: (name: string) => number = Number,
): boolean {
  const place = (one: unknown): number => (typeof one === 'number' ? one : numberOf(String(one)));
  return (ranges ?? []).some((range) => {
    if (!isMapping(range)) return place(range) === value;
    const { start, end = start, step } = range;
    const [first, last] = [place(start), place(end)];
    return value >= first && value <= Math.max(first, last) && (value - first) % (Number(step) || 1) === 0;
  });
}

function everyHour(calendars: readonly CalendarSpecDescription[]): boolean {
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  return hours.every((hour) => calendars.some((one) => within(one.hour, hour)));
}

/** The day on the wall. */
function dayOf({ at, before }: Transition): string {
  return new Date(at + before).toISOString().slice(0, 10);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16);
}

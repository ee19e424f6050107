/** What each caller's schedules take of a server: how many there are, and how many starts a minute they may make. */
import { type Client, type ScheduleSpecDescription, type ScheduleSummary } from '@temporalio/client';
import { isMapping } from '../../language/plan';
import { type ScheduleTimes } from './definition';
import { within } from './play';
import { listSchedules } from './schedules';

/** Temporal's list is a moment behind: what was created since is added. */
const BEHIND_MS = 60_000;

export interface ScheduleShare {
  /** Schedules of everybody. */
  readonly all: number;
  readonly own: number;
  /** Of the caller's, in a minute, at most. */
  readonly starts: number;
}

interface Claimed {
  readonly by: string;
  readonly starts: number;
  readonly until: number;
}

export class ScheduleShares {
  private readonly recent = new Map<string, Claimed>();
  private listing: Promise<readonly ScheduleSummary[]> | undefined;

  constructor(private readonly client: Client) {}

  /**
   * Counts a schedule that is to be created or changed among those of its owner.
   *
   * @param admit throws if it is too much; then it is not counted
   * @returns uncounts it, if it was not kept
   */
  async claim(
    name: string,
    by: string,
    times: ScheduleTimes,
    admit: (share: ScheduleShare) => void,
  ): Promise<() => void> {
    // Requests at the same time share a list: they see each other here.
    this.listing ??= listSchedules(this.client).finally(() => (this.listing = undefined));
    const listed = new Map((await this.listing).map((one) => [one.scheduleId, ofListed(one)]));
    const now = Date.now();
    for (const [key, { until }] of this.recent) if (until < now) this.recent.delete(key);
    const others = new Map([...listed, ...this.recent]);
    others.delete(name);
    const own = [...others.values()].filter((one) => one.by === by);
    const starts = startsInMinute(times);
    const sum = own.reduce((total, one) => total + one.starts, starts);
    admit({ all: others.size + 1, own: own.length + 1, starts: sum });
    this.recent.set(name, { by, starts, until: now + BEHIND_MS });
    return () => this.forget(name);
  }

  /** It was not created, or is deleted. */
  forget(name: string): void {
    this.recent.delete(name);
  }
}

/** Who created a schedule; empty if nothing says it. */
export function scheduleOwner({ memo }: Pick<ScheduleSummary, 'memo'>): string {
  const noetl = isMapping(memo?.['noetl']) ? memo['noetl'] : {};
  return typeof noetl['by'] === 'string' ? noetl['by'] : '';
}

function ofListed(one: ScheduleSummary): Pick<Claimed, 'by' | 'starts'> {
  const { calendars = [], intervals = [] }: Partial<ScheduleSpecDescription> = one.spec ?? {};
  const every = intervals.map((interval) => ({ every_s: interval.every / 1000 }));
  return {
    by: scheduleOwner(one),
    starts: startsInMinute({ calendars: calendars as never, intervals: every }),
  };
}

/** In its busiest minute. */
export function startsInMinute({ cron = [], intervals = [], calendars = [] }: ScheduleTimes): number {
  const each = [
    ...intervals.map(({ every_s }) => 60 / every_s),
    ...calendars.map(({ second = 0 }) => secondsIn(second === '*' ? [ANY] : [second].flat())),
    ...cron.map(startsOfLine),
  ];
  return each.reduce((sum, one) => sum + one, 0);
}

const SECONDS = Array.from({ length: 60 }, (_, second) => second);
const ANY = { start: 0, end: 59 };
const UNITS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };

function secondsIn(ranges: readonly unknown[]): number {
  return SECONDS.filter((second) => within(ranges, second)).length;
}

/** Of seven fields, the first is of seconds; a line of five or six starts something at second 0. */
function startsOfLine(line: string): number {
  const text = line
    .replace(/#.*/, '')
    .replace(/^\s*(CRON_)?TZ=\S+\s+/, '')
    .trim();
  const every = /^@every\s+([^/\s]+)/.exec(text)?.[1];
  if (every !== undefined) {
    const parts = [...every.matchAll(/([\d.]+)([dhms])/g)];
    return 60 / parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0);
  }
  const fields = text.split(/\s+/);
  if (fields.length !== 7) return 1;
  const ranges = fields[0]!.split(',').map((part) => {
    const [range = '', step] = part.split('/');
    const [start = '', end = step === undefined ? start : '59'] = range.split('-');
    return { ...(start === '*' ? ANY : { start: Number(start), end: Number(end) }), step: Number(step ?? 1) };
  });
  return secondsIn(ranges);
}

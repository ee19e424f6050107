/** Time zones of schedules: their offsets, and when these change. */
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Milliseconds since the epoch and back, as wall-clock times of a zone. */
export interface ScheduleZone {
  /** Milliseconds that its clocks are ahead of UTC. */
  offsetAt(instant: number): number;
}

/** A change of a zone's clocks: at `at` they are set from `before` to `after`, milliseconds ahead of UTC. */
export interface Transition {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** Undefined if this process does not know it. @param name IANA */
export function zoneOf(name: string): ScheduleZone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  return {
    offsetAt(instant) {
      const part: Record<string, number> = {};
      for (const { type, value } of format.formatToParts(instant)) part[type] = Number(value);
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
      return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
    },
  };
}

/** In order. @param from, to milliseconds since the epoch */
export function transitionsOf(zone: ScheduleZone, from: number, to: number): Transition[] {
  const transitions: Transition[] = [];
  for (let day = from; day < to; day += DAY_MS) {
    const [before, after] = [zone.offsetAt(day), zone.offsetAt(day + DAY_MS)];
    if (before === after) continue;
    let [low, high] = [day, day + DAY_MS];
    while (high - low > MINUTE_MS) {
      const middle = Math.floor((low + high) / 2 / MINUTE_MS) * MINUTE_MS;
      if (middle <= low) break;
      if (zone.offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    transitions.push({ at: Math.ceil(high / MINUTE_MS) * MINUTE_MS, before, after });
  }
  return transitions;
}

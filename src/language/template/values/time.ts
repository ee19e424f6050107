/**
 * Time without a clock: conversions between milliseconds since the epoch and civil UTC time (proleptic Gregorian),
 * by integer arithmetic, because the evaluator must not use `Date`.
 */
export interface Instant {
  /** Milliseconds since the epoch, UTC. */
  readonly ms: number;
  /** Microseconds beyond the millisecond, 0 to 999. */
  readonly micros: number;
  /** Minutes east of UTC; undefined for a time without a zone. */
  readonly offset?: number;
}

export interface Civil {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly micros: number;
}

const dayMs = 86_400_000;

export function fromParts(ms: number, micros = 0, offset?: number): Instant {
  const whole = Math.floor(ms);
  return offset === undefined ? { ms: whole, micros } : { ms: whole, micros, offset };
}

/** Days since the epoch of a civil date. */
export function daysOf(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  );
}

/** The civil time of an instant, in its own zone. */
export function civil({ ms, micros, offset = 0 }: Instant): Civil {
  const local = ms + offset * 60_000;
  const days = Math.floor(local / dayMs);
  const rest = local - days * dayMs;
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
    hour: Math.floor(rest / 3_600_000),
    minute: Math.floor(rest / 60_000) % 60,
    second: Math.floor(rest / 1000) % 60,
    micros: (rest % 1000) * 1000 + micros,
  };
}

export function digits(n: number, width: number): string {
  return String(n).padStart(width, '0');
}

/** `+02:00`, or an empty string without a time zone. */
export function zoneText(offset: number | undefined, separator = ':'): string {
  if (offset === undefined) return '';
  const minutes = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60), 2)}${separator}${digits(minutes % 60, 2)}`;
}

/** Python's `isoformat()`: microseconds only if not zero. */
export function formatIso(instant: Instant, separator = 'T'): string {
  const c = civil(instant);
  const date = `${digits(c.year, 4)}-${digits(c.month, 2)}-${digits(c.day, 2)}`;
  const time = `${digits(c.hour, 2)}:${digits(c.minute, 2)}:${digits(c.second, 2)}`;
  const fraction = c.micros > 0 ? `.${digits(c.micros, 6)}` : '';
  return `${date}${separator}${time}${fraction}${zoneText(instant.offset)}`;
}

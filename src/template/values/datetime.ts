import { TemplateError } from '../errors';
import { Callable, Internal, typeName, type Keywords } from './kinds';
import { float, isNumeric, toNumber } from './numbers';
import { strftime } from './strftime';
import { civil, digits, formatIso, fromParts, type Instant } from './time';

/**
 * A moment, as returned by `to_datetime`: the subset of Python's datetime used in templates. Converted to ISO text
 * at the end of the expression.
 */
export class DateTime extends Internal {
  readonly typeName = 'datetime';

  constructor(readonly instant: Instant) {
    super();
  }

  override text(): string {
    return formatIso(this.instant, ' ');
  }

  override plain(): string {
    return formatIso(this.instant);
  }

  override attribute(key: string): unknown {
    const c = civil(this.instant);
    const parts: Record<string, number> = {
      year: c.year,
      month: c.month,
      day: c.day,
      hour: c.hour,
      minute: c.minute,
      second: c.second,
      microsecond: c.micros,
    };
    return Object.hasOwn(parts, key) ? parts[key] : undefined;
  }

  override method(name: string): Callable | undefined {
    return functionOf(name, {
      isoformat: () => this.plain(),
      timestamp: () => float((this.instant.ms * 1000 + this.instant.micros) / 1e6),
      date: () => this.plain().slice(0, 10),
      strftime: ([format]) => {
        if (typeof format === 'string') return strftime(this.instant, format);
        throw new TemplateError('wrongType', `strftime() needs a format string, not ${typeName(format)}`);
      },
      weekday: () => weekday(this.instant),
      isoweekday: () => weekday(this.instant) + 1,
    });
  }

  /** Microseconds since the epoch. */
  get micros(): number {
    return this.instant.ms * 1000 + this.instant.micros;
  }

  plus(delta: TimeDelta): DateTime {
    const total = this.micros + delta.micros;
    const ms = Math.floor(total / 1000);
    if (!(Math.abs(ms) < 8.64e15)) throw new TemplateError('wrongValue', 'this date is out of range');
    return new DateTime(fromParts(ms, total - ms * 1000, this.instant.offset));
  }
}

/**
 * The time between two moments: Python's timedelta. Converted to a number of seconds at the end of the expression.
 */
class TimeDelta extends Internal {
  readonly typeName = 'timedelta';

  constructor(readonly micros: number) {
    super();
  }

  override text(): string {
    const days = Math.floor(this.micros / 86_400e6);
    const rest = this.micros - days * 86_400e6;
    const [seconds, fraction] = [Math.floor(rest / 1e6), rest % 1e6];
    const clock = `${String(Math.floor(seconds / 3600))}:${digits(Math.floor(seconds / 60) % 60, 2)}:${digits(seconds % 60, 2)}`;
    const dayPart = days === 0 ? '' : `${String(days)} day${Math.abs(days) === 1 ? '' : 's'}, `;
    return dayPart + clock + (fraction > 0 ? `.${digits(fraction, 6)}` : '');
  }

  override plain(): number {
    return this.micros / 1e6;
  }

  override attribute(key: string): unknown {
    const days = Math.floor(this.micros / 86_400e6);
    if (key === 'days') return days;
    if (key === 'seconds') return Math.floor((this.micros - days * 86_400e6) / 1e6);
    return key === 'microseconds' ? this.micros - Math.floor(this.micros / 1e6) * 1e6 : undefined;
  }

  override method(name: string): Callable | undefined {
    return functionOf(name, { total_seconds: () => float(this.micros / 1e6) });
  }
}

type Functions = Readonly<Record<string, (args: readonly unknown[], keywords: Keywords) => unknown>>;

function functionOf(name: string, functions: Functions): Callable | undefined {
  return Object.hasOwn(functions, name) ? new Callable(name, functions[name]!) : undefined;
}

/** Monday is 0. */
function weekday({ ms, offset = 0 }: Instant): number {
  const days = Math.floor((ms + offset * 60_000) / 86_400_000);
  return (((days + 3) % 7) + 7) % 7;
}

/** `+` and `-` of moments and time differences; undefined if neither operand is one. */
export function operateTime(operator: string, l: unknown, r: unknown): DateTime | TimeDelta | undefined {
  if (operator === '-' && l instanceof DateTime && r instanceof DateTime)
    return new TimeDelta(l.micros - r.micros);
  if (operator === '+' && l instanceof DateTime && r instanceof TimeDelta) return l.plus(r);
  if (operator === '+' && l instanceof TimeDelta && r instanceof DateTime) return r.plus(l);
  if (operator === '-' && l instanceof DateTime && r instanceof TimeDelta)
    return l.plus(new TimeDelta(-r.micros));
  if (l instanceof TimeDelta && r instanceof TimeDelta && (operator === '+' || operator === '-')) {
    return new TimeDelta(operator === '+' ? l.micros + r.micros : l.micros - r.micros);
  }
  return undefined;
}

/** The number by which two moments, or two differences, are ordered; undefined for anything else. */
export function orderOfTimes(l: unknown, r: unknown): [number, number] | undefined {
  const comparable =
    (l instanceof DateTime && r instanceof DateTime) || (l instanceof TimeDelta && r instanceof TimeDelta);
  return comparable ? [l.micros, r.micros] : undefined;
}

/** A moment from seconds since the epoch. */
export function fromEpoch(seconds: unknown): DateTime | undefined {
  if (!isNumeric(seconds)) return undefined;
  const micros = Math.round(toNumber(seconds) * 1e6);
  if (!Number.isSafeInteger(micros)) throw new TemplateError('wrongValue', 'this date is out of range');
  const ms = Math.floor(micros / 1000);
  return new DateTime(fromParts(ms, micros - ms * 1000, 0));
}

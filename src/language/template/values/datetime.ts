import { TemplateError } from '../errors';
import { integerArgument } from './arguments';
import { Callable, Internal, resolve, valueTypeName, type Keywords } from './kinds';
import { float, isNumeric, toNumber } from './numbers';
import { strftime } from './strftime';
import { civil, type Civil, daysOf, digits, formatIso, fromParts, type Instant } from './time';
import { TemplateZone } from './zones';

/**
 * A moment, as returned by `to_datetime`: the subset of Python's datetime used in templates. Converted to ISO text
 * at the end of the expression.
 */
export class DateTime extends Internal {
  readonly typeName = 'datetime';

  constructor(
    readonly instant: Instant,
    /** Given by name: days are then those of its calendar. */
    readonly zone?: TemplateZone,
  ) {
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
    return Object.hasOwn(PARTS, key) ? c[PARTS[key]!] : undefined;
  }

  override method(name: string): Callable | undefined {
    return functionOf(name, {
      isoformat: () => this.plain(),
      timestamp: () => float((this.instant.ms * 1000 + this.instant.micros) / 1e6),
      date: () => this.plain().slice(0, 10),
      strftime: ([format]) => {
        if (typeof format === 'string') return strftime(this.instant, format);
        throw new TemplateError(
          'wrongType',
          `strftime() needs a format string, not ${valueTypeName(format)}`,
        );
      },
      weekday: () => weekday(this.instant),
      isoweekday: () => weekday(this.instant) + 1,
      astimezone: ([zone]) => this.in(zoneArgument(zone, 'astimezone()')),
      replace: (_, keywords) => this.replaced(keywords),
    });
  }

  /** Microseconds since the epoch. */
  get micros(): number {
    return this.instant.ms * 1000 + this.instant.micros;
  }

  /** The same moment in another zone. @throws TemplateError NT4112 if its own zone is unknown */
  in(zone: TemplateZone): DateTime {
    const { ms, micros, offset } = this.instant;
    if (offset !== undefined) return new DateTime(fromParts(ms, micros, zone.offsetAt(ms)), zone);
    throw new TemplateError('wrongValue', "this date has no zone: give it one, to_datetime(tz='UTC')");
  }

  /** This local time as one of the zone. */
  localTo(zone: TemplateZone): DateTime {
    return this.atLocal(this.instant.ms + (this.instant.offset ?? 0) * 60_000, zone);
  }

  /** Days are days of the calendar if the zone is known by name: an hour that daylight saving takes is not missing. */
  plus(delta: TimeDelta): DateTime {
    const { ms, offset = 0 } = this.instant;
    const { days } = delta;
    const start =
      this.zone && days !== 0 ? this.atLocal(ms + offset * 60_000 + days * DAY_MS, this.zone) : this;
    const total = start.micros + delta.micros - (start === this ? 0 : days * DAY_MICROS);
    const moment = Math.floor(total / 1000);
    if (!(Math.abs(moment) < 8.64e15)) throw new TemplateError('wrongValue', 'this date is out of range');
    const east = this.zone ? this.zone.offsetAt(moment) : this.instant.offset;
    return new DateTime(fromParts(moment, total - moment * 1000, east), this.zone);
  }

  private atLocal(localMs: number, zone: TemplateZone | undefined): DateTime {
    const { micros, offset } = this.instant;
    if (!zone) return new DateTime(fromParts(localMs - (offset ?? 0) * 60_000, micros, offset));
    const moment = zone.momentOf(localMs);
    return new DateTime(fromParts(moment, micros, zone.offsetAt(moment)), zone);
  }

  private replaced(keywords: Keywords): DateTime {
    const parts = { ...civil(this.instant) };
    for (const [name, value] of keywords) {
      const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
      if (part === undefined)
        throw new TemplateError('wrongArguments', `replace() has no argument '${name}'`);
      parts[part] = integerArgument(value, name);
    }
    const { year, month, day, hour, minute, second, micros } = parts;
    const local = fromParts(
      daysOf(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000,
      0,
    );
    const real = civil({ ...local, micros });
    const exists = (Object.keys(parts) as (keyof Civil)[]).every((part) => real[part] === parts[part]);
    if (!exists || micros > 999_999) throw new TemplateError('wrongValue', 'this date does not exist');
    const whole = new DateTime(
      fromParts(local.ms + Math.floor(micros / 1000), micros % 1000, this.instant.offset),
    );
    return whole.atLocal(whole.instant.ms, this.zone);
  }
}

const DAY_MS = 86_400_000;
const DAY_MICROS = DAY_MS * 1000;

const PARTS: Readonly<Record<string, keyof Civil>> = {
  year: 'year',
  month: 'month',
  day: 'day',
  hour: 'hour',
  minute: 'minute',
  second: 'second',
  microsecond: 'micros',
};

/** A zone by its name. @throws TemplateError */
export function zoneArgument(value: unknown, what: string): TemplateZone {
  const name = resolve(value);
  if (typeof name === 'string') return TemplateZone.named(name);
  throw new TemplateError('wrongType', `${what} needs the name of a time zone, not ${valueTypeName(name)}`);
}

/**
 * The time between two moments: Python's timedelta. Converted to a number of seconds at the end of the expression.
 */
export class TimeDelta extends Internal {
  readonly typeName = 'timedelta';

  constructor(
    readonly micros: number,
    /** Days that are counted in the calendar, as given to `timedelta`; part of `micros`. */
    readonly days = 0,
  ) {
    super();
    if (!(Math.abs(micros) < 8.64e18)) throw new TemplateError('wrongValue', 'this time is out of range');
  }

  /** `timedelta(days=1, hours=2)`: Python's arguments, in its order. */
  static of(amounts: readonly (number | undefined)[]): TimeDelta {
    const [days = 0, seconds = 0, micros = 0, millis = 0, minutes = 0, hours = 0, weeks = 0] = amounts;
    const rest = ((hours * 60 + minutes) * 60 + seconds) * 1e6 + millis * 1000 + micros;
    const calendar = Math.trunc(days + weeks * 7);
    return new TimeDelta(Math.round((days + weeks * 7) * DAY_MICROS + rest), calendar);
  }

  times(factor: number): TimeDelta {
    return new TimeDelta(Math.round(this.micros * factor), Math.trunc(this.days * factor));
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
  if (operator === '-' && l instanceof DateTime && r instanceof TimeDelta) return l.plus(r.times(-1));
  if (operator === '*' && l instanceof TimeDelta && isNumeric(r)) return l.times(toNumber(r));
  if (operator === '*' && r instanceof TimeDelta && isNumeric(l)) return r.times(toNumber(l));
  if (l instanceof TimeDelta && r instanceof TimeDelta && (operator === '+' || operator === '-')) {
    const sign = operator === '+' ? 1 : -1;
    return new TimeDelta(l.micros + sign * r.micros, l.days + sign * r.days);
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

import { TemplateError } from '../errors';
import { type Evaluation } from '../evaluate/run';
import { defineBuiltin, type Builtins } from '../evaluate/signature';
import { textArgument } from '../values/arguments';
import { DateTime, fromEpoch, zoneArgument } from '../values/datetime';
import { resolve, valueTypeName } from '../values/kinds';
import { parseIso, strftime, strptime } from '../values/strftime';

/** Filters for dates: strings in ISO 8601 or another format, or seconds since the epoch. */
export const dateFilters: Builtins = {
  to_datetime: defineBuiltin('format=, tz=', (run, v, format, tz) => {
    const f = resolve(format) ?? undefined;
    run.charge(run.prices.date + (typeof f === 'string' ? run.prices.dateChar * f.length : 0));
    return inZone(run, toDateTime(v, f === undefined ? undefined : textArgument(f, 'format')), tz);
  }),
  strftime: defineBuiltin('format, tz=', (run, v, format, tz) => {
    const f = textArgument(format, 'format');
    run.charge(run.prices.date + run.prices.dateChar * f.length);
    return strftime(inZone(run, toDateTime(v, undefined), tz).instant, f);
  }),
};

/** The moment in a zone; a time without one is a time of that zone. */
function inZone(run: Evaluation, date: DateTime, tz: unknown): DateTime {
  if (tz === undefined || tz === null) return date;
  run.charge(run.prices.zone);
  const zone = zoneArgument(tz, 'tz');
  return date.instant.offset === undefined ? date.localTo(zone) : date.in(zone);
}

function toDateTime(value: unknown, format: string | undefined): DateTime {
  const v = resolve(value);
  if (v instanceof DateTime) return v;
  const epoch = fromEpoch(v);
  if (epoch) return epoch;
  if (typeof v !== 'string')
    throw new TemplateError('wrongType', `a date is a string or seconds, not ${valueTypeName(v)}`);
  if (format !== undefined) return new DateTime(strptime(v, format));
  const instant = parseIso(v);
  if (instant) return new DateTime(instant);
  throw new TemplateError(
    'wrongValue',
    `'${v.slice(0, 60)}' is not an ISO 8601 date: give to_datetime its format`,
  );
}

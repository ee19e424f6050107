import { TemplateError } from '../errors';
import { define, type Builtins } from '../evaluate/signature';
import { textArgument } from '../values/arguments';
import { DateTime, fromEpoch } from '../values/datetime';
import { resolve, typeName } from '../values/kinds';
import { parseIso, strftime, strptime } from '../values/strftime';

/** Filters for dates: strings in ISO 8601 or another format, or seconds since the epoch. */
export const dateFilters: Builtins = {
  to_datetime: define('format=', (run, v, format) => {
    const f = resolve(format) ?? undefined;
    run.charge(run.prices.date + (typeof f === 'string' ? run.prices.dateChar * f.length : 0));
    return toDateTime(v, f === undefined ? undefined : textArgument(f, 'format'));
  }),
  strftime: define('format', (run, v, format) => {
    const f = textArgument(format, 'format');
    run.charge(run.prices.date + run.prices.dateChar * f.length);
    return strftime(toDateTime(v, undefined).instant, f);
  }),
};

function toDateTime(value: unknown, format: string | undefined): DateTime {
  const v = resolve(value);
  if (v instanceof DateTime) return v;
  const epoch = fromEpoch(v);
  if (epoch) return epoch;
  if (typeof v !== 'string')
    throw new TemplateError('wrongType', `a date is a string or seconds, not ${typeName(v)}`);
  if (format !== undefined) return new DateTime(strptime(v, format));
  const instant = parseIso(v);
  if (instant) return new DateTime(instant);
  throw new TemplateError(
    'wrongValue',
    `'${v.slice(0, 60)}' is not an ISO 8601 date: give to_datetime its format`,
  );
}

/** Times as playbooks write them (D27). */
import { type Json } from '../../plan';
import { daysOf } from '../../template/runtime';

const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?(?:[Zz]|([+-])(\d\d):?(\d\d))?$/;

/**
 * Milliseconds since the epoch of an RFC 3339 timestamp (a time without a zone is UTC) or of seconds since the epoch.
 * Undefined for anything else.
 */
export function momentOf(value: Json): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) return number * 1000;
  if (typeof value !== 'string') return undefined;
  const parts = RFC3339.exec(value.trim())?.slice(1);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(0, 6).map((part) => Number(part ?? 0));
  if (month! < 1 || month! > 12 || day! < 1 || day! > daysIn(year!, month!)) return undefined;
  if (hour! > 23 || minute! > 59 || second! >= 61) return undefined;
  const [sign, offsetHours, offsetMinutes] = parts.slice(6);
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0));
  const minutes = daysOf(year!, month!, day!) * 1440 + hour! * 60 + minute! - offset;
  return minutes * 60_000 + Math.round(second! * 1000);
}

function daysIn(year: number, month: number): number {
  return month === 12 ? 31 : daysOf(year, month + 1, 1) - daysOf(year, month, 1);
}

function numberOf(value: Json): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

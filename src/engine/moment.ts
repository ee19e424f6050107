/** Times and durations as playbooks write them (D27). */
import { type Json } from '../plan';
import { daysOf } from '../template/runtime';

const UNITS_S = { W: 604_800, D: 86_400, H: 3600, M: 60, S: 1 } as const;
const DURATION =
  /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?(?:[Zz]|([+-])(\d\d):?(\d\d))?$/;

/**
 * Seconds of a number, of text that is a number, or of an ISO 8601 duration without years and months (`PT5M`,
 * `P1DT12H`, `P2W`): how long those last depends on when. Undefined for anything else, negative numbers included.
 */
export function secondsOf(value: Json): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) return number >= 0 ? number : undefined;
  if (typeof value !== 'string') return undefined;
  const parts = DURATION.exec(value.trim().toUpperCase())?.slice(1);
  if (!parts || parts.every((part) => part === undefined)) return undefined;
  const units = Object.values(UNITS_S);
  return parts.reduce((sum, part, position) => sum + Number(part ?? 0) * units[position]!, 0);
}

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

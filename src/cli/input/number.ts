import { secondsOf } from '../../language/plan/seconds';
import { UsageError } from '../errors';

/** A duration as in playbooks, in milliseconds: `90` means seconds; `500ms`, `1h30m`, `30d`, `PT5M`. */
export function milliseconds(text: string, option: string): number {
  const seconds = secondsOf(text);
  if (seconds === undefined)
    throw new UsageError(`${option} ${text}: expected a time like 90, 90s, 5m, 1h30m or PT5M`);
  return Math.round(seconds * 1000);
}

/** @throws UsageError unless it consists of digits and is at least `least` */
export function wholeNumber(text: string, option: string, least: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text.trim()) || !Number.isSafeInteger(value) || value < least)
    throw new UsageError(`${option} ${text}: expected a whole number from ${least}`);
  return value;
}

/** A TCP port; 0 lets the system choose. */
export function portNumber(text: string, option: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text.trim()) || port > 65_535)
    throw new UsageError(`${option} ${text}: expected 0 to 65535`);
  return port;
}

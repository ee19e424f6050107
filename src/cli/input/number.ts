import { UsageError } from '../errors';

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A span of time as people write it, in milliseconds: `90` and `90s` are seconds; also `500ms`, `5m`, `2h`, `30d`. */
export function milliseconds(text: string, option: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim());
  if (!match) throw new UsageError(`${option} ${text}: expected a time like 90, 90s, 5m or 2h`);
  return Math.round(Number(match[1]) * UNITS[match[2] ?? 's']!);
}

/** @throws UsageError for anything but digits, and below `least` */
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

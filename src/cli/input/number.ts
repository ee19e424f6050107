import { UsageError } from '../errors';

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A span of time as people write it, in milliseconds: `90` and `90s` are seconds; also `500ms`, `5m`, `2h`. */
export function milliseconds(text: string, option: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  if (!match) throw new UsageError(`${option} ${text}: expected a time like 90, 90s, 5m or 2h`);
  return Math.round(Number(match[1]) * UNITS[match[2] ?? 's']!);
}

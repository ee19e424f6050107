/** Durations and comparisons as written in rehearsals. */
import { secondsOf } from '../../../language/plan';

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `5` and `5s` are five seconds; `1h30m` is a sum. Milliseconds, or undefined for an invalid duration. */
export function parseTime(text: string): number | undefined {
  const seconds = secondsOf(text);
  return seconds === undefined ? undefined : Math.round(seconds * 1_000);
}

/** Milliseconds as text: `0 s`, `250 ms`, `3.5 s`, `1 h 5 m`, `365 d 3 h`. */
export function formatTime(ms: number): string {
  if (ms > 0 && ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${Math.round(ms) / 1_000} s`;
  const parts = (['d', 'h', 'm', 's'] as const).map((unit, index, units) => {
    const above = index === 0 ? Number.MAX_SAFE_INTEGER : UNITS[units[index - 1]!]!;
    return [Math.floor((ms % above) / UNITS[unit]!), unit] as const;
  });
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}

const OPERATORS = {
  '>=': (a: number, b: number) => a >= b,
  '<=': (a: number, b: number) => a <= b,
  '==': (a: number, b: number) => a === b,
  '>': (a: number, b: number) => a > b,
  '<': (a: number, b: number) => a < b,
} as const;

export interface AmountComparison {
  /** As written. */
  readonly text: string;
  holds(actual: number): boolean;
}

/** `3`, `>= 3`, `< 10s`: an operator (default `==`) before an operand parsed by `read`. */
export function parseComparison(
  text: string,
  read: (amount: string) => number | undefined,
): AmountComparison | undefined {
  const [, operator = '==', amount = ''] = /^\s*(>=|<=|==|>|<)?\s*(.*?)\s*$/.exec(text) ?? [];
  const bound = read(amount);
  if (bound === undefined) return undefined;
  const compare = OPERATORS[operator as keyof typeof OPERATORS];
  return { text: text.trim(), holds: (actual) => compare(actual, bound) };
}

/** A non-negative integer. */
export function parseCount(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

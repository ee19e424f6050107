/** Random plans of the engine's tests, for a real server: nobody waits for minutes, or for what does not come. */
import { type Plan } from '../../src/language/plan';

const SECOND_OF = 300;
/** Names of fields in seconds. */
const TIMES = new Set(['delay', 'maxDelay', 'timeout', 'for']);

type Entry = readonly [string, { const?: unknown }];

/** The plan with its waits and time limits cut to fractions of a second; the event that it waits for is `go`. */
export function hurried(plan: Plan): Plan {
  return JSON.parse(JSON.stringify(plan), (key, value: unknown) => {
    if (TIMES.has(key)) return shorter(value);
    return key === 'map' && Array.isArray(value) ? configOf(value as Entry[]) : value;
  }) as Plan;
}

function configOf(entries: readonly Entry[]): readonly Entry[] {
  const isWait = entries.some(([name]) => name === 'event');
  const shortened = entries.map(([name, value]): Entry => {
    if (isWait && name === 'event') return [name, { const: 'go' }];
    return [name, TIMES.has(name) ? (shorter(value) as Entry[1]) : value];
  });
  const isBounded = entries.some(([name]) => name === 'timeout');
  return isWait && !isBounded ? [...shortened, ['timeout', { const: 1 }]] : shortened;
}

function shorter(value: unknown): unknown {
  const given = (value as { const?: unknown } | undefined)?.const;
  if (typeof given === 'number') return { const: given / SECOND_OF };
  // `PT1H`; what is no time at all stays wrong.
  return typeof given === 'string' && given.startsWith('PT') ? { const: 0.2 } : value;
}

/** What holds of every run under the strict driver, whatever its plan and order. */
import { type Plan } from '../../src/language/plan';
import { checkEvents } from './event-checks';
import { checkRules } from './rule-checks';
import { type Driven } from './strict-driver';
import { checkTokens } from './token-checks';

/** The contract with the driver, the order and pairs of events, the fate of every token, what rules decided. */
export function violations(plan: Plan, { end, broken, events }: Driven): readonly string[] {
  const complete = end === 'complete';
  return [
    ...broken,
    ...checkEvents(events, complete),
    ...checkTokens(events, complete),
    ...checkRules(plan, events, complete),
  ];
}

/** Keys of what a run that is over has still under way. */
export function leftBehind({ state }: Driven): readonly string[] {
  const { tokens, forks, runs, frames, pending, timers, children, waits, work, ready, lease } = state;
  const tables = [tokens, forks, runs, frames, pending, timers, children, waits, work, ready, lease ?? {}];
  return tables.flatMap((table) => Object.keys(table));
}

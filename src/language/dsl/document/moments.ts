import { type ScalarNode } from '../yaml/node';
import { type ActionDoc, type RuleMoment } from './document';

/** The events named in a guard, in any kind of comparison. */
export function eventsIn(when: ScalarNode | undefined): string[] {
  if (typeof when?.value !== 'string') return [];
  return [...when.value.matchAll(/(['"])((?:step|call|loop)\.\w+)\1/g)].map((match) => match[2]!);
}

/** When a rule of `case` can act, according to its guard. */
export function ruleMomentOf(
  when: ScalarNode | undefined,
  actions: readonly ActionDoc[],
  loop: boolean,
): RuleMoment {
  const events = eventsIn(when);
  // `event.name != 'step.exit'` names the excluded event.
  if (events.length === 0 || /event\.name\s*!=|not\s+in\b/.test(String(when?.value))) return 'any';
  if (events.every((name) => name === 'step.enter')) return 'enter';
  if (events.includes('step.enter')) return 'any';
  const ofCalls = events.filter((name) => name.startsWith('call.'));
  if (ofCalls.length > 0) return ofCalls.length < events.length ? 'any' : 'call';
  const perIteration = actions.some((action) => action.do === 'sink' || action.do === 'collect');
  return loop && perIteration && events.includes('step.exit') ? 'iteration' : 'exit';
}

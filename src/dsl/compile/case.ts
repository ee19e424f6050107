import { type CasePlan, type CaseRule } from '../../plan';
import { type Place } from '../check/place';
import { type CaseDoc, type CaseRuleDoc, type StepDoc } from '../document/document';
import { eventsIn } from '../document/moments';
import { compileActions } from './actions';
import { readsFailure, seesError } from './arcs';
import { type Values } from './values';

/** The rules of a step on its own events (D15, D18). */
export function compileCase(rules: CaseDoc, step: StepDoc, values: Values): CasePlan {
  return {
    mode: rules.mode,
    rules: rules.rules.map((rule, index) => ({
      ...compileRule(rule, step, values),
      ...(isElseOfTheEnd(rules.rules, index) ? { waitsForEnd: true as const } : {}),
    })),
  };
}

/**
 * An `else` behind a rule on the step's end means the end: asked at the call, before that rule can match, it would
 * always win.
 */
function isElseOfTheEnd(rules: readonly CaseRuleDoc[], index: number): boolean {
  if (rules[index]!.when !== undefined) return false;
  return rules.slice(0, index).some(({ when }) => eventsIn(when).some((name) => OF_THE_END.has(name)));
}

/** Events of a step that is over, and aliases of them. */
const OF_THE_END: ReadonlySet<string> = new Set(['step.exit', 'step.done', 'step.failed', 'loop.done']);

function compileRule(rule: CaseRuleDoc, step: StepDoc, values: Values): CaseRule {
  const { moment } = rule;
  const boundary = step.loop !== undefined && moment === 'exit' ? { boundary: true as const } : {};
  const place = (kind: 'guard' | 'action'): Place =>
    moment === 'enter' ? { kind: 'enter', step } : { kind, step, ...boundary };
  const when = rule.when === undefined ? undefined : values.condition(rule.when, place('guard'));
  const events = eventsIn(rule.when);
  return {
    ...(when === undefined ? {} : { when }),
    ...(events.includes('step.enter') ? { onEnter: true as const } : {}),
    ...(when !== undefined && seesError(when) ? { seesError: true as const } : {}),
    ...(when !== undefined && readsFailure(when, events) ? { readsFailure: true as const } : {}),
    actions: compileActions(rule.actions, place('action'), values),
    at: values.at(rule.at),
  };
}

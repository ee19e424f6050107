import { type AdmitRule, type Rule } from '../../plan';
import { type Place } from '../check/place';
import { type AdmitDoc, type LoopDoc, type RuleDoc, type StepDoc, type TaskDoc } from '../document/document';
import { type Values } from './values';
import { compileWrites } from './writes';

/** The rules of a task, in order (D17). */
export function compileRules(
  rules: readonly RuleDoc[],
  step: StepDoc,
  task: TaskDoc,
  values: Values,
  loops: readonly LoopDoc[],
): Rule[] {
  const place: Place = { kind: 'outcome', step, task, loops };
  return rules.map((rule) => ({
    ...(rule.when === undefined ? {} : { when: values.condition(rule.when, place) }),
    do: rule.do,
    ...(rule.attempts === undefined ? {} : { attempts: values.value(rule.attempts, place) }),
    ...(rule.backoff === undefined ? {} : { backoff: rule.backoff }),
    ...(rule.delay === undefined ? {} : { delay: values.value(rule.delay, place) }),
    ...(rule.maxDelay === undefined ? {} : { maxDelay: values.value(rule.maxDelay, place) }),
    ...(rule.to === undefined ? {} : { to: rule.to.name }),
    set: compileWrites(rule.writes, place, values),
    at: values.at(rule.at),
  }));
}

/** The admission gate of a step. */
export function compileAdmit(rules: readonly AdmitDoc[], step: StepDoc, values: Values): AdmitRule[] {
  const place: Place = { kind: 'admit', step };
  return rules.map((rule) => ({
    ...(rule.when === undefined ? {} : { when: values.condition(rule.when, place) }),
    allow: rule.allow,
    at: values.at(rule.at),
  }));
}

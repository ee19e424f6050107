/**
 * Merges the rules of all vocabularies into one rule set per task and one per step
 * (docs/design/rules.md#one-mechanism).
 */
import {
  compact,
  type AdmitRule,
  type RuleHappening,
  type Move,
  type RulePlan,
  type RuleSet,
} from '../../plan';
import { type TemplatePlace } from '../check/place';
import {
  type AdmitDoc,
  type CaseRuleDoc,
  type LoopDoc,
  type RetryDoc,
  type RuleDoc,
  type StepDoc,
  type TaskDoc,
} from '../document/document';
import { eventsIn } from '../document/moments';
import { type Located } from '../diagnostics/diagnostic';
import { compileActions, compileKnobs, type Does } from './actions';
import { readsFailure, seesError } from './arcs';
import { type Values } from './values';
import { compileWrites } from './writes';

/** The rules of a step for its own stages, and what it stores at its end. */
export function compileStepRules(step: StepDoc, values: Values): RuleSet | undefined {
  const { case: rules, sinks } = step;
  if (rules === undefined && sinks.length === 0) return undefined;
  const compiled = rules?.rules.map((_, index) => compileCaseRule(rules.rules, index, step, values)) ?? [];
  return {
    of: 'case',
    mode: rules?.mode ?? 'first',
    otherwise: 'outcome',
    rules: [...compiled, ...storage(sinks, step.at, values)],
  };
}

/** The rules of a task: its policy or `retry`, and what it stores. */
export function compileTaskRules(
  task: TaskDoc,
  step: StepDoc,
  values: Values,
  loops: readonly LoopDoc[],
): RuleSet | undefined {
  const { rules, retry, sinks = [] } = task;
  if (rules === undefined && retry === undefined && sinks.length === 0) return undefined;
  const within = (kind: TemplatePlace['kind']): TemplatePlace => ({ kind, step, task, loops });
  return {
    of: retry === undefined ? 'policy' : 'retry',
    mode: 'first',
    otherwise: rules === undefined || task.unmatched === 'fail' ? 'outcome' : 'continue',
    rules: [
      ...(rules ?? []).map((rule) => compilePolicyRule(rule, within('outcome'), values)),
      ...(retry ?? []).map((policy) => compileRetryRule(policy, within('retry'), values)),
      ...storage(sinks, task.at, values),
    ],
  };
}

function storage(sinks: readonly string[], at: Located, values: Values): RulePlan[] {
  if (sinks.length === 0) return [];
  const here = values.at(at);
  return [{ on: ['store'], actions: sinks.map((task) => ({ do: 'sink', task, at: here })), at: here }];
}

function compilePolicyRule(rule: RuleDoc, place: TemplatePlace, values: Values): RulePlan {
  const at = values.at(rule.at);
  const set = compileWrites(rule.writes, place, values);
  return {
    on: ['call'],
    ...(rule.when === undefined ? {} : { when: values.condition(rule.when, place) }),
    actions: set.length === 0 ? [] : [{ do: 'set', set, at }],
    move: moveOf(rule, place, values),
    at,
  };
}

function moveOf(rule: RuleDoc, place: TemplatePlace, values: Values): Move {
  const at = values.at(rule.at);
  if (rule.do === 'retry') {
    return { do: 'retry', ...compileKnobs(rule, place, values), exhausted: 'fall_through', at };
  }
  if (rule.do === 'fail')
    return { do: 'fail', ...values.given({ message: rule.message }, { ...place, part: 'a message' }), at };
  return rule.do === 'jump'
    ? { do: 'jump', to: rule.to?.name ?? '', ...compact({ again: rule.again }), at }
    : { do: rule.do, at };
}

/** Without a condition, like an `else`, it continues after an error. Running out of pages is not an error. */
function compileRetryRule(policy: RetryDoc, place: TemplatePlace, values: Values): RulePlan {
  const at = values.at(policy.at);
  const guard = policy.when ?? policy.retryWhen;
  const condition = (node: typeof guard): RulePlan['when'] => node && values.condition(node, place);
  const { actions } = compileActions(policy.actions, place, values);
  const strict = policy.retryWhen !== undefined && policy.overrides === undefined;
  const exhausted = strict ? 'fail' : 'finish';
  return {
    on: ['call'],
    ...(guard === undefined ? {} : { when: condition(guard)! }),
    ...(policy.stopWhen === undefined ? {} : { unless: condition(policy.stopWhen)! }),
    ...(guard === undefined && policy.stopWhen === undefined ? { onError: true as const } : {}),
    actions,
    move: { do: 'retry', ...compileKnobs(policy, place, values), exhausted, at },
    at,
  };
}

function compileCaseRule(
  rules: readonly CaseRuleDoc[],
  index: number,
  step: StepDoc,
  values: Values,
): RulePlan {
  const rule = rules[index]!;
  const { moment } = rule;
  const boundary = step.loop !== undefined && moment === 'exit' ? { boundary: true as const } : {};
  const place = (kind: 'guard' | 'action'): TemplatePlace =>
    moment === 'enter' ? { kind: 'enter', step } : { kind, step, ...boundary };
  const when = rule.when === undefined ? undefined : values.condition(rule.when, place('guard'));
  const events = eventsIn(rule.when);
  const does = compileActions(rule.actions, place('action'), values);
  return {
    on: happeningsOf(rules, index, step, does),
    ...compact({ when }),
    ...(when !== undefined && seesError(when) ? { seesError: true as const } : {}),
    ...(when !== undefined && readsFailure(when, events) ? { readsFailure: true as const } : {}),
    ...does,
    at: values.at(rule.at),
  };
}

/** Events of a finished step, and their aliases. */
const OF_THE_END: ReadonlySet<string> = new Set(['step.exit', 'step.done', 'step.failed', 'loop.done']);

/**
 * The stages at which a rule can act. In a loop a storing rule stores in each iteration, and only its move is left for
 * the end. An `else` belongs to the call unless it follows a rule on the step's end: evaluated at the call, before that
 * rule can match, it would always win.
 */
function happeningsOf(
  rules: readonly CaseRuleDoc[],
  index: number,
  step: StepDoc,
  { actions, move, endLoop }: Does,
): RuleHappening[] {
  const { moment, when } = rules[index]!;
  if (moment === 'enter') return ['enter'];
  const stores = actions.some(({ do: act }) => act === 'sink' || act === 'collect');
  const iterates = step.loop !== undefined && (stores || endLoop === true);
  const end: RuleHappening[] = iterates ? ['iteration', ...(move ? (['end'] as const) : [])] : ['end'];
  const enter: RuleHappening[] = eventsIn(when).includes('step.enter') ? ['enter'] : [];
  if (moment === 'exit') return ['end'];
  if (moment === 'iteration') return end;
  if (step.tasks.length === 0) return [...enter, ...end];
  if (moment === 'call') return ['call'];
  if (when !== undefined) return [...enter, 'call', ...end];
  const behindTheEnd = rules
    .slice(0, index)
    .some((one) => eventsIn(one.when).some((name) => OF_THE_END.has(name)));
  return behindTheEnd ? end : ['call'];
}

/** The admission rules of a step. */
export function compileAdmit(rules: readonly AdmitDoc[], step: StepDoc, values: Values): AdmitRule[] {
  const place: TemplatePlace = { kind: 'admit', step };
  return rules.map((rule) => ({
    ...(rule.when === undefined ? {} : { when: values.condition(rule.when, place) }),
    allow: rule.allow,
    at: values.at(rule.at),
  }));
}

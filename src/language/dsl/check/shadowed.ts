/** Arcs and rules that never match because earlier ones cover all their cases. */
import { failureKeys, looksAtFailure, readsFailure, seesError } from '../compile/arcs';
import { stepKnob } from '../compile/effective';
import { type Values } from '../compile/values';
import { type Located, type Report, SILENT } from '../diagnostics/diagnostic';
import { type CaseRuleDoc, type Document, type StepDoc } from '../document/document';
import { eventsIn } from '../document/moments';
import { isTrue, readAdmit } from '../document/rules';
import { asMap, type ScalarNode } from '../yaml/node';
import { type Condition, conditionOf, isReachable, type CheckBudget } from './conditions';
import { tasksOf } from './parts';

interface Rule {
  readonly at: Located;
  readonly when?: ScalarNode;
}

/** An item of an ordered list of conditions. */
interface Guarded<T> {
  readonly it: T;
  readonly condition: Condition;
  /** When, and on which data, the condition is evaluated: only items of the same sort can cover each other. */
  readonly sort: string;
  /** Also evaluated after failures. */
  readonly onFailure: boolean;
  /** Whether later items are skipped if it matches. */
  readonly decides: boolean;
}

/** Limit of evaluated parts of conditions. */
const MAX_WORK = 5_000_000;

/**
 * Reported only if both have a condition: one that always matches is found elsewhere, and a final `else` is
 * harmless.
 */
export function checkShadowed(document: Document, values: Values, report: Report): void {
  const work: CheckBudget = { left: MAX_WORK };
  const check = (rules: readonly Guarded<Rule>[]): void => checkRules(rules, work, report);
  for (const step of document.steps) {
    checkArcs(step, values, work, report);
    if (step.case?.mode === 'first') check(step.case.rules.flatMap(askedOf(step, values)));
    for (const { rules = [] } of tasksOf(step))
      check(rules.flatMap((rule) => conditionsOf(rule, values, rule.do !== 'retry')));
    const admit = asMap(stepKnob(step, 'admit'));
    if (admit !== undefined)
      check(readAdmit(admit, SILENT).flatMap((rule) => conditionsOf(rule, values, true)));
  }
}

function checkArcs(step: StepDoc, values: Values, work: CheckBudget, report: Report): void {
  const { router } = step;
  if (router === undefined || router.mode === 'inclusive') return;
  const onFailure = failureKeys(step);
  const arcs = router.arcs.flatMap((arc) => {
    const template = arc.rule === undefined && arc.when ? values.tryCondition(arc.when) : undefined;
    const [condition] = conditionsOf(arc, values, true);
    if (template === undefined || condition === undefined) return [];
    const looks = looksAtFailure(template, step.name, onFailure);
    const sort = `${readsFailure(template, eventsIn(arc.when))} ${seesError(template)}`;
    return [{ ...condition, sort, onFailure: looks }];
  });
  for (const [arc, by] of shadowed(arcs, work)) {
    const why = by === undefined ? 'an earlier arc' : `the arc to \`${by.target}\``;
    report.add(
      'NT6002',
      arc.at,
      `the arc to \`${arc.target}\` is never followed: wherever its guard holds, ${why} is followed`,
      'put the narrower guard first, or write `spec: {mode: inclusive}` to follow all that match',
    );
  }
}

/**
 * Rules of `case` are evaluated at several moments; after one that repeats the call, the others are evaluated
 * again.
 */
function askedOf(step: StepDoc, values: Values): (rule: CaseRuleDoc) => Guarded<CaseRuleDoc>[] {
  return (rule) => {
    const { moment, when, actions } = rule;
    const template = when && values.tryCondition(when);
    if (template === undefined || moment === 'any' || moment === 'iteration') return [];
    const again = actions.some((action) => action.do === 'retry' || action.do === 'call');
    const sort = `${moment} ${readsFailure(template, eventsIn(when))} ${seesError(template)} ${step.name}`;
    return conditionsOf(rule, values, !again).map((condition) => ({ ...condition, sort }));
  };
}

function conditionsOf<T extends { readonly when?: ScalarNode }>(
  it: T,
  values: Values,
  decides: boolean,
): Guarded<T>[] {
  if (it.when === undefined || isTrue(it.when.value)) return [];
  const template = values.tryCondition(it.when);
  const condition = template && conditionOf(template);
  return condition === undefined ? [] : [{ it, condition, sort: '', onFailure: false, decides }];
}

function checkRules(rules: readonly Guarded<Rule>[], work: CheckBudget, report: Report): void {
  for (const [rule] of shadowed(rules, work)) {
    report.add(
      'NT2036',
      rule.when ?? rule.at,
      'this rule is never reached: whenever it matches, an earlier rule matches too',
      'put the narrower condition first',
    );
  }
}

/** Covered items, with the single earlier item that covers each; undefined if several do. */
function* shadowed<T>(list: readonly Guarded<T>[], work: CheckBudget): Generator<[T, T | undefined]> {
  for (const [i, { it, condition, sort, onFailure }] of list.entries()) {
    work.left -= i;
    if (work.left < 0) return;
    const before = list
      .slice(0, i)
      .filter((one) => one.decides && one.sort === sort && (one.onFailure || !onFailure));
    const conditions = before.map((one) => one.condition);
    if (isReachable(condition, conditions, work)) continue;
    yield [it, before.find((one) => !isReachable(condition, [one.condition], work))?.it];
  }
}

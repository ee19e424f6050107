/** Arcs and rules of which the first that matches wins, and that others before them leave nothing. */
import { failureKeys, looksAtFailure, readsFailure, seesError } from '../compile/arcs';
import { stepKnob } from '../compile/effective';
import { type Values } from '../compile/values';
import { type Located, type Report, SILENT } from '../diagnostics/diagnostic';
import { type CaseRuleDoc, type Document, type StepDoc } from '../document/document';
import { eventsIn } from '../document/moments';
import { isTrue, readAdmit } from '../document/rules';
import { asMap, type ScalarNode } from '../yaml/node';
import { type Condition, conditionOf, isReachable, type Work } from './conditions';
import { tasksOf } from './parts';

interface Rule {
  readonly at: Located;
  readonly when?: ScalarNode;
}

/** One of several that are asked in order. */
interface Asked<T> {
  readonly it: T;
  readonly condition: Condition;
  /** What decides when the condition is asked, and of what: only those of one sort take from each other. */
  readonly sort: string;
  /** Asked after failures as well. */
  readonly onFailure: boolean;
  /** Whether those behind it are left out where it matches. */
  readonly decides: boolean;
}

/** Parts of conditions that are evaluated in all. */
const MAX_WORK = 5_000_000;

/** Told only where both have a condition: what always matches is found elsewhere, and a last `else` does no harm. */
export function checkShadowed(document: Document, values: Values, report: Report): void {
  const work: Work = { left: MAX_WORK };
  const check = (rules: readonly Asked<Rule>[]): void => checkRules(rules, work, report);
  for (const step of document.steps) {
    checkArcs(step, values, work, report);
    if (step.case?.mode === 'first') check(step.case.rules.flatMap(askedOf(step, values)));
    for (const { rules = [] } of tasksOf(step))
      check(rules.flatMap((rule) => asked(rule, values, rule.do !== 'retry')));
    const admit = asMap(stepKnob(step, 'admit'));
    if (admit !== undefined) check(readAdmit(admit, SILENT).flatMap((rule) => asked(rule, values, true)));
  }
}

function checkArcs(step: StepDoc, values: Values, work: Work, report: Report): void {
  const { router } = step;
  if (router === undefined || router.mode === 'inclusive') return;
  const onFailure = failureKeys(step);
  const arcs = router.arcs.flatMap((arc) => {
    const template = arc.rule === undefined && arc.when ? values.tryCondition(arc.when) : undefined;
    const [found] = asked(arc, values, true);
    if (template === undefined || found === undefined) return [];
    const looks = looksAtFailure(template, step.name, onFailure);
    const sort = `${readsFailure(template, eventsIn(arc.when))} ${seesError(template)}`;
    return [{ ...found, sort, onFailure: looks }];
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

/** Rules of `case` are asked at several moments, and one that calls again gives way to the others afterwards. */
function askedOf(step: StepDoc, values: Values): (rule: CaseRuleDoc) => Asked<CaseRuleDoc>[] {
  return (rule) => {
    const { moment, when, actions } = rule;
    const template = when && values.tryCondition(when);
    if (template === undefined || moment === 'any' || moment === 'iteration') return [];
    const again = actions.some((action) => action.do === 'retry' || action.do === 'call');
    const sort = `${moment} ${readsFailure(template, eventsIn(when))} ${seesError(template)} ${step.name}`;
    return asked(rule, values, !again).map((found) => ({ ...found, sort }));
  };
}

function asked<T extends { readonly when?: ScalarNode }>(
  it: T,
  values: Values,
  decides: boolean,
): Asked<T>[] {
  if (it.when === undefined || isTrue(it.when.value)) return [];
  const template = values.tryCondition(it.when);
  const condition = template && conditionOf(template);
  return condition === undefined ? [] : [{ it, condition, sort: '', onFailure: false, decides }];
}

function checkRules(rules: readonly Asked<Rule>[], work: Work, report: Report): void {
  for (const [rule] of shadowed(rules, work)) {
    report.add(
      'NT2036',
      rule.when ?? rule.at,
      'this rule is never reached: whenever it matches, an earlier rule matches too',
      'put the narrower condition first',
    );
  }
}

/** What is left nothing, with the one before it that is enough for that; undefined where several are. */
function* shadowed<T>(list: readonly Asked<T>[], work: Work): Generator<[T, T | undefined]> {
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

import { references } from '../../template';
import { type Values } from '../compile/values';
import { type Report } from '../diagnostics/diagnostic';
import { MOVES } from '../document/actions';
import { type ActionDoc, type CaseRuleDoc, type Document, type StepDoc } from '../document/document';
import { isTrue, reportUnreached } from '../document/rules';

/** Rules of `case` that contradict themselves, are never reached, or never end. */
export function checkCase(document: Document, values: Values, report: Report): void {
  for (const step of document.steps) {
    const rules = step.case?.rules ?? [];
    for (const rule of rules) {
      checkMoves(rule, report);
      checkMoment(rule, step, report);
      checkBound(rule, values, report);
    }
    if (step.case?.mode === 'first') checkReach(rules, report);
  }
}

/** Two moves in one rule. */
function checkMoves(rule: CaseRuleDoc, report: Report): void {
  const [first, second] = rule.actions.filter((action) => MOVES.has(action.do));
  if (first === undefined || second === undefined) return;
  report.add(
    'NT2021',
    second.at,
    `\`${first.do}\` and \`${second.do}\` cannot be combined: a rule has at most one move`,
    'remove one of them, or write a rule for each',
  );
}

/** Actions that are impossible before the step, at its end, or without a tool. */
function checkMoment({ actions, moment }: CaseRuleDoc, step: StepDoc, report: Report): void {
  const bare = step.tasks.length === 0 && step.node.entries.every((each) => each.key !== 'tool');
  for (const action of actions) {
    const again = action.do === 'call' || action.do === 'retry';
    const why = bare
      ? again && `the step \`${step.name}\` has no tool`
      : moment === 'enter'
        ? (again || action.do === 'collect') && 'the step has not called a tool yet at `step.enter`'
        : again && (moment === 'exit' || moment === 'iteration') && 'the call is over when the step ends';
    if (!why) continue;
    const hint = bare ? 'give it a `tool`' : "write the rule for `event.name == 'call.done'`";
    report.add('NT2022', action.at, `\`${action.do}\` is not possible here: ${why}`, hint);
  }
}

/** `call` with a condition that every outcome fulfils. */
function checkBound(rule: CaseRuleDoc, values: Values, report: Report): void {
  const call = rule.actions.find((action) => action.do === 'call');
  if (call === undefined) return;
  const { when } = rule;
  const template = typeof when?.value === 'string' ? values.tryParse(when) : undefined;
  if (template === null) return;
  const names = template === undefined ? [] : references(template).filter((each) => each.kind === 'name');
  if (names.some(({ root }) => root !== 'event' && root !== 'workload')) return;
  report.add(
    'NT2025',
    call.at,
    '`call` repeats after every call: the condition does not depend on what the tool returns',
    'test the response in `when`, or write `retry` with `max_attempts`',
  );
}

/**
 * Rules after one that always matches and does not repeat the call (later rules are evaluated after a repeated
 * call).
 */
function checkReach(rules: readonly CaseRuleDoc[], report: Report): void {
  const last = rules.findIndex(
    (rule) => (rule.when === undefined || isTrue(rule.when.value)) && !rule.actions.some(repeats),
  );
  for (const rule of last === -1 ? [] : rules.slice(last + 1)) {
    // Before the step, only rules that name its event are evaluated.
    if (rule.moment !== 'enter') reportUnreached(rule.at, report);
  }
}

function repeats(action: ActionDoc): boolean {
  return action.do === 'retry' || action.do === 'call';
}

import { type Report } from '../diagnostics/diagnostic';
import { didYouMean } from '../diagnostics/suggest';
import { type CaseRuleDoc, type Document, type StepDoc } from '../document/document';
import { inside } from '../yaml/node';

/** Possible values of `event.name` in a guard: canonical names and aliases. */
const EVENTS = [
  'step.done',
  'step.failed',
  'loop.done',
  'step.exit',
  'step.enter',
  'call.done',
  'call.error',
];

/** Guards that compare the event's name with an unknown one, or one that their step never has. */
export function checkAwaitedEvents(document: Document, report: Report): void {
  for (const step of document.steps) {
    for (const arc of step.router?.arcs ?? []) checkGuard(arc.when, step, false, report);
    checkCatchAll(step, report);
    for (const rule of step.case?.rules ?? []) checkGuard(rule.when, step, true, report);
  }
}

const AFTER_SUCCESS = /^\s*\{\{-?\s*event\.name\s*==\s*(['"])(step|loop)\.done\1\s*-?\}\}\s*$/;

/** `[{when: step.done, …}, {step: undo}]`: the second looks as if it caught failures. */
function checkCatchAll({ router }: StepDoc, report: Report): void {
  if (router === undefined || router.mode === 'inclusive') return;
  const own = router.arcs.filter(({ rule }) => rule === undefined);
  const success = own.findIndex(({ when }) => AFTER_SUCCESS.test(String(when?.value ?? '')));
  const rest = own.slice(success + 1).find(({ when }) => when === undefined);
  if (success === -1 || rest === undefined) return;
  report.add(
    'NT4012',
    rest.at,
    `the arc to \`${rest.target}\` is never taken: without a guard it follows a success only, and that has been handled`,
    'for failures write `when: "{{ event.name == \'step.failed\' }}"`',
  );
}

function checkGuard(when: CaseRuleDoc['when'], step: StepDoc, inCase: boolean, report: Report): void {
  if (typeof when?.value !== 'string') return;
  for (const { name, at } of comparedIn(when.value)) {
    const where = inside(when, at, name.length + 2);
    if (!EVENTS.includes(name)) {
      const hint =
        didYouMean(name, EVENTS) ??
        `the events of a step are ${EVENTS.slice(0, 3)
          .map((each) => `\`${each}\``)
          .join(', ')}`;
      report.add('NT4008', where, `no event is called \`${name}\``, hint);
      continue;
    }
    const why = neverOccurs(name, step, inCase);
    if (why !== undefined) report.add('NT4009', where, `\`${name}\` never occurs here: ${why}`);
  }
}

/** The names that a guard compares with `event.name`: with `==` and `!=`, on either side, and with `in`. */
function comparedIn(guard: string): { name: string; at: number }[] {
  const names: { name: string; at: number }[] = [];
  const quoted = (text: string, offset: number): void => {
    for (const match of text.matchAll(/(['"])([^'"]*)\1/g))
      names.push({ name: match[2]!, at: offset + match.index });
  };
  for (const match of guard.matchAll(/event\.name\s*(?:==|!=)\s*(['"][^'"]*['"])/g))
    quoted(match[1]!, match.index + match[0].length - match[1]!.length);
  for (const match of guard.matchAll(/(['"][^'"]*['"])\s*(?:==|!=)\s*event\.name\b/g))
    quoted(match[1]!, match.index);
  for (const match of guard.matchAll(/event\.name\s+(?:not\s+)?in\s*[[(]([^\])]*)[\])]/g))
    quoted(match[1]!, match.index + match[0].length - match[1]!.length - 1);
  return names;
}

function neverOccurs(name: string, step: StepDoc, inCase: boolean): string | undefined {
  if (name === 'loop.done' && step.loop === undefined) return `the step \`${step.name}\` has no loop`;
  if (name === 'step.enter' && !inCase) return 'arcs are evaluated when the step has ended';
  const bare = step.tasks.length === 0 && step.node.entries.every((each) => each.key !== 'tool');
  if (bare && (name === 'call.error' || name === 'step.failed'))
    return `the step \`${step.name}\` has no tool`;
  return undefined;
}

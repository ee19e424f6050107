/** Checks the order in which steps started. */
import { type StepPattern } from '../format/rehearsal';
import { type Rehearsed, type RehearsalProblem } from './problem';
import { compact } from '../../../language/plan';

export function checkSteps({ rehearsal, run, plan }: Rehearsed): RehearsalProblem[] {
  const { steps } = rehearsal.expect;
  const executed = run.state.executed;
  if (steps === undefined) return [];
  const { pattern } = steps;
  const reached = match(pattern, executed);
  if (reached === true) return [];
  const missed = pattern[reached.pattern];
  const next = executed[reached.step];
  const at = plan.steps.find((step) => step.name === (next ?? missed?.name))?.at;
  const message =
    missed === undefined
      ? `expected the end after ${executed[reached.step - 1]!}, but ${next!} started`
      : `expected ${missed.name!} ${reached.step === 0 ? 'first' : `after ${executed[reached.step - 1]!}`}, ${next === undefined ? 'but no other step started' : `but ${next} started`}`;
  return [
    {
      part: 'steps',
      at: missed?.at ?? steps.at,
      message,
      details: [`expected ${arrows(pattern.map(({ name }) => name ?? '…'))}`, `got      ${arrows(executed)}`],
      ...compact({ playbookAt: at }),
    },
  ];
}

function arrows(names: readonly string[]): string {
  return names.length === 0 ? '(no step)' : names.join(' → ');
}

/**
 * True, or the furthest point of a match: the first element of the pattern and the first step without a
 * counterpart.
 */
function match(
  pattern: readonly StepPattern[],
  steps: readonly string[],
): true | { pattern: number; step: number } {
  let furthest = { pattern: 0, step: 0 };
  // ways[s]: the pattern so far can match the first s steps. Linear in pattern × steps, with any number of `…`.
  let ways = [true, ...steps.map(() => false)];
  for (const [p, { name }] of pattern.entries()) {
    const last = ways.lastIndexOf(true);
    if (name !== null && last >= 0) furthest = { pattern: p, step: last };
    ways =
      name === null
        ? ways.map((_, s) => ways.slice(0, s + 1).includes(true))
        : ways.map((_, s) => s > 0 && ways[s - 1]! && steps[s - 1] === name);
    if (!ways.includes(true)) return furtherOf(furthest, pattern, p, steps);
  }
  if (ways[steps.length]) return true;
  return { pattern: pattern.length, step: ways.lastIndexOf(true) };
}

/** After a `…` any number of steps may follow; the first one not matched before it is reported. */
function furtherOf(
  furthest: { pattern: number; step: number },
  pattern: readonly StepPattern[],
  failed: number,
  steps: readonly string[],
): { pattern: number; step: number } {
  const afterGap = failed > 0 && pattern[failed - 1]!.name === null;
  return afterGap ? { pattern: failed, step: steps.length } : furthest;
}

/** Checks the number and arguments of task calls, as sent, with templates evaluated. */
import { type Json } from '../../../language/plan';
import { formatTime } from '../format/amounts';
import { type CallExpectation, type CallsExpectation } from '../format/rehearsal';
import { selects } from '../format/selector';
import { type Call } from '../mocks/mocked-world';
import { type Rehearsed, differing, type RehearsalProblem, differences } from './problem';

export function checkCalls(rehearsed: Rehearsed): RehearsalProblem[] {
  return rehearsed.rehearsal.expect.calls.flatMap((expected) => checkTask(expected, rehearsed));
}

function checkTask(expected: CallsExpectation, rehearsed: Rehearsed): RehearsalProblem[] {
  const { selector } = expected;
  const calls = rehearsed.world.calls.filter(({ call }) => selects(selector, call));
  const part = `calls.${selector.text}`;
  const playbookAt = selector.places[0]!.task.at;
  const { count } = expected;
  const wrongCount: RehearsalProblem[] =
    count === undefined || count.comparison.holds(calls.length)
      ? []
      : [
          {
            part,
            at: count.at,
            message: `expected ${times(count.comparison.text)}, got ${times(String(calls.length))}`,
            details: calls.length === 0 ? calledInstead(rehearsed) : [],
            playbookAt,
          },
        ];
  return [...wrongCount, ...expected.calls.flatMap((one) => checkCall(one, calls, part, rehearsed))];
}

function times(text: string): string {
  return text === '1' ? '1 call' : `${text} calls`;
}

function calledInstead({ world }: Rehearsed): string[] {
  const counts = new Map<string, number>();
  for (const { call } of world.calls) {
    const name = `${call.step}/${call.task}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (counts.size === 0) return ['no task was called'];
  return [`tasks called: ${[...counts].map(([name, count]) => `${name} (${count})`).join(', ')}`];
}

function checkCall(
  expected: CallExpectation,
  calls: readonly Call[],
  part: string,
  rehearsed: Rehearsed,
): RehearsalProblem[] {
  const { which } = expected;
  if (which === 'each') {
    return calls.flatMap((call, i) => compare(expected, call, `${part} call ${i + 1}`, rehearsed));
  }
  const position = which < 0 ? calls.length + which : which - 1;
  const call = calls[position];
  const name = `${part} call ${position + 1}`;
  if (call !== undefined) return compare(expected, call, name, rehearsed);
  const message = `expected a call ${which < 0 ? '' : `${which}, `}got ${times(String(calls.length))}`;
  return [{ part, at: expected.at, message, details: calls.length === 0 ? calledInstead(rehearsed) : [] }];
}

function compare(
  { node, when }: CallExpectation,
  { call, at }: Call,
  part: string,
  { rehearsal, plan }: Rehearsed,
): RehearsalProblem[] {
  const task = plan.steps
    .find(({ name }) => name === call.step)
    ?.tasks.find(({ name }) => name === call.task);
  const more = task === undefined ? {} : { playbookAt: task.at };
  const sent: Json = JSON.parse(JSON.stringify(call));
  const problems = differing(part, differences(node, sent, false, 'call'), more);
  const after = at - rehearsal.startAt;
  if (when === undefined || when.comparison.holds(after)) return problems;
  const message = `expected at ${when.comparison.text}, called at ${formatTime(after)} of simulated time`;
  return [...problems, { part, at: when.at, message, details: [], ...more }];
}

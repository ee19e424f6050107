/** Checks for unused preparations: mocks and external messages. */
import { compact, type TaskCall } from '../../../language/plan';
import { formatTime } from '../format/amounts';
import { answersOf } from '../mocks/mocked-world';
import { type Rehearsed, type RehearsalProblem } from './problem';

/** The call at which the rehearsal stopped because it has no answer. */
export function unanswered({ rehearsal, world, plan, run }: Rehearsed): RehearsalProblem | undefined {
  const miss = world.unanswered;
  if (miss === undefined) return undefined;
  const { call, exhausted } = miss;
  const step = plan.steps.find(({ name }) => name === call.step);
  const playbookAt = step?.tasks.find(({ name }) => name === call.task)?.at ?? step?.at;
  const details = [`steps so far: ${run.state.executed.join(' → ')}`, ...sent(call)];
  const more = { details, ...compact({ playbookAt }) };
  if (exhausted !== null) {
    const count = answersOf(exhausted);
    return {
      part: `mocks.${exhausted.selector.text}`,
      at: exhausted.at,
      message: `call ${count + 1} (${nameOf(call)}) has no answer: the mock has ${count === 1 ? 'one' : count}`,
      ...more,
      hint: 'add an answer, or `repeat: always` to the last one',
    };
  }
  const unused = world.usages.filter(({ used, mock }) => used === 0 && !mock.shared);
  const kind = `a default for kind ${call.kind}`;
  return {
    part: 'mocks',
    at: rehearsal.at,
    message: `no mock answers ${nameOf(call)} (kind ${call.kind})`,
    ...more,
    hint:
      unused.length > 0
        ? `never used so far: ${unused.map(({ mock }) => `\`${mock.selector.text}\``).join(', ')}`
        : `add a mock \`${call.step}/${call.task}\`, ${kind}, or \`unmocked: null\``,
  };
}

/** Every answer must be needed, unless the rehearsal itself says how many calls there are. */
export function checkMocks({ rehearsal, world }: Rehearsed): RehearsalProblem[] {
  const counted = new Set(
    rehearsal.expect.calls.flatMap(({ selector, count }) => (count === undefined ? [] : [selector.text])),
  );
  const elsewhere = [...new Set(world.calls.map(({ call }) => `${call.step}/${call.task}`))];
  return world.usages.flatMap(({ mock, used }): RehearsalProblem[] => {
    const count = answersOf(mock);
    const finite = mock.answers.reduce((sum, { times }) => sum + (times === Infinity ? 0 : times), 0);
    const enough = count === Infinity ? used > finite : used === count;
    const { text, places } = mock.selector;
    if (mock.shared || enough || (used > 0 && counted.has(text))) return [];
    const message =
      used === 0
        ? `mock \`${text}\` was never used`
        : `mock \`${text}\` has ${count === Infinity ? 'more' : count} answers, ${used} ${used === 1 ? 'was' : 'were'} used`;
    const calls = elsewhere.length === 0 ? 'no task was called' : `calls went to ${elsewhere.join(', ')}`;
    return [
      {
        part: `mocks.${text}`,
        at: mock.answers.find((_, i) => used < upTo(mock, i))?.at ?? mock.at,
        message,
        details: used === 0 ? [calls] : [],
        playbookAt: places[0]!.task.at,
      },
    ];
  });
}

/** A message after the end tests nothing. */
export function checkHappenings({ rehearsal, run }: Rehearsed): RehearsalProblem[] {
  if (run.end === 'stuck') return [];
  return rehearsal.messages.flatMap(({ after, at }): RehearsalProblem[] => {
    if (after <= run.elapsed) return [];
    const message = `the execution ended after ${formatTime(run.elapsed)} of simulated time, before this could be delivered`;
    const hint = 'the duration of a task is that of its mock: `duration: 5s`';
    return [{ part: 'events', at, message, details: [], hint }];
  });
}

/** Calls taken by the answers up to the one at `index`. */
function upTo({ answers }: Parameters<typeof answersOf>[0], index: number): number {
  return answers.slice(0, index + 1).reduce((sum, { times }) => sum + times, 0);
}

function nameOf({ step, task, iteration, attempt }: TaskCall): string {
  const place = `${step}/${task}${iteration === undefined ? '' : `[${iteration}]`}`;
  return attempt > 1 ? `${place}, attempt ${attempt}` : place;
}

function sent({ config, input }: TaskCall): string[] {
  const show = (name: string, value: object): string[] => {
    const text = JSON.stringify(value);
    return text === '{}' ? [] : [`${name}: ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`];
  };
  return [...show('config', config), ...show('input', input)];
}

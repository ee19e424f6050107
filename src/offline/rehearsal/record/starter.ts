/** A first rehearsal of a playbook: its behaviour if every tool returns its minimal result. */
import { type Json, type JsonObject, type Plan, type TaskCall } from '../../../language/plan';
import { type ToolKinds } from '../../../language/dsl/kinds';
import { mockedKind, leastOutcome } from '../mocks/kinds';
import { type SelectedTask, placesOf } from '../format/selector';
import { simulatePlan } from '../../drive';
import { outlineOf, rehearsalText } from './record';

/** A playbook that runs longer than this probably waits for an answer that only its author knows. */
const MAX_BATCHES = 2_000;

/**
 * The text of a passing rehearsal file; if the playbook needs other answers to end, it contains the mocks without
 * expectations.
 *
 * @param playbook the path in the file
 * @param extensions kinds of extension modules
 */
export function starterText(plan: Plan, playbook: string, extensions: ToolKinds = new Map()): string {
  const places = placesOf(plan);
  const called = new Map<string, JsonObject>();
  const world = {
    answer: (call: TaskCall) => {
      const kind = mockedKind(call.kind, extensions);
      called.set(selectorName(call, places), { ...(kind.mock?.least ?? { result: {} }), repeat: 'always' });
      return { outcome: leastOutcome(kind, call, 0), after: 0 };
    },
  };
  const run = simulatePlan(plan, world, { maxBatches: MAX_BATCHES });
  const ended = run.end !== 'stuck';
  const mocks: Record<string, Json> = Object.fromEntries(called);
  const name = NAMES[run.end === 'fail' ? 'failed' : ended ? 'ended' : 'open'];
  return `# noetl-temporal test ${playbook.replace(/\.ya?ml$/, '.rehearsal.yaml')}\n${rehearsalText(
    playbook,
    [{ name, mocks, expect: ended ? outlineOf(run) : {} }],
  )}`;
}

/** A run that minimal answers fail proves nothing yet: its author is to give better ones. */
const NAMES = {
  ended: 'runs to its end with minimal answers',
  failed: 'fails with minimal answers: give the mocks better ones',
  open: 'needs other answers to reach an end',
} as const;

/** The shortest name that selects only this task. */
export function selectorName(
  { step, task }: Pick<TaskCall, 'step' | 'task'>,
  places: readonly SelectedTask[],
): string {
  const namesakes = places.filter((place) => place.task.name === task || place.step === task);
  const alone = places.filter((place) => place.step === step).length === 1;
  const stepIsTask = places.some((place) => place.task.name === step);
  if (alone && !stepIsTask) return step;
  return namesakes.length === 1 ? task : `${step}/${task}`;
}

/** A first rehearsal of a playbook: its behaviour if every tool returns its minimal result. */
import { compact, type Json, type JsonObject, type Plan, type TaskCall } from '../../../language/plan';
import { type ToolKinds } from '../../../language/dsl/kinds';
import { mockedKind, leastOutcome } from '../mocks/kinds';
import { type SelectedTask, placesOf } from '../format/selector';
import { type Simulated, simulatePlan } from '../../drive';
import { outlineOf, rehearsalText } from './from-run';

/** A playbook that runs longer than this probably waits for an answer that only its author knows. */
const MAX_BATCHES = 2_000;

/** A rehearsal file to begin with. */
export interface StarterRehearsal {
  readonly text: string;
  /** What its author has to fill in before it passes. */
  readonly toFill?: string;
}

/**
 * A rehearsal that passes, or one that fails until its mocks answer what the playbook needs: a rehearsal that expects the failure
 * of empty answers would prove nothing, and be ticked off.
 *
 * @param playbook the path in the file
 * @param extensions kinds of extension modules
 */
export function starterRehearsal(
  plan: Plan,
  playbook: string,
  extensions: ToolKinds = new Map(),
): StarterRehearsal {
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
  const mocks: Record<string, Json> = Object.fromEntries(called);
  const toFill = openIn(run);
  const [name, expect] =
    toFill === undefined
      ? ['runs to its end with minimal answers', outlineOf(run)]
      : ['completes', { status: 'completed' }];
  const head = [
    `noetl-temporal test ${playbook.replace(/\.ya?ml$/, '.rehearsal.yaml')}`,
    ...(toFill === undefined ? [] : [`To be filled in: ${toFill}`]),
  ];
  const text = `${head.map((line) => `# ${line}\n`).join('')}${rehearsalText(playbook, [{ name, mocks, expect }])}`;
  return { text, ...compact({ toFill }) };
}

/** Why minimal answers are not enough, and what to do. */
function openIn({ end, error }: Simulated): string | undefined {
  if (end === 'stuck')
    return 'with minimal answers the run reaches no end; give the mocks the answers that end it';
  if (end !== 'fail' || !error) return undefined;
  const { step, at, code, message } = error;
  const where = [
    ...(step === undefined ? [] : [`in step ${step}`]),
    ...(at ? [`at line ${at[0]}`] : []),
  ].join(' ');
  const what = message.split('\n')[0]!;
  return `minimal answers fail ${where}: ${what} [${code}]; give the mocks what is read there, or expect this error if it is right`;
}

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

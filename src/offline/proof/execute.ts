/**
 * Calls that a recording cannot answer are run, by an executor that the caller provides: nothing here has effects. Each round
 * decides anew, until there is no other call that can be run.
 */
import { type Outcome, type Plan, type TaskCall } from '../../language/plan';
import { type AnewOptions, decideAnew } from './decide-anew';
import { callText } from './decisions';
import { type Recording, type Supplied } from './recording';

/** Runs a call. @returns undefined if it is not of a kind that it runs */
export type CallExecutor = (call: TaskCall) => Promise<Outcome | undefined>;

/** Those of other kinds, or open for other reasons, stay unanswered. */
const RUN: ReadonlySet<string> = new Set(['new', 'changed']);
/** Of one execution; more are as unanswerable as if none were run. */
const MOST_RUN = 500;

export interface ExecutedAnswers {
  /** Options with the answers of the calls that were run. */
  readonly options: AnewOptions;
  /** Number of calls that were run. */
  readonly count: number;
}

/**
 * @param options.supplied made again for each round, because it may use up its answers
 * @throws errors of the executor, and as `decideAnew`
 */
export async function executedAnswers(
  recording: Recording,
  plan: Plan,
  execute: CallExecutor,
  { supplied, ...options }: Omit<AnewOptions, 'supplied'> & { readonly supplied?: () => Supplied } = {},
): Promise<ExecutedAnswers> {
  const answers = new Map<string, { outcome: Outcome; after: number } | undefined>();
  const { events: _, ...quiet } = options;
  const answered = (): AnewOptions => {
    const own = supplied?.();
    const otherwise: Supplied['otherwise'] = (call) =>
      own?.otherwise?.(call) ?? structuredClone(answers.get(keyOf(call)));
    return {
      ...options,
      supplied: { ...(own?.instead && { instead: (call) => own.instead!(call) }), otherwise },
    };
  };
  for (;;) {
    const { world } = decideAnew(recording, plan, { ...quiet, supplied: answered().supplied! });
    const open = world.unanswered.filter(({ call, why }) => RUN.has(why) && !answers.has(keyOf(call)));
    for (const { call, recorded } of open.slice(0, Math.max(0, MOST_RUN - answers.size))) {
      const outcome = await execute(call);
      const after = recorded?.end ? recorded.end.mark.at - recorded.requestedAt : 0;
      answers.set(keyOf(call), outcome && { outcome, after });
    }
    if (open.length === 0 || answers.size >= MOST_RUN) break;
  }
  return { options: answered(), count: [...answers.values()].filter(Boolean).length };
}

function keyOf(call: TaskCall): string {
  return `${call.task_run_id} ${callText(call)}`;
}

/**
 * The names that rules, policies and sinks of the `case` vocabulary see beside those of every place (S1 §7.3, §8.3,
 * S2 §6.3; D9, D17).
 */
import { type JsonObject } from '../../plan';
import { ErrorText, PayloadView } from './payload';
import { type TaskResult } from '../state';
import { OutcomeView, TaskView } from './views';

/** The call at hand, as its rules see it. */
export interface CallNames {
  /** What the call came to; absent for a step without a tool, and where no call was made. */
  readonly task?: TaskResult;
  /** `_retry`: the page where the call turns pages, else the attempt; and the executions so far. */
  readonly index: number;
  readonly count: number;
  /** The failure's error; undefined when all is well. */
  readonly error?: JsonObject;
  /** `response` is left undefined: the rule does not look at failures, and this is one. */
  readonly hidesResponse?: boolean;
  /** Stands for `response`, `result` and `this` at the boundary of a loop. */
  readonly whole?: unknown;
  /** Actions also have `result` and `this`. */
  readonly acting?: boolean;
  /** The step's own writes add nothing but `result`: the rest reads as at the step's arcs. */
  readonly writing?: true;
  /** Policies of `retry` have names of their own. */
  readonly retry?: { readonly attempt: number; maxAttempts(): number };
}

type Name = (call: CallNames) => unknown;

const ROOTS: Readonly<Record<string, Name>> = {
  _retry: ({ index, count }) => ({ index, count }),
  page: ({ task }) => task && new PayloadView(task),
  response: responseOf,
  error: ({ error, retry }) => (retry && error ? new ErrorText(error) : error),
};

const ACTING: Readonly<Record<string, Name>> = {
  result: resultOf,
  this: ({ task, whole }) => whole ?? (task && new OutcomeView(task)),
};

const RETRY: Readonly<Record<string, Name>> = {
  attempt: ({ retry }) => retry!.attempt,
  max_attempts: ({ retry }) => retry!.maxAttempts(),
  status_code: ({ task }) => task!.outcome.http?.status ?? new TaskView(task!).get('status_code'),
  success: ({ task }) => task!.outcome.status === 'ok',
  result: resultOf,
  data: resultOf,
};

function responseOf({ task, whole, hidesResponse }: CallNames): unknown {
  if (hidesResponse) return undefined;
  return whole ?? (task ? new TaskView(task) : null);
}

function resultOf({ task, whole }: CallNames): unknown {
  return whole ?? (task ? new PayloadView(task) : null);
}

/** How to look the name up, if it is one of these. */
export function callName(call: CallNames, name: string): (() => unknown) | undefined {
  if (call.writing) return name === 'result' ? () => resultOf(call) : undefined;
  for (const [names, here] of [
    [ROOTS, true],
    [RETRY, call.retry !== undefined],
    [ACTING, call.acting === true],
  ] as const) {
    if (here && Object.hasOwn(names, name)) return () => names[name]!(call);
  }
  return undefined;
}

/** `retry` beside a tool: a mapping or policies, polls and pages (docs/design/rules.md, Retry and Pages). */
import { type Flow } from './clock';
import { type Dict, dict, readSinks, type RetryPolicy, type Sink } from './document';
import { type Frame, type Place } from './frame';
import { type Failure } from './run';
import { holds, mapOf, type Outcome, payloadOf, ResultView } from './values';

/** How far the repetitions of one iteration have come. */
export interface Repetitions {
  attempt: number;
  /** Pages so far, and calls altogether. */
  pages: number;
  calls: number;
  changes: Dict;
  /** The policy that asked for this page. */
  policy: RetryPolicy | undefined;
  /** What was collected, if it is the result. */
  collected: unknown[] | undefined;
}

export type Answer =
  | { readonly then: 'repeat'; readonly delay: number }
  | { readonly then: 'end'; readonly note?: string; readonly code?: string; readonly failure?: Failure };

export const OVERRIDES = ['next_call', 'params', 'args', 'input'];
const mostOf = ({ then }: RetryPolicy): number => Number(then['max_attempts'] ?? 3);
const isPaging = ({ then }: RetryPolicy): boolean => OVERRIDES.some((key) => Object.hasOwn(then, key));

export function* askRetry(
  policies: readonly RetryPolicy[],
  frame: Frame,
  outcome: Outcome,
  so: Repetitions,
): Flow<Answer> {
  if (policies.length === 0) return { then: 'end' };
  const asked = (policy: RetryPolicy): boolean => wants(policy, frame, outcome, so);
  const policy = policies.find(asked);
  if (outcome.status === 'ok') {
    const failure = yield* keepPage(policies, policy, frame, outcome, so);
    if (failure) return { then: 'end', failure };
  }
  if (!policy) return { then: 'end' };
  const most = mostOf(policy);
  const place = placeOf(policy, outcome, so);
  if (isPaging(policy)) {
    if (so.pages >= most) return { then: 'end', note: 'PAGES_LEFT' };
    so.pages += 1;
    so.attempt = 1;
    so.policy = policy;
    so.changes = mapOf({ ...policy.then, ...dict(policy.then['next_call']) }, frame.names(place));
    return { then: 'repeat', delay: 0 };
  }
  if (so.attempt >= most) return exhausted(policy, frame, outcome, place);
  // What it repeats without changes is collected as well: only pages are the result.
  const own = dict(policy.then['collect']);
  if (outcome.status === 'ok') {
    if (Object.keys(own).length > 0) frame.collect(own, new ResultView(outcome), place);
    const failure = yield* frame.store(sinksOf(policy, frame), place);
    if (failure) return { then: 'end', failure };
  }
  const factor = Number(policy.then['backoff_multiplier'] ?? 1) ** (so.attempt - 1);
  const delay = Math.min(
    Number(policy.then['initial_delay'] ?? 1) * factor,
    Number(policy.then['max_delay'] ?? 3600),
  );
  so.attempt += 1;
  return { then: 'repeat', delay: delay * 1000 };
}

/** The attempts are used up: a poll that wanted to go on is a note, or a failure if `retry_when` holds as well. */
function exhausted(
  { when, isMapping }: RetryPolicy,
  frame: Frame,
  { status }: Outcome,
  place: Place,
): Answer {
  if (status === 'error') return { then: 'end' };
  const failing = isMapping && when !== undefined && holds(when, frame.names(place));
  return failing ? { then: 'end', code: 'RETRY_EXHAUSTED' } : { then: 'end', note: 'ATTEMPTS_LEFT' };
}

function wants(policy: RetryPolicy, frame: Frame, outcome: Outcome, so: Repetitions): boolean {
  const names = frame.names(placeOf(policy, outcome, so));
  const { when, until } = policy;
  if (until !== undefined && holds(until, names)) return false;
  if (when !== undefined) return holds(when, names);
  return until !== undefined || outcome.status === 'error';
}

/** A page belongs to the policy that asked for it, the first and the last to a policy that asks for pages. */
function* keepPage(
  policies: readonly RetryPolicy[],
  asking: RetryPolicy | undefined,
  frame: Frame,
  outcome: Outcome,
  so: Repetitions,
): Flow<Failure | undefined> {
  if (asking && !isPaging(asking) && so.attempt < mostOf(asking)) return undefined;
  const owner = so.policy ?? (asking && isPaging(asking) ? asking : policies.find(isPaging));
  const collect = dict(owner?.then['collect']);
  if (!owner) return undefined;
  const place = placeOf(owner, outcome, so);
  if (Object.keys(collect).length > 0) so.collected = frame.collect(collect, new ResultView(outcome), place);
  return yield* frame.store(sinksOf(owner, frame), place);
}

const sinksOf = ({ then }: RetryPolicy, { options }: Frame): Sink[] =>
  readSinks(options.step, then['sink'], options.execution.steps.get(options.step)!.around);

function placeOf({ then }: RetryPolicy, outcome: Outcome, so: Repetitions): Place {
  const view = outcome.status === 'ok' ? new ResultView(outcome) : undefined;
  return {
    attempt: so.attempt,
    max_attempts: Number(then['max_attempts'] ?? 3),
    status_code: dict(outcome.http)['status'],
    error: outcome.error ?? undefined,
    success: outcome.status === 'ok',
    response: view,
    page: view,
    result: payloadOf(outcome),
    data: payloadOf(outcome),
    _retry: { index: so.pages > 1 ? so.pages : so.attempt, count: so.calls },
  };
}

/**
 * Limits by key that an execution passes before it begins (docs/design/limits.md): debounce, then concurrency. It asks
 * the keeper of its key, and goes on when it is granted a place.
 */
import {
  type ConcurrencyPlan,
  type DebouncePlan,
  type Json,
  type JsonObject,
  type KeptLimit,
  type LimitAnswer,
  MOST_ASKERS,
  type Outcome,
  type SourcePosition,
} from '../../../language/plan';
import { askKeeper, keeperId, LimitFields, timestamp } from '../calls';
import { causeOf, type Context, takeNotes } from '../batch';
import { failExecution } from '../tokens';
import { type LimitWait, type State } from '../state';

type Gate = NonNullable<State['gate']>;
type Stage = 'debounce' | 'concurrency';
type AnswerOf<T extends LimitAnswer['type']> = Extract<LimitAnswer, { type: T }>;

/**
 * Asks for admission and holds the execution until it is granted. False when no limit is left to pass.
 *
 * @param rerun where a rerun continues afterwards, and its input; it is not debounced, because somebody wants it now
 * @param after the stage that was passed
 */
export function askAdmission(context: Context, rerun?: Gate['rerun'], after?: Stage): boolean {
  const { debounce, concurrency } = context.plan;
  if (debounce && !rerun && !after)
    return guarded(context, 'debounce', debounce, () => askDebounce(context, debounce, rerun));
  if (concurrency && after !== 'concurrency')
    return guarded(context, 'concurrency', concurrency, () => askConcurrency(context, concurrency, rerun));
  return false;
}

function guarded(
  context: Context,
  stage: Stage,
  { at }: { readonly at: SourcePosition },
  ask: () => void,
): true {
  try {
    ask();
  } catch (error) {
    delete context.state.gate;
    failExecution(context, causeOf(error, stage, at));
  }
  return true;
}

function askDebounce(context: Context, plan: DebouncePlan, rerun: Gate['rerun']): void {
  const { key, scope, period, maxWait, at } = plan;
  const fields = new LimitFields(context, {}, 'debounce', at);
  const debounce: JsonObject = {
    period_ms: fields.milliseconds(period, 'period'),
    ...(maxWait && { max_wait_ms: fields.milliseconds(maxWait, 'max_wait') }),
  };
  const kept: KeptLimit = {
    of: 'debounce',
    scope: scope ?? context.plan.metadata.path,
    key: fields.key(key),
  };
  hold(context, { kept, limit: null, request: { debounce } }, rerun);
}

function askConcurrency(context: Context, settings: ConcurrencyPlan, rerun: Gate['rerun']): void {
  const { state, plan } = context;
  const { key, scope, limit: given, onConflict, at } = settings;
  const fields = new LimitFields(context, {}, 'concurrency', at);
  const limit = fields.count(given, 'limit');
  const kept: KeptLimit = { of: 'concurrency', scope: scope ?? plan.metadata.path, key: fields.key(key) };
  const inside = state.caller?.holds?.includes(keeperId(kept)) && { inside: true };
  const concurrency: JsonObject = { limit, on_conflict: onConflict, ...inside };
  hold(context, { kept, limit, request: { concurrency } }, rerun);
}

function hold(
  context: Context,
  { kept, limit, request }: { kept: KeptLimit; limit: number | null; request: JsonObject },
  rerun: Gate['rerun'],
): void {
  const { state } = context;
  const keeper = keeperId(kept);
  state.gate = { ...(rerun && { rerun }), limit: { ...kept, keeper, limit, request, since: state.now } };
  state.keepers = [keeper];
  askAgain(context);
}

/**
 * Asks the keeper, also after a pause: if somebody terminated it, this starts another. A keeper answers a request that it
 * knows again, and nothing else changes.
 */
export function askAgain(context: Context): void {
  const { state } = context;
  const { limit: wait } = state.gate ?? {};
  if (!wait) return;
  const { of, scope, key, keeper, request } = wait;
  const id = `limit:${of}`;
  if (!state.pending.has(id)) askKeeper(context, id, { keeper, kept: { of, scope, key }, request });
}

/** The request was delivered, or could not be. */
export function limitAsked(context: Context, { error }: Outcome): void {
  if (!error || !context.state.gate?.limit) return;
  const { kind, code, message } = error;
  failExecution(context, { kind, code, message, at: at(context) });
}

/** The keeper has answered. Returns the gate to open once no limit is left to pass. */
export function limitAnswered(context: Context, answer: LimitAnswer): Gate | undefined {
  const { state } = context;
  const wait = state.gate?.limit;
  const isMeant = wait?.keeper === answer.keeper && answer.execution === state.executionId;
  if (!wait || !isMeant || state.status === 'failing' || state.status === 'cancelling') return undefined;
  switch (answer.type) {
    case 'queued':
      queued(context, wait, answer);
      return undefined;
    case 'granted':
      return granted(context, wait);
    case 'skipped':
      skipped(context, wait, answer);
      return undefined;
    case 'refused':
      refused(context, wait, answer);
      return undefined;
    case 'slots':
      return undefined;
  }
}

function queued(context: Context, wait: LimitWait, { holders, ahead, until: at }: AnswerOf<'queued'>): void {
  const until = at ?? null;
  const isNews = wait.behind === undefined;
  wait.behind = { holders: [...holders], ahead, until };
  if (!isNews) return;
  const time = until === null ? {} : { until: timestamp(until) };
  tell(context, 'limit.queued', wait, { holders: [...holders], ahead, ...time });
}

function granted(context: Context, wait: LimitWait): Gate | undefined {
  const { state } = context;
  const rerun = state.gate?.rerun;
  tell(context, 'limit.acquired', wait, { duration_ms: state.now - wait.since });
  delete state.gate;
  if (wait.of === 'debounce') delete state.keepers;
  return askAdmission(context, rerun, wait.of as Stage) ? undefined : { ...(rerun && { rerun }) };
}

/** The execution ends at once, in favor of others. */
function skipped(context: Context, wait: LimitWait, { by }: AnswerOf<'skipped'>): void {
  const { state } = context;
  const { of, key } = wait;
  const why =
    of === 'debounce'
      ? `the newer execution ${by.join(', ')} replaced it`
      : `execution ${by.join(', ')} holds ${named(wait)}`;
  const message = `the execution did not run: ${why}`;
  tell(context, 'limit.skipped', wait, { by: [...by], message });
  delete state.gate;
  delete state.keepers;
  state.skipped = { status: 'skipped', limit: of, key, by: [...by] };
  takeNotes(state, { kept: [{ code: 'SKIPPED', message, at: at(context, of as Stage) }], count: 1 });
}

function refused(context: Context, wait: LimitWait, answer: AnswerOf<'refused'>): void {
  const { holders, inside, full } = answer;
  const who = `execution ${holders.join(', ')}`;
  const reached = full
    ? `is as full as one may be: ${MOST_ASKERS} executions hold it or wait for it`
    : `has reached its limit of ${wait.limit}: held by ${who}`;
  const message = inside
    ? `${named(wait)} is held by ${who}, and a caller of this execution is among those that wait for it: it would wait forever`
    : `${named(wait)} ${reached}`;
  tell(context, 'limit.refused', wait, { holders: [...holders], message });
  const code = inside ? 'LIMIT_DEADLOCK' : 'LIMIT_REACHED';
  delete context.state.gate;
  delete context.state.keepers;
  failExecution(context, { kind: 'engine', code, message, at: at(context) });
}

function named({ key, scope }: LimitWait): string {
  return key === '' ? `the limit of ${scope}` : `the key ${JSON.stringify(key)} of ${scope}`;
}

function at({ plan }: Context, of: Stage = 'concurrency'): SourcePosition {
  return (plan[of] ?? plan.debounce)?.at ?? [1, 1];
}

function tell(
  context: Context,
  type: 'limit.queued' | 'limit.acquired' | 'limit.skipped' | 'limit.refused',
  { of, scope, key, limit }: LimitWait,
  more: Readonly<Record<string, Json | undefined>>,
): void {
  const about = { of, scope, key, ...(limit !== null && { limit }), ...more };
  context.emit?.(type, context.plan.metadata.path, STATUS[type], about);
}

const STATUS = {
  'limit.queued': 'in_progress',
  'limit.acquired': 'success',
  'limit.skipped': 'skipped',
  'limit.refused': 'error',
} as const;
